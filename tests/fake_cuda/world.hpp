#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/fake_cuda/config.hpp"
#include "tests/fake_cuda/memory.hpp"
#include "tests/fake_cuda/scheduler.hpp"

namespace fake {

/// What a capture has seen so far.
struct Capture {
  Nodes nodes;
  cudaStream_t origin = nullptr;
  std::set<cudaStream_t> streams;  ///< those that joined
  bool is_spoilt = false;
};

}  // namespace fake

struct CUstream_st {
  fake::Queue queue;
  int device = 0;
  bool is_blocking = false;  ///< waits for the legacy default stream
  std::shared_ptr<fake::Capture> capture{};
  std::vector<std::size_t> heads{};  ///< what the next captured node follows
};

struct CUevent_st {
  int device = 0;
  bool is_timed = true;
  std::shared_ptr<fake::Moment> latest{};  ///< null: never recorded
  std::shared_ptr<fake::Capture> capture{};
  std::vector<std::size_t> heads{};
};

struct CUgraph_st {
  fake::Nodes nodes;
};
struct CUgraphExec_st {
  std::shared_ptr<const fake::Nodes> nodes;
};

namespace fake {

/// All of one pretended machine.
struct World {
  World(const Config& config, std::mutex& mutex);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  Config config;
  Registry registry;
  Scheduler scheduler;
  std::map<std::string, std::uint64_t> calls;
  std::vector<std::string> violations;  ///< what no program may do
  std::set<cudaStream_t> streams;
  std::set<cudaEvent_t> events;
  std::set<cudaGraph_t> graphs;
  std::set<cudaGraphExec_t> graph_execs;
  std::vector<std::vector<bool>> enabled;        ///< [from][to]: peer access
  cudaError_t sticky = cudaSuccess;              ///< after a fault all calls give it
  std::map<std::string, std::int64_t> guests{};  ///< what libraries on top hold, by name
  std::uint64_t ids = 0, kernels = 0, waits = 0, captures = 0;
  bool has_failed = false;  ///< as asked for
  int host_node = -1;       ///< that the latest pinned memory was to come from

  /// Notes what no program may do, and gives the code that the call returns.
  cudaError_t violation(const std::string& what, cudaError_t code = cudaErrorInvalidValue);
  /// What was never given back, and all violations.
  std::vector<std::string> findings() const;
};

/// The calling thread's device.
int& current_device();

/// The pretended machine as the environment describes it, or as it was restarted.
World& world();
std::mutex& world_mutex();

/// The body of an API function: counts the call, fails it if that was asked for, keeps the last
/// error. `releases`: does its work even when it then fails, so that nothing leaks by our order.
enum class Manner { usual, query, release };
using Body = std::function<cudaError_t(World&, std::unique_lock<std::mutex>&)>;
cudaError_t call(const char* name, Manner manner, const Body& body);

/// Puts a task where the stream's next work goes: its queue or its capture.
cudaError_t submit(World& world, cudaStream_t stream, Task task);
/// The stream, if it is one that lives; a null stream is not supported.
bool is_stream(World& world, cudaStream_t stream);

}  // namespace fake
