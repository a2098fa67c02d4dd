// What wires carry, one way: read from the machines and networks of the simulator.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/assert.hpp"
#include "core/engine.hpp"
#include "sim/networks.hpp"
#include "sim/systems.hpp"
#include "viz/figure/sheet/sections.hpp"

namespace ringside::figure {
namespace {

constexpr std::string_view slow = "#d55e00", middling = "#b0680a", fast = "#009e73";

struct Wire {
  std::string name;
  Bandwidth bandwidth;
  std::string_view colour;
};

/// All wires of that kind which leave the first GPU, or the first device that has some.
Result<Bandwidth> leaving(std::string_view system, sim::LinkKind kind) {
  RS_ASSIGN(const sim::System machine, sim::load_system(system));
  Bandwidth sum{0};
  std::optional<DeviceId> from;
  for (const sim::Link& link : machine.topology.links) {
    if (link.kind != kind || (from && link.from != *from)) continue;
    from = link.from;
    sum.bytes_per_second += link.bandwidth.bytes_per_second;
  }
  if (!from) return bad_request(fmt::format("{} has no {}", system, name(kind)));
  return sum;
}

Result<std::vector<Wire>> all_wires() {
  struct Asked {
    std::string_view name, system;
    sim::LinkKind kind;
    std::string_view colour;
  };
  constexpr Asked asked[] = {{"PCIe 3 ×16", "dgx1-v100", sim::LinkKind::pcie, slow},
                             {"PCIe 4 ×16", "dgx-a100", sim::LinkKind::pcie, slow},
                             {"PCIe 5 ×16", "dgx-h100", sim::LinkKind::pcie, slow},
                             {"NVLink 2 (V100)", "dgx2-v100", sim::LinkKind::nvlink, fast},
                             {"NVLink 3 (A100)", "dgx-a100", sim::LinkKind::nvlink, fast},
                             {"NVLink 4 (H100)", "dgx-h100", sim::LinkKind::nvlink, fast},
                             {"NVLink 5 (B200)", "dgx-b200", sim::LinkKind::nvlink, fast}};
  constexpr std::string_view nets[] = {"hdr", "ndr", "xdr"};
  std::vector<Wire> wires;
  for (const Asked& one : asked) {
    RS_ASSIGN(const Bandwidth bandwidth, leaving(one.system, one.kind));
    wires.push_back({std::string(one.name), bandwidth, one.colour});
  }
  for (const auto net : nets) {
    RS_ASSIGN(const sim::Network* network, sim::find_network(net));
    std::string name = "InfiniBand ";
    for (const char c : network->name) name += static_cast<char>(c - 'a' + 'A');
    wires.push_back({name, network->bandwidth, middling});
  }
  return wires;
}

/// A ring all-reduce of 1 GB among eight, each with such a wire of its own.
Duration ring_time(Bandwidth bandwidth) {
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  RS_ASSERT(ring, "there is a ring");
  const auto plan = make_plan(**ring, {.ranks = 8}, {});
  RS_ASSERT(plan, "eight ranks suit it");
  return (*ring)->predict(plan->spec, plan->options, Bytes{1'000'000'000},
                          {Duration{0}, bandwidth});
}

void draw_bars(Page& page, const std::vector<Wire>& wires, const Box& area) {
  const Type quiet{.size = 20, .colour = page.theme().quiet};
  constexpr double names = 224, times = 112, figures = 86;
  page.line({area.x + names, area.y + 22},
            page.say({"GB/s a GPU, one way, attainable", "每 GPU 单向可达带宽，GB/s"}), quiet);
  page.line({area.right(), area.y + 22}, page.say({"ring of 8, 1 GB", "8 卡环，1 GB"}),
            {.size = 20, .colour = page.theme().quiet, .anchor = Type::Anchor::end});
  std::uint64_t most = 0;
  for (const Wire& wire : wires) most = std::max(most, wire.bandwidth.bytes_per_second);
  const double room = area.width - names - times - figures;
  for (std::size_t i = 0; i < wires.size(); ++i) {
    const double y = area.y + 36 + 38 * static_cast<double>(i);
    const Wire& wire = wires[i];
    const double share = double(wire.bandwidth.bytes_per_second) / double(most);
    page.line({area.x, y + 25}, wire.name, {.size = 25}, names);
    page.svg().rect({area.x + names, y + 4, std::max(3.0, share * room), 27},
                    attribute("fill", wire.colour), 4);
    page.line({area.x + names + share * room + 10, y + 26},
              fmt::format("{:.4g}", wire.bandwidth.gigabytes_per_second()),
              {.size = 25, .bold = true});
    page.line({area.right(), y + 26},
              fmt::format("{:.3g} ms", ring_time(wire.bandwidth).microseconds() / 1000),
              {.size = 24, .anchor = Type::Anchor::end});
  }
}

}  // namespace

Result<void> draw_wires(Page& page, const Box& area) {
  const double top = page.heading(area, 4, {"The wires, one way", "链路：单向带宽"});
  RS_ASSIGN(const auto wires, all_wires());
  draw_bars(page, wires, {area.x, top, area.width, 430});
  RS_ASSIGN(const Bandwidth nvlink, leaving("dgx-h100", sim::LinkKind::nvlink));
  RS_ASSIGN(const Bandwidth pcie, leaving("dgx-h100", sim::LinkKind::pcie));
  const double ratio = double(nvlink.bytes_per_second) / double(pcie.bytes_per_second);
  const Said notes[] = {
      {"*Data sheets add both directions*: halve them before comparing. Like for like, NVLink 4 "
       "carries {:.2g} times what PCIe 5 does.",
       "*产品手册常把两个方向相加*：比较前先减半。同样按单向算，NVLink 4 是 PCIe 5 的 {:.2g} 倍。"},
      {"*NVSwitch* lets all GPUs of a node use their full NVLink at once, whoever they talk to; "
       "from H100 on it also adds (NVLS), so that busbw may exceed the wire.",
       "*NVSwitch* 让节点内所有 GPU 同时跑满各自的 NVLink，不论与谁通信；从 H100 "
       "起还能在交换机内归约（NVLS），因此 busbw 可以高于线速。"},
      {"*Not GPU → CPU → GPU*: every byte would cross PCIe twice and share the CPU's memory with "
       "those of all other GPUs.",
       "*为何不走 GPU → CPU → GPU*：每个字节要过两次 PCIe，还要与其他 GPU 争用主机内存带宽。"},
      {"*Between nodes* each GPU's NIC is the wire: reduce-scatter inside, all-reduce across, "
       "all-gather inside, and only 1/g of the bytes cross (g GPUs a node).",
       "*节点之间*，网卡就是链路：节点内归约散发，节点间全归约，节点内全收集，只有 1/g "
       "的数据跨节点（每节点 g 个 GPU）。"}};
  double y = top + 430;
  for (const Said& note : notes)
    y = 9 + page.paragraph({area.x, y, area.width, area.bottom() - y},
                           fmt::format(fmt::runtime(page.say(note)), ratio), {.size = 23.5});
  return {};
}

}  // namespace ringside::figure
