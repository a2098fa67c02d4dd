#include "gpu/cuda/interpreter/one_kernel.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gpu/cuda/interpreter/clocks.hpp"
#include "gpu/cuda/interpreter/device_side.hpp"
#include "gpu/cuda/interpreter/distress.hpp"
#include "gpu/cuda/interpreter/launch.hpp"
#include "gpu/cuda/interpreter/residency.hpp"
#include "gpu/cuda/interpreter/stamps.hpp"
#include "gpu/cuda/status.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {
namespace {

using interpreter::DeviceSide;
using interpreter::Flag;
using interpreter::Sides;
using interpreter::Tables;

/// What divides an average (element.hpp).
constexpr std::uint32_t most_ranks = (1u << 12) - 1;
/// Thread blocks that were told to stop do so within microseconds.
constexpr Duration last_chance = microseconds(5'000'000);
/// Messages on their way: the next ones leave while credits come back over a link.
constexpr std::uint32_t fifo_depth = 4;
/// Launches that the host is ahead of the devices, so that they need not wait for it.
constexpr std::size_t most_under_way = 4;

/// Both ends write into the memory of the other: both must reach it.
std::vector<bool> staged_connections(const interpreter::DeviceProgram& program,
                                     const Placement& placement) {
  std::vector<bool> staged;
  for (const auto& c : program.connections) {
    const auto from = placement.device_of[c.from.value], to = placement.device_of[c.to.value];
    staged.push_back(!placement.peers.reaches(from, to) || !placement.peers.reaches(to, from));
  }
  return staged;
}

class OneKernel {
 public:
  OneKernel(const Work& work, const Memory& memory, const RunOptions& options, Tables tables)
      : work_(work), memory_(memory), options_(options), tables_(std::move(tables)) {}

  Result<void> allocate(const DeviceMap& map, std::uint32_t threads) {
    threads_ = threads;
    RS_ASSIGN(sides_, make_sides(work_, memory_, tables_, map));
    for (DeviceSide& side : sides_.devices) {
      side.job.timeout_ns = static_cast<std::uint64_t>(options_.timeout.picoseconds / 1000);
      for (std::size_t i = 0; i < 2 * most_under_way; ++i) {
        RS_ASSIGN(auto event, make_event(side.ordinal, EventUse::timing));
        events_.push_back(std::move(event));
      }
    }
    if (!options_.trace) return {};
    RS_ASSIGN(clock_, make_pinned_memory(map.devices.front().ordinal, Bytes{sizeof(Flag)}));
    return add_stamps(sides_);
  }

  void note(std::vector<std::string> notes) { notes_ = std::move(notes); }

  Result<Measurement> go(std::size_t iterations) {
    Measurement measurement;
    measurement.executor = "cuda/kernel";
    measurement.notes = notes_;
    RS_TRY(upload(memory_, sides_, tables_.program().scales));
    std::vector<interpreter::ClockReading> clocks;
    if (options_.trace) {
      RS_ASSIGN(clocks, read_clocks(sides_, reinterpret_cast<std::uint64_t*>(clock_.data())));
    }
    const auto finish_one = [&](std::size_t iteration) -> Result<void> {
      RS_ASSIGN(const auto time, finish(iteration));
      measurement.iterations.push_back(time);
      return {};
    };
    for (std::size_t i = 0; i < iterations; ++i) {
      if (i >= most_under_way) RS_TRY(finish_one(i - most_under_way));
      RS_TRY(launch_all(i));
    }
    for (auto i = iterations - std::min(iterations, most_under_way); i < iterations; ++i)
      RS_TRY(finish_one(i));
    if (options_.trace && iterations > 0) {
      RS_ASSIGN(measurement.trace, spans(clocks));
      measurement.clock_error = worst_error(clocks);
    }
    RS_TRY(download(memory_, sides_));
    return measurement;
  }

  /// Tells all blocks to end: those of one device wait for others that were never launched.
  void stop() const {
    if (sides_.abort_word() != nullptr)
      *static_cast<volatile std::uint32_t*>(sides_.abort_word()) = 1;
  }
  /// Something did not end, and nobody knows whether it ever will.
  bool hangs() const { return hangs_; }

 private:
  /// Event number `which` (0 begin, 1 end) of an iteration on a device.
  cudaEvent_t event(std::size_t device, std::size_t iteration, std::size_t which) const {
    const auto slot = iteration % most_under_way;
    return events_[(device * most_under_way + slot) * 2 + which].get();
  }

  /// On every device before anybody waits: the kernels wait for each other.
  Result<void> launch_all(std::size_t iteration) {
    for (std::size_t d = 0; d < sides_.devices.size(); ++d) {
      const DeviceSide& side = sides_.devices[d];
      RS_TRY(select(side.ordinal));
      const auto record = [&](std::size_t which) {
        return check(cudaEventRecord(event(d, iteration, which), side.stream.get()),
                     "record an event", side.ordinal);
      };
      RS_TRY(record(0));
      if (side.job.task_count > 0)
        RS_TRY(check(interpreter::launch(work_.type, side.job, threads_, side.stream.get()),
                     "launch the interpreter", side.ordinal));
      RS_TRY(record(1));
    }
    return {};
  }

