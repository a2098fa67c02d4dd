#include "core/formats/schedule_file.hpp"

#include "core/formats/check_schedule.hpp"
#include "core/formats/schedule_json.hpp"

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

}  // namespace

Result<ScheduleFile> schedule_from_text(std::string_view text, std::string_view name,
                                        std::optional<bool> in_place) {
  ScheduleFile found{.file = std::string(name), .name = stem(name), .schedule = {}};
  RS_ASSIGN(const CheckReport report, check_schedule_text(text, name));
  if (!report.msccl) {
    RS_ASSIGN(found.schedule, schedule_from_json(text, name));
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
