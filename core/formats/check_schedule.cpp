#include "core/formats/check_schedule.hpp"

#include "core/formats/msccl_xml.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

Result<CheckReport> check_json(std::string_view text, std::string_view file) {
  RS_ASSIGN(const auto schedule, schedule_from_json(text, file));
  CheckReport report{std::string(file),
                     "schedule JSON",
                     "",
                     schedule.spec(),
                     schedule.chunks(),
                     schedule.transfers().size(),
                     {},
                     {},
                     {}};
  for (const Violation& violation : verify(schedule))
    report.findings.push_back({std::string(name(violation.kind)), to_string(violation, schedule)});
  return report;
}

std::uint64_t instructions(const Program& program) {
  std::uint64_t count = 0;
  for (const auto& lanes : program.ranks)
    for (const Lane& lane : lanes) count += lane.instructions.size();
  return count;
}

/// Proves one call style; a file may be right for both.
void prove(Program program, bool in_place, CheckReport& report) {
  program.spec.in_place = in_place;
  for (const Fault& fault : check(program))
    report.findings.push_back(
        {std::string(name(fault.kind)), (in_place ? "in place, " : "") + fault.what});
}

Result<CheckReport> check_xml(std::string_view text, std::string_view file) {
  RS_ASSIGN(auto algorithm, msccl_from_xml(text, file));
  auto& program = algorithm.program;
  CheckReport report{std::string(file),
                     "MSCCL XML",
                     algorithm.name,
                     program.spec,
                     program.chunks,
                     instructions(program),
                     {},
                     std::move(algorithm.notes),
                     {}};
  for (const auto& wait : algorithm.never_signalled) report.findings.push_back({"deadlock", wait});
  const auto depth = needed_fifo_depth(program);
  if (depth) {
    program.fifo_depth = *depth;
    report.fifo_depth = *depth;
  }
  if (algorithm.is_custom) {
    report.notes.push_back("a custom collective: only its messages and waits were checked");
    if (!depth) report.findings.push_back({"deadlock", depth.error().message});
    return report;
  }
  if (algorithm.out_of_place) prove(program, false, report);
  if (algorithm.in_place) prove(program, true, report);
  return report;
}

}  // namespace

Result<CheckReport> check_schedule_text(std::string_view text, std::string_view file) {
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const char start = first == std::string_view::npos ? '\0' : text[first];
  if (start == '<') return check_xml(text, file);
  if (start == '{') return check_json(text, file);
  return bad_request(std::string(file) +
                     " is neither MSCCL XML (which starts with <) nor a schedule in JSON (which "
                     "starts with {)");
}

std::string to_string(const CheckReport& report) {
  std::string text = report.file + ": " + report.format;
  if (!report.title.empty()) text += " \"" + report.title + "\"";
  text += ", " + std::string(name(report.spec.kind)) + " over " +
          std::to_string(report.spec.ranks) + " ranks, " + std::to_string(report.chunks) +
          " chunks, " + std::to_string(report.operations) +
          (report.format == "MSCCL XML" ? " instructions\n" : " transfers\n");
  for (const auto& note : report.notes) text += "  note: " + note + "\n";
  if (report.fifo_depth && *report.fifo_depth > 1)
    text += "  note: deadlocks unless a connection holds " + std::to_string(*report.fifo_depth) +
            " messages\n";
  if (!report.findings.empty() && report.format == "MSCCL XML")
    text += "  (rank, lane and instruction are its gpu, tb and step)\n";
  for (const auto& finding : report.findings)
    text += "  " + finding.kind + ": " + finding.what + "\n";
  return text + (report.findings.empty() ? "  proven right\n" : "  wrong\n");
}

}  // namespace ringside
