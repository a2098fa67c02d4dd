// `ringside calibrate`: measures what every pair of ranks of this machine has between them, and
// writes it as a machine that `simulate`, `view` and `run --predict` take.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/machine_memory.hpp"
#include "core/suggest.hpp"
#include "gpu/calibrate/fit.hpp"
#include "sim/system_toml.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/measured_machine.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/processes.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::ordered_json;

struct CalibrateOptions {
  std::string backend = "host", executor, machine, message = "1M";
  std::string budget = "5min", timeout = "60s", expect, tolerance = "20%";
  BackendOptions backend_options;
  std::uint32_t ranks = 0;  ///< 0: as many as there are, or four
  int samples = 7;
  bool json = false;
};

/// Transfer by transfer where the backend can, not by a shortcut of the collective's.
std::string executor_of(const CalibrateOptions& options, const Backend& backend) {
  if (!options.executor.empty()) return options.executor;
  for (const std::string_view has : backend.capabilities().executors)
    if (has == "ranks" || has == "messages") return std::string(has);
  return {};
}

Result<calibrate::Plan> plan_of(const CalibrateOptions& options, const Backend& backend) {
  using scenario::of_flag;
  calibrate::Plan plan{.samples = options.samples};
  RS_ASSIGN(plan.ranks, choose_ranks(backend, options.ranks, 4));
  RS_ASSIGN(plan.message, of_flag("--message", parse_bytes(options.message)));
  if (plan.message.count == 0)
    return bad_request("--message: bandwidth is measured with messages of 1 byte or more, not 0");
  RS_ASSIGN(plan.budget, of_flag("--budget", parse_duration(options.budget)));
  RS_ASSIGN(plan.run.timeout, parse_timeout(options.timeout));
  plan.run.executor = executor_of(options, backend);
  RS_TRY(check_memory(calibrate::memory_of(plan, owned_ranks(backend, plan.ranks).size()),
                      "--message " + options.message + ": measuring with it"));
  return plan;
}

struct Findings {
  calibrate::Calibration measured;
  calibrate::Ports ports;
  std::string hosts;
  std::vector<std::string> devices, notes, outliers;
};

std::string table(const Findings& found) {
  std::string text;
  for (const auto& device : found.devices) text += "# " + device + "\n";
  text += fmt::format("# {} ranks, {}\n# {:>4} {:>5}  {:>12}  {:>7}  {:>14}  {:>7}  {:>14}\n",
                      found.measured.ranks, found.measured.executor, "from", "to", "latency (us)",
                      "spread", "alone (GB/s)", "spread", "together");
  for (const auto& f : found.measured.figures)
    text += fmt::format("  {:>4} {:>5}  {:>12.2f}  {:>6.0f}%  {:>14.4g}  {:>6.0f}%  {:>14.4g}\n",
                        f.pair.from.value, f.pair.to.value, f.latency.microseconds(),
                        f.latency_spread * 100, f.alone.gigabytes_per_second(), f.spread * 100,
                        f.together.gigabytes_per_second());
  for (const auto& note : found.notes) text += "# " + note + "\n";
  for (const auto& outlier : found.outliers) text += "# outlier: " + outlier + "\n";
  return text;
}

std::string json(const Findings& found, const CalibrateOptions& options) {
  Json results = Json::array();
  for (const auto& f : found.measured.figures)
    results.push_back({{"backend", found.measured.executor},
                       {"from", f.pair.from.value},
                       {"to", f.pair.to.value},
                       {"latency_us", f.latency.microseconds()},
                       {"latency_spread", f.latency_spread},
                       {"alone_GBps", f.alone.gigabytes_per_second()},
                       {"together_GBps", f.together.gigabytes_per_second()},
                       {"spread", f.spread}});
  Json object{{"ringside", 1},
              {"command", "calibrate"},
              {"host", found.hosts},
              {"message", options.message},
              {"samples", options.samples},
              {"ranks", found.measured.ranks},
              {"pairs", found.measured.pairs},
              {"results", std::move(results)},
              {"notes", found.notes},
              {"outliers", found.outliers}};
  if (!found.devices.empty()) object["devices"] = found.devices;
  if (!options.machine.empty()) object["machine"] = options.machine;
  return object.dump(2) + "\n";
}

/// What a reader of the machine file should know about where its figures come from.
std::string provenance(const Findings& found, const calibrate::Plan& plan) {
  auto text = fmt::format(
      "# Measured by `ringside calibrate` on {}: {} ranks, {}, messages of {},\n"
      "# fastest of {}; {} of {} ordered pairs.\n",
      host_name(), found.measured.ranks, found.measured.executor, to_string(plan.message),
      counted(static_cast<std::uint64_t>(plan.samples), "sample"), found.measured.figures.size(),
      found.measured.pairs);
  for (const auto& device : found.devices) text += "# " + device + "\n";
  return text;
}

