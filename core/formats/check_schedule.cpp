#include "core/formats/check_schedule.hpp"

#include "core/formats/schedule_json.hpp"
#include "core/formats/schedule_text.hpp"
#include "core/suggest.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

/// ` (line 7: `2 -> 3: 1 +`)` where lines tell the transfers.
std::string line_of(TransferId id, const ScheduleText& told) {
  if (id.value >= told.lines.size()) return "";
  return " (line " + std::to_string(told.lines[id.value]) + ": `" +
         move_text(told.schedule[id], told.schedule.spec()) + "`)";
}

CheckReport prove(const ScheduleText& told, std::string_view file, std::string_view format) {
  const Schedule& schedule = told.schedule;
  CheckReport report{.file = std::string(file),
                     .format = std::string(format),
                     .spec = schedule.spec(),
                     .chunks = schedule.chunks(),
                     .operations = schedule.transfers().size()};
  for (const Violation& violation : verify(schedule))
    report.findings.push_back({std::string(name(violation.kind)),
                               to_string(violation, schedule) + line_of(violation.transfer, told)});
  return report;
}

Result<CheckReport> check_json(std::string_view text, std::string_view file) {
  RS_ASSIGN(auto schedule, schedule_from_json(text, file));
  return prove({std::move(schedule), {}}, file, "schedule JSON");
}

Result<CheckReport> check_text(std::string_view text, std::string_view file) {
  RS_ASSIGN(const auto told, schedule_from_text_lines(text, file));
  return prove(told, file, "schedule text");
}

std::uint64_t instructions(const Program& program) {
  std::uint64_t count = 0;
  for (const auto& lanes : program.ranks)
    for (const Lane& lane : lanes) count += lane.instructions.size();
  return count;
}

void add(const Fault& fault, const std::string& before, CheckReport& report) {
  report.findings.push_back({std::string(name(fault.kind)), before + fault.what, fault.at});
}

/// Proves one call style; a file may be right for both.
void prove(Program program, bool in_place, CheckReport& report) {
  program.spec.in_place = in_place;
  for (const Fault& fault : check(program)) add(fault, in_place ? "in place, " : "", report);
}

/// Does it end, with queues as deep as they are?
bool ends(const Program& program, CheckReport& report) {
  report.fifo = program.fifo_depth;
  const auto needed = needed_fifo_depth(program);
  if (needed) report.needed_fifo = *needed;
  if (needed && *needed <= program.fifo_depth) return true;
  for (const Fault& fault : check(program)) add(fault, "", report);
  if (needed)
    report.notes.push_back("it would end if a connection held " + counted(*needed, "message") +
                           " instead of " + std::to_string(program.fifo_depth));
  return false;
}

Result<CheckReport> check_xml(std::string_view text, std::string_view file, std::uint32_t fifo) {
  RS_ASSIGN(auto algorithm, msccl_from_xml(text, file));
  auto& program = algorithm.program;
  if (fifo > 0) program.fifo_depth = fifo;
  CheckReport report{.file = std::string(file),
                     .format = "MSCCL XML",
                     .msccl = algorithm.header,
                     .spec = program.spec,
                     .chunks = program.chunks,
                     .operations = instructions(program),
                     .notes = std::move(algorithm.notes)};
  for (const Fault& fault : algorithm.faults) add(fault, "", report);
  if (algorithm.is_custom)
    report.notes.push_back("a custom collective: only its messages and waits were checked");
  if (!ends(program, report) || algorithm.is_custom) return report;
  if (algorithm.header.out_of_place) prove(program, false, report);
  if (algorithm.header.in_place) prove(program, true, report);
  return report;
}

std::string sizes(const MscclHeader& header) {
  const bool is_open = header.most.count == 0;
  if (is_open && header.least.count == 0) return "any size";
  if (is_open) return "from " + to_string(header.least);
  return to_string(header.least) + " to " + to_string(header.most);
}

std::string styles(const MscclHeader& header) {
  if (!header.in_place) return "out of place";
  return header.out_of_place ? "in place or not" : "in place";
}

}  // namespace

Result<CheckReport> check_schedule_text(std::string_view text, std::string_view file,
                                        std::uint32_t fifo) {
  const auto format = format_of(text);
  if (format == ScheduleFormat::msccl_xml) return check_xml(text, file, fifo);
  if (fifo > 0)
    return bad_request(std::string(file) +
                       " is no MSCCL XML: other schedules have no queues, and take no --fifo");
  return format == ScheduleFormat::json ? check_json(text, file) : check_text(text, file);
}

ScheduleFormat format_of(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const char start = first == std::string_view::npos ? '\0' : text[first];
  if (start == '<') return ScheduleFormat::msccl_xml;
  return start == '{' ? ScheduleFormat::json : ScheduleFormat::text;
}

Result<Schedule> stored_schedule(std::string_view text, std::string_view file) {
  if (format_of(text) == ScheduleFormat::json) return schedule_from_json(text, file);
  RS_ASSIGN(auto told, schedule_from_text_lines(text, file));
  return std::move(told.schedule);
}

std::string to_string(const CheckReport& report) {
  std::string text = report.file + ": " + report.format;
  if (report.msccl) text += " \"" + report.msccl->name + "\"";
  text += ", " + std::string(name(report.spec.kind)) + " over " +
          counted(report.spec.ranks, "rank") + ", " + counted(report.chunks, "chunk") + ", " +
          counted(report.operations, report.msccl ? "instruction" : "transfer") + "\n";
  if (const auto& header = report.msccl)
    text += "  " + std::string(name(header->protocol)) + ", " + styles(*header) + ", " +
            sizes(*header) + "; a connection holds " + counted(report.fifo, "message") + "\n";
  for (const auto& note : report.notes) text += "  note: " + note + "\n";
  if (report.findings.empty() && report.needed_fifo && *report.needed_fifo > 1)
    text += "  note: deadlocks unless a connection holds " + std::to_string(*report.needed_fifo) +
            " messages\n";
  for (const auto& finding : report.findings)
    text += "  " + finding.kind + ": " + finding.what + "\n";
  return text + (report.findings.empty() ? "  proven right\n" : "  wrong\n");
}

}  // namespace ringside
