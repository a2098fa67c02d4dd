#include "viz/stage/numbers.hpp"

#include <algorithm>

namespace ringside::stage {

Bytes sent_by(const StagedRun& run, TransferId id, TimePoint now) {
  const Span& span = run.spans[id.value];
  const Bytes size = run.size(id);
  if (now >= span.read) return size;
  return {static_cast<std::uint64_t>(static_cast<double>(size.count) *
                                     fraction(span.begin, span.read, now))};
}

Numbers numbers_at(const StagedRun& run, TimePoint now) {
  Numbers numbers;
  numbers.now = now;
  numbers.time = run.time();
  numbers.is_finished = now >= numbers.time;
  numbers.ports.resize(run.schedule->participants());
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    const Transfer& t = (*run.schedule)[id];
    if (t.is_local()) continue;
    const Bytes sent = sent_by(run, id, now);
    numbers.sent += sent;
    numbers.to_send += run.size(id);
    numbers.ports[t.src().rank.value].out += sent;
    numbers.ports[t.dst().rank.value].in += sent;
    ++numbers.messages_in_all;
    if (run.spans[id.value].commit <= now) ++numbers.messages;
  }
  const auto moved = [](const Port& port) { return port.out + port.in; };
  const auto busiest = std::ranges::max_element(numbers.ports, {}, moved);
  numbers.busiest_port = {static_cast<std::uint32_t>(busiest - numbers.ports.begin())};
  numbers.port_ties =
      static_cast<std::size_t>(std::ranges::count_if(
          numbers.ports, [&](const Port& port) { return moved(port) == moved(*busiest); })) -
      1;
  numbers.algbw = run.row.algbw();
  numbers.busbw = run.row.busbw();
  if (!run.links.empty()) {
    auto found = sim::busiest({numbers.time, {}, run.links});
    numbers.busiest = std::move(found.links);
    numbers.busiest_share = found.share;
  }
  if (run.schedule->steps() > 0) numbers.step = run.timeline->step_at(now);
  return numbers;
}

std::vector<double> load_at(const StagedRun& run, TimePoint now) {
  std::vector<double> load(run.topology->links.size());
  for (const UnderWay& flight : run.timeline->under_way(now)) {
    const Span& span = run.spans[flight.id.value];
    if (now >= span.read || span.read <= span.begin) continue;
    const double rate =
        static_cast<double>(run.size(flight.id).count) / (span.read - span.begin).seconds();
    for (const LinkId link : run.route(flight.id))
      load[link.value] +=
          rate / static_cast<double>((*run.topology)[link].bandwidth.bytes_per_second);
  }
  for (double& share : load) share = std::min(share, 1.0);
  return load;
}

std::vector<Duration> idle_times(const StagedRun& run, TimePoint now) {
  now = std::min(now, run.time());
  std::vector<TransferId> by_begin;
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value)
    if (!(*run.schedule)[id].is_local()) by_begin.push_back(id);
  std::ranges::stable_sort(by_begin, {}, [&](TransferId id) { return run.spans[id.value].begin; });
  const auto ranks = run.schedule->participants();
  std::vector<Duration> idle(ranks);
  std::vector<TimePoint> busy_until(ranks);
  const auto occupy = [&](Rank rank, TimePoint from, TimePoint to) {
    TimePoint& until = busy_until[rank.value];
    if (from > until) idle[rank.value] += from - until;
    until = std::max(until, to);
  };
  for (const TransferId id : by_begin) {
    const Span& span = run.spans[id.value];
    if (span.begin >= now) break;
    const Transfer& t = (*run.schedule)[id];
    occupy(t.src().rank, span.begin, span.arrival);
    occupy(t.dst().rank, span.begin, span.arrival);
  }
  for (Rank rank{0}; rank.value < ranks; ++rank.value) occupy(rank, now, now);
  return idle;
}

}  // namespace ringside::stage
