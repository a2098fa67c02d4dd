#include "core/verifier.hpp"

#include <algorithm>
#include <array>

#include "core/contributions.hpp"
#include "core/race_proof.hpp"
#include "core/slot_history.hpp"

namespace ringside {
namespace {

constexpr TransferId none{UINT32_MAX};

/// Tells a schedule on symbolic values, by the rule of the step.
class Story {
 public:
  explicit Story(const Schedule& schedule)
      : schedule_(schedule),
        index_(schedule),
        values_(index_.size()),
        writer_(values_.size(), none),
        given_(values_.size(), false),
        expected_(postcondition(schedule.spec(), schedule.chunks())) {
    for (const Slot& slot : precondition(schedule.spec(), schedule.chunks())) {
      values_[index_(slot)] = Contributions::one(slot.rank, slot.chunk);
      given_[index_(slot)] = true;
    }
    for (const Expectation& expected : expected_) given_[index_(expected.slot)] = true;
  }

  /// What transfers do wrong: read what is not there, touch what is not theirs.
  std::vector<Violation> tell(std::size_t limit) {
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) {
      const auto begin = schedule_.step_begin({s}).value, end = schedule_.step_end({s}).value;
      sources_.clear();
      operands_.clear();
      for (auto id = begin; id < end; ++id) read({id});
      next_source_ = next_operand_ = 0;
      for (auto id = begin; id < end; ++id) write({id});
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Violation& a, const Violation& b) {
      return a.transfer < b.transfer;
    });
    if (found_.size() > limit) found_.resize(limit);
    return std::move(found_);
  }

  /// What the outputs hold that they should not, or lack.
  std::vector<Violation> outcome(std::size_t limit) const {
    std::vector<Violation> wrong;
    for (const Expectation& expected : expected_) {
      const auto& value = values_[index_(expected.slot)];
      if (value.is_exactly(expected.from_chunk, expected.first, expected.count)) continue;
      judge(expected, value, wrong);
      if (wrong.size() >= limit) break;
    }
    if (wrong.size() > limit) wrong.resize(limit);
    return wrong;
  }

 private:
  /// Once a transfer, not once a chunk.
  void report(ViolationKind kind, TransferId by, Slot slot) {
    const bool known =
        !found_.empty() && found_.back().kind == kind && found_.back().transfer == by;
    if (!known) found_.push_back({kind, slot, by, none, {}, {}});
  }
  const Contributions& value(TransferId by, Slot slot) {
    const auto& held = values_[index_(slot)];
    if (held.empty()) report(ViolationKind::uninitialised, by, slot);
    return held;
  }
  void must_exist(TransferId by, Slot slot) {
    if (slot.buffer != Buffer::scratch && !given_[index_(slot)])
      report(ViolationKind::outside, by, slot);
  }

