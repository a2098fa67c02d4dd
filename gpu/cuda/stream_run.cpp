#include "gpu/cuda/stream_run.hpp"

#include <algorithm>
#include <set>

#include "gpu/cuda/status.hpp"

namespace ringside::cuda {

Result<std::unique_ptr<StreamRun>> StreamRun::make(const Work& work, const Memory& memory,
                                                   const RunOptions& options,
                                                   const StreamsSetup& setup) {
  std::unique_ptr<StreamRun> run(new StreamRun(work, options, setup));
  RS_TRY(run->allocate(memory));
  if (setup.graph) RS_TRY(run->capture());
  return run;
}

Result<void> StreamRun::allocate(const Memory& memory) {
  plan_ = plan_streams(work_, placement_of(setup_.devices, setup_.peers), setup_.slices);
  if (setup_.tamper) setup_.tamper(plan_);
  RS_ASSIGN(memory_, StreamMemory::make(work_, memory, setup_.devices, plan_));
  for (const Device& device : setup_.devices.devices) {
    RS_ASSIGN(auto stream, make_stream(device.ordinal));
    home_.push_back(std::move(stream));
  }
  for (std::uint32_t s = 0; s < plan_.streams.size(); ++s) {
    RS_ASSIGN(auto stream, make_stream(ordinal(s)));
    streams_.push_back(std::move(stream));
  }
  for (std::size_t i = 0; i < most_under_way; ++i) {
    RS_ASSIGN(auto events, make_events());
    events_.push_back(std::move(events));
  }
  if (options_.trace) {
    RS_ASSIGN(clocks_, DeviceClocks::make(home_));
  }
  return {};
}

Result<StreamRun::Events> StreamRun::make_events() const {
  Events events;
  const int lead = home_.front().device();
  RS_ASSIGN(events.begin, make_event(lead, EventUse::timing));
  RS_ASSIGN(events.end, make_event(lead, EventUse::timing));
  RS_ASSIGN(events.fork, make_event(lead, EventUse::order));
  events.ended.resize(plan_.operations.size());
  events.began.resize(plan_.operations.size());
  for (std::uint32_t i = 0; i < plan_.operations.size(); ++i) {
    const int device = ordinal(plan_.operations[i].stream);
    if (options_.trace) {
      RS_ASSIGN(events.ended[i], make_event(device, EventUse::timing));
      RS_ASSIGN(events.began[i], make_event(device, EventUse::timing));
    } else if (plan_.operations[i].is_awaited) {
      RS_ASSIGN(events.ended[i], make_event(device, EventUse::order));
    }
  }
  for (std::uint32_t s = 0; s < plan_.streams.size(); ++s) {
    RS_ASSIGN(auto drained, make_event(ordinal(s), EventUse::order));
    events.drained.push_back(std::move(drained));
  }
  return events;
}

/// Once; what a graph holds needs no event of an iteration.
Result<void> StreamRun::capture() {
  const Stream& lead = home_.front();
  RS_TRY(select(lead.device()));
  RS_TRY(check(cudaStreamBeginCapture(lead.get(), cudaStreamCaptureModeRelaxed),
               "begin to capture a graph", lead.device()));
  auto enqueued = enqueue_all(events_.front());
  cudaGraph_t captured = nullptr;
  const auto code = cudaStreamEndCapture(lead.get(), &captured);
  const Graph graph(captured, lead.device());
  if (!enqueued) return enqueued;
  RS_TRY(check(code, "capture the schedule as a graph", lead.device()));
  cudaGraphExec_t executable = nullptr;
  RS_TRY(check(cudaGraphInstantiate(&executable, captured, 0), "instantiate the schedule's graph",
               lead.device()));
  graph_ = GraphExec(executable, lead.device());
  return {};
}

Result<void> StreamRun::enqueue(std::size_t iteration) {
  const Events& events = events_[iteration % most_under_way];
  const Stream& lead = home_.front();
  RS_TRY(select(lead.device()));
  current_ = lead.device();
  RS_TRY(check(cudaEventRecord(events.begin.get(), lead.get()), "record an event", lead.device()));
  if (graph_)
    RS_TRY(check(cudaGraphLaunch(graph_.get(), lead.get()), "launch the schedule's graph",
                 lead.device()));
  else
    RS_TRY(enqueue_all(events));
  return check(cudaEventRecord(events.end.get(), lead.get()), "record an event", lead.device());
}

/// The streams fork from the leading one, and join it again.
Result<void> StreamRun::enqueue_all(const Events& events) {
  const Stream& lead = home_.front();
  RS_TRY(check(cudaEventRecord(events.fork.get(), lead.get()), "record an event", lead.device()));
  for (const Stream& stream : streams_)
    RS_TRY(check(cudaStreamWaitEvent(stream.get(), events.fork.get(), 0), "wait for an event",
                 stream.device()));
  for (std::uint32_t i = 0; i < plan_.operations.size(); ++i) RS_TRY(enqueue_operation(i, events));
  for (std::uint32_t s = 0; s < streams_.size(); ++s) {
    RS_TRY(check(cudaEventRecord(events.drained[s].get(), streams_[s].get()), "record an event",
                 streams_[s].device()));
    RS_TRY(check(cudaStreamWaitEvent(lead.get(), events.drained[s].get(), 0), "wait for an event",
                 lead.device()));
  }
  return {};
}

Result<void> StreamRun::enqueue_operation(std::uint32_t number, const Events& events) {
  const Operation& operation = plan_.operations[number];
  const Stream& stream = streams_[operation.stream];
  const auto check_it = [&](cudaError_t code) -> Result<void> {
    if (code == cudaSuccess) return {};
    return check(code, "enqueue " + describe(number), stream.device());
  };
  if (current_ != stream.device()) RS_TRY(select(current_ = stream.device()));
  for (const auto wait : plan_.waits_of(number))
    if (events.ended[wait])
      RS_TRY(check_it(cudaStreamWaitEvent(stream.get(), events.ended[wait].get(), 0)));
  if (events.began[number])
    RS_TRY(check_it(cudaEventRecord(events.began[number].get(), stream.get())));
  for (const Piece& piece : plan_.pieces_of(number))
    RS_TRY(check_it(enqueue_piece(operation, piece)));
  if (events.ended[number])
    RS_TRY(check_it(cudaEventRecord(events.ended[number].get(), stream.get())));
  return {};
}

cudaError_t StreamRun::enqueue_piece(const Operation& operation, const Piece& piece) {
  const cudaStream_t stream = streams_[operation.stream].get();
  auto* const dst = memory_.at(piece.dst);
  const auto* const src = memory_.at(piece.src);
  const auto& device = setup_.devices.device(Rank{plan_.streams[operation.stream].participant});
  const GridLimit limit{2 * device.multiprocessors};
  ElementTask task{dst, src, src, piece.bytes / size_of(work_.type).count};
  switch (operation.kind) {
    case OperationKind::copy:
      return launch_copy({dst, src, piece.bytes}, limit, stream);
    case OperationKind::peer_copy:
      return cudaMemcpyPeerAsync(dst, setup_.devices.ordinal(Rank{piece.dst.owner}), src,
                                 setup_.devices.ordinal(Rank{piece.src.owner}), piece.bytes,
                                 stream);
    case OperationKind::to_staging:
      return cudaMemcpyAsync(dst, src, piece.bytes, cudaMemcpyDeviceToHost, stream);
    case OperationKind::from_staging:
      return cudaMemcpyAsync(dst, src, piece.bytes, cudaMemcpyHostToDevice, stream);
    case OperationKind::reduce:
      task.with = memory_.at(piece.with);
      task.op = element_op(work_.op);
      break;
    case OperationKind::scale:
      task.scalar = convert_scalar(work_.mulsum_scalar, work_.type);
      task.op = ElementOp::scale;
      break;
    case OperationKind::divide:
      task.scalar = schedule_.spec().ranks;
      task.op = ElementOp::divide;
      break;
  }
  return launch_elements(work_.type, task, limit, stream);
}

}  // namespace ringside::cuda
