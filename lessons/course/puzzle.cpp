#include "lessons/course/puzzle.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/message.hpp"
#include "core/suggest.hpp"
#include "sim/lower_bound.hpp"

namespace ringside::lessons {
namespace {

/// Beyond what people build by hand; proofs and simulations of less end at once.
constexpr Bytes most_text = 1_MiB;
constexpr std::size_t most_transfers = 4096;
constexpr std::uint64_t most_moved = 1u << 16;

std::string header_words(const CollectiveSpec& spec, std::uint32_t chunks, std::uint32_t agents) {
  std::string words = std::string(name(spec.kind)) + " " + counted(spec.ranks, "rank");
  if (chunks > 0) words += " " + counted(chunks, "chunk");
  if (agents > 0) words += " " + counted(agents, "agent");
  return has_root(spec.kind) ? words + " root " + std::to_string(spec.root.value) : words;
}

Result<void> check_fits(const Puzzle& puzzle, const Schedule& schedule) {
  const CollectiveSpec &wanted = puzzle.spec, &told = schedule.spec();
  const bool is_same = told.kind == wanted.kind && told.ranks == wanted.ranks &&
                       (!has_root(wanted.kind) || told.root == wanted.root) &&
                       (puzzle.chunks == 0 || puzzle.chunks == schedule.chunks()) &&
                       schedule.agents() == 0;
  if (!is_same)
    return bad_request("the puzzle is `" + header_words(wanted, puzzle.chunks, 0) +
                       "`, and this schedule's header says `" +
                       header_words(told, schedule.chunks(), schedule.agents()) + "`");
  std::uint64_t moved = 0;
  for (const Transfer& t : schedule.transfers()) moved += t.chunks();
  if (schedule.transfers().size() > most_transfers || moved > most_moved)
    return bad_request("a puzzle is graded up to " + std::to_string(most_transfers) +
                       " transfers of " + std::to_string(most_moved) + " chunks in all; this is " +
                       std::to_string(schedule.transfers().size()) + " of " +
                       std::to_string(moved));
  return {};
}

}  // namespace

BusiestPort busiest_port(const Schedule& schedule, const sim::Payload& payload) {
  const ChunkLayout layout(schedule.spec(), schedule.chunks(), payload.count);
  std::vector<std::uint64_t> moved(schedule.participants());
  for (const Transfer& t : schedule.transfers()) {
    if (t.is_local()) continue;
    const auto bytes = message_elements(t, layout) * size_of(payload.type).count;
    moved[t.src().rank.value] += bytes;
    moved[t.dst().rank.value] += bytes;
  }
  const auto most = std::max_element(moved.begin(), moved.end());
  return {{static_cast<std::uint32_t>(most - moved.begin())}, {*most}};
}

Result<PuzzleGrade> grade(const Puzzle& puzzle, std::string_view schedule_text,
                          const Laboratory& laboratory) {
  if (schedule_text.size() > most_text.count)
    return bad_request("a puzzle's schedule is at most " + to_string(most_text) + " of text");
  RS_ASSIGN(ScheduleText told, schedule_from_text_lines(schedule_text, "schedule"));
  RS_TRY(check_fits(puzzle, told.schedule));
  PuzzleGrade grade;
  const auto violations = verify(told.schedule, 1);
  grade.correct = violations.empty();
  if (!grade.correct) {
    const auto& first = violations.front();
    for (const Language language : languages)
      grade.problem[static_cast<std::size_t>(language)] = in_words(first, told, language);
    if (first.transfer.value < told.lines.size()) grade.line = told.lines[first.transfer.value];
  }
  grade.steps = told.schedule.steps();
  RS_ASSIGN(const ExperimentPtr run,
            laboratory.run_own(std::make_shared<Schedule>(std::move(told.schedule)), puzzle.share));
  const auto port = busiest_port(*run->schedule, run->payload);
  grade.busiest = port.bytes;
  grade.busiest_rank = port.rank;
  grade.time = run->time;
  grade.least_busiest = sim::least_port_bytes(puzzle.spec, run->payload);
  grade.least_time = sim::lower_bound(puzzle.spec, run->payload, *run->topology);
  grade.within_steps = puzzle.par.steps == 0 || grade.steps <= puzzle.par.steps;
  grade.within_busiest = is_within_par(grade.busiest.count, puzzle.par.busiest.count);
  grade.within_time = is_within_par(static_cast<std::uint64_t>(grade.time.picoseconds),
                                    static_cast<std::uint64_t>(puzzle.par.time.picoseconds));
  return grade;
}

}  // namespace ringside::lessons
