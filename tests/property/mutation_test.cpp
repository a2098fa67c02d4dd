// Every algorithm, with one mistake in it, is refused; and by the right name. Some mistakes are
// harmless: a forgotten wait whose order others imply, a part added on a wrong rank that passes it
// on to the right one all the same. They may pass only if judges that share nothing with the
// verifier say so: a search over all events, and plain arithmetic on random numbers.

#include "core/mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/engine.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

/// Forward reachability over all events, from scratch each time: slow and obvious.
bool is_implied(const Schedule& schedule, TransferId me, Dependency dropped) {
  const auto count = schedule.transfers().size();
  std::vector<std::vector<std::size_t>> after(2 * count);  // 2t: read, 2t + 1: commit
  for (std::uint32_t t = 0; t < count; ++t) {
    after[2 * t].push_back(2 * t + 1);
    for (const Dependency& d : schedule.dependencies({t})) {
      const std::size_t from = 2 * d.on.value + (d.kind == DependencyKind::war ? 0 : 1);
      after[from].push_back(2 * t + (d.kind == DependencyKind::raw ? 0 : 1));
    }
  }
  std::vector<bool> reached(2 * count, false);
  std::vector<std::size_t> todo{2 * dropped.on.value +
                                std::size_t{dropped.kind != DependencyKind::war}};
  while (!todo.empty()) {
    const auto event = todo.back();
    todo.pop_back();
    if (reached[event]) continue;
    reached[event] = true;
    todo.insert(todo.end(), after[event].begin(), after[event].end());
  }
  return reached[2 * me.value + std::size_t{dropped.kind != DependencyKind::raw}];
}

/// Tells the story on numbers: slots are looked up by name, every step starts from a full copy. A
/// barrier's signals may come twice, so there each rank is a bit and adding is `or`.
class Arithmetic {
 public:
  explicit Arithmetic(const Schedule& schedule)
      : signals_(schedule.spec().kind == CollectiveKind::barrier) {
    for (const Slot& slot : precondition(schedule.spec(), schedule.chunks()))
      slots_[slot] = weight(slot.rank, slot.chunk);
    for (std::uint32_t s = 0; s < schedule.steps(); ++s) {
      const auto before = slots_;
      const auto read = [&](Slot slot, std::uint32_t i) {
        slot.chunk.value += i;
        const auto at = before.find(slot);
        return at == before.end() ? 0 : at->second;
      };
      for (auto id = schedule.step_begin({s}); id < schedule.step_end({s}); ++id.value) {
        const Transfer& t = schedule[id];
        for (std::uint32_t i = 0; i < t.chunks(); ++i) {
          auto& dst = slots_[{t.dst().rank, t.dst().buffer, {t.dst().chunk.value + i}}];
          const auto operand = t.has_separate_operand() ? read(t.with(), i) : dst;
          dst = add(t.action() == Action::reduce ? operand : 0, read(t.src(), i));
        }
      }
    }
  }

  bool is_right(const Schedule& schedule) const {
    for (const Expectation& e : postcondition(schedule.spec(), schedule.chunks())) {
      std::uint64_t sum = 0;
      for (std::uint32_t i = 0; i < e.count; ++i)
        sum = add(sum, weight({e.first.value + i}, e.from_chunk));
      const auto at = slots_.find(e.slot);
      if (at == slots_.end() || at->second != sum) return false;
    }
    return true;
  }

 private:
  std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return signals_ ? a | b : a + b; }
  std::uint64_t weight(Rank rank, ChunkId chunk) const {
    return signals_ ? std::uint64_t{1} << rank.value
                    : std::mt19937_64(rank.value * 1000 + chunk.value)();
  }
  bool signals_;
  std::map<Slot, std::uint64_t> slots_;
};

/// All right schedules of one algorithm that the tests below break.
template <typename Visit>
void for_each_schedule(const Algorithm& algorithm, Visit visit) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 9u})
    for (const std::uint32_t root :
         std::set<std::uint32_t>{0, has_root(algorithm.collective) ? ranks - 1 : 0})
      for (const bool in_place : {false, true}) {
        const CollectiveSpec spec{algorithm.collective, ranks, {root}, in_place};
        const auto plan = make_plan(algorithm, spec, {});
        if (!plan) continue;  // shapes it does not serve
        const auto schedule = build_schedule(*plan);
        ASSERT_TRUE(schedule) << schedule.error().message;
        SCOPED_TRACE(std::string(name(algorithm.collective)) + " " + std::string(algorithm.name) +
                     ", " + std::to_string(ranks) + " ranks, root " + std::to_string(root) +
                     (in_place ? ", in place" : ""));
        visit(*schedule);
      }
}

