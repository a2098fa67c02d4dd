#include "core/orbit.hpp"

#include <bit>

#include "core/assert.hpp"

namespace ringside {
namespace {

/// The lowest `bits` of a number, the last first.
std::uint32_t backwards(std::uint32_t number, int bits) {
  std::uint32_t result = 0;
  for (; bits > 0; --bits, number /= 2) result = 2 * result + number % 2;
  return result;
}

/// The block that begins a run of `run` blocks where `block` began it. A run that is not split by
/// any bit of `mask` but its own is one again, its blocks in another order.
std::optional<std::uint32_t> flipped(std::uint32_t block, std::uint32_t run, std::uint32_t mask) {
  if (!std::has_single_bit(run) || block % run != 0) return std::nullopt;
  return (block ^ mask) / run * run;
}

}  // namespace

Orbit Orbit::coarser(std::uint32_t times) const {
  RS_ASSERT(times > 0 && groups % times == 0, "groups of groups are equal");
  Orbit orbit = *this;
  orbit.ranks *= times;
  orbit.groups /= times;
  orbit.turn = static_cast<std::uint32_t>(std::uint64_t{turn} * times % blocks);
  return orbit;
}

std::vector<std::uint32_t> Orbit::generators() const {
  std::vector<std::uint32_t> all{1};
  if (motion == Motion::exclusive_or)
    while (2 * all.back() < groups) all.push_back(2 * all.back());
  return all;
}

std::uint32_t Orbit::carried(std::uint32_t rank, std::uint32_t group) const {
  if (motion == Motion::exclusive_or) return rank ^ group * ranks;
  return static_cast<std::uint32_t>((rank + std::uint64_t{group} * ranks) %
                                    (std::uint64_t{ranks} * groups));
}

std::optional<Slot> Orbit::turned_back(Slot slot, std::uint32_t chunks, std::uint32_t group) const {
  const bool flips = motion == Motion::exclusive_or;
  slot.rank.value = carried(slot.rank.value, flips ? group : groups - group % groups);
  const auto row_length = blocks * width, first = slot.chunk.value;
  if (first % row_length == 0 && chunks % row_length == 0) return slot;  // whole rows
  const auto row = first / row_length, block = first / width % blocks, place = first % width;
  std::optional<std::uint32_t> moved;
  if (flips) {
    const auto mask =
        bits_reversed ? backwards(group * ranks, std::countr_zero(blocks)) : group * ranks;
    const bool within = place + chunks <= width, whole = place == 0 && chunks % width == 0;
    if (within || whole) moved = flipped(block, within ? 1 : chunks / width, mask);
  } else if (place + chunks <= width) {
    const auto shift = static_cast<std::uint32_t>(std::uint64_t{group} * turn % blocks);
    moved = (row >= reversed_from ? block + shift : block + blocks - shift) % blocks;
  }
  if (!moved) return std::nullopt;
  slot.chunk.value = (row * blocks + *moved) * width + place;
  return slot;
}

std::optional<Transfer> Orbit::home(const Transfer& t) const {
  const auto group = t.dst().rank.value / ranks;
  const auto with = turned_back(t.with(), t.chunks(), group),
             into = turned_back(t.dst(), t.chunks(), group);
  if (!with || !into) return std::nullopt;
  return t.action() == Action::copy
             ? Transfer::copy(t.src(), *into, t.chunks(), t.channel())
             : Transfer::reduce(t.src(), *with, *into, t.chunks(), t.channel());
}

}  // namespace ringside
