#include "gpu/mpi/native.hpp"

#include <climits>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "gpu/mpi/clocks.hpp"
#include "gpu/mpi/rank_memory.hpp"

namespace ringside::mpi {
namespace {

using Kind = CollectiveKind;

/// MPI_DATATYPE_NULL where MPI has none.
MPI_Datatype datatype(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return MPI_INT8_T;
    case ElementType::uint8:
      return MPI_UINT8_T;
    case ElementType::int32:
      return MPI_INT32_T;
    case ElementType::uint32:
      return MPI_UINT32_T;
    case ElementType::int64:
      return MPI_INT64_T;
    case ElementType::uint64:
      return MPI_UINT64_T;
    case ElementType::float32:
      return MPI_FLOAT;
    case ElementType::float64:
      return MPI_DOUBLE;
    default:
      return MPI_DATATYPE_NULL;
  }
}

/// What is only moved needs to have a size alone.
MPI_Datatype of_size(Bytes size) {
  return size.count == 1   ? MPI_UINT8_T
         : size.count == 2 ? MPI_UINT16_T
         : size.count == 4 ? MPI_UINT32_T
                           : MPI_UINT64_T;
}

MPI_Op operation(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod:
      return MPI_PROD;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
    default:
      return MPI_SUM;  // avg and mulsum scale before or divide after it
  }
}

/// MPI's blocking calls know no time limit: this ends the process for them, and mpirun the others.
class Watchdog {
 public:
  Watchdog(std::string call, Duration timeout)
      : thread_([this, call = std::move(call), timeout] { watch(call, timeout); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    done_.notify_one();
    thread_.join();
  }

 private:
  void watch(const std::string& call, Duration timeout) {
    std::unique_lock lock(mutex_);
    const auto limit = std::chrono::nanoseconds(timeout.picoseconds / 1000);
    if (done_.wait_for(lock, limit, [this] { return is_done_; })) return;
    std::fprintf(stderr, "ringside: after %s %s has not ended; a rank may be stopped or dead\n",
                 to_string(timeout).c_str(), call.c_str());
    std::fflush(stderr);
    std::_Exit(1);
  }

  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;
};

class Native final : public Prepared {
 public:
  Native(World& world, const Work& work, const Memory::RankBuffers& buffers, Duration timeout)
      : world_(world),
        spec_(work.schedule->spec()),
        timeout_(timeout),
        plan_(plan_for({world.rank()}, work)),
        memory_(plan_, work, buffers),
        count_(static_cast<int>(work.count)),
        block_(work.count * size_of(work.type).count),
        type_(reduces(spec_.kind) ? datatype(work.type) : of_size(size_of(work.type))),
        op_(operation(work.op)),
        root_(static_cast<int>(spec_.root.value)) {}

  Result<Measurement> run(int iterations) override {
    Measurement measured;
    measured.executor = "mpi/native";
    const Watchdog watchdog("MPI's " + std::string(name(spec_.kind)),
                            std::max(1, iterations) * timeout_);
    for (int i = 0; i < iterations; ++i) {
      RS_TRY(world_.meet(timeout_));
      const auto begin = clock_now();
      memory_.begin();
      call();
      memory_.end();
      measured.iterations.push_back(clock_now() - begin);
    }
    return measured;
  }

 private:
  std::byte* input(std::uint32_t block = 0) const {
    return memory_.at({spec_.in_place ? Buffer::output : Buffer::input, block * block_});
  }
  std::byte* output(std::uint32_t block = 0) const {
    return memory_.at({Buffer::output, block * block_});
  }
  bool is_root() const { return world_.rank() == spec_.root.value; }

  void call() {
    const auto comm = world_.data();
    const auto me = world_.rank();
    const void* const mine = spec_.in_place ? MPI_IN_PLACE : input();
    switch (spec_.kind) {
      case Kind::all_reduce:
        MPI_Allreduce(mine, output(), count_, type_, op_, comm);
        return;
      case Kind::reduce:
        MPI_Reduce(is_root() ? mine : input(), is_root() ? output() : nullptr, count_, type_, op_,
                   root_, comm);
        return;
      case Kind::broadcast:
        if (is_root() && !spec_.in_place && block_ > 0) std::memcpy(output(), input(), block_);
        MPI_Bcast(output(), count_, type_, root_, comm);
        return;
      case Kind::all_to_all:
        MPI_Alltoall(input(), count_, type_, output(), count_, type_, comm);
        return;
      case Kind::all_gather:
        MPI_Allgather(spec_.in_place ? mine : input(me), count_, type_, output(), count_, type_,
                      comm);
        return;
      case Kind::gather:
        MPI_Gather(is_root() && spec_.in_place ? mine : input(me), count_, type_, output(), count_,
                   type_, root_, comm);
        return;
      case Kind::scatter:
        scatter();
        return;
      case Kind::reduce_scatter:
        reduce_scatter();
        return;
      case Kind::send_recv:
        send_recv();
        return;
      case Kind::barrier:
        MPI_Barrier(comm);
        return;
    }
  }

  void scatter() {
    void* const to = is_root() && spec_.in_place ? MPI_IN_PLACE : output(world_.rank());
    MPI_Scatter(is_root() ? input() : nullptr, count_, type_, to, count_, type_, root_,
                world_.data());
  }

  /// In place MPI leaves the result at the beginning, NCCL in the rank's own block.
  void reduce_scatter() {
    if (!spec_.in_place) {
      MPI_Reduce_scatter_block(input(), output(world_.rank()), count_, type_, op_, world_.data());
      return;
    }
    MPI_Reduce_scatter_block(MPI_IN_PLACE, output(), count_, type_, op_, world_.data());
    if (block_ > 0) std::memmove(output(world_.rank()), output(), block_);
  }

  void send_recv() {
    const auto n = world_.size(), me = world_.rank();
    MPI_Sendrecv(input(), count_, type_, static_cast<int>((me + 1) % n), 0, output(), count_, type_,
                 static_cast<int>((me + n - 1) % n), 0, world_.data(), MPI_STATUS_IGNORE);
  }

  World& world_;
  CollectiveSpec spec_;
  Duration timeout_;
  LocalPlan plan_;
  RankMemory memory_;
  int count_;
  std::uint64_t block_;  // bytes of a block, or of the vector
  MPI_Datatype type_;
  MPI_Op op_;
  int root_;
};

}  // namespace

Result<void> check_native(const Work& work) {
  const Kind kind = work.schedule->spec().kind;
  if (reduces(kind) && datatype(work.type) == MPI_DATATYPE_NULL)
    return machine_lacks("MPI has no type " + std::string(name(work.type)) + " to reduce");
  if (work.count > INT_MAX)
    return machine_lacks("MPI's " + std::string(name(kind)) + " counts at most " +
                         std::to_string(INT_MAX) + " elements");
  return {};
}

std::unique_ptr<Prepared> make_native(World& world, const Work& work,
                                      const Memory::RankBuffers& buffers,
                                      const RunOptions& options) {
  return std::make_unique<Native>(world, work, buffers, options.timeout);
}

}  // namespace ringside::mpi
