// Model flow: all wires of a route drain a transfer at one rate, and rates are max-min fair at
// every moment. Events in order of time; between events nothing changes, so bytes left are exact
// integers. After M. Casanova et al., "Versatile, scalable, and accurate simulation of distributed
// applications", JPDC 74 (2014), without their TCP corrections.

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <utility>

#include "core/assert.hpp"
#include "sim/models/fair_share.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim::models {
namespace {

/// For each transfer, those that depend on it.
class Followers {
 public:
  explicit Followers(const Schedule& schedule) {
    const auto count = static_cast<std::uint32_t>(schedule.transfers().size());
    begin_.resize(count + std::size_t{2});
    for (std::uint32_t id = 0; id < count; ++id)
      for (const Dependency& d : schedule.dependencies({id})) ++begin_[d.on.value + 2];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    of_.resize(begin_.back());
    for (std::uint32_t id = 0; id < count; ++id)  // filling moves each begin to its end
      for (const Dependency& d : schedule.dependencies({id}))
        of_[begin_[d.on.value + 1]++] = {{id}, d.kind};
  }
  std::span<const Dependency> of(std::uint32_t id) const {  // `on` is the one that follows
    return std::span(of_).subspan(begin_[id], begin_[id + 1] - begin_[id]);
  }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<Dependency> of_;
};

enum class EventKind : std::uint8_t { begin, landed };
struct Event {
  TimePoint time;
  std::uint32_t transfer;
  EventKind kind;
  bool operator<(const Event& o) const {  // std::priority_queue keeps the largest: the earliest
    return time != o.time ? time > o.time : transfer > o.transfer;
  }
};

/// Events to come. Most are a latency from now, and there are few latencies: events that come in
/// order of time queue in lanes, where they cost nothing to sort, and the others in a heap.
class Agenda {
 public:
  void add(const Event& event) {
    for (Lane& lane : lanes_)
      if (lane.next == lane.events.size() || lane.events.back().time <= event.time)
        return lane.events.push_back(event);
    others_.push(event);
  }
  TimePoint earliest() const {
    TimePoint time = others_.empty() ? forever : others_.top().time;
    for (const Lane& lane : lanes_)
      if (lane.next < lane.events.size()) time = std::min(time, lane.events[lane.next].time);
    return time;
  }
  /// Moves those at earliest() to the end of `due`.
  void take(TimePoint time, std::vector<Event>& due) {
    for (Lane& lane : lanes_) {
      while (lane.next < lane.events.size() && lane.events[lane.next].time == time)
        due.push_back(lane.events[lane.next++]);
      if (lane.next * 2 < lane.events.size()) continue;
      lane.events.erase(lane.events.begin(),
                        lane.events.begin() + static_cast<std::ptrdiff_t>(lane.next));
      lane.next = 0;
    }
    for (; !others_.empty() && others_.top().time == time; others_.pop())
      due.push_back(others_.top());
  }

 private:
  struct Lane {
    std::vector<Event> events;  // in order of time
    std::size_t next = 0;
  };
  std::array<Lane, 4> lanes_;
  std::priority_queue<Event> others_;
};

/// When each flow ends, and the earliest of all: a tournament. One change of rates moves many ends
/// but seldom the winner, so most updates stop after a match or two.
class Ends {
 public:
  TimePoint earliest() const { return best_[1]; }
  void set(std::uint32_t flow, TimePoint end) {
    while (flow >= size_) grow();
    auto at = size_ + flow;
    best_[at] = end;
    for (at /= 2; at >= 1; at /= 2) {
      const auto winner = std::min(best_[2 * at], best_[2 * at + 1]);
      if (winner == best_[at]) return;
      best_[at] = winner;
    }
  }
  /// Moves all flows that end at earliest() to the end of `ended`, lowest first.
  void take(std::vector<std::uint32_t>& ended) {
    if (best_[1] < forever) take_below(1, ended);
  }

