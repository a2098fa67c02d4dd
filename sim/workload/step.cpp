#include "sim/workload/step.hpp"

#include <algorithm>
#include <span>

#include "core/suggest.hpp"
#include "sim/workload/step_builder.hpp"

namespace ringside::sim {
namespace {

constexpr std::array<std::string_view, activity_count> activity_names{
    "forward",         "recompute",       "backward",         "update",           "tensor reduce",
    "expert exchange", "gradient reduce", "parameter gather", "send activations", "send gradients",
};
constexpr std::array<std::string_view, stream_count> stream_names{
    "compute", "tensor and expert groups", "replicas", "to the next stage", "to the stage before",
};

Result<void> check_places(const Parallelism& p, const Topology& machine) {
  if (p.gpus() > machine.ranks.size())
    return bad_request(std::to_string(p.data) + " x " + std::to_string(p.tensor) + " x " +
                       std::to_string(p.pipeline) + " (data x tensor x pipeline) are " +
                       counted(p.gpus(), "GPU") + "; " + machine.name + " has " +
                       std::to_string(machine.ranks.size()));
  if (p.interleave > 1 && p.pipeline_schedule != PipelineSchedule::interleaved)
    return bad_request("only an interleaved pipeline gives a GPU several pieces of the model");
  if (p.interleave > 1 && p.micro_batches % p.pipeline != 0)
    return bad_request("an interleaved pipeline of " + counted(p.pipeline, "stage") +
                       " takes as many micro-batches at a time: " +
                       std::to_string(p.micro_batches) + " is no multiple");
  return {};
}

/// The timeline: pieces of one thing that follow each other without a gap are one span.
std::vector<StepSpan> timeline_of(std::span<const StepSpan> labels,
                                  std::span<const Interval> when) {
  std::vector<StepSpan> all(labels.begin(), labels.end());
  for (std::size_t t = 0; t < all.size(); ++t) {
    all[t].begin = when[t].begin;
    all[t].end = when[t].end;
  }
  std::ranges::stable_sort(
      all, {}, [](const StepSpan& s) { return std::tuple(s.stage, s.stream, s.begin, s.end); });
  const auto continues = [](const StepSpan& a, const StepSpan& b) {
    return a.stage == b.stage && a.stream == b.stream && a.activity == b.activity &&
           a.micro_batch == b.micro_batch && a.layer == b.layer && a.end == b.begin &&
           computes(a.activity);
  };
  std::vector<StepSpan> merged;
  for (const StepSpan& span : all) {
    if (span.begin == span.end) continue;
    if (!merged.empty() && continues(merged.back(), span))
      merged.back().end = span.end;
    else
      merged.push_back(span);
  }
  return merged;
}

/// How long at least one of `intervals` lasts (sorted here) and none of `not_in`, which come one
/// after the other.
Duration covered(std::vector<Interval>& intervals, std::span<const Interval> not_in) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  Duration sum{};
  TimePoint reached{};
  std::size_t next = 0;
  for (const Interval& interval : intervals) {
    auto from = std::max(interval.begin, reached);
    while (from < interval.end) {
      while (next < not_in.size() && not_in[next].end <= from) ++next;
      const bool is_free = next == not_in.size() || not_in[next].begin >= interval.end;
      const auto until = is_free ? interval.end : not_in[next].begin;
      if (until > from) sum += until - from;
      from = is_free ? interval.end : not_in[next].end;
    }
    reached = std::max(reached, interval.end);
  }
  return sum;
}

/// What one stage's GPUs did: computed, and were busy with messages.
struct Account {
  std::vector<Interval> computing{}, talking{};
};

std::vector<Account> accounts(const StepBuilder& step, std::span<const Interval> when,
                              std::uint32_t stages) {
  std::vector<Account> of(stages);
  for (std::size_t t = 0; t < when.size(); ++t) {
    const StepSpan& label = step.labels()[t];
    if (label.stream == StreamKind::compute)
      of[label.stage].computing.push_back(when[t]);
    else if (label.stream == StreamKind::next)  // who is sent it may be waiting for it
      of[(label.stage + 1) % stages].talking.push_back(when[t]);
    else if (label.stream == StreamKind::previous)
      of[(label.stage + stages - 1) % stages].talking.push_back(when[t]);
    else
      of[label.stage].talking.push_back(when[t]);
  }
  return of;
}

Duration average(Duration sum, std::uint32_t over) {
  return {sum.picoseconds / over};
}

void add_shares(TrainingStep& step, std::vector<Account> of) {
  const auto stages = static_cast<std::uint32_t>(of.size());
  TimeShares sum;
  for (Account& account : of) {
    TimeShares shares;
    for (const Interval& i : account.computing) shares.compute += i.end - i.begin;
    std::ranges::sort(account.computing, {}, &Interval::begin);
    shares.exposed = covered(account.talking, account.computing);
    shares.bubble = step.time - shares.compute - shares.exposed;
    sum.compute += shares.compute;
    sum.exposed += shares.exposed;
    step.stages.push_back(shares);
  }
  step.shares.compute = average(sum.compute, stages);
  step.shares.exposed = average(sum.exposed, stages);
  step.shares.bubble = step.time - step.shares.compute - step.shares.exposed;
}

}  // namespace

std::string_view name(Activity activity) {
  return activity_names[static_cast<std::size_t>(activity)];
}

std::string_view name(StreamKind stream) {
  return stream_names[static_cast<std::size_t>(stream)];
}

Result<TrainingStep> simulate_step(const Model& model, const Gpu& gpu, const Parallelism& p,
                                   GroupTimes& times) {
  RS_ASSIGN(const StepCosts costs, StepCosts::make(model, gpu, p));
  RS_TRY(check_places(p, times.topology()));
  StepBuilder builder(costs, p, times);
  RS_TRY(builder.build());
  const auto when = builder.lanes().run();

  TrainingStep step;
  Duration talking{};
  for (std::size_t t = 0; t < when.size(); ++t) {
    step.time = std::max(step.time, when[t].end);
    const StepSpan& label = builder.labels()[t];
    step.sent[static_cast<std::size_t>(label.activity)] += builder.sent()[t];
    if (!computes(label.activity)) talking += when[t].end - when[t].begin;
  }
  for (Bytes& sent : step.sent) sent = Bytes{sent.count / p.pipeline};
  step.communication = average(talking, p.pipeline);
  add_shares(step, accounts(builder, when, p.pipeline));
  step.timeline = timeline_of(builder.labels(), when);
  return step;
}

}  // namespace ringside::sim
