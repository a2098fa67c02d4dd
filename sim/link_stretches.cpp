#include "sim/link_stretches.hpp"

#include <algorithm>
#include <tuple>

#include "sim/models/model.hpp"

namespace ringside::sim {

/// A simulation with its notebook.
struct Watcher {
  const models::Wiring& wiring;
  models::Load load;
  models::Recording recording{};
  std::vector<LinkStretch> found{};

  static Result<Watcher> watch(const Simulator& simulator, const Payload& payload,
                               NetworkModel model, const Disturbance& disturbance) {
    RS_ASSIGN(auto load, simulator.load(payload, disturbance));
    Watcher watcher{.wiring = *simulator.wiring_, .load = std::move(load)};
    RS_TRY(simulator.run(watcher.load, model, &watcher.recording));
    return watcher;
  }

  void add(std::uint32_t wire, LinkStretch stretch) {
    if (wire >= wiring.topology->links.size()) return;  // a device's memory
    stretch.link = {wire};
    found.push_back(stretch);
  }

  void add_flow() {
    for (const auto& s : recording.stretches)
      for (const auto wire : wiring.route(wiring.connection(s.transfer)))
        add(wire, {.link = {},
                   .transfer = {s.transfer},
                   .from = s.from,
                   .to = s.to,
                   .rate = {s.rate >> models::rate_bits}});
  }

  void add_stream() {
    for (std::uint32_t id = 0; id < load.bytes.size(); ++id) {
      const auto first = recording.pass_begin[id];
      const auto route = wiring.route(wiring.connection(id));
      for (auto i = first; i < recording.pass_begin[id + 1]; ++i) {
        const auto& pass = recording.passes[i];
        add(route[i - first], {.link = {},
                               .transfer = {id},
                               .from = pass.head,
                               .to = pass.tail,
                               .rate = mean_rate(load.bytes[id], pass.tail - pass.head)});
      }
    }
  }

  static Bandwidth mean_rate(Bytes size, Duration time) {
    if (time <= Duration{}) return {};
    return {static_cast<std::uint64_t>(models::Work{size.count} * 1'000'000'000'000u /
                                       static_cast<std::uint64_t>(time.picoseconds))};
  }
};

Result<std::vector<LinkStretch>> link_stretches(const Simulator& simulator, const Payload& payload,
                                                NetworkModel model,
                                                const Disturbance& disturbance) {
  RS_ASSIGN(auto watcher, Watcher::watch(simulator, payload, model, disturbance));
  if (model == NetworkModel::flow)
    watcher.add_flow();
  else
    watcher.add_stream();
  const auto key = [](const LinkStretch& s) { return std::tuple(s.link, s.from, s.transfer); };
  std::ranges::sort(watcher.found, {}, key);
  return std::move(watcher.found);
}

}  // namespace ringside::sim