 private:
  void take_below(std::size_t at, std::vector<std::uint32_t>& ended) {
    const auto time = best_[at];
    if (at >= size_) {
      ended.push_back(static_cast<std::uint32_t>(at - size_));
      best_[at] = forever;
      return;
    }
    for (const auto child : {2 * at, 2 * at + 1})
      if (best_[child] == time) take_below(child, ended);
    best_[at] = std::min(best_[2 * at], best_[2 * at + 1]);
  }
  void grow() {
    std::vector<TimePoint> wider(4 * size_, forever);
    std::copy(best_.begin() + static_cast<std::ptrdiff_t>(size_), best_.end(),
              wider.begin() + static_cast<std::ptrdiff_t>(2 * size_));
    size_ *= 2;
    best_ = std::move(wider);
    for (auto at = size_ - 1; at >= 1; --at) best_[at] = std::min(best_[2 * at], best_[2 * at + 1]);
  }

  std::size_t size_ = 1;  // a power of two; flow f is leaf size_ + f, node 1 the root
  std::vector<TimePoint> best_ = {forever, forever};
};

class Flow {
 public:
  Flow(const Wiring& wiring, const Load& load, std::span<Span> spans, Recording* recording)
      : wiring_(wiring),
        load_(load),
        spans_(spans),
        recording_(recording),
        followers_(*wiring.schedule),
        fair_(wiring.wires),
        pending_(spans.size()) {}

  bool run() {
    prepare();
    while (!load_.patience || load_.patience(fair_.effort())) {
      take_due();
      for (std::size_t i = 0; i < now_events_.size(); ++i) handle(Event(now_events_[i]));
      now_events_.clear();
      share();
      const auto next = std::min(ends_.earliest(), later_.earliest());
      if (next == forever) {
        RS_ASSERT(committed_ == spans_.size(),
                  "a schedule's events are acyclic: all transfers end");
        return true;
      }
      now_ = next;
    }
    return false;
  }

 private:
  /// What a transfer still waits for.
  struct Pending {
    std::uint32_t to_begin = 0;   // raw, and its forerunner on the connection
    std::uint32_t to_commit = 1;  // war and waw, and its own arrival
    std::uint32_t next = nobody;  // the next on its connection
  };
  /// A transfer on its way: by FairShare's slot.
  struct Draining {
    std::uint32_t transfer = nobody;
    std::uint32_t limit = nobody;
    Work left = 0;
    Rate rate = 0;
    TimePoint since;  // `left` and `rate` hold since then
  };

  void prepare() {
    if (recording_) recording_->most_shared.assign(spans_.size(), nobody);
    const auto count = static_cast<std::uint32_t>(spans_.size());
    std::vector<std::uint32_t> last(wiring_.connections.size(), nobody);
    for (std::uint32_t id = 0; id < count; ++id) {
      for (const Dependency& d : wiring_.schedule->dependencies({id}))
        ++(d.kind == DependencyKind::raw ? pending_[id].to_begin : pending_[id].to_commit);
      if (!wiring_.connection(id).ordered) continue;
      auto& before = last[wiring_.connection_of[id]];
      if (before != nobody) {
        pending_[before].next = id;
        ++pending_[id].to_begin;
      }
      before = id;
    }
    for (std::uint32_t id = 0; id < count; ++id)
      if (pending_[id].to_begin == 0) may_begin(id);
  }

  void push(TimePoint time, std::uint32_t transfer, EventKind kind) {
    if (time == now_)
      now_events_.push_back({time, transfer, kind});
    else
      later_.add({time, transfer, kind});
  }

  void take_due() {
    later_.take(now_, now_events_);
    if (ends_.earliest() != now_) return;
    ended_.clear();
    ends_.take(ended_);
    for (const auto flow : ended_) drained(flow);
  }

  void handle(const Event& event) {
    if (event.kind == EventKind::begin)
      begin(event.transfer);
    else
      may_commit(event.transfer);
  }

  void may_begin(std::uint32_t id) {
    push(std::max(now_, load_.start[wiring_.connection(id).from.value]), id, EventKind::begin);
  }

  void begin(std::uint32_t id) {
    const Connection& c = wiring_.connection(id);
    spans_[id].ready = spans_[id].begin = now_;
    if (load_.bytes[id].count == 0 || c.hop_count == 0) return read(id);
    const auto flow = fair_.add(wiring_.route(c));
    if (flow >= draining_.size()) draining_.resize(flow + 1);
    draining_[flow] = {.transfer = id, .left = load_.work[id], .since = now_};
  }

