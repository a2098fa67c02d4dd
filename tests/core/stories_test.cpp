// Every story of the registry, executed by the letter of the step rule on symbolic values. It
// shares nothing with the builder and the verifier: a second opinion on all three.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/engine.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t nothing = UINT32_MAX;

/// Which rank's which chunk a slot holds, sorted; repeats kept.
using Value = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Value sum(const Value& a, const Value& b) {
  Value both;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

class Executor final : public TransferSink {
 public:
  Executor(const CollectiveSpec& spec, std::uint32_t chunks) : in_place_(spec.in_place) {
    for (const Slot& slot : precondition(spec, chunks))
      values_[slot] = {{slot.rank.value, slot.chunk.value}};
  }

  /// What all slots hold in the end. `dropped` (an id) is left out of the story.
  const std::map<Slot, Value>& run(const Plan& plan, std::uint32_t dropped) {
    dropped_ = dropped;
    plan.algorithm->tell(plan.spec, plan.options, *this);
    finish();
    end_step();
    return values_;
  }

  const std::string& fault() const { return fault_; }

 private:
  void consume(std::span<const Transfer> block, Step step) override {
    if (step != step_) end_step();
    step_ = step;
    for (const Transfer& t : block)
      if (id_++ != dropped_) told_.push_back(t);
  }

  Slot at(Slot slot, std::uint32_t i) const {
    if (in_place_ && slot.buffer == Buffer::input) slot.buffer = Buffer::output;
    slot.chunk.value += i;
    return slot;
  }
  Value read(const Slot& slot) {
    const auto found = values_.find(slot);
    if (found == values_.end()) fault_ = "nothing was ever written to " + to_string(slot);
    return found == values_.end() ? Value{} : found->second;
  }

  /// All reads before all writes; a reduce into its own operand adds to what the step has made of
  /// it.
  void end_step() {
    std::vector<std::pair<Value, Value>> read_values;
    for (const Transfer& t : told_)
      for (std::uint32_t i = 0; i < t.chunks(); ++i) {
        const auto with = at(t.with(), i);
        read_values.emplace_back(read(at(t.src(), i)),
                                 with == at(t.dst(), i) ? Value{} : read(with));
      }
    auto next = read_values.begin();
    for (const Transfer& t : told_)
      for (std::uint32_t i = 0; i < t.chunks(); ++i, ++next) {
        const auto dst = at(t.dst(), i);
        if (t.dst().buffer == Buffer::input && !in_place_) fault_ = "an input was written";
        if (t.action() == Action::copy)
          values_[dst] = next->first;
        else if (at(t.with(), i) == dst)
          values_[dst] = sum(read(dst), next->first);
        else
          values_[dst] = sum(next->second, next->first);
      }
    told_.clear();
  }

  bool in_place_;
  Step step_{0};
  std::uint32_t id_ = 0, dropped_ = nothing;
  std::vector<Transfer> told_;
  std::map<Slot, Value> values_;
  std::string fault_;
};

/// Empty if the story makes the postcondition true, else what is wrong.
std::string judge(const Plan& plan, std::uint32_t dropped = nothing) {
  Executor executor(plan.spec, plan.options.chunks);
  const auto& values = executor.run(plan, dropped);
  if (!executor.fault().empty()) return executor.fault();
  for (const Expectation& e : postcondition(plan.spec, plan.options.chunks)) {
    Value expected;
    for (std::uint32_t i = 0; i < e.count; ++i)
      expected.emplace_back(e.first.value + i, e.from_chunk.value);
    const auto found = values.find(e.slot);
    Value got = found == values.end() ? Value{} : found->second;
    if (e.each_at_least_once) got.erase(std::unique(got.begin(), got.end()), got.end());
    if (got != expected) return to_string(e.slot) + " holds the wrong contributions";
  }
  return {};
}

using Case = std::tuple<const Algorithm*, bool>;

class Stories : public testing::TestWithParam<Case> {};

TEST_P(Stories, MakeThePostconditionTrue) {
  const auto& [algorithm, in_place] = GetParam();
  if (in_place && !may_be_in_place(algorithm->collective)) return;
  int told = 0;
  for (std::uint32_t n = 1; n <= 33; ++n) {
    const std::uint32_t roots = has_root(algorithm->collective) ? std::min(n, 3u) : 1;
    for (std::uint32_t r = 0; r < roots; ++r) {
      const CollectiveSpec spec{algorithm->collective, n, {r * (n - 1) / 2}, in_place};
      const auto plan = make_plan(*algorithm, spec, {});
      if (!plan) continue;
      ++told;
      EXPECT_EQ(judge(*plan), "") << algorithm->name << " on " << n << " ranks, root "
                                  << spec.root.value;
      EXPECT_TRUE(build_schedule(*plan)) << build_schedule(*plan).error().message;
    }
  }
  EXPECT_GE(told, 5) << "refused nearly every number of ranks";
}

TEST_P(Stories, MissEveryTransferThatIsDropped) {
  const auto& [algorithm, in_place] = GetParam();
  if (in_place || algorithm->collective == CollectiveKind::barrier) return;
  const auto plan = make_plan(*algorithm, {algorithm->collective, 6, {1}}, {});
  if (!plan) return;
  const auto count = build_schedule(*plan)->transfers().size();
  for (std::uint32_t id = 0; id < count; ++id)
    EXPECT_NE(judge(*plan, id), "") << algorithm->name << " is right without transfer " << id;
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const Algorithm& algorithm : all_algorithms())
    for (const bool in_place : {false, true}) cases.emplace_back(&algorithm, in_place);
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& tested) {
  const auto& [algorithm, in_place] = tested.param;
  return std::string(name(algorithm->collective)) + "_" + std::string(algorithm->name) +
         (in_place ? "_in_place" : "");
}

INSTANTIATE_TEST_SUITE_P(Registry, Stories, testing::ValuesIn(every_case()), case_name);

}  // namespace
}  // namespace ringside
