#include "viz/scenario/grown.hpp"

#include <algorithm>
#include <utility>

#include "sim/faults.hpp"
#include "sim/override.hpp"
#include "sim/shapes.hpp"

namespace ringside::scenario {
namespace {

/// What is changed about a machine, understood.
struct Changes {
  std::vector<sim::Override> set;
  sim::Faults faults;
};

Result<Changes> read_changes(const SystemOptions& options) {
  Changes changes;
  for (const auto& text : options.set) {
    RS_ASSIGN(const auto change, sim::parse_override(text));
    changes.set.push_back(change);
  }
  for (const auto& text : options.slow) {
    RS_ASSIGN(auto slow, sim::parse_slow(text));
    changes.faults.slow.push_back(std::move(slow));
  }
  changes.faults.dead = options.dead;
  return changes;
}

/// Those that this machine has the links for.
Changes that_fit(Changes changes, const sim::Topology& machine) {
  std::erase_if(changes.set, [&](const sim::Override& change) {
    return std::ranges::count(machine.links, change.kind, &sim::Link::kind) == 0;
  });
  std::erase_if(changes.faults.slow,
                [&](const auto& slow) { return !sim::find_links(machine, slow.link); });
  std::erase_if(changes.faults.dead,
                [&](const auto& dead) { return !sim::find_links(machine, dead); });
  return changes;
}

Result<void> change(const Changes& changes, sim::Topology& machine) {
  for (const auto& one : changes.set) RS_TRY(sim::apply(one, machine));
  RS_TRY(sim::apply(changes.faults, machine));
  return sim::check(machine);
}

/// As it is, with that many GPUs.
Result<Machine> sized(SystemOptions options, std::uint32_t gpus, std::uint32_t per_node) {
  options.ranks = gpus;
  if (!sim::is_shape(options.system)) options.nodes = (gpus + per_node - 1) / per_node;
  if (options.nodes == 1) options.net.clear();
  return read(options);
}

/// An error if neither one node nor two, which have all the links there are, have those of a kind.
Result<void> check_set(const Changes& changes, const sim::Topology& one,
                       const Result<Machine>& two) {
  for (const auto& change : changes.set) {
    sim::Topology alone = one;
    if (const auto done = sim::apply(change, alone); done || !two) {
      RS_TRY(done);
      continue;
    }
    sim::Topology both = two->topology();
    RS_TRY(sim::apply(change, both));
  }
  return {};
}

}  // namespace

Result<Grown> grow(const SystemOptions& options) {
  RS_ASSIGN(const Changes changes, read_changes(options));
  SystemOptions plain = options;
  for (auto* list : {&plain.set, &plain.slow, &plain.dead, &plain.straggler}) list->clear();
  plain.jitter.clear();
  plain.rank_order.clear();
  plain.ranks = 0;
  plain.nodes = 1;
  SystemOptions alone = plain;
  alone.net.clear();
  Grown grown;
  grown.is_shape = sim::is_shape(options.system);
  RS_ASSIGN(grown.node, read(alone));
  const auto per_node = static_cast<std::uint32_t>(grown.node.topology().ranks.size());
  grown.per_node = per_node;
  RS_TRY(check_set(changes, grown.node.topology(), sized(plain, 2 * per_node, per_node)));
  grown.of = [plain, changes, per_node](std::uint32_t gpus) -> Result<sim::Topology> {
    RS_ASSIGN(Machine machine, sized(plain, gpus, per_node));
    sim::Topology& topology = machine.system.topology;
    RS_TRY(change(that_fit(changes, topology), topology));
    return std::move(topology);
  };
  return grown;
}

}  // namespace ringside::scenario
