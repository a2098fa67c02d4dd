#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/element.hpp"
#include "core/schedule.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"

namespace ringside {

/// A schedule bound to sizes: everything a backend needs to move real bytes.
struct Work {
  const Schedule* schedule = nullptr;  ///< outlives what prepare() returns
  std::uint64_t count = 0;  ///< as NCCL: a block where is_blocked(kind), else the whole vector
  ElementType type = ElementType::float32;
  ReduceOp op = ReduceOp::sum;
  /// mulsum only: every input is scaled by it, converted to `type` first.
  double mulsum_scalar = 1;
};

/// Every rank's buffers. Input and output of rank r hold what the collective's pre- and
/// postcondition name, laid out as the *whole* vector (chunk c at ChunkLayout::offset(c)) in host
/// memory; in place they are the same span. Ranks without input or output (broadcast's non-roots,
/// ...) may have empty spans, and so may those that the backend does not own.
struct Memory {
  struct RankBuffers {
    std::span<const std::byte> input;
    std::span<std::byte> output;
  };
  std::vector<RankBuffers> ranks;
};

struct RunOptions {
  bool trace = false;
  /// Which of its ways the backend shall use (`direct`, `sliced`, `ranks`, ...); empty: its choice.
  std::string executor{};
  /// No wait of one run lasts longer: then the run is an error that names rank and transfer.
  Duration timeout = microseconds(60'000'000);
};

struct Measurement {
  /// One a run, of this process's ranks; empty where the executor keeps no time.
  std::vector<Duration> iterations;
  std::string executor{};   ///< the way it took: `host/direct`; empty where there is one
  std::vector<Span> trace;  ///< of the last run, if asked for: by TransferId; unscheduled: by rank
  Duration clock_error{};   ///< of the trace: how far apart the clocks of its ranks may be
  /// Sentences that whoever reads the figures must know: pairs whose data took a detour, ...
  std::vector<std::string> notes{};
};

/// All allocation happens in prepare(); run() only moves data. Out of place a second run gives the
/// same result; in place it starts from what the one before left, as in nccl-tests.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual Result<Measurement> run(int iterations) = 0;
};

struct Capabilities {
  bool agents = false;      ///< runs in-switch schedules
  bool real_bytes = false;  ///< moves data, so its outputs can be checked
  /// What RunOptions::executor may say; empty: there is one way.
  std::span<const std::string_view> executors{};
  /// Those of them that follow no schedule: a library's own collective, or one shared memory.
  std::span<const std::string_view> unscheduled{};
  std::uint32_t ranks = 0;        ///< the one number of ranks it runs; 0: any
  std::uint32_t usual_ranks = 0;  ///< where nobody says; 0: any is as good
};

/// Where ranks are.
struct Setting {
  std::vector<std::string> devices{};  ///< a line each rank of this process, as nccl-tests says it
  std::vector<std::string> notes{};    ///< as Measurement's
  /// By rank: its GPU, as its library numbers them; ranks with the same one are virtual.
  std::vector<std::uint32_t> gpus{};
};

/// The one seam to all executors: sim, reference, host, cuda, nccl, mpi.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual Capabilities capabilities() const = 0;
  /// What there is to say of so many ranks; nothing where they are threads or processes.
  virtual Setting setting(std::uint32_t) const { return {}; }
  virtual Result<std::unique_ptr<Prepared>> prepare(const Work&, Memory&, const RunOptions&) = 0;

  /// Where the buffers of this process's ranks should lie for runs with these options: some ways to
  /// run reach them nowhere else. It outlives them. May throw std::bad_alloc.
  virtual std::pmr::memory_resource& memory(const RunOptions&) {
    return *std::pmr::new_delete_resource();
  }

  // Where ranks are processes, each process makes the same calls in the same order.

  /// Whether this process has that rank's buffers. Every rank has one owner.
  virtual bool owns(Rank) const { return true; }
  /// Tells every process what this one found, and returns what each of them did: the same
  /// everywhere. An error where one of them does not answer.
  virtual Result<std::vector<std::string>> share(std::string found) {
    return std::vector<std::string>{std::move(found)};
  }
};

/// The ranks of `ranks` that this process owns, in order.
std::vector<Rank> owned_ranks(const Backend& backend, std::uint32_t ranks);

/// The slow and obvious one every other is compared with: transfers in told order, step rule to the
/// letter, one element at a time.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace ringside
