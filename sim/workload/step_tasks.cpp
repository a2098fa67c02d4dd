// What a step is made of: a task, its lane, and what it claims.

#include "sim/workload/step_builder.hpp"

namespace ringside::sim {

TaskId StepBuilder::add(const StepSpan& label, const Cost& cost, const After& after) {
  labels_.push_back(label);
  sent_.push_back(cost.sent);
  const auto lane = label.stage * static_cast<std::uint32_t>(stream_count) +
                    static_cast<std::uint32_t>(label.stream);
  return lanes_.add({lane, cost.time, cost.load}, after);
}

TaskId StepBuilder::compute(Position at, Activity activity, Duration time, const After& after) {
  const TaskId id = add({at.stage, StreamKind::compute, activity, at.micro_batch, at.layer},
                        {.time = time}, after);
  stages_[at.stage].computed = {id};
  return id;
}

Groups StepBuilder::replicas(std::uint32_t stage, Kind kind) const {
  if (kind == shared) return groups(stage, p_.data, p_.tensor);
  return groups(stage, p_.data / p_.expert, p_.tensor * p_.expert);
}

/// Stages that fill whole nodes are alike: the first stands for all, and is simulated once.
Groups StepBuilder::groups(std::uint32_t stage, std::uint32_t size, std::uint32_t stride) const {
  const auto per_stage = p_.data * p_.tensor;
  const Topology& machine = times_.topology();
  const auto per_node = machine.ranks.size() / machine.nodes;
  const bool alike = machine.nodes > 1 && per_stage % per_node == 0;
  return {size, stride, per_stage, alike ? 0 : stage * per_stage};
}

Result<StepBuilder::Cost> StepBuilder::cost_of(std::uint32_t stage, CollectiveKind kind,
                                               const Groups& who, Bytes bytes) {
  const std::tuple key{stage, kind, who, bytes.count};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  RS_ASSIGN(const auto time, times_.collective(kind, who, bytes));
  const Cost cost{time.time, load_of(stage, time.busy), time.sent};
  return known_.emplace(key, cost).first->second;
}

/// A collective keeps wires busy both ways.
std::uint32_t StepBuilder::load_of(std::uint32_t stage, const WireShares& busy) {
  std::vector<Claim> claims;
  claim(claims, 2 * stage, busy);
  claim(claims, 2 * stage + 1, busy);
  return claims.empty() ? Task::none : lanes_.add_load(std::move(claims));
}

void StepBuilder::claim(std::vector<Claim>& claims, std::uint32_t side,
                        const WireShares& busy) const {
  for (std::uint32_t k = 0; k < link_kind_count; ++k)
    if (busy.of_kind[k] > 0)
      claims.push_back({side * static_cast<std::uint32_t>(link_kind_count) + k, busy.of_kind[k]});
}

}  // namespace ringside::sim
