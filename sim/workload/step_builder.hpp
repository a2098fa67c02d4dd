#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "sim/workload/group_times.hpp"
#include "sim/workload/lanes.hpp"
#include "sim/workload/pipeline.hpp"
#include "sim/workload/step.hpp"
#include "sim/workload/step_costs.hpp"

namespace ringside::sim {

/// A training step as tasks on lanes. Lane stage * stream_count + stream; what a label says of a
/// task is a StepSpan without its times.
class StepBuilder {
 public:
  StepBuilder(const StepCosts& costs, const Parallelism& parallelism, GroupTimes& times);
  Result<void> build();

  const Lanes& lanes() const { return lanes_; }
  std::span<const StepSpan> labels() const { return labels_; }  ///< by task
  std::span<const Bytes> sent() const { return sent_; }         ///< by task: of a GPU

 private:
  using After = std::vector<TaskId>;
  struct Cost {
    Duration time{};
    std::uint32_t load = Task::none;
    Bytes sent{};
  };
  enum Kind : std::uint8_t { shared, expert };
  struct Bucket {
    Kind kind = shared;
    Bytes bytes{};
  };
  struct Position {
    std::uint32_t stage = 0, micro_batch = 0, layer = 0;
  };
  /// Gradients of a layer that are to be reduced as soon as the next one's parameters are asked
  /// for.
  struct Owed {
    Position at;
    After after;
  };
  struct StageState {
    std::vector<Turn> turns{};
    std::size_t done = 0;
    std::vector<std::uint32_t> last_backward{};  ///< by piece: its last micro-batch
    After fetch{};     ///< when the parameters of the layer after the next may be asked for
    After ended{};     ///< what its last turn ended with
    After computed{};  ///< its latest computation
    After reduced{};   ///< its latest reduction of gradients
    std::array<Bytes, 2> filled{};  ///< of a bucket, by Kind
    std::vector<Owed> owed{};
  };

  std::uint32_t at(const Turn& turn, std::uint32_t stage) const {
    return turn.piece * p_.pipeline + stage;
  }
  After& ended(std::uint32_t piece, bool is_forward, std::uint32_t micro_batch) {
    return ended_[(std::size_t{piece} * 2 + is_forward) * p_.micro_batches + micro_batch];
  }
  bool is_ready(const Turn& turn, std::uint32_t stage);
  Result<void> take_turn(std::uint32_t stage);
  Result<After> forward(const Turn& turn, std::uint32_t stage, After tail);
  Result<After> backward(const Turn& turn, std::uint32_t stage, After tail);
  Result<After> forward_layers(Position at, Stretch layers, Activity activity, After tail);
  Result<After> backward_layers(Position at, Stretch layers, bool is_reducing, After tail);
  Result<void> send_on(const Turn& turn, std::uint32_t stage);
  Result<void> flush(Position at);
  Result<void> update(std::uint32_t stage);

  Result<After> in_groups(Position at, std::uint32_t reduces, std::uint32_t exchanges, After tail);
  Result<After> fetch_parameters(Position at, After tail);
  Result<void> reduce_owed(std::uint32_t stage);
  Result<void> reduce(Position at, Bucket bucket, const After& after);
  Result<After> fill_buckets(Position at, After tail);

  TaskId add(const StepSpan& label, const Cost& cost, const After& after);
  TaskId compute(Position at, Activity activity, Duration time, const After& after);
  Groups replicas(std::uint32_t stage, Kind kind) const;
  Groups groups(std::uint32_t stage, std::uint32_t size, std::uint32_t stride) const;
  Result<Cost> cost_of(std::uint32_t stage, CollectiveKind kind, const Groups& groups, Bytes bytes);
  std::uint32_t load_of(std::uint32_t stage, const WireShares& busy);
  void claim(std::vector<Claim>& claims, std::uint32_t side, const WireShares& busy) const;

  const StepCosts& costs_;
  const Parallelism& p_;
  GroupTimes& times_;
  Lanes lanes_;
  std::vector<StepSpan> labels_;
  std::vector<Bytes> sent_;
  std::vector<StageState> stages_;
  std::vector<After> ended_;  // by piece, way and micro-batch; empty until told
  bool layer_by_layer_ = true;
  std::map<std::tuple<std::uint32_t, CollectiveKind, Groups, std::uint64_t>, Cost> known_;
};

}  // namespace ringside::sim