std::vector<std::string> notes_on(const calibrate::Calibration& measured,
                                  const calibrate::Ports& ports, double tolerance) {
  std::vector<std::string> notes{
      fmt::format("measured {} of {} ordered pairs", measured.figures.size(), measured.pairs)};
  if (measured.figures.size() + measured.unclear < measured.pairs)
    notes.back() += "; the others have their ports' figures (more time: --budget)";
  if (!ports.nodes.empty())
    notes.push_back(
        fmt::format("{}: pairs inside one and pairs between two are classes of their own",
                    counted(ports.nodes.size(), "node")));
  for (std::size_t n = 0; n < ports.nodes.size(); ++n)
    notes.push_back(fmt::format("node {} sends {} and receives {}, {} away from where nodes meet",
                                n, to_string(ports.nodes[n].out), to_string(ports.nodes[n].in),
                                to_string(ports.nodes[n].latency)));
  if (measured.unclear > 0)
    notes.push_back(counted(measured.unclear, "pair") +
                    " drowned in noise: larger messages help, --message");
  for (std::size_t r = 0; r < ports.ranks.size(); ++r)
    if (const auto both = ports.ranks[r].duplex; both.bytes_per_second > 0)
      notes.push_back(fmt::format("rank {} sends and receives at once {}, one way alone {} and {}",
                                  r, to_string(both), to_string(ports.ranks[r].out),
                                  to_string(ports.ranks[r].in)));
  if (auto noise = calibrate::noise(measured, tolerance); !noise.empty())
    notes.push_back(std::move(noise));
  return notes;
}

Result<Findings> measure(Backend& backend, calibrate::Plan plan, double tolerance) {
  Findings found;
  RS_ASSIGN(const auto hosts, hosts_of(backend));
  found.hosts = hosts.list();
  if (hosts.of_process.size() == plan.ranks) plan.node_of = hosts.of_process;
  Progress progress(std::size_t{plan.ranks} * (plan.ranks - 1));
  RS_ASSIGN(found.measured, calibrate::calibrate(backend, plan, [&](std::uint64_t pairs) {
              progress.done(pairs, "pairs");
            }));
  RS_ASSIGN(found.ports, calibrate::fit(found.measured));
  auto setting = backend.setting(plan.ranks);
  found.devices = std::move(setting.devices);
  found.notes = notes_on(found.measured, found.ports, tolerance);
  found.notes.insert(found.notes.end(), setting.notes.begin(), setting.notes.end());
  found.outliers = calibrate::outliers(found.measured, found.ports, tolerance);
  return found;
}

Result<int> run_calibrate(const CalibrateOptions& options) {
  auto backend_options = options.backend_options;
  RS_ASSIGN(backend_options.timeout, parse_timeout(options.timeout));
  RS_TRY(backend_options.check_for(options.backend, options.executor));
  RS_ASSIGN(const auto backend, make_backend(options.backend, backend_options));
  RS_TRY(check_writable("--out", options.machine));
  RS_ASSIGN(const auto plan, plan_of(options, *backend));
  RS_ASSIGN(const double tolerance,
            scenario::of_flag("--tolerance", parse_share(options.tolerance)));
  scenario::Machine expected;
  if (!options.expect.empty()) {
    scenario::SystemOptions system;
    system.system = options.expect;
    RS_ASSIGN(expected, read(system));
    RS_TRY(check_covers(expected.topology(), plan.ranks));
  }
  RS_ASSIGN(auto found, measure(*backend, plan, tolerance));
  int status = 0;
  if (!options.expect.empty()) {
    RS_ASSIGN(auto falls, shortfalls(found.measured, expected.topology(), tolerance));
    found.outliers = std::move(falls.beyond_noise);
    for (const auto& explained : falls.within_noise)
      found.notes.push_back(explained + ", which the spread of its samples explains");
    status = found.outliers.empty() ? 0 : 1;
  }
  if (!options.machine.empty()) {
    const auto system =
        machine_of(found.ports, host_name(),
                   fmt::format("{} ranks of {}, measured", plan.ranks, found.measured.executor));
    OutputOptions file;
    file.out = options.machine;
    RS_TRY(write(file, provenance(found, plan) + sim::write_system(system)));
    found.notes.push_back("this machine is in " + options.machine + ": simulate --system " +
                          options.machine);
  }
  RS_TRY(write(OutputOptions{}, options.json ? json(found, options) : table(found)));
  return status;
}

}  // namespace

void add_calibrate(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("calibrate", "Measure this machine, pair by pair");
  command->footer(
      "Every ordered pair of ranks: latency and bandwidth, alone and while others move data too; "
      "and\n"
      "every rank sending and receiving at once.\n"
      "Examples: ringside calibrate --backend host --ranks 4 --out machine.toml\n"
      "          ringside calibrate --ranks 2 --samples 15 --json");
  const auto o = std::make_shared<CalibrateOptions>();
  command->add_option("--backend", o->backend, "Who moves the data")->capture_default_str();
  command->add_option("--executor", o->executor, "The backend's way of moving it");
  o->backend_options.add_to(*command);
  command->add_option("--ranks", o->ranks, "How many, where they are threads")
      ->check(scenario::whole_number(2, 1024))
      ->default_str("4");
  command->add_option("--message", o->message, "Size that bandwidth is measured with")
      ->capture_default_str();
  command->add_option("--samples", o->samples, "Of each figure; the fastest counts")
      ->check(scenario::whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--budget", o->budget, "Time after which no further pair is measured")
      ->capture_default_str();
  command->add_option("--timeout", o->timeout, "No wait lasts longer")->capture_default_str();
  command->add_option("--expect", o->expect,
                      "A machine: exit status 1 where a pair falls short of it");
  command->add_option("--tolerance", o->tolerance, "How far off is off")->capture_default_str();
  command->add_flag("--json", o->json, "Write one JSON object");
  command->add_option("--out", o->machine, "Write the machine to this TOML file")
      ->check(scenario::not_empty());
  command->callback([o, &chosen] { chosen = [o] { return run_calibrate(*o); }; });
}

}  // namespace ringside::terminal
