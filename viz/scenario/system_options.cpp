#include "viz/scenario/system_options.hpp"

#include <unistd.h>

#include <algorithm>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "sim/cluster.hpp"
#include "sim/faults.hpp"
#include "sim/import.hpp"
#include "sim/override.hpp"
#include "sim/shapes.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/flags.hpp"

namespace ringside::scenario {
namespace {

constexpr std::uint64_t default_ranks = 8;

Result<sim::Topology> read_shape(const SystemOptions& options) {
  sim::ShapeRequest request{.ranks = options.ranks ? options.ranks : default_ranks};
  RS_ASSIGN(request.kind, sim::parse_shape(options.system));
  if (!options.bandwidth.empty()) {
    RS_ASSIGN(request.bandwidth, of_flag("--bandwidth", parse_bandwidth(options.bandwidth)));
  }
  if (!options.latency.empty()) {
    RS_ASSIGN(request.latency, of_flag("--latency", parse_duration(options.latency)));
  }
  const bool takes_dims =
      request.kind == sim::ShapeKind::torus || request.kind == sim::ShapeKind::fattree;
  if (!takes_dims) return sim::make_shape(request);
  RS_ASSIGN(request.dims, of_flag("--dims", parse_dims(options.dims)));
  if (request.kind == sim::ShapeKind::torus && options.ranks == 0 && !request.dims.empty()) {
    request.ranks = 1;
    for (const std::uint64_t side : request.dims)
      request.ranks = std::min(request.ranks * side, std::uint64_t{1} << 32);
  }
  return sim::make_shape(request);
}

bool is_file(const std::string& name) {
  return name == "-" || name.find_first_of("/.") != std::string::npos ||
         access(name.c_str(), R_OK) == 0;
}

/// A preset, or one machine from a file or standard input.
Result<sim::System> read_node(const SystemOptions& options) {
  const std::string& name = options.system;
  if (!is_file(name)) {
    auto preset = sim::load_system(name);
    if (preset) return preset;
    const auto shapes = sim::shape_names();
    if (!nearest(name, shapes).empty()) return bad_request(unknown("system", name, shapes));
    return bad_request(preset.error().message + " (ringside list systems lists them all)");
  }
  RS_ASSIGN(const std::string text, read_file(name, 16_MiB));
  const std::string called = name == "-" ? "standard input" : name;
  return sim::import_system(text, called,
                            {.nvlink = options.nvlink, .peer_to_peer = !options.no_p2p});
}

/// What only a generic shape takes, or only a machine.
Result<void> check_fit(const SystemOptions& options) {
  const bool is_shape = sim::is_shape(options.system);
  const auto refuse = [&](const char* flag, const char* instead) {
    return bad_request(std::string(flag) + " does not fit --system " + options.system + ": " +
                       instead);
  };
  if (is_shape && options.nodes > 1)
    return refuse("--nodes",
                  "a generic shape has no NICs; take --ranks, or a machine such as dgx-h100");
  if (is_shape && !options.net.empty()) return refuse("--net", "a generic shape has no NICs");
  if (!options.net.empty() && options.nodes == 1)
    return bad_request("--net " + options.net.substr(0, 64) +
                       " joins copies of the machine, and there is one: add --nodes 2 or more");
  if (options.nvlink != 0 && (is_shape || !is_file(options.system)))
    return refuse("--nvlink", "it is for files that do not say; use --set nvlink.bandwidth=...");
  if (options.no_p2p && (is_shape || !is_file(options.system)))
    return refuse("--no-p2p", "it is for files that do not say; ringside topo shows what is known");
  if (!is_shape && !options.bandwidth.empty())
    return refuse("--bandwidth", "it is for generic shapes; use --set KIND.bandwidth=...");
  if (!is_shape && !options.latency.empty())
    return refuse("--latency", "it is for generic shapes; use --set KIND.latency=...");
  return {};
}

/// What joins that many copies, unless told otherwise: nothing, where they share their switches.
std::string own_network(const sim::System& system, std::uint32_t nodes) {
  const bool is_joined = nodes == 1 || (!system.shared.empty() && nodes <= system.shared_by);
  return is_joined ? "" : system.network;
}

Result<sim::System> read_system(const SystemOptions& options, Machine::Origin& origin) {
  RS_TRY(check_fit(options));
  if (sim::is_shape(options.system)) {
    RS_ASSIGN(sim::Topology topology, read_shape(options));
    origin.name = options.system;
    return sim::System{.topology = std::move(topology)};
  }
  RS_ASSIGN(sim::System system, read_node(options));
  origin.name = options.system == "-"     ? "standard input"
                : is_file(options.system) ? options.system
                                          : system.topology.name;
  origin.nodes = options.nodes;
  origin.net = options.net.empty() ? own_network(system, options.nodes) : options.net;
  if (options.nodes == 1 && options.ranks == 0 && options.net.empty()) return system;
  RS_ASSIGN(sim::Topology cluster,
            sim::make_cluster(
                system, {.nodes = options.nodes, .net = options.net, .ranks = options.ranks}));
  return sim::System{.topology = std::move(cluster), .summary = system.summary};
}

Result<sim::Faults> read_faults(const SystemOptions& options) {
  sim::Faults faults;
  for (const auto& text : options.slow) {
    RS_ASSIGN(auto slow, sim::parse_slow(text));
    faults.slow.push_back(std::move(slow));
  }
  faults.dead = options.dead;
  for (const auto& text : options.straggler) {
    RS_ASSIGN(const auto straggler, sim::parse_straggler(text));
    faults.stragglers.push_back(straggler);
  }
  if (!options.jitter.empty()) RS_TRY(sim::parse_jitter(options.jitter, faults));
  return faults;
}

Result<sim::NetworkModel> parse_model(const std::string& text) {
  static constexpr std::string_view names[] = {"stream", "flow"};
  if (text == names[0]) return sim::NetworkModel::stream;
  if (text == names[1]) return sim::NetworkModel::flow;
  return bad_request(unknown("network model", text, names));
}

/// As one word: `25GB/s`.
template <typename Quantity>
std::string in_a_word(Quantity quantity) {
  std::string text = to_string(quantity);
  std::erase(text, ' ');
  return text;
}

/// What was asked for, and what would be taken for granted where nothing was said.
std::vector<Condition> conditions_of(const SystemOptions& options, const Machine& machine) {
  std::vector<Condition> all;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) all.push_back({name, {value}});
  };
  const auto add_list = [&](const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) all.push_back({name, values, true});
  };
  add("model", options.model);
  add("rank-order", machine.rank_order);
  if (sim::is_shape(options.system)) {
    const sim::ShapeRequest usual;
    add("bandwidth", options.bandwidth.empty() ? in_a_word(usual.bandwidth) : options.bandwidth);
    add("latency", options.latency.empty() ? in_a_word(usual.latency) : options.latency);
  }
  add("dims", options.dims);
  if (options.nvlink != 0) add("nvlink", std::to_string(options.nvlink));
  if (options.no_p2p) all.push_back({"no-p2p", {}});
  add_list("set", options.set);
  add_list("slow", options.slow);
  add_list("dead", options.dead);
  add_list("straggler", options.straggler);
  add("jitter", options.jitter);
  return all;
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
      ->check(whole_number(1, Transfer::max_ranks))
      ->group(group);
  command.add_option("--dims", dims, "Sides of a torus, such as 4x8; GPUs a leaf of a fattree")
      ->group(group);
  command.add_option("--nodes", nodes, "Copies of the machine, joined by their NICs")
      ->check(whole_number(1, Transfer::max_ranks))
      ->group(group);
  command.add_option("--net", net, "Network between nodes, such as ndr")->group(group);
  command.add_option("--bandwidth", bandwidth, "Of a generic shape's links (25GB/s)")->group(group);
  command.add_option("--latency", latency, "Of a generic shape's links (1us)")->group(group);
  command.add_option("--nvlink", nvlink, "NVLink generation where a file does not say (1-6)")
      ->check(whole_number(1, 6))
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
  command.add_option("--slow", slow, "A slower link, such as 'gpu3->nvsw0=4x'; once a link")
      ->group(group);
  command.add_option("--dead", dead, "A link that is gone, such as 'gpu3->gpu4'")->group(group);
  command.add_option("--straggler", straggler, "A late rank, such as 3=50us; once a rank")
      ->group(group);
  command.add_option("--jitter", jitter, "Random extra time on every wire, such as 5%:SEED")
      ->group(group);
}

