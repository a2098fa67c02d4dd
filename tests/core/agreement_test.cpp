// What several processes found is brought together: here threads play the processes.

#include "core/agreement.hpp"

#include <gmock/gmock.h>

#include <array>
#include <barrier>
#include <thread>

#include "core/engine.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t processes = 3;

/// What the processes have in common: a table to lay words on.
struct Table {
  std::array<std::string, processes> words;
  std::barrier<> everyone{processes};
};

/// The reference seen from one process: it owns every third rank, and shares words only.
class OneOfThree final : public Backend {
 public:
  OneOfThree(Table& table, std::uint32_t number) : table_(table), number_(number) {}
  std::string_view name() const override { return "one of three"; }
  Capabilities capabilities() const override { return {.real_bytes = true}; }
  bool owns(Rank rank) const override { return rank.value % processes == number_; }
  Result<std::vector<std::string>> share(std::string found) override {
    table_.words[number_] = std::move(found);
    table_.everyone.arrive_and_wait();
    std::vector<std::string> all(table_.words.begin(), table_.words.end());
    table_.everyone.arrive_and_wait();
    return all;
  }
  Result<std::unique_ptr<Prepared>> prepare(const Work&, Memory&, const RunOptions&) override {
    return bad_request("words only");
  }

 private:
  Table& table_;
  std::uint32_t number_;
};

/// What each process makes of what each found.
template <typename T>
std::vector<T> all_agree(const std::array<T, processes>& found) {
  Table table;
  std::vector<T> agreed(processes);
  std::vector<std::thread> threads;
  for (std::uint32_t p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      OneOfThree backend(table, p);
      agreed[p] = agree(backend, found[p]);
    });
  for (auto& thread : threads) thread.join();
  return agreed;
}

TEST(Agreement, AnErrorAnywhereIsTheErrorEverywhere) {
  const Result<void> fine, broken = machine_lacks("no memory"), late = bad_request("too late");
  for (const auto& result : all_agree<Result<void>>({fine, fine, fine})) EXPECT_TRUE(result);
  for (const auto& result : all_agree<Result<void>>({fine, broken, late})) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::machine);
    EXPECT_EQ(result.error().message, "no memory");
  }
}

TEST(Agreement, ElementsAddUpAndTheSlowestDecides) {
  std::array<Result<Finding>, processes> found;
  for (std::uint32_t p = 0; p < processes; ++p) {
    found[p] = Finding{};
    found[p]->comparison = {10, p, p == 0 ? "" : "rank " + std::to_string(p)};
    found[p]->measurement.iterations = {microseconds(p), microseconds(5 - p)};
  }
  for (const auto& all : all_agree(found)) {
    ASSERT_TRUE(all);
    EXPECT_EQ(all->comparison.checked, 30u);
    EXPECT_EQ(all->comparison.wrong, 3u);
    EXPECT_EQ(all->comparison.first, "rank 1");
    EXPECT_EQ(all->measurement.iterations, (std::vector{2_us, 5_us}));
  }
  found[2] = gone_wrong("rank 2 is late");
  for (const auto& all : all_agree(found)) EXPECT_EQ(all.error().message, "rank 2 is late");
}

TEST(Agreement, OutputsThatDifferBetweenProcessesAreWrong) {
  std::array<Result<Finding>, processes> found;
  for (auto& one : found) one = Finding{.digest = 7};
  for (const auto& all : all_agree(found)) EXPECT_EQ(all->comparison.wrong, 0u);
  found[1]->digest = 8;
  for (const auto& all : all_agree(found)) {
    EXPECT_EQ(all->comparison.wrong, 1u);
    EXPECT_THAT(all->comparison.first, HasSubstr("process 1 and of process 0 differ"));
  }
}

TEST(Agreement, EachRankHasOneOwner) {
  Table table;
  std::vector<Rank> all;
  for (std::uint32_t p = 0; p < processes; ++p)
    for (const Rank rank : owned_ranks(OneOfThree(table, p), 7)) all.push_back(rank);
  EXPECT_THAT(all, testing::UnorderedElementsAre(Rank{0}, Rank{1}, Rank{2}, Rank{3}, Rank{4},
                                                 Rank{5}, Rank{6}));
  EXPECT_EQ(owned_ranks(*make_reference_backend(), 5).size(), 5u);
}

}  // namespace
}  // namespace ringside
