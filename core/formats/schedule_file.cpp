#include "core/formats/schedule_file.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/formats/check_schedule.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

/// The file's name without folders and ending.
std::string stem(std::string_view file) {
  file.remove_prefix(std::min(file.size(), file.find_last_of('/') + 1));
  return std::string(file.substr(0, file.rfind('.')));
}

Result<void> choose_style(MscclAlgorithm& algorithm, std::optional<bool> in_place,
                          const std::string& file) {
  if (!in_place) return {};
  const MscclHeader& header = algorithm.header;
  if (*in_place ? !header.in_place : !header.out_of_place)
    return bad_request(
        file + " is an algorithm for calls " +
        (*in_place ? "out of place only: leave out --in-place" : "in place only: say --in-place"));
  algorithm.program.spec.in_place = *in_place;
  return {};
}

Options complete(const CollectiveSpec&, const Options& given) {
  const Schedule& schedule = given.stored->schedule;
  return {.chunks = schedule.chunks(),
          .channels = schedule.channels(),
          .agents = schedule.agents(),
          .stored = given.stored};
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  const auto& [file, title, schedule, msccl] = *options.stored;
  const CollectiveSpec& own = schedule.spec();
  if (spec.ranks != own.ranks)
    return bad_request(file + " is a schedule for " + counted(own.ranks, "rank") + ", not " +
                       std::to_string(spec.ranks) + ": take --ranks " + std::to_string(own.ranks));
  if (spec.in_place != own.in_place)
    return bad_request(file + " is a schedule " + (own.in_place ? "in place" : "out of place"));
  if (has_root(own.kind) && spec.root != own.root)
    return bad_request(file + " is a schedule for root " + std::to_string(own.root.value));
  return {};
}

void tell(const CollectiveSpec&, const Options& options, TransferSink& sink) {
  const Schedule& schedule = options.stored->schedule;
  for (Step step{0}; step.value < schedule.steps(); ++step.value) {
    if (step.value > 0) sink.next_step();
    for (auto id = schedule.step_begin(step); id < schedule.step_end(step); ++id.value)
      sink.add(schedule[id]);
  }
}

/// Chunks that must be equal, in whole vectors of so many counts; 0: none must.
struct Division {
  std::uint64_t chunks = 0, counts = 1;
};
Division division(const ScheduleFile& file) {
  const CollectiveSpec& spec = file.schedule.spec();
  return {file.msccl ? file.msccl->header.chunks_per_loop : 0,
          is_blocked(spec.kind) ? spec.ranks : 1};
}

}  // namespace

const Algorithm& retelling(CollectiveKind kind) {
  static const auto all = [] {
    std::array<Algorithm, collective_count> each;
    for (std::size_t k = 0; k < each.size(); ++k) {
      each[k].name = "file";
      each[k].collective = static_cast<CollectiveKind>(k);
      each[k].summary = "as a file tells it";
      each[k].complete = complete;
      each[k].supports = supports;
      each[k].tell = tell;
    }
    return each;
  }();
  return all[static_cast<std::size_t>(kind)];
}

Bytes least_size(const ScheduleFile& file, ElementType type) {
  const auto [chunks, counts] = division(file);
  const auto count = chunks == 0 ? 1 : chunks / std::gcd(chunks, counts);
  return size_of(file.schedule.spec(), count, type);
}

Result<void> check_divides(const ScheduleFile& file, std::uint64_t count, ElementType type) {
  const auto [chunks, counts] = division(file);
  if (chunks == 0 || count * counts % chunks == 0) return {};
  return bad_request(file.file + " cuts the vector into " + std::to_string(chunks) +
                     " equal chunks (nchunksperloop): " + std::to_string(count * counts) + " " +
                     std::string(name(type)) + " elements do not divide; take multiples of " +
                     to_string(least_size(file, type)));
}

Result<ScheduleFile> schedule_from_text(std::string_view text, std::string_view name,
                                        std::optional<bool> in_place) {
  ScheduleFile found{.file = std::string(name), .name = stem(name), .schedule = {}};
  RS_ASSIGN(const CheckReport report, check_schedule_text(text, name));
  if (!report.msccl) {
    RS_ASSIGN(found.schedule, stored_schedule(text, name));
    if (in_place && *in_place != report.spec.in_place)
      return bad_request(found.file + " is a schedule " +
                         (*in_place ? "out of place" : "in place") + ": " +
                         (*in_place ? "leave out" : "say") + " --in-place");
  }
  if (!report.findings.empty())
    return gone_wrong(found.file + " is wrong: " + report.findings.front().kind + ": " +
                      report.findings.front().what);
  if (!report.msccl) return found;
  RS_ASSIGN(found.msccl, msccl_from_xml(text, name));
  if (found.msccl->is_custom)
    return bad_request(found.file +
                       " is a custom collective: what it should do is unknown, so that its data "
                       "cannot be checked");
  RS_TRY(choose_style(*found.msccl, in_place, found.file));
  if (!report.msccl->name.empty()) found.name = report.msccl->name;
  RS_ASSIGN(found.schedule, lift(found.msccl->program));
  return found;
}

}  // namespace ringside
