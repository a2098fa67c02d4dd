#include "viz/stage/timeline.hpp"

#include <algorithm>
#include <numeric>

namespace ringside::stage {

double fraction(TimePoint from, TimePoint to, TimePoint now) {
  if (now >= to) return 1;
  if (now <= from) return 0;
  return static_cast<double>((now - from).picoseconds) /
         static_cast<double>((to - from).picoseconds);
}

Timeline::Timeline(const Schedule& schedule, const Story& story, std::span<const Span> spans)
    : schedule_(schedule), story_(story), spans_(spans), index_(schedule) {
  const auto transfers = schedule.transfers();
  first_commit_.assign(index_.size() + 1, 0);
  for (const Transfer& t : transfers)
    for (std::uint32_t i = 0; i < t.chunks(); ++i) ++first_commit_[index_(t.dst(), i) + 1];
  std::partial_sum(first_commit_.begin(), first_commit_.end(), first_commit_.begin());
  commits_.resize(first_commit_.back());
  auto next = first_commit_;
  for (TransferId id{0}; id.value < transfers.size(); ++id.value) {
    const Transfer& t = transfers[id.value];
    const Span& span = spans[id.value];
    for (std::uint32_t i = 0; i < t.chunks(); ++i)
      commits_[next[index_(t.dst(), i)]++] = {span.commit, id, i};
    end_ = std::max(end_, span.commit);
    if (t.is_local()) continue;
    by_begin_.push_back(id);
    longest_ = std::max(longest_, span.commit - span.begin);
  }
  // Writes of one slot commit in told order (waw): ties keep it.
  for (std::size_t slot = 0; slot < index_.size(); ++slot)
    std::stable_sort(commits_.begin() + first_commit_[slot],
                     commits_.begin() + first_commit_[slot + 1],
                     [](const Commit& a, const Commit& b) { return a.at < b.at; });
  std::ranges::stable_sort(by_begin_, {}, [&](TransferId id) { return spans[id.value].begin; });
  for (Step step{0}; step.value < schedule.steps(); ++step.value) {
    TimePoint begin = forever, end{};
    for (auto id = schedule.step_begin(step); id < schedule.step_end(step); ++id.value) {
      begin = std::min(begin, spans[id.value].begin);
      end = std::max(end, spans[id.value].commit);
    }
    step_begin_.push_back(begin);
    step_end_.push_back(end);
  }
  stops_ = step_end_;
  stops_.push_back(TimePoint{});
  std::ranges::sort(stops_);
  stops_.erase(std::unique(stops_.begin(), stops_.end()), stops_.end());
}

std::vector<UnderWay> Timeline::under_way(TimePoint now) const {
  const auto begin_of = [&](TransferId id) { return spans_[id.value].begin; };
  const auto last = std::ranges::upper_bound(by_begin_, now, {}, begin_of);
  const auto first = std::ranges::lower_bound(by_begin_, now - longest_, {}, begin_of);
  std::vector<UnderWay> found;
  for (auto it = first; it < last; ++it) {
    const Span& span = spans_[it->value];
    if (span.commit > now) found.push_back({*it, fraction(span.begin, span.arrival, now)});
  }
  std::ranges::sort(found, {}, &UnderWay::id);
  return found;
}

const Timeline::Commit* Timeline::last_commit(const Slot& slot, TimePoint now) const {
  if (!index_.contains(slot)) return nullptr;
  const auto first = commits_.begin() + first_commit_[index_(slot)];
  const auto last = commits_.begin() + first_commit_[index_(slot) + 1];
  const auto after = std::ranges::upper_bound(first, last, now, {}, &Commit::at);
  return after == first ? nullptr : &*std::prev(after);
}

Content Timeline::at(const Slot& slot, TimePoint now) const {
  const Commit* commit = last_commit(slot, now);
  return commit == nullptr ? story_.start(slot) : story_.result(commit->by, commit->nth);
}

Content Timeline::shown(Rank rank, ChunkId chunk, TimePoint now) const {
  const Content written = at(output(rank.value, chunk.value), now);
  return written.empty() ? at(input(rank.value, chunk.value), now) : written;
}

TransferId Timeline::writer(const Slot& slot, TimePoint now) const {
  const Commit* commit = last_commit(slot, now);
  return commit == nullptr ? TransferId{UINT32_MAX} : commit->by;
}

Step Timeline::step_at(TimePoint now) const {
  const auto after = std::ranges::upper_bound(
      by_begin_, now, {}, [&](TransferId id) { return spans_[id.value].begin; });
  return after == by_begin_.begin() ? Step{0} : schedule_.step(*std::prev(after));
}

TimePoint Timeline::after(TimePoint now) const {
  const auto next = std::ranges::upper_bound(stops_, now);
  return next == stops_.end() ? end_ : *next;
}

TimePoint Timeline::before(TimePoint now) const {
  const auto here = std::ranges::lower_bound(stops_, now);
  return here == stops_.begin() ? TimePoint{} : *std::prev(here);
}

}  // namespace ringside::stage