  /// The blocks keep the time limit themselves, and say who waited for what; one that says nothing
  /// is told to stop.
  Result<Duration> finish(std::size_t iteration) {
    Duration longest{};
    for (std::size_t d = 0; d < sides_.devices.size(); ++d) {
      const auto ordinal = sides_.devices[d].ordinal;
      const auto end = event(d, iteration, 1);
      const auto query = [&] { return cudaEventQuery(end); };
      auto code = poll(query, 2 * options_.timeout + last_chance);
      if (code == cudaErrorNotReady) {
        stop();
        code = poll(query, last_chance);
      }
      hangs_ = code == cudaErrorNotReady;
      if (hangs_)
        return gone_wrong("the interpreter on CUDA device " + std::to_string(ordinal) +
                          " did not end within " + to_string(2 * options_.timeout) +
                          ", nor when it was told to");
      RS_TRY(check(code, "run the interpreter", ordinal));
      float milliseconds = 0;
      RS_TRY(check(cudaEventElapsedTime(&milliseconds, event(d, iteration, 0), end),
                   "say how long it took", ordinal));
      longest = std::max(longest, nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6f)));
    }
    if (*sides_.abort_word() == 0) return longest;
    return gone_wrong(distress());
  }

  Result<std::vector<Span>> spans(const std::vector<interpreter::ClockReading>& clocks) const {
    RS_ASSIGN(const auto stamps, download_stamps(sides_));
    std::vector<interpreter::Stamped> stamped;
    for (std::size_t d = 0; d < stamps.size(); ++d)
      stamped.push_back({sides_.devices[d].tasks, stamps[d], clocks[d].ahead_ns});
    return spans_of(*work_.schedule, tables_.program(), stamped);
  }

  std::string distress() const {
    std::vector<interpreter::Distress> told;
    std::vector<interpreter::TaskName> tasks;
    for (const DeviceSide& side : sides_.devices) {
      told.insert(told.end(), side.told().begin(), side.told().end());
      tasks.insert(tasks.end(), side.tasks.begin(), side.tasks.end());
    }
    return describe(told, tasks, tables_, *work_.schedule) + ", for more than " +
           to_string(options_.timeout);
  }

  Work work_;
  Memory memory_;  // spans: the caller's buffers
  RunOptions options_;
  Tables tables_;
  std::uint32_t threads_ = 0;
  Sides sides_;
  PinnedMemory clock_;
  std::vector<Event> events_;  // by device, iteration under way, begin or end
  std::vector<std::string> notes_;
  bool hangs_ = false;
};

class KernelPrepared final : public Prepared {
 public:
  explicit KernelPrepared(std::unique_ptr<OneKernel> kernel) : kernel_(std::move(kernel)) {}

  Result<Measurement> run(int iterations) override {
    if (failure_) return tl::unexpected<Error>(*failure_);
    auto measurement = kernel_->go(static_cast<std::size_t>(iterations));
    if (!measurement) give_up(measurement.error());
    return measurement;
  }

 private:
  void give_up(const Error& error) {
    failure_ = error;
    kernel_->stop();
    if (kernel_->hangs()) leave_behind(std::move(kernel_));
    kernel_.reset();
  }

  std::unique_ptr<OneKernel> kernel_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare_kernel(const Work& work, Memory& memory,
                                                 const RunOptions& options,
                                                 const KernelSetup& setup) {
  if (setup.devices.ranks() > most_ranks)
    return bad_request("the cuda backend runs at most " + std::to_string(most_ranks) +
                       " ranks, not " + std::to_string(setup.devices.ranks()));
  const auto share_a_device = [&](Rank a, Rank b) {
    return setup.devices.of_rank[a.value] == setup.devices.of_rank[b.value];
  };
  auto program =
      interpreter::compile(work, {.least_depth = fifo_depth, .neighbours = share_a_device});
  if (setup.tamper) setup.tamper(program);
  RS_ASSIGN(const auto residency, choose_residency(work, program, setup));
  auto staged = staged_connections(program, placement_of(setup.devices, setup.peers));
  const bool is_staged = std::find(staged.begin(), staged.end(), true) != staged.end();
  Tables tables(work, std::move(program), {.ctas = residency.ctas}, std::move(staged));
  auto kernel = std::make_unique<OneKernel>(work, memory, options, std::move(tables));
  std::vector<std::string> notes{residency.note};
  if (is_staged) notes.insert(notes.end(), setup.peers.notes.begin(), setup.peers.notes.end());
  kernel->note(std::move(notes));
  RS_TRY(kernel->allocate(setup.devices, residency.threads));
  return std::make_unique<KernelPrepared>(std::move(kernel));
}

}  // namespace ringside::cuda
