// Streams and events.

#include <algorithm>

#include "tests/fake_cuda/world.hpp"

namespace fake {

bool is_stream(World& world, cudaStream_t stream) {
  if (world.streams.contains(stream)) return true;
  world.violation(stream == nullptr ? "uses the default stream, which the fake has not"
                                    : "uses a stream that does not live");
  return false;
}

cudaError_t submit(World& world, cudaStream_t stream, Task task) {
  task.lane = stream->queue.id;
  if (!stream->capture) {
    world.scheduler.enqueue(stream->queue, {std::move(task)});
    return cudaSuccess;
  }
  if (stream->capture->is_spoilt) return cudaErrorStreamCaptureInvalidated;
  auto& nodes = stream->capture->nodes;
  nodes.push_back({std::move(task), stream->heads});
  stream->heads = {nodes.size() - 1};
  return cudaSuccess;
}

}  // namespace fake

namespace {

using fake::call;
using fake::Manner;
using fake::World;
using Lock = std::unique_lock<std::mutex>;

/// A query lets the machine get on by so much, at most.
constexpr std::uint64_t tasks_a_query = 200;

cudaError_t make_stream(World& world, cudaStream_t* stream, unsigned flags) {
  const int device = fake::current_device();
  if (device >= world.config.devices) return cudaErrorNoDevice;
  *stream = new CUstream_st;
  (*stream)->queue.id = ++world.ids;
  (*stream)->device = device;
  (*stream)->is_blocking = (flags & cudaStreamNonBlocking) == 0;
  world.streams.insert(*stream);
  world.scheduler.add((*stream)->queue);
  return cudaSuccess;
}

/// No one may wait for a stream that is being captured: that spoils the capture.
cudaError_t refuse_capture(const CUstream_st& stream) {
  if (!stream.capture) return cudaSuccess;
  stream.capture->is_spoilt = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t advance(World& world, Lock& lock, const std::function<bool()>& is_done, bool waits) {
  world.scheduler.run(lock, is_done, waits ? UINT64_MAX : tasks_a_query);
  const cudaError_t code = world.scheduler.take_error();
  if (code != cudaSuccess) return code;
  if (world.sticky != cudaSuccess) return world.sticky;
  return is_done() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t advance_stream(World& world, Lock& lock, cudaStream_t stream, bool waits) {
  if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
  if (const auto code = refuse_capture(*stream); code != cudaSuccess) return code;
  const auto& queue = stream->queue;
  const auto code = advance(
      world, lock, [&] { return queue.pending.empty(); }, waits);
  if (code == cudaSuccess) world.scheduler.host_reaches(queue.clock);
  return code;
}

cudaError_t advance_event(World& world, Lock& lock, cudaEvent_t event, bool waits) {
  if (!world.events.contains(event)) return cudaErrorInvalidResourceHandle;
  if (event->capture) return cudaErrorCapturedEvent;
  if (!event->latest) return cudaSuccess;
  const auto moment = event->latest;
  const auto code = advance(
      world, lock, [&] { return moment->passed; }, waits);
  if (code == cudaSuccess) world.scheduler.host_reaches(moment->at);
  return code;
}

cudaError_t record(World& world, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (!world.events.contains(event)) return cudaErrorInvalidResourceHandle;
  if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
  if (event->device != stream->device)
    return world.violation("records an event of device " + std::to_string(event->device) +
                           " on a stream of device " + std::to_string(stream->device));
  fake::Task task;
  if (stream->capture && (flags & cudaEventRecordExternal) == 0) {
    event->capture = stream->capture;
    event->heads = stream->heads;
    event->latest = nullptr;
    return cudaSuccess;
  }
  if (stream->capture) {  // records when the graph runs
    task.at_end = [&world, event](fake::Clock at) {
      if (world.events.contains(event))
        event->latest = std::make_shared<fake::Moment>(fake::Moment{true, at});
    };
    return submit(world, stream, std::move(task));
  }
  event->capture = nullptr;
  event->latest = std::make_shared<fake::Moment>();
  task.reaches = event->latest;
  return submit(world, stream, std::move(task));
}

/// The stream joins the event's capture, or follows one more of its nodes.
cudaError_t wait_captured(cudaStream_t stream, cudaEvent_t event) {
  if (stream->capture && stream->capture != event->capture) return cudaErrorStreamCaptureMerge;
  stream->capture = event->capture;
  stream->capture->streams.insert(stream);
  for (const std::size_t node : event->heads)
    if (std::find(stream->heads.begin(), stream->heads.end(), node) == stream->heads.end())
      stream->heads.push_back(node);
  return cudaSuccess;
}

cudaError_t wait(World& world, cudaStream_t stream, cudaEvent_t event) {
  if (!world.events.contains(event)) return cudaErrorInvalidResourceHandle;
  if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
  const bool forgets = ++world.waits == world.config.drop;
  if (event->capture) {
    const auto heads = stream->heads;
    const bool joined = stream->capture != nullptr;
    const auto code = wait_captured(stream, event);
    if (forgets && joined) stream->heads = heads;
    return code;
  }
  if (stream->capture) {
    stream->capture->is_spoilt = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (!event->latest || forgets) return cudaSuccess;  // never recorded: nothing to wait for
  fake::Task task;
  task.after = event->latest;
  return submit(world, stream, std::move(task));
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call("cudaStreamCreate", Manner::usual,
              [&](World& world, Lock&) { return make_stream(world, stream, 0); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call("cudaStreamCreateWithFlags", Manner::usual,
              [&](World& world, Lock&) { return make_stream(world, stream, flags); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return call("cudaStreamCreateWithPriority", Manner::usual,
              [&](World& world, Lock&) { return make_stream(world, stream, flags); });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return call("cudaDeviceGetStreamPriorityRange", Manner::usual,
              [](World&, Lock&) { return cudaSuccess; });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", Manner::release, [&](World& world, Lock& lock) {
    if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
    world.scheduler.run(lock, [&] { return stream->queue.pending.empty(); });
    if (stream->capture) {
      stream->capture->is_spoilt = true;
      stream->capture->streams.erase(stream);
      if (stream->capture->origin == stream) --world.captures;
    }
    world.scheduler.remove(stream->queue);
    world.streams.erase(stream);
    delete stream;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", Manner::usual,
              [&](World& world, Lock& lock) { return advance_stream(world, lock, stream, true); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call("cudaStreamQuery", Manner::usual,
              [&](World& world, Lock& lock) { return advance_stream(world, lock, stream, false); });
}
cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", Manner::usual, [&](World& world, Lock& lock) {
    const int device = fake::current_device();
    for (const auto stream : world.streams) {
      if (stream->device != device) continue;
      if (const auto code = advance_stream(world, lock, stream, true); code != cudaSuccess)
        return code;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", Manner::usual, [&](World& world, Lock&) {
    *event = new CUevent_st;
    (*event)->device = fake::current_device();
    (*event)->is_timed = (flags & cudaEventDisableTiming) == 0;
    world.events.insert(*event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", Manner::release, [&](World& world, Lock&) {
    if (world.events.erase(event) == 0)
      return world.violation("destroys an event that does not live");
    delete event;
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return call("cudaEventRecordWithFlags", Manner::usual,
              [&](World& world, Lock&) { return record(world, event, stream, flags); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", Manner::usual,
              [&](World& world, Lock&) { return record(world, event, stream, 0); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call("cudaStreamWaitEvent", Manner::usual,
              [&](World& world, Lock&) { return wait(world, stream, event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", Manner::usual,
              [&](World& world, Lock& lock) { return advance_event(world, lock, event, true); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", Manner::usual,
              [&](World& world, Lock& lock) { return advance_event(world, lock, event, false); });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", Manner::usual, [&](World& world, Lock&) {
    for (const auto event : {begin, end}) {
      if (!world.events.contains(event) || !event->is_timed || !event->latest)
        return cudaErrorInvalidResourceHandle;
      if (!event->latest->passed) return cudaErrorNotReady;
    }
    if (begin->device != end->device)
      return world.violation("measures between events of two devices");
    *milliseconds =
        static_cast<float>(static_cast<double>(end->latest->at - begin->latest->at) * 1e-9);
    return cudaSuccess;
  });
}

}  // extern "C"
