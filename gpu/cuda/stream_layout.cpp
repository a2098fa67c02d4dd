#include "gpu/cuda/stream_layout.hpp"

#include <algorithm>

#include "core/message.hpp"
#include "gpu/host/linear_order.hpp"

namespace ringside::cuda {
namespace {

Place behind(Place place, std::uint64_t bytes) {
  place.offset += bytes;
  return place;
}

/// Whether the last piece could take this one, which continues it everywhere. Where a reduce
/// overwrites the operand of its next chunk, chunks stay apart.
bool grows(Pieces& pieces, const Piece& piece, const Transfer& t) {
  if (pieces.empty()) return false;
  Piece& last = pieces.back();
  const auto continues = [&](const Place& a, const Place& b) {
    return a.offset + last.bytes == b.offset;
  };
  const bool shifts = t.has_separate_operand() && t.with().buffer == t.dst().buffer;
  if (shifts || !continues(last.dst, piece.dst) || !continues(last.with, piece.with) ||
      !continues(last.src, piece.src))
    return false;
  last.bytes += piece.bytes;
  return true;
}

}  // namespace

StreamLayout::StreamLayout(const Work& work)
    : schedule_(*work.schedule),
      op_(work.op),
      layout_(layout_of(work)),
      element_(size_of(work.type).count) {}

std::uint64_t StreamLayout::bytes(const Transfer& t) const {
  return message_elements(t, layout_) * element_;
}

Place StreamLayout::place(const Slot& slot) const {
  const auto owner = slot.rank.value;
  if (slot.buffer == Buffer::scratch) return {Area::scratch, owner, slot.chunk.value * room()};
  const auto offset = layout_.offset(slot.chunk) * element_;
  if (slot.buffer == Buffer::output) return {Area::output, owner, offset};
  return {scales_aside() ? Area::scaled : Area::input, owner, offset};
}

Pieces StreamLayout::pieces(const Transfer& t) const {
  Pieces pieces;
  for (std::uint32_t i = 0; i < t.chunks(); ++i) {
    const Piece piece{place(nth(t.dst(), i)), place(nth(t.with(), i)), place(nth(t.src(), i)),
                      slot_elements(t, i, layout_) * element_};
    if (piece.bytes > 0 && !grows(pieces, piece, t)) pieces.push_back(piece);
  }
  if (host::last_chunk_first(t)) std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<Pieces> StreamLayout::totals() const {
  std::vector<Pieces> totals(schedule_.spec().ranks);
  for (const Expectation& e : postcondition(schedule_.spec(), schedule_.chunks())) {
    const Place at = place(e.slot);
    const auto size = bytes(e.slot.chunk);
    auto& pieces = totals[at.owner];
    if (!pieces.empty() && pieces.back().dst.offset + pieces.back().bytes == at.offset)
      pieces.back().bytes += size;
    else if (size > 0)
      pieces.push_back({at, {}, at, size});
  }
  return totals;
}

std::vector<Pieces> cut(const Pieces& pieces, std::uint64_t most) {
  std::vector<Pieces> slices(1);
  std::uint64_t filled = 0;
  for (const Piece& piece : pieces)
    for (std::uint64_t done = 0; done < piece.bytes;) {
      if (filled == most) slices.emplace_back(), filled = 0;
      const auto bytes = std::min(most - filled, piece.bytes - done);
      slices.back().push_back(
          {behind(piece.dst, done), behind(piece.with, done), behind(piece.src, done), bytes});
      done += bytes;
      filled += bytes;
    }
  return slices;
}

Pieces packed(Pieces pieces, Place Piece::*end, const Place& first) {
  std::uint64_t at = 0;
  for (Piece& piece : pieces) {
    piece.*end = behind(first, at);
    at += piece.bytes;
  }
  return pieces;
}

}  // namespace ringside::cuda
