#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/device_clocks.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/stream_memory.hpp"
#include "gpu/nccl/common_time.hpp"
#include "gpu/nccl/communicators.hpp"

namespace ringside::nccl {

/// What a run needs of its surroundings.
struct Setup {
  std::shared_ptr<Communicators> communicators;
  cuda::DeviceMap devices;  ///< by rank; of ranks of other processes it means nothing
  Share share{};            ///< null: there is one process
};

/// A stream for each rank of this process, and the ranks' memory on their devices.
class RankStreams {
 public:
  /// Two iterations may be under way, each with events of its own.
  static constexpr std::size_t most_under_way = 2;

  struct Needs {
    std::vector<cuda::StreamPlan::Bytes> bytes;  ///< by rank: beside the caller's buffers
    std::vector<std::size_t> marks;  ///< by member: moments its stream can be asked about
    bool is_traced = false;          ///< asked when they were, too
  };
  static Result<RankStreams> make(const Work& work, const Memory& memory, const Setup& setup,
                                  Needs needs);

  std::byte* at(const cuda::Place& place) const { return memory_.at(place); }
  cudaStream_t operator[](std::size_t member) const { return streams_[member].get(); }
  const cuda::Device& device(std::size_t member) const;

  Result<void> upload(Duration timeout) const { return memory_.upload(home_, timeout); }
  Result<void> download(Duration timeout) const { return memory_.download(home_, timeout); }
  /// All streams begin together, and the first one ends when all have.
  Result<void> begin(std::size_t iteration);
  Result<void> end(std::size_t iteration);
  /// The member's stream has come to this moment.
  Result<void> mark(std::size_t iteration, std::size_t member, std::size_t number) const;
  /// Whether it has been there, and whether it has ended.
  bool has_passed(std::size_t iteration, std::size_t member, std::size_t number) const;
  bool has_ended(std::size_t iteration, std::size_t member) const;
  /// cudaErrorNotReady while the iteration is under way.
  cudaError_t query(std::size_t iteration) const;
  Result<Duration> time(std::size_t iteration) const;

  // If traced:

  /// While nothing is under way. Like moments(), all processes call it at the same time.
  Result<void> align_clocks(Duration timeout);
  /// When the marks of all ranks of all processes were, in an iteration that has ended, from its
  /// beginning on; by rank. Of which clock_error() holds then.
  Result<std::vector<std::vector<TimePoint>>> moments(std::size_t iteration);
  Duration clock_error() const { return clock_error_; }

 private:
  struct Events {
    cuda::Event begin, end;
    std::vector<cuda::Event> drained;             // by member
    std::vector<std::vector<cuda::Event>> marks;  // by member
  };
  Result<Events> make_events(std::span<const std::size_t> marks) const;
  const Events& events(std::size_t iteration) const { return events_[iteration % most_under_way]; }

  std::vector<Member> members_;
  cuda::DeviceMap devices_;
  cuda::StreamMemory memory_;
  std::vector<cuda::Stream> home_;     // by device of the map
  std::vector<cuda::Stream> streams_;  // by member
  std::vector<Events> events_;         // by iteration under way
  // Of the devices of this process, or of the one device of each process.
  cuda::DeviceClocks clocks_;
  CommonTime common_;
  Share share_;
  Duration clock_error_{};
  bool is_traced_ = false;
};

/// What an executor enqueues on the streams, again each iteration.
struct Task {
  std::string executor;
  std::function<Result<void>(std::size_t iteration)> enqueue;
  /// What has not ended, after the time was over: names a rank.
  std::function<std::string(std::size_t iteration)> stuck;
  /// As Measurement::trace, of an iteration that has ended; null if not traced.
  std::function<Result<std::vector<Span>>(std::size_t iteration)> spans{};
};

/// Runs a task's iterations, one ahead, within the time limit. What hangs is aborted, and its error
/// is that of all later runs.
std::unique_ptr<Prepared> make_prepared(std::shared_ptr<RankStreams> streams, Task task,
                                        const Setup& setup, Duration timeout);

}  // namespace ringside::nccl
