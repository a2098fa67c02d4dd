#include "gpu/mpi/window.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "gpu/host/arithmetic.hpp"
#include "gpu/mpi/clocks.hpp"
#include "gpu/mpi/shared_window.hpp"

namespace ringside::mpi {
namespace {

/// Elements [first, first + count) of every block; or of a slice.
struct Slice {
  std::uint64_t first = 0, count = 0;
};

class Window final : public Prepared {
 public:
  Window(World& world, SharedWindow& window, const WindowRequest& request, WindowPlan plan)
      : window_(window),
        timeout_(request.options.timeout),
        plan_(std::move(plan)),
        buffers_(request.buffers),
        type_(request.work.type),
        ranks_(world.size()),
        rank_(world.rank()),
        element_(size_of(type_).count),
        arithmetic_(host::arithmetic({type_, request.work.op})),
        scalar_(plan_.scales ? convert_scalar(request.work.mulsum_scalar, type_) : 0) {}

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
  Result<void> once() {
    for (Slice slice{0, std::min(plan_.slice, plan_.count)};;) {
      for (const auto phase : plan_.phases) RS_TRY(go_through(phase, slice));
      slice.first += slice.count;
      slice.count = std::min(plan_.slice, plan_.count - slice.first);
      if (slice.count == 0) return {};
    }
  }

  Result<void> go_through(WindowPlan::Phase phase, const Slice& slice) {
    using Phase = WindowPlan::Phase;
    switch (phase) {
      case Phase::next_half:
        ++half_;
        return {};
      case Phase::lay:
        for (const auto& copy : plan_.laid) lay(copy, slice);
        return {};
      case Phase::meet:
        return window_.meet(timeout_);
      case Phase::add:
        add(slice);
        return {};
      case Phase::take:
        for (const auto& copy : plan_.taken) take(copy, slice);
        return {};
      case Phase::dawdle:
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return {};
    }
    return {};
  }

  std::byte* piece(std::uint32_t rank, std::uint32_t number) const {
    return window_.room(rank, half_) + number * plan_.slice * element_;
  }
  std::size_t offset(std::uint32_t block, const Slice& slice) const {
    return (block * plan_.count + slice.first) * element_;
  }
  /// The part of a slice that a rank adds for all.
  Slice share(std::uint32_t rank, const Slice& slice) const {
    const auto begin = slice.count * rank / ranks_, end = slice.count * (rank + 1) / ranks_;
    return {begin, end - begin};
  }

  void lay(const WindowPlan::Copy& copy, const Slice& slice) {
    auto* const to = piece(copy.rank, copy.piece);
    const auto* const from = buffers_.input.data() + offset(copy.block, slice);
    if (plan_.scales)
      arithmetic_.scale(to, from, slice.count, scalar_);
    else if (slice.count > 0)
      std::memcpy(to, from, slice.count * element_);
  }

  void take(const WindowPlan::Copy& copy, const Slice& slice) {
    const Slice part = copy.is_share ? share(copy.rank, slice) : Slice{0, slice.count};
    if (part.count > 0)
      std::memcpy(buffers_.output.data() + offset(copy.block, slice) + part.first * element_,
                  piece(copy.rank, copy.piece) + part.first * element_, part.count * element_);
  }

  void add(const Slice& slice) {
    const Slice part = plan_.adds_share ? share(rank_, slice) : Slice{0, slice.count};
    if (part.count == 0) return;
    auto* const target = plan_.adds_share ? piece(rank_, plan_.pieces) + part.first * element_
                                          : buffers_.output.data() + offset(rank_, slice);
    const auto at = [&](std::size_t i) {
      return piece(plan_.added[i], plan_.added_piece) + part.first * element_;
    };
    if (plan_.added.size() == 1) std::memcpy(target, at(0), part.count * element_);
    for (std::size_t i = 1; i < plan_.added.size(); ++i)
      arithmetic_.reduce(target, i == 1 ? at(0) : target, at(i), part.count);
    if (!plan_.divides) return;
    if (ranks_ < host::Arithmetic::most_divisor)
      arithmetic_.divide(target, part.count, ranks_);
    else
      divide({target, part.count * element_}, type_, ranks_);
  }

  SharedWindow& window_;
  Duration timeout_;
  WindowPlan plan_;
  Memory::RankBuffers buffers_;
  ElementType type_;
  std::uint32_t ranks_, rank_;
  std::size_t element_;
  host::Arithmetic arithmetic_;
  std::uint64_t scalar_;
  std::uint64_t half_ = 0;
};

}  // namespace

Result<std::unique_ptr<Prepared>> make_window(World& world, const WindowRequest& request,
                                              WindowPlan plan) {
  RS_ASSIGN(SharedWindow* const window, SharedWindow::of(world, request.options.timeout));
  return std::make_unique<Window>(world, *window, request, std::move(plan));
}

}  // namespace ringside::mpi
