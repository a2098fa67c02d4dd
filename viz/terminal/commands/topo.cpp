// `ringside topo`: reads a machine from anywhere, prints it, draws it, converts it.

#include <CLI/CLI.hpp>
#include <memory>

#include "sim/system_toml.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/topology_view.hpp"

namespace ringside::terminal {
namespace {

struct TopoOptions {
  scenario::SystemOptions system;
  bool toml = false;
  OutputOptions output;
};

Result<int> topo(const TopoOptions& options) {
  RS_ASSIGN(const scenario::Machine machine, read(options.system));
  if (machine.dims_asked)
    return bad_request("--dims does not fit " + options.system.system +
                       ": it is for torus and fattree");
  if (options.toml && options.output.json)
    return bad_request("--toml and --json are two formats; choose one");
  // A machine alone has no model, and its ranks no order.
  std::vector<Condition> conditions = machine.origin.conditions;
  std::erase_if(conditions, [](const Condition& condition) {
    return condition.name == "model" || condition.name == "rank-order";
  });
  RS_TRY(write(options.output, options.toml          ? sim::write_system(machine.system)
                               : options.output.json ? topology_json(machine.topology(), conditions)
                                                     : draw_topology(machine.topology())));
  return 0;
}

}  // namespace

void add_topo(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("topo", "Read a machine, print it, draw it, convert it");
  command->footer(
      "Reads a preset, our TOML, NCCL topology XML or `nvidia-smi topo -m`.\n"
      "Examples: ringside topo dgx-h100\n"
      "          nvidia-smi topo -m | ringside topo -\n"
      "          ringside topo machine.xml --toml --out machine.toml");
  const auto options = std::make_shared<TopoOptions>();
  options->system.add_machine_to(*command, true);
  command->add_flag("--toml", options->toml, "Write it as a system file of our own");
  options->output.add_to(*command, false);
  command->callback([options, &chosen] { chosen = [options] { return topo(*options); }; });
}

}  // namespace ringside::terminal
