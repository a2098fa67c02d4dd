#include "gpu/mpi/window.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/host/arithmetic.hpp"
#include "gpu/mpi/clocks.hpp"
#include "gpu/mpi/shared_window.hpp"

namespace ringside::mpi {
namespace {

using Kind = CollectiveKind;

/// Elements [first, first + count) of every block.
struct Slice {
  std::uint64_t first = 0, count = 0;
};

class Window final : public Prepared {
 public:
  Window(World& world, SharedWindow& window, const Work& work, const Memory::RankBuffers& buffers,
         Duration timeout)
      : window_(window),
        timeout_(timeout),
        work_(work),
        spec_(work.schedule->spec()),
        buffers_(buffers),
        rank_(world.rank()),
        element_(size_of(work.type).count),
        arithmetic_(host::arithmetic({work.type, work.op})),
        scalar_(work.op == ReduceOp::mulsum ? convert_scalar(work.mulsum_scalar, work.type) : 0) {
    // Both a slice's pieces and the share that is added of it lie in one half.
    pieces_ = lays_all_blocks() ? spec_.ranks : 1;
    most_ = std::max<std::uint64_t>(1, SharedWindow::half_bytes / element_ / (pieces_ + 1));
  }

  Result<Measurement> run(int iterations) override {
    Measurement measured;
    measured.executor = "mpi/window";
    for (int i = 0; i < iterations; ++i) {
      RS_TRY(window_.meet(timeout_));
      const auto begin = clock_now();
      RS_TRY(once());
      measured.iterations.push_back(clock_now() - begin);
    }
    return measured;
  }

 private:
  bool lays_all_blocks() const {
    return spec_.kind == Kind::reduce_scatter || spec_.kind == Kind::all_to_all ||
           spec_.kind == Kind::scatter;
  }
  bool has_input() const {
    return !(spec_.kind == Kind::broadcast || spec_.kind == Kind::scatter) ||
           rank_ == spec_.root.value;
  }
  bool scales() const { return work_.op == ReduceOp::mulsum && reduces(spec_.kind); }

  Result<void> once() {
    // Where others take more than one slice, the last one must be taken before it is laid over.
    for (Slice slice{0, std::min(most_, work_.count)};;) {
      ++half_;
      if (has_input()) lay(slice);
      RS_TRY(window_.meet(timeout_));
      if (spec_.kind == Kind::all_reduce || spec_.kind == Kind::reduce) {
        add_share(slice);
        RS_TRY(window_.meet(timeout_));
      }
      take(slice);
      slice.first += slice.count;
      slice.count = std::min(most_, work_.count - slice.first);
      if (slice.count == 0) return {};
    }
  }

  std::byte* piece(std::uint32_t rank, std::uint32_t number) const {
    return window_.room(rank, half_) + number * most_ * element_;
  }
  std::byte* output(std::uint32_t block, const Slice& slice) const {
    return buffers_.output.data() + (block * work_.count + slice.first) * element_;
  }

  void lay(const Slice& slice) {
    const bool lays_own = spec_.kind == Kind::all_gather || spec_.kind == Kind::gather;
    for (std::uint32_t p = 0; p < pieces_; ++p) {
      const auto block = lays_own ? rank_ : p;
      const auto* from = buffers_.input.data() + (block * work_.count + slice.first) * element_;
      if (scales())
        arithmetic_.scale(piece(rank_, p), from, slice.count, scalar_);
      else if (slice.count > 0)
        std::memcpy(piece(rank_, p), from, slice.count * element_);
    }
  }

  /// target = what all ranks laid as piece `p`, `count` elements from `first` on, added in order of
  /// rank.
  void add(std::byte* target, std::uint32_t p, const Slice& part) const {
    const auto at = [&](std::uint32_t rank) { return piece(rank, p) + part.first * element_; };
    if (part.count == 0) return;
    if (spec_.ranks == 1) std::memcpy(target, at(0), part.count * element_);
    for (std::uint32_t r = 1; r < spec_.ranks; ++r)
      arithmetic_.reduce(target, r == 1 ? at(0) : target, at(r), part.count);
    if (work_.op != ReduceOp::avg) return;
    if (spec_.ranks < host::Arithmetic::most_divisor)
      arithmetic_.divide(target, part.count, spec_.ranks);
    else
      divide({target, part.count * element_}, work_.type, spec_.ranks);
  }

  /// The part of a slice that a rank adds for all.
  Slice share(std::uint32_t rank, const Slice& slice) const {
    const auto begin = slice.count * rank / spec_.ranks,
               end = slice.count * (rank + 1) / spec_.ranks;
    return {begin, end - begin};
  }

  void add_share(const Slice& slice) {
    const auto mine = share(rank_, slice);
    add(piece(rank_, 1) + mine.first * element_, 0, mine);
  }

  void take(const Slice& slice) {
    const auto copy = [&](std::uint32_t block, std::uint32_t rank, std::uint32_t p) {
      if (slice.count > 0)
        std::memcpy(output(block, slice), piece(rank, p), slice.count * element_);
    };
    switch (spec_.kind) {
      case Kind::reduce:
        if (rank_ != spec_.root.value) return;
        [[fallthrough]];
      case Kind::all_reduce:
        for (std::uint32_t r = 0; r < spec_.ranks; ++r) {
          const auto part = share(r, slice);
          if (part.count > 0)
            std::memcpy(output(0, slice) + part.first * element_,
                        piece(r, 1) + part.first * element_, part.count * element_);
        }
        return;
      case Kind::reduce_scatter:
        return add(output(rank_, slice), rank_, {0, slice.count});
      case Kind::gather:
        if (rank_ != spec_.root.value) return;
        [[fallthrough]];
      case Kind::all_gather:
        for (std::uint32_t r = 0; r < spec_.ranks; ++r) copy(r, r, 0);
        return;
      case Kind::all_to_all:
        for (std::uint32_t r = 0; r < spec_.ranks; ++r) copy(r, r, rank_);
        return;
      case Kind::broadcast:
        return copy(0, spec_.root.value, 0);
      case Kind::scatter:
        return copy(rank_, spec_.root.value, rank_);
      case Kind::send_recv:
        return copy(0, (rank_ + spec_.ranks - 1) % spec_.ranks, 0);
      case Kind::barrier:
        return;
    }
  }

  SharedWindow& window_;
  Duration timeout_;
  Work work_;
  CollectiveSpec spec_;
  Memory::RankBuffers buffers_;
  std::uint32_t rank_;
  std::size_t element_;
  host::Arithmetic arithmetic_;
  std::uint64_t scalar_;
  std::uint32_t pieces_ = 1;
  std::uint64_t most_ = 1;  // elements of a slice
  std::uint64_t half_ = 0;
};

}  // namespace

Result<std::unique_ptr<Prepared>> make_window(World& world, const Work& work,
                                              const Memory::RankBuffers& buffers,
                                              const RunOptions& options) {
  RS_ASSIGN(SharedWindow* const window, SharedWindow::of(world, options.timeout));
  return std::make_unique<Window>(world, *window, work, buffers, options.timeout);
}

}  // namespace ringside::mpi