  void read(TransferId id) {
    const Transfer& t = schedule_[id];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      must_exist(id, nth(t.src(), i));
      sources_.push_back(value(id, nth(t.src(), i)));
      if (t.has_separate_operand()) {
        must_exist(id, nth(t.with(), i));
        operands_.push_back(value(id, nth(t.with(), i)));
      }
      must_exist(id, nth(t.dst(), i));
    }
  }

  void write(TransferId id) {
    const Transfer& t = schedule_[id];
    const auto ranks = schedule_.spec().ranks;
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const Slot slot = nth(t.dst(), i);
      auto& target = values_[index_(slot)];
      auto& source = sources_[next_source_++];
      if (t.action() == Action::copy)
        target = std::move(source);
      else if (t.has_separate_operand())
        target = Contributions::sum(operands_[next_operand_++], source, ranks);
      else
        target = Contributions::sum(value(id, slot), source, ranks);
      writer_[index_(slot)] = id;
    }
  }

  void judge(const Expectation& expected, const Contributions& value,
             std::vector<Violation>& wrong) const {
    const auto writer = writer_[index_(expected.slot)];
    const auto report = [&](ViolationKind kind, Rank rank, ChunkId chunk) {
      wrong.push_back({kind, expected.slot, writer, none, rank, chunk});
    };
    if (value.empty()) return report(ViolationKind::uninitialised, {}, {});
    const auto held = value.list(schedule_.spec().ranks);
    std::vector<bool> present(expected.count, false);
    std::array<bool, 2> said{};  // one wrong and one repeated contribution a slot will do
    for (const Contribution& part : held) {
      const auto offset = part.rank.value - expected.first.value;
      const bool belongs = part.chunk == expected.from_chunk && offset < expected.count;
      if (belongs) present[offset] = true;
      if (belongs && (!part.repeated || expected.each_at_least_once)) continue;
      if (!std::exchange(said[belongs], true))
        report(belongs ? ViolationKind::repeated : ViolationKind::wrong, part.rank, part.chunk);
    }
    if (value.is_cut_short()) return;
    const auto missing = std::find(present.begin(), present.end(), false);
    if (missing == present.end()) return;
    const auto rank = expected.first.value + static_cast<std::uint32_t>(missing - present.begin());
    report(ViolationKind::missing, {rank}, expected.from_chunk);
  }

  const Schedule& schedule_;
  SlotIndex index_;
  std::vector<Contributions> values_;
  std::vector<TransferId> writer_;
  std::vector<bool> given_;
  std::vector<Expectation> expected_;
  std::vector<Contributions> sources_, operands_;  // of the step being told, in told order
  std::size_t next_source_ = 0, next_operand_ = 0;
  std::vector<Violation> found_;
};

}  // namespace

std::string_view name(ViolationKind kind) {
  constexpr std::array<std::string_view, 6> names{"missing",       "repeated", "wrong",
                                                  "uninitialised", "race",     "outside"};
  return names[static_cast<std::size_t>(kind)];
}

std::string to_string(const Violation& v, const Schedule& schedule) {
  const auto where = to_string(v.slot);
  const auto who = v.transfer == none ? "" : describe(v.transfer, schedule);
  const auto last =
      v.transfer == none ? std::string(", which nothing wrote") : ", last written by " + who;
  const auto part = "rank " + std::to_string(v.contributor.value) + "'s chunk " +
                    std::to_string(v.contributor_chunk.value);
  switch (v.kind) {
    case ViolationKind::missing:
      return "missing: " + where + last + ", lacks " + part;
    case ViolationKind::repeated:
      return "repeated: " + where + last + ", holds " + part + " more than once";
    case ViolationKind::wrong:
      return "wrong: " + where + last + ", holds " + part + ", which does not belong there";
    case ViolationKind::uninitialised:
      if (v.transfer == none) return "uninitialised: " + where + " holds no value at the end";
      return "uninitialised: " + where + " holds no value when " + who + " needs or leaves it";
    case ViolationKind::race:
      return "race: nothing orders " + who + " and " + describe(v.other, schedule) + " on " + where;
    case ViolationKind::outside:
      break;
  }
  return "outside: " + who + " names " + where + ", which this collective does not give that rank";
}

std::vector<Violation> verify(const Schedule& schedule, std::size_t limit) {
  const auto races = prove_no_race(schedule, limit);  // first: a large Story need not be there yet
  Story story(schedule);
  auto found = story.tell(limit);
  const auto told = found.size();
  found.insert(found.end(), races.begin(), races.end());
  std::inplace_merge(
      found.begin(), found.begin() + static_cast<std::ptrdiff_t>(told), found.end(),
      [](const Violation& a, const Violation& b) { return a.transfer < b.transfer; });
  if (found.size() < limit) {
    const auto wrong = story.outcome(limit - found.size());
    found.insert(found.end(), wrong.begin(), wrong.end());
  }
  if (found.size() > limit) found.resize(limit);
  return found;
}

}  // namespace ringside
