// Stream capture and graphs.

#include <algorithm>

#include "tests/fake_cuda/world.hpp"

namespace {

using fake::call;
using fake::Capture;
using fake::Manner;
using fake::World;
using Lock = std::unique_lock<std::mutex>;

/// Whether all captured nodes lie before these.
bool reaches_all(const Capture& capture, const std::vector<std::size_t>& heads) {
  std::vector<bool> before(capture.nodes.size());
  for (const std::size_t head : heads) before[head] = true;
  for (std::size_t node = capture.nodes.size(); node-- > 0;)  // nodes follow those before them
    if (before[node])
      for (const std::size_t earlier : capture.nodes[node].after) before[earlier] = true;
  return std::find(before.begin(), before.end(), false) == before.end();
}

void leave(Capture& capture) {
  for (const auto stream : capture.streams) {
    stream->capture = nullptr;
    stream->heads.clear();
  }
}

cudaError_t end_capture(World& world, cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  const auto capture = stream->capture;
  if (!capture) return cudaErrorInvalidValue;
  if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
  const auto heads = stream->heads;
  leave(*capture);
  --world.captures;
  if (capture->is_spoilt) return cudaErrorStreamCaptureInvalidated;
  if (!reaches_all(*capture, heads)) return cudaErrorStreamCaptureUnjoined;
  *graph = new CUgraph_st{std::move(capture->nodes)};
  world.graphs.insert(*graph);
  return cudaSuccess;
}

cudaError_t instantiate(World& world, cudaGraphExec_t* exec, cudaGraph_t graph) {
  *exec = nullptr;
  if (!world.graphs.contains(graph)) return cudaErrorInvalidValue;
  *exec = new CUgraphExec_st{std::make_shared<const fake::Nodes>(graph->nodes)};
  world.graph_execs.insert(*exec);
  return cudaSuccess;
}

cudaError_t launch(World& world, cudaGraphExec_t exec, cudaStream_t stream) {
  if (!world.graph_execs.contains(exec)) return cudaErrorInvalidValue;
  if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
  if (stream->capture) return world.violation("captures a graph, which the fake cannot");
  if (exec->nodes->empty()) return cudaSuccess;
  world.scheduler.enqueue(stream->queue, {{}, std::make_shared<fake::GraphRun>(exec->nodes)});
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return call("cudaStreamBeginCapture", Manner::usual, [&](World& world, Lock&) {
    if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
    if (stream->capture) return cudaErrorInvalidValue;
    stream->capture = std::make_shared<Capture>();
    stream->capture->origin = stream;
    stream->capture->streams.insert(stream);
    ++world.captures;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", Manner::usual, [&](World& world, Lock&) {
    if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
    return end_capture(world, stream, graph);
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", Manner::usual, [&](World& world, Lock&) {
    if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
    *status = !stream->capture             ? cudaStreamCaptureStatusNone
              : stream->capture->is_spoilt ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call("cudaGraphGetNodes", Manner::usual, [&](World& world, Lock&) {
    if (!world.graphs.contains(graph)) return cudaErrorInvalidValue;
    if (nodes != nullptr) return world.violation("asks for nodes, which the fake only counts");
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", Manner::usual,
              [&](World& world, Lock&) { return instantiate(world, exec, graph); });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long) {
  return call("cudaGraphInstantiateWithFlags", Manner::usual,
              [&](World& world, Lock&) { return instantiate(world, exec, graph); });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return call("cudaGraphUpload", Manner::usual, [&](World& world, Lock&) {
    return world.graph_execs.contains(exec) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphLaunch", Manner::usual,
              [&](World& world, Lock&) { return launch(world, exec, stream); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", Manner::release, [&](World& world, Lock&) {
    if (world.graph_execs.erase(exec) == 0)
      return world.violation("destroys an executable graph that does not live");
    delete exec;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", Manner::release, [&](World& world, Lock&) {
    if (world.graphs.erase(graph) == 0)
      return world.violation("destroys a graph that does not live");
    delete graph;
    return cudaSuccess;
  });
}

}  // extern "C"
