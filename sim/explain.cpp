#include "sim/explain.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim {

using models::nobody;
using models::Recording;

/// Walks back from the last commit. Every step accounts for the whole time between two events of
/// the path, so that the terms add up exactly.
struct Explainer {
  Explainer(const Simulator& simulator, models::Load the_load, NetworkModel the_model,
            const Disturbance& disturbance)
      : wiring(*simulator.wiring_),
        load(std::move(the_load)),
        model(the_model),
        is_jittered(disturbance.jitter > 0),
        simulation(*simulator.run(load, model, &recording)) {}
  static Result<models::Load> loaded(const Simulator& simulator, const Payload& payload,
                                     const Disturbance& disturbance) {
    return simulator.load(payload, disturbance);
  }

  Explanation run() {
    result.time = simulation.time;
    auto id = last_to_commit();
    bool at_read = false;  // the path passes through its read, not its commit
    while (id != nobody) {
      result.path.push_back({id});
      if (!at_read) back_to_arrival(id);
      back_to_begin(id, at_read);
      std::tie(id, at_read) = before(id);
    }
    std::reverse(result.path.begin(), result.path.end());
    std::reverse(result.terms.begin(), result.terms.end());
    return std::move(result);
  }

 private:
  std::uint32_t last_to_commit() const {
    for (std::uint32_t id = 0; id < simulation.spans.size(); ++id)
      if (simulation.spans[id].commit == simulation.time) return id;
    return nobody;
  }

  void add(Term term) {
    RS_ASSERT(term.time >= Duration{}, "no step of the critical path takes negative time");
    if (term.time > Duration{}) result.terms.push_back(term);
  }

  std::optional<LinkId> link(std::uint32_t wire) const {
    if (wire >= wiring.topology->links.size()) return std::nullopt;  // a device's memory
    return LinkId{wire};
  }

  void back_to_arrival(std::uint32_t id) {
    const Span& span = simulation.spans[id];
    const auto landed = std::max(span.arrival, load.start[wiring.connection(id).to.value]);
    if (span.commit > landed)
      for (const Dependency& d : wiring.schedule->dependencies({id})) {
        const Span& other = simulation.spans[d.on.value];
        if (d.kind == DependencyKind::raw) continue;
        if ((d.kind == DependencyKind::war ? other.read : other.commit) != span.commit) continue;
        add({TermKind::wait_order, span.commit - landed, {id}, {}, d.on});
        break;
      }
    add({TermKind::straggle, landed - span.arrival, {id}, {}, {}});
  }

  void back_to_begin(std::uint32_t id, bool at_read) {
    const Span& span = simulation.spans[id];
    if (load.bytes[id].count == 0 || wiring.connection(id).hop_count == 0) {
      if (!at_read) add({TermKind::latency, span.arrival - span.read, {id}, {}, {}});
    } else if (model == NetworkModel::stream) {
      back_through_wires(id, at_read);
    } else {
      if (!at_read) add({TermKind::latency, span.arrival - span.read, {id}, {}, {}});
      back_through_sharing(id);
    }
  }

  void add_wire(std::uint32_t id, std::uint32_t wire, Duration taken) {
    auto pure = taken;
    if (is_jittered)
      pure = std::min(taken, wire_time(load.bytes[id], wiring.wires[wire].bandwidth));
    add({TermKind::jitter, taken - pure, {id}, link(wire), {}});
    add({TermKind::wire, pure, {id}, link(wire), {}});
  }

  /// stream: the last byte waited for the wire before (tail), or its own wire set its pace; from
  /// there on the first byte's way (head).
  void back_through_wires(std::uint32_t id, bool at_read) {
    const auto route = wiring.route(wiring.connection(id));
    const auto* const pass = &recording.passes[recording.pass_begin[id]];
    auto i = at_read ? std::size_t{0} : route.size() - 1;
    Duration latency = at_read ? Duration{} : wiring.wires[route[i]].latency;
    for (; i > 0 && pass[i].tail == pass[i - 1].tail + wiring.wires[route[i - 1]].latency; --i)
      latency += wiring.wires[route[i - 1]].latency;
    Duration wire = pass[i].tail - pass[i].head;
    const auto pace = route[i];
    std::vector<Term> waits;
    for (; i > 0; --i) {
      const auto head = pass[i - 1].head + wiring.wires[route[i - 1]].latency;
      latency += wiring.wires[route[i - 1]].latency;
      if (pass[i].head > head)
        waits.push_back({TermKind::wait_link,
                         pass[i].head - head,
                         {id},
                         link(route[i]),
                         TransferId{pass[i].holder}});
    }
    add({TermKind::latency, latency, {id}, {}, {}});
    add_wire(id, pace, wire);
    for (const auto& wait : waits) add(wait);
    const Span& span = simulation.spans[id];
    add({TermKind::wait_link,
         span.begin - span.ready,
         {id},
         link(route[0]),
         TransferId{pass[0].holder}});
  }

