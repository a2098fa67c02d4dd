// `ringside schedule check|import|export`: schedules as files.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/file.hpp"
#include "core/formats/check_schedule.hpp"
#include "core/formats/msccl_write.hpp"
#include "core/formats/schedule_file.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/formats/schedule_text.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/marking.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct CheckOptions {
  std::string file, rubric;
  std::uint32_t fifo = 0;
  OutputOptions output;
};

std::string as_json(const CheckReport& report) {
  using Json = nlohmann::ordered_json;
  Json row{{"file", report.file},
           {"format", report.format},
           {"algorithm", report.msccl ? report.msccl->name : ""},
           {"collective", name(report.spec.kind)},
           {"ranks", report.spec.ranks},
           {"in_place", report.spec.in_place},
           {"chunks", report.chunks},
           {"operations", report.operations},
           {"pass", report.findings.empty()}};
  if (const auto& header = report.msccl) {
    row["protocol"] = name(header->protocol);
    row["for_in_place"] = header->in_place;
    row["for_out_of_place"] = header->out_of_place;
    row["min_bytes"] = header->least.count;
    if (header->most.count > 0) row["max_bytes"] = header->most.count;
    row["fifo"] = report.fifo;
  }
  if (report.needed_fifo) row["fifo_depth"] = *report.needed_fifo;
  if (!report.findings.empty())
    row["violation"] = report.findings.front().kind + ": " + report.findings.front().what;
  for (const auto& finding : report.findings) {
    Json found{{"kind", finding.kind}, {"what", finding.what}};
    if (finding.at) {
      found["gpu"] = finding.at->rank.value;
      found["tb"] = finding.at->lane;
      found["step"] = finding.at->instruction;
    }
    row["findings"].push_back(found);
  }
  if (!report.notes.empty()) row["notes"] = report.notes;
  const Json json{{"ringside", 1}, {"command", "schedule check"}, {"results", Json::array({row})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string called(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

Result<int> check_file(const CheckOptions& options) {
  RS_ASSIGN(const std::string text, read_file(options.file));
  if (!options.rubric.empty())
    return mark_schedule(text, called(options.file), options.rubric, options.output);
  RS_ASSIGN(const CheckReport report,
            check_schedule_text(text, called(options.file), options.fifo));
  RS_TRY(write(options.output, options.output.json ? as_json(report) : to_string(report)));
  return report.findings.empty() ? 0 : 1;
}

void add_check(CLI::App& schedule, Job& chosen) {
  auto* command =
      schedule.add_subcommand("check", "Prove a schedule from a file, or say what is wrong");
  command->footer(
      "Reads MSCCL XML, our own JSON, and a schedule as people write it:\n"
      "  all_reduce 2 ranks 1 chunk     # in place: a rank has one buffer\n"
      "  step\n"
      "  0 -> 1: 0 +                    # rank 0's chunk 0 is added into rank 1's\n"
      "  step\n"
      "  1 -> 0: 0                      # without + it is copied\n"
      "Exit status 1 if the algorithm is wrong.\n"
      "Example: ringside schedule export --algorithm ring --ranks 4 | ringside schedule check -");
  const auto options = std::make_shared<CheckOptions>();
  command
      ->add_option("file", options->file, "MSCCL XML, schedule JSON or text; - for standard input")
      ->required();
  command
      ->add_option("--fifo", options->fifo,
                   "Messages a connection holds; default: Simple 2, LL and LL128 8")
      ->check(scenario::whole_number(1, 1u << 20));
  command
      ->add_option("--rubric", options->rubric,
                   "Mark it by this file's points (TOML); exit status 1 if it does not pass")
      ->check(scenario::not_empty());
  options->output.add_to(*command, false);
  command->callback([options, &chosen] { chosen = [options] { return check_file(*options); }; });
}

struct ImportOptions {
  std::string file;
  bool in_place = false;
  OutputOptions output;
};

Result<int> import_schedule(const ImportOptions& options) {
  RS_ASSIGN(const std::string text, read_file(options.file));
  const auto in_place = options.in_place ? std::optional(true) : std::nullopt;
  RS_ASSIGN(const auto found, schedule_from_text(text, called(options.file), in_place));
  RS_TRY(write(options.output, schedule_to_json(found.schedule)));
  return 0;
}

void add_import(CLI::App& schedule, Job& chosen) {
  auto* command = schedule.add_subcommand(
      "import", "Turn MSCCL XML or text into a schedule in JSON, once it is proven");
  command->footer(
      "Exit status 1 if the algorithm is wrong; schedule check then says all there is to say.\n"
      "Example: ringside schedule export --ranks 4 | ringside schedule import - --out ring4.json");
  const auto options = std::make_shared<ImportOptions>();
  command->add_option("file", options->file, "MSCCL XML or text; - for standard input")->required();
  command->add_flag("--in-place", options->in_place,
                    "As it runs in place, where the file allows both; default: out of place");
  command->add_option("--out", options->output.out, "Write to this file instead of standard output")
      ->check(scenario::not_empty());
  command->callback(
      [options, &chosen] { chosen = [options] { return import_schedule(*options); }; });
}

struct ExportOptions {
  scenario::CollectiveOptions collective;
  std::uint32_t ranks = 4;
  std::string dims;
  std::string format = "json";
  std::string protocol = "Simple", least = "0", most = "0";  ///< of MSCCL XML
  OutputOptions output;
};

Result<std::string> as_msccl(const ExportOptions& options, const Plan& plan,
                             const Schedule& schedule) {
  MscclHeader header{.name = name(plan)};
  RS_ASSIGN(header.protocol,
            scenario::of_flag("--protocol", parse_msccl_protocol(options.protocol)));
  RS_ASSIGN(header.least, scenario::of_flag("-b", parse_bytes(options.least)));
  RS_ASSIGN(header.most, scenario::of_flag("-e", parse_bytes(options.most)));
  if (header.most.count != 0 && header.most < header.least)
    return bad_request("sizes from " + to_string(header.least) + " to " + to_string(header.most) +
                       " are none: -b must not exceed -e");
  return schedule_to_msccl(schedule, header);
}

/// A wish without effect must not pass for granted.
Result<void> check_taken(const Plan& plan, const Options& given) {
  std::vector<const char*> unused;
  if (!given.dims.empty() && plan.options.dims.empty()) unused.push_back("--dims");
  if (given.ranks_per_node != 0 && plan.options.ranks_per_node == 0)
    unused.push_back("--ranks-per-node");
  if (unused.empty()) return {};
  return bad_request(fmt::format("{} {} takes no {}", plan.algorithm->name, name(plan.spec.kind),
                                 fmt::join(unused, ", ")));
}

Result<int> export_schedule(ExportOptions options) {
  RS_ASSIGN(const auto of_file, scenario::follow_file(options.collective));
  RS_ASSIGN(auto request, read(options.collective));
  request.spec.ranks = of_file > 0 ? of_file : options.ranks;
  RS_ASSIGN(request.options.dims, scenario::of_flag("--dims", scenario::parse_dims(options.dims)));
  if (scenario::leaves_open(request.algorithm))
    return bad_request("a schedule is one algorithm's: name it, such as --algorithm ring");
  RS_ASSIGN(const Algorithm* algorithm, scenario::algorithm_of(request));
  RS_ASSIGN(const Plan plan, make_plan(*algorithm, request.spec, request.options));
  RS_TRY(check_taken(plan, request.options));
  RS_ASSIGN(const Schedule schedule, build_schedule(plan));
  std::string text;
  if (options.format == "msccl") {
    RS_ASSIGN(text, as_msccl(options, plan, schedule));
  } else {
    text = options.format == "text" ? schedule_to_text(schedule) : schedule_to_json(schedule);
  }
  RS_TRY(write(options.output, text));
  return 0;
}

void add_schedule_export(CLI::App& schedule, Job& chosen) {
  auto* command =
      schedule.add_subcommand("export", "Write an algorithm's schedule as JSON, text or MSCCL XML");
  command->footer(
      "Examples: ringside schedule export --algorithm ring --ranks 8 --out ring8.json\n"
      "          ringside schedule export --ranks 4 --in-place --format text\n"
      "          ringside schedule export --collective all_gather --ranks 8 --format msccl "
      "--out ag.xml");
  const auto options = std::make_shared<ExportOptions>();
  options->collective.add_to(*command);
  command->add_option("--ranks", options->ranks, "Number of ranks")
      ->check(scenario::whole_number(1, Transfer::max_ranks))
      ->capture_default_str();
  command->add_option("--dims", options->dims, "Of a torus, such as 4x8");
  auto* format =
      command
          ->add_option("--format", options->format, "json, text for people, or msccl for MSCCL XML")
          ->check(CLI::IsMember({"json", "text", "msccl"}))
          ->capture_default_str();
  const std::string group = "MSCCL XML";
  command->add_option("--protocol", options->protocol, "Simple, LL, LL128")
      ->capture_default_str()
      ->needs(format)
      ->group(group);
  command->add_option("-b,--minbytes", options->least, "Smallest size it is meant for")
      ->capture_default_str()
      ->needs(format)
      ->group(group);
  command->add_option("-e,--maxbytes", options->most, "Largest size it is meant for; 0: any")
      ->capture_default_str()
      ->needs(format)
      ->group(group);
  command->add_option("--out", options->output.out, "Write to this file instead of standard output")
      ->check(scenario::not_empty());
  command->callback(
      [options, &chosen] { chosen = [options] { return export_schedule(*options); }; });
}

}  // namespace

void add_schedule(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("schedule", "Schedules as files: check, import, export");
  command->footer("Example: ringside schedule check algorithm.xml");
  command->require_subcommand(1);
  add_check(*command, chosen);
  add_import(*command, chosen);
  add_schedule_export(*command, chosen);
}

}  // namespace ringside::terminal
