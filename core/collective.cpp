#include "core/collective.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"
#include "core/conditions.hpp"
#include "core/suggest.hpp"
#include "core/transfer.hpp"

namespace ringside {
namespace {

struct Traits {
  std::string_view name;
  bool has_root, reduces, is_blocked, may_be_in_place;
};
constexpr std::array<Traits, collective_count> traits{{
    {"all_reduce", false, true, false, true},
    {"reduce_scatter", false, true, true, true},
    {"all_gather", false, false, true, true},
    {"all_to_all", false, false, true, false},
    {"broadcast", true, false, false, true},
    {"reduce", true, true, false, true},
    {"gather", true, false, true, true},
    {"scatter", true, false, true, true},
    {"send_recv", false, false, false, false},
    {"barrier", false, false, false, false},
}};
const Traits& of(CollectiveKind kind) {
  return traits[static_cast<std::size_t>(kind)];
}

/// Ranks [first, first + count).
struct Ranks {
  std::uint32_t first, count;
};

}  // namespace

std::string_view name(CollectiveKind kind) {
  return of(kind).name;
}
bool has_root(CollectiveKind kind) {
  return of(kind).has_root;
}
bool reduces(CollectiveKind kind) {
  return of(kind).reduces;
}
bool is_blocked(CollectiveKind kind) {
  return of(kind).is_blocked;
}
bool may_be_in_place(CollectiveKind kind) {
  return of(kind).may_be_in_place;
}

Result<CollectiveKind> parse_collective(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < collective_count; ++i) {
    if (text == traits[i].name) return static_cast<CollectiveKind>(i);
    names.push_back(traits[i].name);
  }
  return bad_request(unknown("collective", text, names));
}

Result<void> check(const CollectiveSpec& spec) {
  const std::string kind(name(spec.kind));
  if (spec.ranks == 0) return bad_request(kind + " needs at least one rank, not 0");
  if (spec.ranks > Transfer::max_ranks)
    return bad_request(kind + " over " + counted(spec.ranks, "rank") + ": at most " +
                       std::to_string(Transfer::max_ranks) + " are supported");
  if (has_root(spec.kind) && spec.root.value >= spec.ranks)
    return bad_request("root " + std::to_string(spec.root.value) + " is not a rank: with " +
                       counted(spec.ranks, "rank") + " the root is 0 to " +
                       std::to_string(spec.ranks - 1));
  if (spec.in_place && !may_be_in_place(spec.kind))
    return bad_request(kind +
                       " cannot run in place: each output block would overwrite an input "
                       "that is still to be sent");
  return {};
}

double busbw_factor(CollectiveKind kind, std::uint32_t ranks) {
  const double n = ranks;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return (n - 1) / n;
    default:
      return 1;
  }
}

void for_each_given(const CollectiveSpec& spec, std::uint32_t chunks,
                    const std::function<void(const GivenRun&)>& visit) {
  RS_ASSERT(!is_blocked(spec.kind) || chunks % spec.ranks == 0, "blocks are cut alike");
  const auto slots = [&](std::uint32_t rank, std::uint32_t first, std::uint32_t count) {
    visit({spec.in_place ? output(rank, first) : input(rank, first), count});
  };
  const auto block = chunks / spec.ranks;
  for (std::uint32_t r = 0; r < spec.ranks; ++r) switch (spec.kind) {
      case CollectiveKind::all_gather:
      case CollectiveKind::gather:
        slots(r, r * block, block);
        break;
      case CollectiveKind::broadcast:
      case CollectiveKind::scatter:
        if (r == spec.root.value) slots(r, 0, chunks);
        break;
      default:
        slots(r, 0, chunks);
    }
}

