#include "viz/figure/moment.hpp"

#include <algorithm>
#include <numeric>

namespace ringside::figure {
double fraction(TimePoint from, TimePoint to, TimePoint now) {
  if (now >= to) return 1;
  if (now <= from) return 0;
  return static_cast<double>((now - from).picoseconds) /
         static_cast<double>((to - from).picoseconds);
}

const Contributions& Moment::operator[](const Slot& slot) const {
  static const Contributions nothing;
  return index_.contains(slot) ? slots_[index_(slot)] : nothing;
}

const Contributions& Moment::shown(Rank rank, ChunkId chunk) const {
  const auto& written = (*this)[output(rank.value, chunk.value)];
  return written.empty() ? (*this)[input(rank.value, chunk.value)] : written;
}

Story::Story(const Schedule& schedule)
    : schedule_(schedule), start_(schedule), carried_(schedule.transfers().size()) {
  for (const Slot& slot : precondition(schedule.spec(), schedule.chunks()))
    start_.slots_[start_.index_(slot)] = Contributions::one(slot.rank, slot.chunk);
  for (const auto& expectation : postcondition(schedule.spec(), schedule.chunks()))
    complete_ = std::max(complete_, expectation.count);
  Moment now = start_;
  for (Step step{0}; step.value < schedule.steps(); ++step.value) tell_step(step, now);
}

void Story::tell_step(Step step, Moment& now) {
  const Moment before = now;
  for (auto id = schedule_.step_begin(step); id < schedule_.step_end(step); ++id.value) {
    const Transfer& t = schedule_[id];
    auto& carried = carried_[id.value];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      carried.cargo.push_back(before[nth(t.src(), i)]);
      if (t.has_separate_operand()) carried.operand.push_back(before[nth(t.with(), i)]);
    }
    commit(id, now);
  }
}

void Story::commit(TransferId id, Moment& now) const {
  const Transfer& t = schedule_[id];
  const auto& [cargo, operand] = carried_[id.value];
  for (std::uint32_t i = 0; i < t.chunks(); ++i) {
    auto& target = now.slots_[now.index_(nth(t.dst(), i))];
    if (t.action() == Action::copy)
      target = cargo[i];
    else
      target = Contributions::sum(operand.empty() ? target : operand[i], cargo[i],
                                  schedule_.spec().ranks);
  }
}

Moment Story::at(TimePoint time, const sim::Simulation& simulation) const {
  const auto& spans = simulation.spans;
  std::vector<TransferId> done;
  Moment now = start_;
  now.at = time;
  for (TransferId id{0}; id.value < spans.size(); ++id.value) {
    const Span& span = spans[id.value];
    if (span.commit <= time)
      done.push_back(id);
    else if (span.begin <= time && !schedule_[id].is_local())
      now.under_way.push_back({id, fraction(span.begin, span.arrival, time)});
  }
  // Writes of one slot commit in told order (waw), so ties by id keep it.
  std::stable_sort(done.begin(), done.end(), [&](TransferId a, TransferId b) {
    return spans[a.value].commit < spans[b.value].commit;
  });
  for (const TransferId id : done) commit(id, now);
  return now;
}

}  // namespace ringside::figure
