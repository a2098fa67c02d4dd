#include "viz/scenario/log_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/suggest.hpp"
#include "sim/networks.hpp"
#include "sim/shapes.hpp"

namespace ringside::scenario {
namespace {

/// Devices by the words logs have for them, and the machine of ours that has them. The first that
/// fits counts: a longer name stands before one that lies in it.
struct Known {
  std::string_view device, preset;
};
constexpr Known known_devices[] = {{"GB300", "gb300-nvl72"},   {"GB200", "gb200-nvl72"},
                                   {"B200", "dgx-b200"},       {"H200", "hgx-h200"},
                                   {"H100", "dgx-h100"},       {"A100-PCIE", "pcie-2socket"},
                                   {"A100", "dgx-a100"},       {"V100-SXM3", "dgx2-v100"},
                                   {"V100-SXM2", "dgx1-v100"}, {"V100-PCIE", "v100-cloud-pair"},
                                   {"MI300X", "mi300x"},       {"L40S", "l40s-pcie"},
                                   {"4090", "rtx4090-pcie"},   {"3090", "rtx3090-nvlink-pair"}};

const char* wire_in_words(sim::Wire wire) {
  switch (wire) {
    case sim::Wire::nvlink:
      return "NVLink";
    case sim::Wire::xgmi:
      return "xGMI";
    case sim::Wire::pcie:
      return "PCIe";
    case sim::Wire::host:
      return "PCIe to host memory";
    case sim::Wire::network:
      break;
  }
  return "network";
}

std::string preset_of(const std::string& hardware) {
  for (const auto& [device, preset] : known_devices)
    if (hardware.find(device) != std::string::npos) return std::string(preset);
  return "";
}

/// How many nodes, of what the log says; a node of ours else.
std::uint32_t nodes_of(const MeasuredOn& on, const std::string& preset,
                       std::vector<std::string>& why) {
  if (on.nodes > 0) return on.nodes;
  const auto system = sim::load_system(preset);
  const auto gpus = system ? sim::gpus(system->topology).size() : 8;
  if (on.ranks <= gpus || on.ranks % gpus != 0) return 1;
  why.push_back(fmt::format("nodes of {} GPUs", gpus));
  return on.ranks / static_cast<std::uint32_t>(gpus);
}

/// `8x 400 Gb/s` and `InfiniBand`: what joins nodes of a preset, in the words logs use.
struct Nics {
  std::string rate, network;
};
std::optional<Nics> usual_nics(const std::string& preset) {
  const auto system = sim::load_system(preset);
  if (!system) return std::nullopt;
  const auto net = sim::find_network(system->network);
  if (!net) return std::nullopt;
  const auto nics =
      std::ranges::count(system->topology.devices, sim::DeviceKind::nic, &sim::Device::kind);
  const std::string words((*net)->summary);  // `InfiniBand 400 Gb/s`
  const auto blank = std::min(words.find(' '), words.size() - 1);
  return Nics{fmt::format("{}x {}", nics, words.substr(blank + 1)), words.substr(0, blank)};
}

Result<TakenFor> from_words(const MeasuredLog& log) {
  const MeasuredOn& on = log.on;
  if (on.hardware.empty())
    return bad_request(
        "the log names no GPU, so that nothing can be predicted for it: say what it ran on, such "
        "as --system dgx-h100 --nodes 2 --net ndr");
  TakenFor taken{.platform = {}, .preset = preset_of(on.hardware)};
  std::vector<std::string> why{in_quotes(on.hardware)};
  sim::Description said{.hardware = on.hardware,
                        .nodes = nodes_of(on, taken.preset, why),
                        .interconnect = on.interconnect,
                        .version = on.version,
                        .notes = on.remarks};
  if (on.ranks % said.nodes != 0)
    return bad_request(
        fmt::format("{} on {} are not the same number on each: only nodes alike can be "
                    "predicted",
                    counted(on.ranks, "rank"), counted(said.nodes, "node")));
  said.per_node = on.ranks / said.nodes;
  if (on.gpus_per_process > 1 && on.gpus_per_process >= said.per_node)
    said.notes += " single process";
  if (!on.interconnect.empty()) why.push_back(in_quotes(on.interconnect));
  const bool has_rate = on.interconnect.find_first_of("0123456789") != std::string::npos;
  if (const auto usual = usual_nics(taken.preset); usual && said.nodes > 1 && !has_rate) {
    said.interconnect =
        usual->rate + " " + (on.interconnect.empty() ? usual->network : on.interconnect);
    why.push_back(fmt::format("the NICs of a {}", taken.preset));
  }
  RS_ASSIGN(taken.platform, sim::platform_of(said));
  taken.sentence = fmt::format("taken for {}, from {}; --system changes it",
                               in_words(taken.platform), fmt::join(why, " and "));
  return taken;
}

Result<TakenFor> from_flags(const MeasuredLog& log, SystemOptions options) {
  if (sim::is_shape(options.system))
    return bad_request("--system " + options.system +
                       " is bare wires, which NCCL does not run on: say --algorithm, such as best, "
                       "for what its links allow, or name a machine, such as dgx-h100");
  if (options.ranks == 0) {
    SystemOptions one = options;
    one.nodes = 1;
    one.net.clear();
    RS_ASSIGN(const auto node, read(one));
    const auto gpus = static_cast<std::uint32_t>(node.topology().ranks.size());
    if (options.nodes == 1 && log.on.ranks > gpus && gpus > 0)
      options.nodes = (log.on.ranks + gpus - 1) / gpus;
    if (log.on.ranks > 0) options.ranks = log.on.ranks;
  }
  RS_ASSIGN(const auto machine, read(options));
  TakenFor taken{.platform = {}, .preset = options.system};
  RS_ASSIGN(taken.platform, sim::platform_of(machine.topology(), machine.origin.net));
  taken.platform.one_process =
      log.on.gpus_per_process > 1 && log.on.gpus_per_process >= taken.platform.per_node;
  taken.sentence = fmt::format("taken for {}, as --system {} says", in_words(taken.platform),
                               shell_word(options.system));
  return taken;
}

}  // namespace

std::string in_words(const sim::Platform& platform) {
  const auto each = platform.gpu_bandwidth.gigabytes_per_second();
  std::string text =
      fmt::format("{}{} GPU{} ({}, {:.0f} GB/s of {} each{})",
                  platform.nodes == 1 ? "" : fmt::format("{} nodes of ", platform.nodes),
                  platform.per_node, platform.per_node == 1 ? "" : "s", platform.generation, each,
                  wire_in_words(platform.wire), platform.in_switch ? ", switches that reduce" : "");
  if (!platform.network.empty())
    text +=
        fmt::format(", joined by {} NIC{} of {:.4g} GB/s a node ({}{})", platform.nics,
                    platform.nics == 1 ? "" : "s", platform.nic_bandwidth.gigabytes_per_second(),
                    platform.network, platform.in_network ? ", switches that reduce" : "");
  if (platform.one_process) text += ", one process for all GPUs";
  return text;
}

Result<TakenFor> platform_for(const MeasuredLog& log, const SystemOptions& options) {
  if (log.on.ranks == 1)
    return bad_request(
        "the log is of one rank, between which and itself nothing moves: nccl-tests built without "
        "MPI runs every process alone");
  if (!options.system.empty()) return from_flags(log, options);
  if (log.on.ranks == 0)
    return bad_request(
        "neither a line nor a figure of the log says how many ranks took part: say "
        "it with --ranks");
  return from_words(log);
}

}  // namespace ringside::scenario