void for_each_promised(const CollectiveSpec& spec, std::uint32_t chunks,
                       const std::function<void(const PromisedRun&)>& visit) {
  RS_ASSERT(!is_blocked(spec.kind) || chunks % spec.ranks == 0, "blocks are cut alike");
  const auto n = spec.ranks, block = chunks / n;
  const Ranks everyone{0, n};
  /// Output chunks [first, first + count) on `rank` hold the same-numbered chunk of each of `from`.
  const auto same = [&](std::uint32_t rank, std::uint32_t first, std::uint32_t count, Ranks from) {
    visit({{output(rank, first), {first}, {from.first}, from.count}, count});
  };
  for (std::uint32_t r = 0; r < n; ++r) switch (spec.kind) {
      case CollectiveKind::all_reduce:
        same(r, 0, chunks, everyone);
        break;
      case CollectiveKind::reduce_scatter:
        same(r, r * block, block, everyone);
        break;
      case CollectiveKind::all_gather:
        for (std::uint32_t s = 0; s < n; ++s) same(r, s * block, block, {s, 1});
        break;
      case CollectiveKind::gather:
        if (r == spec.root.value)
          for (std::uint32_t s = 0; s < n; ++s) same(r, s * block, block, {s, 1});
        break;
      case CollectiveKind::all_to_all:
        for (std::uint32_t s = 0; s < n; ++s)
          visit({{output(r, s * block), {r * block}, {s}, 1}, block});
        break;
      case CollectiveKind::broadcast:
        same(r, 0, chunks, {spec.root.value, 1});
        break;
      case CollectiveKind::reduce:
        if (r == spec.root.value) same(r, 0, chunks, everyone);
        break;
      case CollectiveKind::scatter:
        same(r, r * block, block, {spec.root.value, 1});
        break;
      case CollectiveKind::send_recv:
        same(r, 0, chunks, {(r + n - 1) % n, 1});
        break;
      case CollectiveKind::barrier:
        visit({{output(r, 0), {0}, {0}, n, true}, chunks});
        break;
    }
}

std::vector<Slot> precondition(const CollectiveSpec& spec, std::uint32_t chunks) {
  std::vector<Slot> held;
  for_each_given(spec, chunks, [&](const GivenRun& run) {
    for (std::uint32_t i = 0; i < run.count; ++i) held.push_back(nth(run.slot, i));
  });
  return held;
}

std::vector<Expectation> postcondition(const CollectiveSpec& spec, std::uint32_t chunks) {
  std::vector<Expectation> expected;
  for_each_promised(spec, chunks, [&](const PromisedRun& run) {
    for (std::uint32_t i = 0; i < run.slots; ++i) {
      expected.push_back(run.first);
      expected.back().slot.chunk.value += i;
      expected.back().from_chunk.value += i;
    }
  });
  return expected;
}

ChunkLayout::ChunkLayout(const CollectiveSpec& spec, std::uint32_t chunks, std::uint64_t count)
    : blocks_(is_blocked(spec.kind) ? spec.ranks : 1), count_(count), per_block_(chunks / blocks_) {
  RS_ASSERT(chunks > 0 && chunks % blocks_ == 0, "blocks are cut into equally many chunks");
}

std::uint64_t ChunkLayout::elements(ChunkId chunk) const {
  return count_ / per_block_ + (chunk.value % per_block_ < count_ % per_block_ ? 1 : 0);
}

std::uint64_t ChunkLayout::offset(ChunkId chunk) const {
  const auto within = chunk.value % per_block_;
  return chunk.value / per_block_ * count_ + within * (count_ / per_block_) +
         std::min<std::uint64_t>(within, count_ % per_block_);
}

std::uint64_t ChunkLayout::elements(ChunkId first, std::uint32_t n) const {
  const std::uint64_t end = std::uint64_t{first.value} + n;
  const auto end_offset =
      end == blocks_ * per_block_ ? total() : offset({static_cast<std::uint32_t>(end)});
  return end_offset - offset(first);
}

Bytes size_of(const CollectiveSpec& spec, std::uint64_t count, ElementType type) {
  return {count * (is_blocked(spec.kind) ? spec.ranks : 1) * size_of(type).count};
}

std::uint64_t count_for(const CollectiveSpec& spec, Bytes size, ElementType type) {
  return size.count / size_of(type).count / (is_blocked(spec.kind) ? spec.ranks : 1);
}

}  // namespace ringside
