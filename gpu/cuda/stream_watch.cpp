// How long an iteration takes, what way data go, and what hangs if it does not end.

#include <algorithm>

#include "gpu/cuda/status.hpp"
#include "gpu/cuda/stream_run.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {

Result<Duration> StreamRun::finish(std::size_t iteration) {
  const Events& events = events_[iteration % most_under_way];
  const auto code = poll([&] { return cudaEventQuery(events.end.get()); }, options_.timeout);
  if (code == cudaErrorNotReady) return gone_wrong(stuck(events));
  RS_TRY(check(code, "run the schedule", events.end.device()));
  return between(events.begin, events.end);
}

std::vector<std::string> StreamRun::notes() const {
  const bool is_staged = std::ranges::any_of(plan_.operations, [](const Operation& operation) {
    return operation.kind == OperationKind::to_staging;
  });
  return is_staged ? setup_.peers.notes : std::vector<std::string>{};
}

bool StreamRun::hangs() const {
  return std::ranges::any_of(home_, seems_to_hang) || std::ranges::any_of(streams_, seems_to_hang);
}

std::string StreamRun::describe(std::uint32_t number) const {
  const Operation& operation = plan_.operations[number];
  const auto rank = std::to_string(plan_.streams[operation.stream].participant);
  if (operation.kind == OperationKind::scale) return "scaling the input of rank " + rank;
  if (operation.kind == OperationKind::divide) return "dividing the output of rank " + rank;
  const TransferId id{operation.transfer};
  const Transfer& t = schedule_[id];
  return ringside::describe(id, schedule_) + " from rank " + std::to_string(t.src().rank.value) +
         " to rank " + std::to_string(t.dst().rank.value);
}

/// The first operation that did not end though all it waits for has. Those without an event are
/// judged by the next one of their stream that has one.
std::string StreamRun::stuck(const Events& events) const {
  const auto over = [](const Event& event) { return cudaEventQuery(event.get()) == cudaSuccess; };
  const auto sentence = "CUDA device ";
  const auto within = " within " + to_string(options_.timeout);
  if (graph_)
    return sentence + std::to_string(home_.front().device()) +
           " did not finish the schedule's graph" + within;
  std::vector<std::uint32_t> next(streams_.size(), 0);  // by stream: behind the last one known over
  for (std::uint32_t i = 0; i < plan_.operations.size(); ++i)
    if (events.ended[i] && over(events.ended[i])) next[plan_.operations[i].stream] = i + 1;
  for (std::uint32_t i = 0; i < plan_.operations.size(); ++i) {
    const auto stream = plan_.operations[i].stream;
    if (i < next[stream] || over(events.drained[stream])) continue;
    const auto waits = plan_.waits_of(i);
    const bool could_begin = std::all_of(waits.begin(), waits.end(), [&](std::uint32_t wait) {
      return !events.ended[wait] || over(events.ended[wait]);
    });
    if (could_begin)
      return sentence + std::to_string(streams_[stream].device()) + " did not finish " +
             describe(i) + within;
  }
  return sentence + std::to_string(home_.front().device()) + " did not finish" + within +
         ", though all transfers are done";
}

}  // namespace ringside::cuda
