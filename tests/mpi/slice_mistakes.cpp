#include "tests/mpi/slice_mistakes.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gpu/host/faults.hpp"
#include "tests/mpi/hunt.hpp"

namespace ringside::mpi {
namespace {

using Phase = SliceJob::Phase;
constexpr std::size_t element = 4;  // bytes of an int32

// Who does the slices is decided by who comes first. So that a mistake of one process always
// counts, rank 1 does them all.

void rank_1_does_all(SliceJob& job, Rank rank) {
  if (rank.value != 1) std::erase(job.phases, Phase::share_out);
}

/// It is late, and all wait for it: no mistake.
void slow_but_right(SliceJob& job, Rank rank) {
  rank_1_does_all(job, rank);
  if (rank.value == 1) job.phases.insert(job.phases.begin() + 2, Phase::dawdle);
}

void closing_meeting_missed(SliceJob& job, Rank rank) {
  slow_but_right(job, rank);
  job.phases.pop_back();
}

/// Rank 2 is slow to fill in its inputs for the next run.
void opening_meeting_missed(SliceJob& job, Rank rank) {
  rank_1_does_all(job, rank);
  job.phases.erase(job.phases.begin());
  if (rank.value == 2) job.phases.push_back(Phase::dawdle);
}

void counter_not_reset(SliceJob& job, Rank) {
  std::erase(job.phases, Phase::fresh_counter);
}

void done_twice(SliceJob& job, Rank) {
  const auto all = job.phases;
  job.phases.insert(job.phases.end(), all.begin(), all.end());
}

/// Rank 1 takes slices and leaves them undone.
void lost_rank(SliceJob& job, Rank rank) {
  if (rank.value == 1)
    job.plan.slices = 0;
  else
    job.phases.insert(job.phases.begin() + 2, Phase::dawdle);  // rank 1 takes first
}

void off_by_one_slice(SliceJob& job, Rank) {
  host::spoil(job.plan, host::Fault::missed_slice, element);
}
void slice_begins_late(SliceJob& job, Rank rank) {
  rank_1_does_all(job, rank);
  host::spoil(job.plan, host::Fault::off_by_one, element);
}
void undivided(SliceJob& job, Rank) {
  host::spoil(job.plan, host::Fault::undivided, element);
}
void copied_instead_of_added(SliceJob& job, Rank) {
  host::spoil(job.plan, host::Fault::copied_for_reduced, element);
}

void wrong_ranks_buffer(Memory& everyones, Rank rank) {
  if (rank.value == 1) everyones.ranks[2] = everyones.ranks[0];
}

/// What rank 1 sees of rank 0 is what was there before.
void stale_mapping(Memory& everyones, Rank rank) {
  static std::vector<std::byte> before;
  if (rank.value != 1) return;
  auto& [input, output] = everyones.ranks[0];
  before.assign(std::max(input.size(), output.size()), std::byte{7});
  if (!input.empty()) input = std::span(before).first(input.size());
  if (!output.empty()) output = std::span(before).first(output.size());
}

/// Rank 0's buffers begin elsewhere than it said.
void mapped_one_element_off(Memory& everyones, Rank rank) {
  auto& [input, output] = everyones.ranks[0];
  if (rank.value == 1 && !output.empty()) output = {output.data() - element, output.size()};
  if (rank.value == 1 && !input.empty()) input = {input.data() - element, input.size()};
}

constexpr std::array<Mistake, 14> all{{
    {"none", {}, false},
    {"slow_but_right", {.slices = slow_but_right}, false},
    {"opening_meeting_missed", {.slices = opening_meeting_missed}},
    {"closing_meeting_missed", {.slices = closing_meeting_missed}},
    {"counter_not_reset", {.slices = counter_not_reset}},
    {"done_twice", {.slices = done_twice}},
    {"lost_rank", {.slices = lost_rank}},
    {"off_by_one_slice", {.slices = off_by_one_slice}},
    {"slice_begins_late", {.slices = slice_begins_late}},
    {"undivided", {.slices = undivided}},
    {"copied_instead_of_added", {.slices = copied_instead_of_added}},
    {"wrong_ranks_buffer", {.memory = wrong_ranks_buffer, .slices = rank_1_does_all}},
    {"stale_mapping", {.memory = stale_mapping, .slices = rank_1_does_all}},
    {"mapped_one_element_off", {.memory = mapped_one_element_off, .slices = rank_1_does_all}},
}};

constexpr std::array<Ground, 1> ground{{{CollectiveKind::all_reduce, "ring"}}};

}  // namespace

int report_slice_mistakes(const std::string& executor) {
  return report_hunt(all, ground, executor);
}

}  // namespace ringside::mpi
