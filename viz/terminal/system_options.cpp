#include "viz/terminal/system_options.hpp"

#include <CLI/CLI.hpp>

#include "core/suggest.hpp"
#include "sim/shapes.hpp"
#include "viz/terminal/collective_options.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint64_t default_ranks = 8;

Result<sim::Topology> read_shape(const SystemOptions& options) {
  sim::ShapeRequest request{.ranks = options.ranks ? options.ranks : default_ranks};
  RS_ASSIGN(request.kind, sim::parse_shape(options.system));
  if (!options.bandwidth.empty()) {
    RS_ASSIGN(request.bandwidth, parse_bandwidth(options.bandwidth));
  }
  if (!options.latency.empty()) {
    RS_ASSIGN(request.latency, parse_duration(options.latency));
  }
  RS_ASSIGN(request.dims, parse_dims(options.dims));
  return sim::make_shape(request);
}

Result<sim::NetworkModel> parse_model(const std::string& text) {
  static constexpr std::string_view names[] = {"stream", "flow"};
  if (text == names[0]) return sim::NetworkModel::stream;
  if (text == names[1]) return sim::NetworkModel::flow;
  return bad_request(unknown("network model", text, names));
}

}  // namespace

std::string backend_name(sim::NetworkModel model) {
  return model == sim::NetworkModel::stream ? "sim/stream" : "sim/flow";
}

void SystemOptions::add_machine_to(CLI::App& command, bool system_is_argument) {
  const std::string group = "System";
  if (system_is_argument)
    command.add_option("system", system, "A shape, a preset, a file, or - for standard input")
        ->required();
  else
    command.add_option("--system", system, "A shape, a preset, a file, or - for standard input")
        ->group(group)
        ->capture_default_str();
  command.add_option("--ranks", ranks, "The first N GPUs; the size of a generic shape")
      ->group(group);
  command.add_option("--nodes", nodes, "Copies of the machine, joined by their NICs")->group(group);
  command.add_option("--net", net, "Network between nodes, such as ndr")->group(group);
  command.add_option("--bandwidth", bandwidth, "Of a generic shape's links (25GB/s)")->group(group);
  command.add_option("--latency", latency, "Of a generic shape's links (1us)")->group(group);
  command.add_option("--nvlink", nvlink, "NVLink generation where a file does not say (1-6)")
      ->group(group);
  command.add_flag("--no-p2p", no_p2p, "GPUs of a file cannot reach each other over PCIe")
      ->group(group);
  command
      .add_option("--set", set,
                  "KIND.bandwidth=... or KIND.latency=..., such as pcie.bandwidth=12GB/s")
      ->group(group);
}

void SystemOptions::add_run_to(CLI::App& command) {
  const std::string group = "Run";
  command.add_option("--model", model, "How links are shared: flow or stream")
      ->group(group)
      ->capture_default_str();
  command.add_option("--rank-order", rank_order, "auto, identity, or ranks such as 0,2,1,3")
      ->group(group);
  command.add_option("--slow", slow, "A slower link, such as 'gpu3->nvsw0=4x'")->group(group);
  command.add_option("--dead", dead, "A link that is gone, such as 'gpu3->gpu4'")->group(group);
  command.add_option("--straggler", straggler, "A late rank, such as 3=50us")->group(group);
  command.add_option("--jitter", jitter, "Random extra time on every wire, such as 5%:SEED")
      ->group(group);
}

Result<Machine> read(const SystemOptions& options) {
  Machine machine;
  RS_ASSIGN(machine.model, parse_model(options.model));
  RS_ASSIGN(machine.topology, read_shape(options));
  return machine;
}

}  // namespace ringside::terminal
