// The threads of the host backend: they wait for each other without losing a wake-up, name who does
// not come, and outlive runs but not the backend.

#include "gpu/host/crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <numeric>
#include <thread>
#include <vector>

#include "core/engine.hpp"
#include "gpu/host/host_backend.hpp"

namespace ringside {
namespace {

using namespace std::chrono_literals;
using host::Crew;
using host::EventCount;
using host::Failure;
using host::Rendezvous;

constexpr Duration second = microseconds(1'000'000);

/// Both sleep for each other's count in turn. A wake-up that was lost would be the end.
TEST(EventCounts, WakeWhoSleeps) {
  constexpr std::uint64_t rounds = 5'000;
  EventCount ping, pong;
  auto other = std::async(std::launch::async, [&] {
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      ping.await(i);
      pong.advance(i);
    }
  });
  auto one = std::async(std::launch::async, [&] {
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      ping.advance(i);
      pong.await(i);
    }
  });
  if (one.wait_for(60s) == std::future_status::ready) return other.get();
  std::fputs("a thread sleeps though the count has grown\n", stderr);
  std::abort();  // nobody could join it
}

/// Whoever waits for less wakes up though others wait for more, and the other way round.
TEST(EventCounts, WakeEachSleeperAtItsGoal) {
  EventCount count;
  std::map<std::uint64_t, std::future<void>> sleepers;
  for (const std::uint64_t goal : {3, 1, 4, 2}) {
    sleepers[goal] = std::async(std::launch::async, [&count, goal] { count.await(goal); });
    std::this_thread::sleep_for(2ms);  // most of the time asleep before the next one is
  }
  for (auto& [goal, sleeper] : sleepers) {
    count.advance(goal);
    EXPECT_EQ(sleeper.wait_for(60s), std::future_status::ready) << "goal " << goal;
  }
}

TEST(EventCounts, GiveUpAfterTheTimeout) {
  EventCount count;
  const Failure failure;
  const auto begin = host::Clock::now();
  EXPECT_FALSE(count.await(1, host::patience(100, microseconds(20'000)), failure));
  EXPECT_GE(host::elapsed(begin, host::Clock::now()), microseconds(20'000));
}

TEST(EventCounts, GiveUpWithTheRun) {
  EventCount count;
  Failure failure;
  auto sleeper = std::async(std::launch::async, [&] {
    return count.await(1, host::patience(100, 60 * second), failure);
  });
  failure.report("something else went wrong");
  EXPECT_EQ(sleeper.wait_for(30s), std::future_status::ready);
  EXPECT_FALSE(sleeper.get());
}

/// The same threads for any number of workers; no worker twice and none left out.
TEST(Crews, DoJobsOfAnySize) {
  Crew crew;
  ASSERT_TRUE(crew.hire(7));
  for (const std::uint32_t workers : {7, 1, 3, 7, 2, 5}) {
    std::vector<std::atomic<int>> done(7);
    crew.run(workers, [&](std::uint32_t me) { ++done[me]; });
    for (std::uint32_t i = 0; i < done.size(); ++i)
      EXPECT_EQ(done[i], i < workers ? 1 : 0) << "worker " << i << " of " << workers;
  }
}

TEST(Crews, MeetAndSeeWhatWasDoneBefore) {
  constexpr std::uint32_t workers = 5;
  Crew crew;
  ASSERT_TRUE(crew.hire(workers));
  Failure failure;
  Rendezvous rendezvous(workers, host::patience(workers, 60 * second), failure);
  std::vector<int> given(workers);
  std::vector<int> seen;
  for (int run = 0; run < 50; ++run) {
    crew.run(workers, [&](std::uint32_t me) {
      given[me] = run;
      const auto sum = [&] { seen.push_back(std::accumulate(given.begin(), given.end(), 0)); };
      if (rendezvous.meet(me, sum)) rendezvous.part(me, [] {});
    });
    ASSERT_EQ(seen.back(), run * static_cast<int>(workers));
  }
  EXPECT_TRUE(failure.result());
}

TEST(Crews, NameWhoDoesNotCome) {
  constexpr std::uint32_t workers = 4;
  Crew crew;
  ASSERT_TRUE(crew.hire(workers));
  Failure failure;
  Rendezvous rendezvous(workers, host::patience(workers, microseconds(250'000)), failure);
  crew.run(workers, [&](std::uint32_t me) {
    if (me != 2) rendezvous.meet(me, [] {});
  });
  ASSERT_FALSE(failure.result());
  EXPECT_EQ(failure.result().error().message,
            "rank 2 did not come to the rendezvous of 4 ranks within 250 ms");
}

#if defined(__linux__)
std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(HostThreads, OutliveRunsAndEndWithTheBackend) {
  std::thread([] {}).join();          // with the first thread, a sanitizer begins one of its own
  std::this_thread::sleep_for(10ms);  // the system lists a thread for a moment after it was joined
  const auto before = threads_of_this_process();
  auto backend = make_host_backend();
  const auto run = [&](std::uint32_t ranks, const char* executor) {
    const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
    const auto schedule = build_proven(*make_plan(**ring, {.ranks = ranks}, {})).value();
    Trial trial;
    trial.run.executor = executor;
    const auto outcome = execute(*backend, {&schedule, 12}, trial);
    return outcome && outcome->comparison.wrong == 0;
  };
  for (const char* executor : {"sliced", "direct", "ranks"}) EXPECT_TRUE(run(6, executor));
  EXPECT_EQ(threads_of_this_process(), before + 5) << "the caller is a rank itself";
  EXPECT_TRUE(run(3, "ranks"));
  EXPECT_EQ(threads_of_this_process(), before + 5);
  backend.reset();
  // The system lists a thread for a moment after it was joined.
  for (int i = 0; i < 1000 && threads_of_this_process() != before; ++i)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(threads_of_this_process(), before);
}
#endif

}  // namespace
}  // namespace ringside
