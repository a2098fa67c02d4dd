#include "viz/stage/story.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/replay.hpp"

namespace ringside::stage {
namespace {

/// Multisets of contributions, each kept once. A set is a row of 64-bit words: for each chunk in
/// it, ascending, the chunk, a bit a rank that has a part in it, a bit a rank that has several.
class Sets {
 public:
  explicit Sets(std::uint32_t ranks) : words_((ranks + 63) / 64), begin_{0, 0} {}

  std::size_t words() const { return words_; }
  std::size_t stride() const { return 1 + 2 * words_; }
  std::span<const std::uint64_t> operator[](PartsId id) const {
    return std::span(pool_).subspan(begin_[id.value], begin_[id.value + 1] - begin_[id.value]);
  }

  PartsId one(Rank rank, ChunkId chunk) {
    row_.assign(stride(), 0);
    row_[0] = chunk.value;
    row_[1 + rank.value / 64] = std::uint64_t{1} << rank.value % 64;
    return intern();
  }
  PartsId sum(PartsId a, PartsId b) {
    if (a.value == 0) return b;
    if (b.value == 0) return a;
    row_.clear();
    auto left = (*this)[a], right = (*this)[b];
    while (!left.empty() || !right.empty()) {
      const bool take_left = right.empty() || (!left.empty() && left[0] <= right[0]);
      const bool take_right = left.empty() || (!right.empty() && right[0] <= left[0]);
      const auto& first = take_left ? left : right;
      row_.insert(row_.end(), first.begin(), first.begin() + static_cast<std::ptrdiff_t>(stride()));
      if (take_left && take_right) add(right);
      if (take_left) left = left.subspan(stride());
      if (take_right) right = right.subspan(stride());
    }
    return intern();
  }

 private:
  /// Adds one chunk's parts to the last of row_.
  void add(std::span<const std::uint64_t> parts) {
    std::uint64_t* present = row_.data() + row_.size() - 2 * words_;
    std::uint64_t* repeated = present + words_;
    for (std::size_t w = 0; w < words_; ++w) {
      repeated[w] |= parts[1 + words_ + w] | (present[w] & parts[1 + w]);
      present[w] |= parts[1 + w];
    }
  }
  PartsId intern() {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const auto word : row_) hash = std::rotl((hash ^ word) * 0xd6e8feb86659fd93, 29);
    const auto [from, to] = known_.equal_range(hash);
    for (auto it = from; it != to; ++it)
      if (std::ranges::equal((*this)[{it->second}], row_)) return {it->second};
    const PartsId id{static_cast<std::uint32_t>(begin_.size() - 1)};
    pool_.insert(pool_.end(), row_.begin(), row_.end());
    begin_.push_back(pool_.size());
    known_.emplace(hash, id.value);
    return id;
  }

  std::size_t words_;
  std::vector<std::uint64_t> pool_, row_;
  std::vector<std::size_t> begin_;  // by id, and the end
  std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
};

}  // namespace

struct Story::Memory {
  SlotIndex index;
  Sets sets;
  std::uint32_t complete = 1;
  std::vector<Content> start;        // by slot
  std::vector<std::uint64_t> first;  // by transfer: its first chunk in the two below
  std::vector<Content> cargo, result, operand;

  explicit Memory(const Schedule& schedule)
      : index(schedule), sets(schedule.spec().ranks), start(index.size()) {}
  void tell(const Schedule& schedule);
  void read(const Schedule& schedule, TransferId id, const std::vector<Content>& now);
  void write(const Schedule& schedule, TransferId id, std::vector<Content>& now);
};

void Story::Memory::tell(const Schedule& schedule) {
  for (const Slot& slot : precondition(schedule.spec(), schedule.chunks()))
    start[index(slot)] = {sets.one(slot.rank, slot.chunk),
                          demonstration_value(slot.rank, slot.chunk)};
  for (const auto& expectation : postcondition(schedule.spec(), schedule.chunks()))
    complete = std::max(complete, expectation.count);
  first.assign(1, 0);
  for (const Transfer& t : schedule.transfers()) first.push_back(first.back() + t.chunks());
  cargo.resize(first.back());
  result.resize(first.back());
  operand.resize(first.back());
  std::vector<Content> now = start;
  for (Step step{0}; step.value < schedule.steps(); ++step.value) {
    const auto begin = schedule.step_begin(step), end = schedule.step_end(step);
    for (auto id = begin; id < end; ++id.value) read(schedule, id, now);
    for (auto id = begin; id < end; ++id.value) write(schedule, id, now);
  }
  operand = {};
}

/// All reads of a step see the slots as they were before it.
void Story::Memory::read(const Schedule& schedule, TransferId id, const std::vector<Content>& now) {
  const Transfer& t = schedule[id];
  for (std::uint32_t i = 0; i < t.chunks(); ++i) {
    cargo[first[id.value] + i] = now[index(t.src(), i)];
    if (t.has_separate_operand()) operand[first[id.value] + i] = now[index(t.with(), i)];
  }
}

void Story::Memory::write(const Schedule& schedule, TransferId id, std::vector<Content>& now) {
  const Transfer& t = schedule[id];
  for (std::uint32_t i = 0; i < t.chunks(); ++i) {
    const auto at = first[id.value] + i;
    Content& target = now[index(t.dst(), i)];
    if (t.action() == Action::copy) {
      target = cargo[at];
    } else {
      const Content& with = t.has_separate_operand() ? operand[at] : target;
      target = {sets.sum(with.parts, cargo[at].parts), with.value + cargo[at].value};
    }
    result[at] = target;
  }
}

Story::Story(const Schedule& schedule) : memory_(std::make_unique<Memory>(schedule)) {
  memory_->tell(schedule);
}
Story::~Story() = default;
Story::Story(Story&&) noexcept = default;

Content Story::start(const Slot& slot) const {
  return memory_->index.contains(slot) ? memory_->start[memory_->index(slot)] : Content{};
}
Content Story::cargo(TransferId id, std::uint32_t i) const {
  return memory_->cargo[memory_->first[id.value] + i];
}
Content Story::result(TransferId id, std::uint32_t i) const {
  return memory_->result[memory_->first[id.value] + i];
}

std::uint32_t Story::count(PartsId parts) const {
  const auto row = memory_->sets[parts];
  const auto words = memory_->sets.words(), stride = memory_->sets.stride();
  std::uint32_t ranks = 0;
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t any = 0;
    for (std::size_t at = 1; at < row.size(); at += stride) any |= row[at + w];
    ranks += static_cast<std::uint32_t>(std::popcount(any));
  }
  return ranks;
}

bool Story::contains(PartsId parts, Rank rank) const {
  const auto row = memory_->sets[parts];
  for (std::size_t at = 1; at < row.size(); at += memory_->sets.stride())
    if (row[at + rank.value / 64] >> rank.value % 64 & 1) return true;
  return false;
}

bool Story::repeats(PartsId parts) const {
  const auto row = memory_->sets[parts];
  const auto words = memory_->sets.words();
  for (std::size_t at = 1; at < row.size(); at += memory_->sets.stride())
    for (std::size_t w = 0; w < words; ++w)
      if (row[at + words + w] != 0) return true;
  return false;
}

ChunkId Story::chunk(PartsId parts) const {
  const auto row = memory_->sets[parts];
  return {row.empty() ? 0 : static_cast<std::uint32_t>(row[0])};
}
std::uint32_t Story::complete() const {
  return memory_->complete;
}

}  // namespace ringside::stage