/// All places, or an even sample of so many that a run takes seconds.
std::vector<std::uint64_t> sample(std::size_t places) {
  constexpr std::size_t most = 48;
  std::vector<std::uint64_t> chosen;
  for (std::size_t i = 0; i < std::min(places, most); ++i)
    chosen.push_back(places <= most ? i : i * places / most);
  return chosen;
}

bool may_be_found_as(Mutation mutation, ViolationKind found) {
  switch (found) {
    case ViolationKind::race:  // dependencies of a changed story are derived anew
      return mutation == Mutation::drop_dependency;
    case ViolationKind::outside:
      return mutation == Mutation::wrong_chunk || mutation == Mutation::wrong_neighbour;
    case ViolationKind::repeated:
      return mutation != Mutation::drop_dependency;
    default:
      return mutation != Mutation::doubled_add && mutation != Mutation::drop_dependency;
  }
}

/// In place, or alone, an algorithm may copy what is there already; and where it has moved a chunk
/// inside scratch, the old place still holds the same.
bool may_be_harmless(Mutation mutation, const Schedule& mutant) {
  const auto& spec = mutant.spec();
  const bool possible = mutation == Mutation::wrong_neighbour ||
                        mutation == Mutation::wrong_chunk || spec.ranks == 1 ||
                        spec.kind == CollectiveKind::barrier ||
                        (mutation == Mutation::drop_transfer && spec.in_place);
  return possible && Arithmetic(mutant).is_right(mutant);
}

class Mutations : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Mutations, AreAllCaughtByName) {
  for_each_schedule(*GetParam(), [](const Schedule& schedule) {
    ASSERT_TRUE(verify(schedule).empty()) << to_string(verify(schedule)[0], schedule);
    for (std::size_t m = 0; m < mutation_count; ++m) {
      const auto mutation = static_cast<Mutation>(m);
      if (mutation == Mutation::drop_dependency) continue;
      for (const auto place : sample(places(schedule, mutation))) {
        const auto mutant = mutate(schedule, mutation, place);
        if (!mutant) continue;  // refused by name before it was a schedule
        const auto found = verify(mutant->schedule, 4);
        if (found.empty()) {
          ASSERT_TRUE(may_be_harmless(mutation, mutant->schedule))
              << name(mutation) << " not seen: " << mutant->what;
        }
        for (const Violation& violation : found)
          ASSERT_TRUE(may_be_found_as(mutation, violation.kind))
              << mutant->what << " was called " << to_string(violation, mutant->schedule);
      }
    }
  });
}

TEST_P(Mutations, ADroppedDependencyPassesOnlyIfItsOrderIsImplied) {
  for_each_schedule(*GetParam(), [](const Schedule& schedule) {
    for (const auto place : sample(schedule.dependency_count())) {
      const auto mutant = mutate(schedule, Mutation::drop_dependency, place);
      ASSERT_TRUE(mutant);
      const auto before = schedule.dependencies(mutant->at);
      const auto after = mutant->schedule.dependencies(mutant->at);
      std::vector<Dependency> dropped;
      std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                          std::back_inserter(dropped));
      ASSERT_EQ(dropped.size(), 1u);
      const auto found = verify(mutant->schedule);
      ASSERT_EQ(found.empty(), is_implied(mutant->schedule, mutant->at, dropped[0]))
          << mutant->what;
      for (const Violation& violation : found) EXPECT_EQ(violation.kind, ViolationKind::race);
    }
  });
}

std::vector<const Algorithm*> pointers() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms()) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Mutations, testing::ValuesIn(pointers()), [](const auto& tested) {
  return std::string(name(tested.param->collective)) + "_" + std::string(tested.param->name);
});

TEST(Mutation, SaysWhereItFindsNoPlace) {
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_schedule(*make_plan(**ring, {.ranks = 1}, {}));
  EXPECT_EQ(mutate(*schedule, Mutation::doubled_add, 0).error().message,
            "this schedule has no place for doubled_add");
  EXPECT_EQ(parse_mutation("drop_transfr").error().message,
            "there is no mutation \"drop_transfr\"; did you mean drop_transfer?");
}

}  // namespace
}  // namespace ringside
