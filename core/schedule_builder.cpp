#include "core/schedule_builder.hpp"

#include <algorithm>
#include <string>

namespace ringside {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

Slot renamed_in_place(Slot slot) {
  if (slot.buffer == Buffer::input) slot.buffer = Buffer::output;
  return slot;
}

std::string sentence(std::uint32_t id, std::uint32_t step, const std::string& what) {
  return "transfer " + std::to_string(id) + " (step " + std::to_string(step) + ") " + what;
}

/// Numbers the slots of all ranks: input and output chunks, then scratch.
class SlotIndex {
 public:
  SlotIndex(std::uint32_t chunks, std::uint32_t scratch)
      : chunks_(chunks), per_rank_(2 * std::size_t{chunks} + scratch) {}
  std::size_t operator()(const Slot& slot, std::uint32_t offset) const {
    return slot.rank.value * per_rank_ + static_cast<std::size_t>(slot.buffer) * chunks_ +
           slot.chunk.value + offset;
  }
  std::size_t size(std::uint32_t ranks) const { return ranks * per_rank_; }

 private:
  std::size_t chunks_, per_rank_;
};

/// What a slot remembers: who wrote it last, and who has used that value since.
class SlotHistory {
 public:
  explicit SlotHistory(std::size_t slots) : writer_(slots, nobody), uses_(slots, nobody) {}

  struct Use {
    std::uint32_t by;
    std::uint32_t next;
    bool as_operand;
  };

  std::uint32_t writer(std::size_t slot) const { return writer_[slot]; }
  void used(std::size_t slot, std::uint32_t by, bool as_operand) {
    pool_.push_back({by, uses_[slot], as_operand});
    uses_[slot] = static_cast<std::uint32_t>(pool_.size()) - 1;
  }
  template <typename Visit>
  void for_each_use(std::size_t slot, Visit visit) const {
    for (auto u = uses_[slot]; u != nobody; u = pool_[u].next) visit(pool_[u]);
  }
  void written(std::size_t slot, std::uint32_t by) {
    writer_[slot] = by;
    uses_[slot] = nobody;
  }

 private:
  std::vector<std::uint32_t> writer_, uses_;
  std::vector<Use> pool_;
};

/// Derives dependencies, one step at a time: first every read of the step against the slots as they
/// were, then every write in told order.
class Deriver {
 public:
  Deriver(std::span<const Transfer> transfers, SlotIndex index, std::size_t slots)
      : transfers_(transfers), index_(index), history_(slots), found_(transfers.size()) {}

  Result<void> step(std::uint32_t begin, std::uint32_t end, std::uint32_t number) {
    for (auto id = begin; id < end; ++id) reads(id);
    for (auto id = begin; id < end; ++id) RS_TRY(writes(id, number));
    return {};
  }

  std::vector<std::vector<Dependency>> take() && { return std::move(found_); }

 private:
  void add(std::uint32_t id, std::uint32_t on, DependencyKind kind) {
    if (on != nobody && on != id) found_[id].push_back({{on}, kind});
  }

  void reads(std::uint32_t id) {
    const Transfer& t = transfers_[id];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto src = index_(t.src(), i);
      add(id, history_.writer(src), DependencyKind::raw);
      history_.used(src, id, false);
      if (!t.has_separate_operand()) continue;
      const auto with = index_(t.with(), i);
      add(id, history_.writer(with), DependencyKind::waw);
      history_.used(with, id, true);
    }
  }

  Result<void> writes(std::uint32_t id, std::uint32_t step) {
    const Transfer& t = transfers_[id];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto dst = index_(t.dst(), i);
      add(id, history_.writer(dst), DependencyKind::waw);
      std::uint32_t robbed = nobody;
      history_.for_each_use(dst, [&](const SlotHistory::Use& use) {
        if (use.as_operand && use.by > id) robbed = use.by;
        add(id, use.by, use.as_operand ? DependencyKind::waw : DependencyKind::war);
      });
      if (robbed != nobody)
        return bad_request(sentence(id, step,
                                    "overwrites the operand that transfer " +
                                        std::to_string(robbed) +
                                        " of the same step still needs; tell that one first"));
    }
    for (std::uint32_t i = 0; i < t.chunks(); ++i) history_.written(index_(t.dst(), i), id);
    return {};
  }

  std::span<const Transfer> transfers_;
  SlotIndex index_;
  SlotHistory history_;
  std::vector<std::vector<Dependency>> found_;
};

}  // namespace

