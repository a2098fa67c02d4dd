#include "core/orbit.hpp"

namespace ringside {

std::optional<Slot> Orbit::turned_back(Slot slot, std::uint32_t chunks, std::uint32_t back) const {
  const auto n = std::uint64_t{ranks} * groups;
  slot.rank.value =
      static_cast<std::uint32_t>((slot.rank.value + n - std::uint64_t{back % groups} * ranks) % n);
  const auto shift = static_cast<std::uint32_t>(std::uint64_t{back} * turn % blocks);
  const auto row_length = blocks * width, first = slot.chunk.value;
  if (first % row_length == 0 && chunks % row_length == 0) return slot;  // whole rows
  const auto row = first / row_length, block = first / width % blocks, place = first % width;
  if (place + chunks > width) return std::nullopt;
  const auto moved = row >= reversed_from ? block + shift : block + blocks - shift;
  slot.chunk.value = (row * blocks + moved % blocks) * width + place;
  return slot;
}

std::optional<Transfer> Orbit::home(const Transfer& t) const {
  const auto back = t.dst().rank.value / ranks;
  const auto with = turned_back(t.with(), t.chunks(), back),
             into = turned_back(t.dst(), t.chunks(), back);
  if (!with || !into) return std::nullopt;
  return t.action() == Action::copy
             ? Transfer::copy(t.src(), *into, t.chunks(), t.channel())
             : Transfer::reduce(t.src(), *with, *into, t.chunks(), t.channel());
}

}  // namespace ringside
