#include "core/binding.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "core/message.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

struct Extent {
  const std::byte* begin;
  const std::byte* end;
  std::uint32_t rank;
  bool written;
  std::string name() const {
    return std::string(written ? "output" : "input") + " of rank " + std::to_string(rank);
  }
};

Result<void> check_sizes(const Work& work, const Memory& memory, std::span<const Rank> owned) {
  const CollectiveSpec& spec = work.schedule->spec();
  RS_ASSIGN(const auto bytes, whole_vector(work));
  const auto whole = bytes.count;
  if (memory.ranks.size() != spec.ranks)
    return bad_request("there is memory for " + counted(memory.ranks.size(), "rank") +
                       ", but the schedule has " + std::to_string(spec.ranks));
  for (const Rank rank : owned) {
    const auto& [input, output] = memory.ranks[rank.value];
    const auto needed = needs(spec, rank);
    const auto number = std::to_string(rank.value);
    const auto missing = [&](const char* which, std::size_t has) {
      return bad_request("the " + std::string(which) + " of rank " + number + " has " +
                         counted(has, "byte") + "; the whole vector needs " +
                         std::to_string(whole));
    };
    if (needed.input && input.size() < whole) return missing("input", input.size());
    if (needed.output && output.size() < whole) return missing("output", output.size());
    if (spec.in_place && !input.empty() && input.data() != output.data())
      return bad_request("in place, input and output of rank " + number + " must be one buffer");
  }
  return {};
}

Result<void> check_overlap(const CollectiveSpec& spec, const Memory& memory) {
  std::vector<Extent> extents;
  const auto add = [&](std::span<const std::byte> bytes, std::uint32_t rank, bool written) {
    if (!bytes.empty())
      extents.push_back({bytes.data(), bytes.data() + bytes.size(), rank, written});
  };
  for (std::uint32_t r = 0; r < memory.ranks.size(); ++r) {
    if (!spec.in_place) add(memory.ranks[r].input, r, false);
    add(memory.ranks[r].output, r, true);
  }
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return std::less<>{}(a.begin, b.begin); });
  std::optional<Extent> longest, longest_written;  // of those that began before
  for (const Extent& e : extents) {
    const auto& rival = e.written ? longest : longest_written;
    if (rival && std::less<>{}(e.begin, rival->end))
      return bad_request("the " + rival->name() + " overlaps the " + e.name() +
                         "; only a collective in place may share, and then input and output of one "
                         "rank are one buffer");
    if (!longest || std::less<>{}(longest->end, e.end)) longest = e;
    if (e.written && (!longest_written || std::less<>{}(longest_written->end, e.end)))
      longest_written = e;
  }
  return {};
}

Result<void> check_slots(const Work& work, const Memory& memory, std::span<const Rank> owned) {
  const Schedule& schedule = *work.schedule;
  const auto whole = layout_of(work).total() * size_of(work.type).count;
  std::vector<bool> is_owned(schedule.participants(), true);  // an agent's slots are scratch
  std::fill_n(is_owned.begin(), schedule.spec().ranks, false);
  for (const Rank rank : owned) is_owned[rank.value] = true;
  std::uint32_t id = 0;
  for (const Transfer& t : schedule.transfers()) {
    for (const Slot& slot : {t.src(), t.with(), t.dst()}) {
      if (slot.buffer == Buffer::scratch || !is_owned[slot.rank.value]) continue;
      const bool agent = slot.rank.value >= memory.ranks.size();
      const auto bytes = agent ? 0
                         : slot.buffer == Buffer::input
                             ? memory.ranks[slot.rank.value].input.size()
                             : memory.ranks[slot.rank.value].output.size();
      if (whole > bytes)
        return bad_request("transfer " + std::to_string(id) + " uses " + to_string(slot) +
                           ", which has no such buffer");
    }
    ++id;
  }
  return {};
}

}  // namespace

ChunkLayout layout_of(const Work& work) {
  return ChunkLayout(work.schedule->spec(), work.schedule->chunks(), work.count);
}

Result<Bytes> whole_vector(const Work& work) {
  __extension__ using Wide = unsigned __int128;
  const CollectiveSpec& spec = work.schedule->spec();
  const auto blocks = is_blocked(spec.kind) ? spec.ranks : 1;
  const Wide bytes = Wide{work.count} * blocks * size_of(work.type).count;
  if (bytes > Wide{INT64_MAX} / (2 * Wide{spec.ranks}))
    return bad_request("a count of " + std::to_string(work.count) + " " +
                       std::string(name(work.type)) + " on " + counted(spec.ranks, "rank") +
                       " does not fit 64-bit sizes");
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

Needs needs(const CollectiveSpec& spec, Rank rank) {
  const bool root = rank == spec.root;
  Needs needed{true, true};
  switch (spec.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      needed.input = root;
      break;
    case CollectiveKind::reduce:
    case CollectiveKind::gather:
      needed.output = root;
      break;
    default:
      break;
  }
  return spec.in_place ? Needs{false, true} : needed;
}

Result<void> check_binding(const Work& work, const Memory& memory) {
  std::vector<Rank> all;
  for (std::uint32_t r = 0; r < work.schedule->spec().ranks; ++r) all.push_back({r});
  return check_binding(work, memory, all);
}

Result<void> check_binding(const Work& work, const Memory& memory, std::span<const Rank> owned) {
  RS_TRY(check_sizes(work, memory, owned));
  RS_TRY(check_overlap(work.schedule->spec(), memory));
  RS_TRY(check_lengths(*work.schedule, layout_of(work)));
  return check_slots(work, memory, owned);
}

}  // namespace ringside