ScheduleBuilder::ScheduleBuilder(const CollectiveSpec& spec, std::uint32_t chunks,
                                 std::uint32_t agents) {
  schedule_.spec_ = spec;
  schedule_.chunks_ = chunks;
  schedule_.agents_ = agents;
}

void ScheduleBuilder::consume(std::span<const Transfer> block, Step step) {
  for (const Transfer& told : block) {
    Transfer t = told;
    if (schedule_.spec_.in_place) {
      const Slot src = renamed_in_place(t.src()), with = renamed_in_place(t.with()),
                 dst = renamed_in_place(t.dst());
      if (t.action() == Action::copy && src == dst) continue;  // already there
      t = t.action() == Action::copy ? Transfer::copy(src, dst, t.chunks(), t.channel())
                                     : Transfer::reduce(src, with, dst, t.chunks(), t.channel());
    }
    schedule_.transfers_.push_back(t);
    step_of_.push_back(step.value);
  }
}

Result<Schedule> ScheduleBuilder::build() && {
  finish();
  auto& s = schedule_;
  const auto blocks = is_blocked(s.spec_.kind) ? s.spec_.ranks : 1;
  if (s.chunks_ == 0 || s.chunks_ % blocks != 0)
    return bad_request(std::string(name(s.spec_.kind)) + " over " + std::to_string(s.spec_.ranks) +
                       " ranks cuts its vector into a positive multiple of " +
                       std::to_string(blocks) + " chunks, not " + std::to_string(s.chunks_));
  const auto participants = s.participants();
  for (std::uint32_t id = 0; id < s.transfers_.size(); ++id) {
    const Transfer& t = s.transfers_[id];
    for (const Slot& slot : {t.src(), t.with(), t.dst()}) {
      const auto end = std::uint64_t{slot.chunk.value} + t.chunks();
      if (slot.rank.value >= participants)
        return bad_request(sentence(id, step_of_[id],
                                    "names " + to_string(slot) + ", but there are " +
                                        std::to_string(participants) + " ranks"));
      if (slot.buffer != Buffer::scratch && end > s.chunks_)
        return bad_request(sentence(
            id, step_of_[id],
            "reaches past the " + std::to_string(s.chunks_) + " chunks of " + to_string(slot)));
      if (slot.buffer == Buffer::scratch)
        s.scratch_chunks_ = std::max(s.scratch_chunks_, static_cast<std::uint32_t>(end));
    }
    if (t.dst().buffer == Buffer::input)
      return bad_request(
          sentence(id, step_of_[id],
                   "writes to " + to_string(t.dst()) + "; an out-of-place input is never written"));
    s.channels_ = std::max(s.channels_, t.channel().value + 1);
  }

  const auto count = static_cast<std::uint32_t>(s.transfers_.size());
  const SlotIndex index(s.chunks_, s.scratch_chunks_);
  Deriver deriver(s.transfers_, index, index.size(participants));
  s.step_begin_.assign(1, 0);
  for (std::uint32_t begin = 0; begin < count;) {
    auto end = begin;
    while (end < count && step_of_[end] == step_of_[begin]) ++end;
    RS_TRY(deriver.step(begin, end, step_of_[begin]));
    s.step_begin_.push_back(end);
    begin = end;
  }

  s.dependency_begin_.assign(1, 0);
  for (auto& found : std::move(deriver).take()) {
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    s.dependencies_.insert(s.dependencies_.end(), found.begin(), found.end());
    s.dependency_begin_.push_back(s.dependencies_.size());
  }
  return std::move(schedule_);
}

}  // namespace ringside