  void drained(std::uint32_t flow) {
    record(flow);
    record_end(flow);
    fair_.remove(flow);
    read(std::exchange(draining_[flow].transfer, nobody));
  }

  void read(std::uint32_t id) {
    const Connection& c = wiring_.connection(id);
    spans_[id].read = now_;
    spans_[id].arrival = now_ + c.latency;
    push(std::max(spans_[id].arrival, load_.start[c.to.value]), id, EventKind::landed);
    for (const Dependency& d : followers_.of(id))
      if (d.kind == DependencyKind::war) may_commit(d.on.value);
    if (const auto next = pending_[id].next; next != nobody) one_less_to_begin(next);
  }

  void one_less_to_begin(std::uint32_t id) {
    if (--pending_[id].to_begin == 0) may_begin(id);
  }

  /// One of the events that `id` needs to commit has happened.
  void may_commit(std::uint32_t first) {
    for (auto id = first;;) {
      if (--pending_[id].to_commit == 0) commit(id);
      if (committing_.empty()) return;
      id = committing_.back();
      committing_.pop_back();
    }
  }

  void commit(std::uint32_t id) {
    spans_[id].commit = now_;
    ++committed_;
    for (const Dependency& d : followers_.of(id)) {
      if (d.kind == DependencyKind::raw) one_less_to_begin(d.on.value);
      if (d.kind == DependencyKind::waw) committing_.push_back(d.on.value);
    }
  }

  /// After all that happens now: new rates, and when each flow ends if they stay.
  void share() {
    for (const auto flow : fair_.refresh()) {
      Draining& d = draining_[flow];
      const bool same_rate = d.rate == fair_.rate(flow);
      if (same_rate && d.limit == fair_.limit(flow)) continue;
      record(flow);
      d.left -=
          std::min(d.left, Work{d.rate} * static_cast<std::uint64_t>((now_ - d.since).picoseconds));
      d.since = now_;
      d.rate = fair_.rate(flow);
      d.limit = fair_.limit(flow);
      ends_.set(flow, now_ + time_of(d.left, d.rate));
    }
  }

  /// Notes the rate since it last changed, and what the wire that limited the flow has cost it.
  void record(std::uint32_t flow) {
    const Draining& d = draining_[flow];
    if (!recording_ || d.rate == 0) return;
    recording_->stretches.push_back({d.transfer, d.since, now_, d.rate});
    Rate alone = UINT64_MAX;
    for (const auto w : wiring_.route(wiring_.connection(d.transfer)))
      alone = std::min(alone, rate_of(wiring_.wires[w].bandwidth));
    const auto lost =
        Work{alone - d.rate} * static_cast<std::uint64_t>((now_ - d.since).picoseconds);
    if (lost == 0) return;
    if (flow >= lost_.size()) lost_.resize(flow + 1);
    lost_[flow][d.limit] += lost;
  }

  void record_end(std::uint32_t flow) {
    if (!recording_ || flow >= lost_.size()) return;
    const auto most =
        std::max_element(lost_[flow].begin(), lost_[flow].end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != lost_[flow].end()) recording_->most_shared[draining_[flow].transfer] = most->first;
    lost_[flow].clear();
  }

  const Wiring& wiring_;
  const Load& load_;
  std::span<Span> spans_;
  Recording* recording_;
  Followers followers_;
  FairShare fair_;
  std::vector<Pending> pending_;                     // by TransferId
  std::vector<Draining> draining_;                   // by FairShare::Slot
  Ends ends_;                                        // by FairShare::Slot
  std::vector<std::map<std::uint32_t, Work>> lost_;  // when recording: by slot, then by wire
  Agenda later_;
  std::vector<Event> now_events_;          // at now_, in the order they came up
  std::vector<std::uint32_t> ended_;       // FairShare::Slots
  std::vector<std::uint32_t> committing_;  // have one event less to wait for
  TimePoint now_;
  std::size_t committed_ = 0;
};

}  // namespace

bool run_flow(const Wiring& wiring, const Load& load, std::span<Span> spans, Recording* recording) {
  return Flow(wiring, load, spans, recording).run();
}

}  // namespace ringside::sim::models