Result<Machine> read(const SystemOptions& options) {
  Machine machine;
  RS_ASSIGN(machine.model, parse_model(options.model));
  RS_ASSIGN(machine.system, read_system(options, machine.origin));
  sim::Topology& topology = machine.system.topology;
  for (const auto& text : options.set) {
    RS_ASSIGN(const auto change, sim::parse_override(text));
    RS_TRY(sim::apply(change, topology));
  }
  RS_ASSIGN(const auto faults, read_faults(options));
  RS_TRY(sim::apply(faults, topology));
  RS_TRY(sim::check(topology));
  RS_ASSIGN(machine.disturbance,
            sim::disturbance(faults, static_cast<std::uint32_t>(topology.ranks.size())));
  if (options.system != "fattree") {
    RS_ASSIGN(machine.dims, of_flag("--dims", parse_dims(options.dims)));
  }
  machine.dims_asked = !machine.dims.empty() && options.system != "torus";
  machine.is_textbook =
      std::all_of(topology.links.begin(), topology.links.end(),
                  [](const sim::Link& link) { return link.kind == sim::LinkKind::generic; });
  machine.rank_order_asked = !options.rank_order.empty();
  machine.rank_order = machine.rank_order_asked ? options.rank_order
                       : machine.is_textbook    ? "identity"
                                                : "auto";
  machine.origin.conditions = conditions_of(options, machine);
  return machine;
}

}  // namespace ringside::scenario
