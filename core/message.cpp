#include "core/message.hpp"

#include <optional>
#include <string>

#include "core/suggest.hpp"

namespace ringside {
namespace {

/// The slot that decides how long a transfer is.
std::optional<Slot> decisive(const Transfer& t) {
  for (const Slot& slot : {t.src(), t.with(), t.dst()})
    if (slot.buffer != Buffer::scratch) return slot;
  return std::nullopt;
}

}  // namespace

std::uint64_t slot_elements(const Transfer& transfer, std::uint32_t nth,
                            const ChunkLayout& layout) {
  const auto slot = decisive(transfer);
  return slot ? layout.elements(ChunkId{slot->chunk.value + nth}) : layout.longest();
}

std::uint64_t message_elements(const Transfer& transfer, const ChunkLayout& layout) {
  const auto slot = decisive(transfer);
  return slot ? layout.elements(slot->chunk, transfer.chunks())
              : transfer.chunks() * layout.longest();
}

Result<void> check_length(const Transfer& t, std::uint64_t id, const ChunkLayout& layout) {
  for (std::uint32_t i = 0; i < t.chunks(); ++i)
    for (const Slot& slot : {t.src(), t.with(), t.dst()}) {
      if (slot.buffer == Buffer::scratch) continue;
      const auto room = layout.elements(ChunkId{slot.chunk.value + i});
      const auto carried = slot_elements(t, i, layout);
      if (room != carried)
        return bad_request("transfer " + std::to_string(id) + " carries " +
                           counted(carried, "element") + ", but chunk " +
                           std::to_string(slot.chunk.value + i) + " of " + to_string(slot) +
                           " has " + std::to_string(room) + "; choose a count that " +
                           std::to_string(layout.chunks()) + " chunks divide");
    }
  return {};
}

Result<void> check_lengths(const Schedule& schedule, const ChunkLayout& layout) {
  if (layout.elements(ChunkId{schedule.chunks() - 1}) == layout.longest()) return {};
  std::uint32_t id = 0;
  for (const Transfer& t : schedule.transfers()) RS_TRY(check_length(t, id++, layout));
  return {};
}

}  // namespace ringside
