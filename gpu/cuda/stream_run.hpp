#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/device_clocks.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/kernels.hpp"
#include "gpu/cuda/stream_memory.hpp"
#include "gpu/cuda/streams.hpp"

namespace ringside::cuda {

/// A plan with everything it needs on the devices, to be enqueued any number of times.
class StreamRun {
 public:
  static Result<std::unique_ptr<StreamRun>> make(const Work& work, const Memory& memory,
                                                 const RunOptions& options,
                                                 const StreamsSetup& setup);

  /// Two iterations may be under way, each with events of its own.
  static constexpr std::size_t most_under_way = 2;

  /// What people must know of the way that data take.
  std::vector<std::string> notes() const;
  Result<void> upload() const { return memory_.upload(home_, options_.timeout); }
  Result<void> download() const { return memory_.download(home_, options_.timeout); }
  /// Enqueues the whole schedule after all that was enqueued before it.
  Result<void> enqueue(std::size_t iteration);
  /// Waits until it has ended, returns how long it took. Error: not within the time limit; names
  /// device, ranks and transfer.
  Result<Duration> finish(std::size_t iteration);
  /// Whether something is under way that does not end soon: nobody knows whether it ever will.
  bool hangs() const;

  /// Sets the devices' clocks beside that of the first one, while nothing is under way.
  Result<void> align_clocks() { return clocks_.align(home_, options_.timeout); }
  /// How far apart two devices' clocks may be all the same.
  Duration clock_error() const { return clocks_.error(); }
  /// What the last iteration did; traced runs only.
  Result<std::vector<Span>> spans(std::size_t iteration) const;

 private:
  struct Events {
    Event begin, end, fork;
    std::vector<Event> ended;    ///< by operation; empty where nobody waits for it
    std::vector<Event> began;    ///< by operation, if traced
    std::vector<Event> drained;  ///< by stream
  };
  StreamRun(const Work& work, const RunOptions& options, const StreamsSetup& setup)
      : work_(work), schedule_(*work.schedule), options_(options), setup_(setup) {}
  Result<void> allocate(const Memory& memory);
  Result<Events> make_events() const;
  Result<void> capture();

  int ordinal(std::uint32_t stream) const {
    return setup_.devices.ordinal(Rank{plan_.streams[stream].participant});
  }
  Result<void> enqueue_all(const Events& events);
  Result<void> enqueue_operation(std::uint32_t number, const Events& events);
  cudaError_t enqueue_piece(const Operation& operation, const Piece& piece);
  std::string describe(std::uint32_t number) const;
  std::string stuck(const Events& events) const;

  Work work_;
  const Schedule& schedule_;
  RunOptions options_;
  StreamsSetup setup_;
  StreamPlan plan_;
  StreamMemory memory_;
  std::vector<Stream> home_;     // by device; the first one leads all others
  std::vector<Stream> streams_;  // by stream of the plan
  std::vector<Events> events_;   // by iteration under way
  DeviceClocks clocks_;          // if traced
  GraphExec graph_;
  int current_ = -1;  // device of this thread, as far as enqueuing knows
};

}  // namespace ringside::cuda