  /// flow: drained in the time it takes alone, and what sharing made it longer.
  void back_through_sharing(std::uint32_t id) {
    const auto route = wiring.route(wiring.connection(id));
    const auto narrowest = *std::min_element(route.begin(), route.end(), [&](auto a, auto b) {
      return wiring.wires[a].bandwidth < wiring.wires[b].bandwidth;
    });
    const Span& span = simulation.spans[id];
    const auto rate = models::rate_of(wiring.wires[narrowest].bandwidth);
    const auto alone = models::time_of(load.work[id], rate);
    if (const auto longer = span.read - span.begin - alone; longer > Duration{}) {
      const auto wire = recording.most_shared[id];
      RS_ASSERT(wire != nobody, "a transfer that took longer than alone shared a wire");
      Term term{TermKind::share_link, longer, {id}, link(wire), {}};
      name_sharers(term, wire);
      add(term);
    }
    add_wire(id, narrowest, alone);
  }

  void name_sharers(Term& term, std::uint32_t wire) {
    const Span& mine = simulation.spans[term.transfer.value];
    Duration longest{};
    for (const auto other : users_of(wire)) {
      const Span& theirs = simulation.spans[other];
      const auto overlap = std::min(mine.read, theirs.read) - std::max(mine.begin, theirs.begin);
      if (other == term.transfer.value || overlap <= Duration{}) continue;
      ++term.others;
      if (overlap > longest) longest = overlap, term.other = TransferId{other};
    }
  }

  std::span<const std::uint32_t> users_of(std::uint32_t wire) {
    if (users.empty()) {
      users.resize(wiring.wires.size());
      for (std::uint32_t id = 0; id < load.bytes.size(); ++id)
        if (load.bytes[id].count > 0)
          for (const auto w : wiring.route(wiring.connection(id))) users[w].push_back(id);
    }
    return users[wire];
  }

  /// The event that let transfer `id` become ready: a commit (raw) or a read (its connection).
  std::pair<std::uint32_t, bool> before(std::uint32_t id) {
    const auto ready = simulation.spans[id].ready;
    if (ready == Duration{}) return {nobody, false};
    for (const Dependency& d : wiring.schedule->dependencies({id}))
      if (d.kind == DependencyKind::raw && simulation.spans[d.on.value].commit == ready)
        return {d.on.value, false};
    if (const auto forerunner = forerunner_of(id);
        forerunner != nobody && simulation.spans[forerunner].read == ready)
      return {forerunner, true};
    add({TermKind::straggle, ready, {id}, {}, {}});
    return {nobody, false};
  }

  std::uint32_t forerunner_of(std::uint32_t id) const {
    if (!wiring.connection(id).ordered) return nobody;
    const auto connection = wiring.connection_of[id];
    while (id > 0)
      if (wiring.connection_of[--id] == connection) return id;
    return nobody;
  }

  const models::Wiring& wiring;
  models::Load load;
  NetworkModel model;
  bool is_jittered;
  Recording recording;
  Simulation simulation;
  std::vector<std::vector<std::uint32_t>> users;  // by wire
  Explanation result;
};

namespace {

constexpr std::array<std::string_view, term_kind_count> term_names{
    "wire", "latency", "wait for link", "share of link", "wait for order", "straggle", "jitter"};

std::string ranks_of(TransferId id, const Schedule& schedule) {
  const Transfer& t = schedule[id];
  return "rank " + std::to_string(t.src().rank.value) + " -> " + std::to_string(t.dst().rank.value);
}

}  // namespace

std::string_view name(TermKind kind) {
  return term_names[static_cast<std::size_t>(kind)];
}

Duration Explanation::total(TermKind kind) const {
  Duration sum{};
  for (const Term& term : terms)
    if (term.kind == kind) sum += term.time;
  return sum;
}

Result<Explanation> explain(const Simulator& simulator, const Payload& payload, NetworkModel model,
                            const Disturbance& disturbance) {
  RS_ASSIGN(auto load, Explainer::loaded(simulator, payload, disturbance));
  return Explainer(simulator, std::move(load), model, disturbance).run();
}

std::string reason(const Term& term, const Schedule& schedule, const Topology& topology) {
  std::string text(name(term.kind));
  if (term.link) text += " " + topology.link_name(*term.link);
  if (!term.other) return text;
  const auto other = "transfer " + std::to_string(term.other->value) + " (" +
                     ranks_of(*term.other, schedule) + ")";
  if (term.kind == TermKind::wait_link) return text + ", held by " + other;
  if (term.kind == TermKind::wait_order) return text + ", after " + other;
  text += ", with " + other;
  return term.others > 1 ? text + " and " + std::to_string(term.others - 1) + " more" : text;
}

std::string to_string(const Term& term, const Schedule& schedule, const Topology& topology) {
  return "transfer " + std::to_string(term.transfer.value) + " (step " +
         std::to_string(schedule.step(term.transfer).value) + ", " +
         ranks_of(term.transfer, schedule) + "): " + in_microseconds(term.time) + " " +
         reason(term, schedule, topology);
}

}  // namespace ringside::sim
