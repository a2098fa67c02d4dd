// Sweeps on several threads: the same bytes out whatever their number, and what is finished where
// they are stopped.

#include "viz/scenario/sweep.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/viz/command.hpp"
#include "viz/terminal/interruption.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

using scenario::Contest;
using scenario::Sweep;
using ::testing::HasSubstr;

TEST(Folded, SaysSoAndComesToTheSame) {
  const std::string words =
      "simulate --system dgx-h100 --nodes 16 --algorithm hierarchical -b 1M -e 16M -f 16";
  const std::string note = "# folded: 1 of 16 nodes simulated\n";
  auto folded = run(words).out;
  ASSERT_THAT(folded, HasSubstr(note));
  EXPECT_EQ(folded.erase(folded.find(note), note.size()), run(words + " --fold off").out);
  EXPECT_THAT(run(words + " --jitter 1%").out, HasSubstr("# not folded: jitter"));
}

TEST(Sweep, ComesOutTheSameOnAnyNumberOfThreads) {
  for (const std::string words :
       {"--system dgx-h100 --ranks 8 --algorithm all -b 1K -e 64M -f 32",
        "--system dgx1-v100 --algorithm best -b 64 -e 16M -f 4 --json",
        "--system torus --ranks 16 --algorithm all -b 0 -e 1K -f 8 --csv",
        "--system star --ranks 7 --algorithm ring -b 1K -e 1M -f 4 --explain",
        "--system star --ranks 7 --algorithm nosuch -b 1K -e 1M -f 4"}) {
    const auto on = [&](int threads) {
      return run(fmt::format("simulate {} --threads {}", words, threads));
    };
    const auto alone = on(1);
    for (const int threads : {2, 7}) {
      const auto together = on(threads);
      EXPECT_EQ(together.status, alone.status) << words;
      EXPECT_EQ(together.out, alone.out) << words;
      EXPECT_EQ(together.err, alone.err) << words;
    }
  }
}

Result<Contest> all_on_a_star() {
  scenario::SystemOptions system;
  system.system = "star";
  system.ranks = 8;
  RS_ASSIGN(const auto machine, scenario::read(system));
  scenario::CollectiveRequest request{};
  request.spec = {.kind = CollectiveKind::all_reduce};
  request.algorithm = "all";
  return Contest::enter(request, machine);
}

const std::vector<Bytes> few_sizes = {1_KiB, 32_KiB, 1_MiB, 32_MiB};

Result<std::optional<Sweep::Kept>> keep_row(Contest::Run& run) {
  return Sweep::Kept{run.row, ""};
}

TEST(Sweep, RefusesThreadsWithoutEnd) {
  for (const std::string threads : {"1025", "4294967295", "-1", "two"}) {
    const auto ran = run("simulate --system star --ranks 4 -b 1K -e 1K --threads " + threads);
    EXPECT_EQ(ran.status, 2) << threads;
    EXPECT_EQ(lines(ran.err).size(), 1u) << ran.err;
  }
}

TEST(Sweep, LeavesWhatIsFinishedWhenStopped) {
  auto contest = *all_on_a_star();
  const auto whole = *Sweep::run(contest, few_sizes, keep_row, {.threads = 1});
  EXPECT_EQ(whole.done, whole.of);
  EXPECT_EQ(whole.of, few_sizes.size() * contest.entrants().size());
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::atomic<bool> stopped = false;
    Sweep::Conduct conduct{.threads = threads};
    conduct.is_stopped = [&] { return stopped.load(); };
    conduct.progress = [&](std::size_t done, std::size_t, Bytes) { stopped = done >= 5; };
    const auto part = *Sweep::run(contest, few_sizes, keep_row, conduct);
    EXPECT_EQ(part.done, 5u);
    EXPECT_EQ(part.of, whole.of);
    ASSERT_EQ(part.kept.size(), 5u);
    auto next = whole.kept.begin();  // rows of the whole sweep, in its order
    for (const auto& kept : part.kept) {
      next = std::find_if(next, whole.kept.end(), [&](const Sweep::Kept& other) {
        return other.row.algorithm == kept.row.algorithm && other.row.size == kept.row.size;
      });
      ASSERT_NE(next, whole.kept.end());
      EXPECT_EQ(next->row.time, kept.row.time);
    }
  }
}

TEST(Sweep, EndsWithTheFirstErrorInOrder) {
  auto contest = *all_on_a_star();
  const auto refuse = [](Contest::Run& run) -> Result<std::optional<Sweep::Kept>> {
    if (*run.row.size < 1_MiB) return Sweep::Kept{run.row, ""};
    return bad_request(run.row.algorithm + " at " + to_string(*run.row.size));
  };
  for (const unsigned threads : {1u, 2u, 7u}) {
    const auto refused = Sweep::run(contest, few_sizes, refuse, {.threads = threads});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, std::string(contest.entrants().front()->name) + " at 1 MiB");
  }
}

TEST(Interruption, IsAskedForByCtrlC) {
  {
    const Interruption interruption;
    EXPECT_FALSE(interruption.is_asked_for());
    std::raise(SIGINT);
    EXPECT_TRUE(interruption.is_asked_for());
  }
  const Interruption another;
  EXPECT_FALSE(another.is_asked_for());
}

/// `simulate` on thousands of sizes, and Ctrl-C after a while.
Ran interrupted_after(std::chrono::milliseconds wait) {
  return run(split("simulate --system star --ranks 64 --algorithm all -f 1.003 --json"), "",
             [&](pid_t child) {
               std::this_thread::sleep_for(wait);
               kill(child, SIGINT);
             });
}

TEST(Interruption, LeavesATableOfWhatIsFinished) {
  Ran ran;  // on a busy machine it may not have begun
  for (int wait = 500; wait <= 16'000 && ran.out.empty(); wait *= 2)
    ran = interrupted_after(std::chrono::milliseconds(wait));
  EXPECT_EQ(ran.status, 1) << "signal " << ran.signal;
  EXPECT_THAT(ran.err, HasSubstr("interrupted: "));
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_GT(json["results"].size(), 0u);
}

TEST(Progress, SaysHowLongTheRestTakes) {
  using std::chrono::duration;
  EXPECT_EQ(time_left(duration<double>(0.2), 1, 100), "") << "too soon to tell";
  EXPECT_EQ(time_left(duration<double>(10), 25, 100), ", 30 s left");
  EXPECT_EQ(time_left(duration<double>(60), 10, 100), ", 9 min left");
  EXPECT_EQ(time_left(duration<double>(60), 100, 100), "");
}

}  // namespace
}  // namespace ringside::terminal
