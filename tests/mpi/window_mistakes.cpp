#include "tests/mpi/window_mistakes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/mpi/hunt.hpp"

namespace ringside::mpi {
namespace {

using Phase = WindowPlan::Phase;

/// Rank 1 is late for the first phase of this kind, and all must wait for it: no mistake.
void dawdle_before(WindowPlan& plan, Rank rank, Phase phase) {
  const auto at = std::ranges::find(plan.phases, phase);
  if (rank.value == 1 && at != plan.phases.end()) plan.phases.insert(at, Phase::dawdle);
}

void late_to_lay(WindowPlan& plan, Rank rank) {
  dawdle_before(plan, rank, Phase::lay);
}
void late_to_add(WindowPlan& plan, Rank rank) {
  dawdle_before(plan, rank, Phase::add);
}
void late_to_take(WindowPlan& plan, Rank rank) {
  dawdle_before(plan, rank, Phase::take);
}

void meeting_missed_before(WindowPlan& plan, Phase phase) {
  const auto at = std::ranges::find(plan.phases, phase);
  if (at != plan.phases.end() && *(at - 1) == Phase::meet) plan.phases.erase(at - 1);
}

/// What others have not laid yet is added.
void added_without_meeting(WindowPlan& plan, Rank rank) {
  meeting_missed_before(plan, Phase::add);
  late_to_lay(plan, rank);
}

/// What others have not added, or not laid yet is taken.
void taken_without_meeting(WindowPlan& plan, Rank rank) {
  meeting_missed_before(plan, Phase::take);
  late_to_add(plan, rank);
  if (std::ranges::count(plan.phases, Phase::add) == 0) late_to_lay(plan, rank);
}

/// The next slice is laid over the one that a late rank still takes.
void one_half_for_all_slices(WindowPlan& plan, Rank rank) {
  std::erase(plan.phases, Phase::next_half);
  late_to_take(plan, rank);
}

/// Others find what the run before left in its room.
void nothing_laid(WindowPlan& plan, Rank rank) {
  if (rank.value == 1) plan.laid.clear();
}

void neighbours_piece_laid_over(WindowPlan& plan, Rank rank) {
  if (rank.value == 1 && plan.laid.size() > 1) plan.laid[1].piece = 0;
}

void two_blocks_swapped(WindowPlan& plan, Rank rank) {
  if (rank.value == 1 && plan.taken.size() > 1) std::swap(plan.taken[0].block, plan.taken[1].block);
}

/// What a rank laid is taken for what it added, or for another block of it.
void wrong_piece_taken(WindowPlan& plan, Rank rank) {
  if (rank.value == 1 && !plan.taken.empty()) plan.taken.back().piece ^= 1;
}

void one_copy_out_forgotten(WindowPlan& plan, Rank rank) {
  if (rank.value == 1 && !plan.taken.empty()) plan.taken.pop_back();
}

void lost_rank(WindowPlan& plan, Rank rank) {
  if (rank.value == 1) plan.added.pop_back();
}

void share_not_added(WindowPlan& plan, Rank rank) {
  if (rank.value == 1) std::erase(plan.phases, Phase::add);
}

void undivided(WindowPlan& plan, Rank rank) {
  if (rank.value == 1) plan.divides = false;
}

void count_too_low(WindowPlan& plan, Rank rank) {
  if (rank.value == 1) --plan.count;
}

/// Its pieces begin one element before those of the others.
void slices_one_too_short(WindowPlan& plan, Rank rank) {
  if (rank.value == 1) --plan.slice;
}

constexpr std::array<Mistake, 17> all{{
    {"none", {}, false},
    {"late_to_lay", {.window = late_to_lay}, false},
    {"late_to_add", {.window = late_to_add}, false},
    {"late_to_take", {.window = late_to_take}, false},
    {"added_without_meeting", {.window = added_without_meeting}},
    {"taken_without_meeting", {.window = taken_without_meeting}},
    {"one_half_for_all_slices", {.window = one_half_for_all_slices}},
    {"nothing_laid", {.window = nothing_laid}},
    {"neighbours_piece_laid_over", {.window = neighbours_piece_laid_over}},
    {"two_blocks_swapped", {.window = two_blocks_swapped}},
    {"wrong_piece_taken", {.window = wrong_piece_taken}},
    {"one_copy_out_forgotten", {.window = one_copy_out_forgotten}},
    {"lost_rank", {.window = lost_rank}},
    {"share_not_added", {.window = share_not_added}},
    {"undivided", {.window = undivided}},
    {"count_too_low", {.window = count_too_low}},
    {"slices_one_too_short", {.window = slices_one_too_short}},
}};
constexpr std::array<Ground, 3> grounds{{{CollectiveKind::all_reduce, "ring"},
                                         {CollectiveKind::reduce_scatter, "ring"},
                                         {CollectiveKind::all_to_all, "direct"}}};

}  // namespace

int report_window_mistakes() {
  return report_hunt(all, grounds, "window");
}

}  // namespace ringside::mpi
