// Model stream: a wire serves its transfers in told order, each as a stream of bytes that the next
// wire passes on as it comes (cut-through). One pass over the story, O(1) a hop. After LogGP (A.
// Alexandrov et al., SPAA 1995), with a wire of its own for every link instead of one gap a rank.

#include <algorithm>

#include "sim/models/model.hpp"

namespace ringside::sim::models {
namespace {

class Stream {
 public:
  Stream(const Wiring& wiring, const Load& load, std::span<Span> spans, Recording* recording)
      : wiring_(wiring),
        schedule_(*wiring.schedule),
        load_(load),
        spans_(spans),
        recording_(recording),
        wires_(wiring.wires.size()),
        injected_(wiring.connections.size()) {}

  /// A step's reads see what was before it, so all of them come before its first commit.
  void run() {
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) {
      const auto begin = schedule_.step_begin({s}).value, end = schedule_.step_end({s}).value;
      for (auto id = begin; id < end; ++id) inject(id);
      for (auto id = begin; id < end; ++id) commit(id);
    }
    if (recording_) recording_->pass_begin.push_back(recording_->passes.size());
  }

 private:
  struct WireState {
    TimePoint free;
    std::uint32_t holder = nobody;
  };

  void inject(std::uint32_t id) {
    if (recording_) recording_->pass_begin.push_back(recording_->passes.size());
    const Connection& c = wiring_.connection(id);
    Span& span = spans_[id];
    span.ready = load_.start[c.from.value];
    for (const Dependency& d : schedule_.dependencies({id}))
      if (d.kind == DependencyKind::raw)
        span.ready = std::max(span.ready, spans_[d.on.value].commit);
    auto& injected = injected_[wiring_.connection_of[id]];
    if (c.ordered) span.ready = std::max(span.ready, injected);
    if (load_.bytes[id].count == 0 || c.hop_count == 0) {
      span.begin = span.read = span.ready;
      span.arrival = span.read + c.latency;
    } else {
      pass(id, wiring_.route(c));
    }
    injected = span.read;
  }

  void pass(std::uint32_t id, std::span<const std::uint32_t> route) {
    Span& span = spans_[id];
    TimePoint head = span.ready, tail{};  // as they would leave the wire before
    for (const auto w : route) {
      const Wire& wire = wiring_.wires[w];
      WireState& state = wires_[w];
      head = std::max(head, state.free);
      tail = std::max(head + time_of(load_.work[id], rate_of(wire.bandwidth)), tail);
      if (w == route.front()) span.begin = head, span.read = tail;
      if (recording_) recording_->passes.push_back({head, tail, state.holder});
      state = {tail, id};
      head += wire.latency;
      tail += wire.latency;
    }
    span.arrival = tail;
  }

  void commit(std::uint32_t id) {
    Span& span = spans_[id];
    span.commit = std::max(span.arrival, load_.start[wiring_.connection(id).to.value]);
    for (const Dependency& d : schedule_.dependencies({id})) {
      if (d.kind == DependencyKind::raw) continue;
      const Span& other = spans_[d.on.value];
      span.commit =
          std::max(span.commit, d.kind == DependencyKind::war ? other.read : other.commit);
    }
  }

  const Wiring& wiring_;
  const Schedule& schedule_;
  const Load& load_;
  std::span<Span> spans_;
  Recording* recording_;
  std::vector<WireState> wires_;
  std::vector<TimePoint> injected_;  // by connection: its last transfer has left the source
};

}  // namespace

void run_stream(const Wiring& wiring, const Load& load, std::span<Span> spans,
                Recording* recording) {
  Stream(wiring, load, spans, recording).run();
}

}  // namespace ringside::sim::models
