#pragma once

#include <cstdint>
#include <string_view>

#include "core/engine.hpp"
#include "core/schedule_builder.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

/// A small run in which mistakes have somewhere to be.
struct Scene {
  CollectiveKind kind;
  std::string_view algorithm;
  std::uint32_t ranks, devices;
  bool peers;
  ReduceOp op;
  SliceLimits limits = {};
  std::string_view only = {};  ///< the one mistake that it shows

  Schedule build() const {
    const CollectiveSpec spec{.kind = kind, .ranks = ranks};
    if (algorithm == "two_writers") return two_writers(spec);
    return build_proven(make_plan(**find_algorithm(kind, algorithm), spec, {}).value()).value();
  }

 private:
  /// A slot that is written, and then by another rank again.
  static Schedule two_writers(const CollectiveSpec& spec) {
    ScheduleBuilder builder(spec, 2);
    builder.copy(input(1, 1), output(0, 0), 1, {});
    builder.next_step();
    for (std::uint32_t from = 0; from < 2; ++from)
      for (std::uint32_t to = 0; to < 2; ++to)
        builder.copy(input(from, from), output(to, from), 1, {});
    return std::move(builder).build().value();
  }
};

inline constexpr Scene scenes[] = {
    {CollectiveKind::all_reduce, "ring", 4, 4, true, ReduceOp::sum},
    {CollectiveKind::all_reduce, "ring", 4, 4, false, ReduceOp::avg, {32, 16, 0}},
    {CollectiveKind::all_reduce, "recursive_doubling", 4, 4, true, ReduceOp::mulsum},
    {CollectiveKind::all_reduce, "recursive_doubling", 8, 2, false, ReduceOp::sum},
    {CollectiveKind::all_reduce,
     "double_binary_tree",
     7,
     7,
     true,
     ReduceOp::avg,
     {32, 16, 1 << 20}},
    {CollectiveKind::all_to_all, "bruck", 5, 5, true, ReduceOp::sum},
    {CollectiveKind::reduce_scatter, "ring", 4, 1, true, ReduceOp::mulsum},
    {CollectiveKind::broadcast, "chain", 4, 2, false, ReduceOp::sum, {32, 16, 0}},
    {CollectiveKind::all_gather,
     "two_writers",
     2,
     2,
     true,
     ReduceOp::sum,
     {},
     "wait_for_writer_forgotten"},
};

inline Placement placed(const Scene& scene, std::uint32_t participants) {
  Placement placement{{}, PeerMatrix(scene.devices, scene.peers)};
  for (std::uint32_t p = 0; p < participants; ++p)
    placement.device_of.push_back(p * scene.devices / participants);
  return placement;
}

/// Chunks of 64 bytes: elements have 4, as plan_mistakes.hpp wants them.
inline Work work_of(const Scene& scene, const Schedule& schedule) {
  const auto blocks = is_blocked(scene.kind) ? scene.ranks : 1;
  return {&schedule, 16 * schedule.chunks() / blocks, ElementType::int32, scene.op, 3};
}

}  // namespace ringside::cuda
