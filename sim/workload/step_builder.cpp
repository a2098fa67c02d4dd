#include "sim/workload/step_builder.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

/// Layers that can overlap with nothing become one task where a step has more of them than this.
constexpr std::uint64_t most_apart = 8192;

}  // namespace

StepBuilder::StepBuilder(const StepCosts& costs, const Parallelism& p, GroupTimes& times)
    : costs_(costs),
      p_(p),
      times_(times),
      lanes_(p.pipeline * static_cast<std::uint32_t>(stream_count),
             p.pipeline * 2 * static_cast<std::uint32_t>(link_kind_count)),
      stages_(p.pipeline),
      ended_(costs.pieces.size() * 2 * p.micro_batches) {
  std::uint64_t layers = 0;
  for (const Stage& piece : costs.pieces)
    for (const Stretch& stretch : piece) layers += stretch.count;
  layer_by_layer_ = p.zero == 3 || 2 * layers * p.micro_batches <= most_apart;
  for (std::uint32_t s = 0; s < p.pipeline; ++s) {
    StageState& state = stages_[s];
    state.turns = turns(p, s);
    state.last_backward.resize(p.interleave);
    for (const Turn& turn : state.turns)
      if (!turn.is_forward) state.last_backward[turn.piece] = turn.micro_batch;
  }
}

Result<void> StepBuilder::build() {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::uint32_t s = 0; s < p_.pipeline; ++s)
      for (StageState& state = stages_[s];
           state.done < state.turns.size() && is_ready(state.turns[state.done], s);
           ++state.done, goes_on = true)
        RS_TRY(take_turn(s));
  }
  for (std::uint32_t s = 0; s < p_.pipeline; ++s) {
    RS_ASSERT(stages_[s].done == stages_[s].turns.size(), "no stage waits for another for ever");
    RS_TRY(update(s));
  }
  return {};
}

bool StepBuilder::is_ready(const Turn& turn, std::uint32_t stage) {
  const auto piece = at(turn, stage);
  if (turn.is_forward) return piece == 0 || !ended(piece - 1, true, turn.micro_batch).empty();
  const bool is_last = piece + 1 == costs_.pieces.size();
  return !ended(is_last ? piece : piece + 1, is_last, turn.micro_batch).empty();
}

Result<void> StepBuilder::take_turn(std::uint32_t stage) {
  const Turn turn = stages_[stage].turns[stages_[stage].done];
  const auto piece = at(turn, stage);
  After tail;
  if (turn.is_forward) {
    if (piece > 0) tail = ended(piece - 1, true, turn.micro_batch);
    RS_ASSIGN(tail, forward(turn, stage, std::move(tail)));
  } else {
    const bool is_last = piece + 1 == costs_.pieces.size();
    tail = ended(is_last ? piece : piece + 1, is_last, turn.micro_batch);
    RS_ASSIGN(tail, backward(turn, stage, std::move(tail)));
  }
  stages_[stage].ended = tail;
  ended(piece, turn.is_forward, turn.micro_batch) = std::move(tail);
  return send_on(turn, stage);
}

/// What the next piece waits for is no longer the turn's end but the message's.
Result<void> StepBuilder::send_on(const Turn& turn, std::uint32_t stage) {
  const auto piece = at(turn, stage);
  const bool ends = turn.is_forward ? piece + 1 == costs_.pieces.size() : piece == 0;
  if (ends || p_.pipeline == 1) return {};
  const auto to =
      turn.is_forward ? (stage + 1) % p_.pipeline : (stage + p_.pipeline - 1) % p_.pipeline;
  const auto& boundary = costs_.pieces[turn.is_forward ? piece : piece - 1];
  const LayerCost& layer = costs_.layers[boundary.back().layer];
  const auto per_stage = p_.data * p_.tensor;
  const Bytes bytes{layer.output.count / (p_.sequence_parallel ? p_.tensor : 1)};
  RS_ASSIGN(const auto time, times_.send({stage * per_stage, per_stage,
                                          (std::int64_t{to} - std::int64_t{stage}) * per_stage},
                                         bytes));
  std::vector<Claim> claims;
  claim(claims, 2 * stage, time.busy);
  claim(claims, 2 * to + 1, time.busy);
  const auto load = claims.empty() ? Task::none : lanes_.add_load(std::move(claims));
  const StepSpan label{
      .stage = stage,
      .stream = turn.is_forward ? StreamKind::next : StreamKind::previous,
      .activity = turn.is_forward ? Activity::send_activations : Activity::send_gradients,
      .micro_batch = turn.micro_batch,
      .layer = boundary.back().layer};
  auto& after = ended(piece, turn.is_forward, turn.micro_batch);
  after = {add(label, {time.time, load, time.sent}, after)};
  return {};
}

Result<StepBuilder::After> StepBuilder::forward(const Turn& turn, std::uint32_t stage, After tail) {
  for (const Stretch& stretch : costs_.pieces[at(turn, stage)]) {
    const Position here{stage, turn.micro_batch, stretch.layer};
    const auto together = layer_by_layer_ ? 1 : stretch.count;
    for (std::uint32_t i = 0; i < stretch.count; i += together) {
      RS_ASSIGN(tail, forward_layers(here, {stretch.layer, together}, Activity::forward,
                                     std::move(tail)));
    }
  }
  return tail;
}

Result<StepBuilder::After> StepBuilder::backward(const Turn& turn, std::uint32_t stage,
                                                 After tail) {
  StageState& state = stages_[stage];
  const bool is_last = state.last_backward[turn.piece] == turn.micro_batch;
  const bool is_reducing = p_.data > 1 && p_.zero < 3 && (p_.zero == 2 || is_last);
  const auto& piece = costs_.pieces[at(turn, stage)];
  for (auto stretch = piece.rbegin(); stretch != piece.rend(); ++stretch) {
    const Position here{stage, turn.micro_batch, stretch->layer};
    const auto together = layer_by_layer_ || is_reducing ? 1 : stretch->count;
    for (std::uint32_t i = 0; i < stretch->count; i += together) {
      RS_ASSIGN(tail,
                backward_layers(here, {stretch->layer, together}, is_reducing, std::move(tail)));
    }
  }
  if (is_reducing && turn.piece == 0) RS_TRY(flush({stage, turn.micro_batch, piece[0].layer}));
  return tail;
}

Result<StepBuilder::After> StepBuilder::forward_layers(Position at, Stretch layers,
                                                       Activity activity, After tail) {
  const LayerCost& cost = costs_.layers[layers.layer];
  if (activity == Activity::forward) {
    RS_ASSIGN(tail, fetch_parameters(at, std::move(tail)));
  }
  tail = {compute(at, activity, std::int64_t{layers.count} * cost.forward, tail)};
  return in_groups(at, layers.count * cost.forward_reduces, 2 * layers.count, std::move(tail));
}

Result<StepBuilder::After> StepBuilder::backward_layers(Position at, Stretch layers,
                                                        bool is_reducing, After tail) {
  const LayerCost& cost = costs_.layers[layers.layer];
  RS_ASSIGN(tail, fetch_parameters(at, std::move(tail)));
  if (p_.recompute == Recompute::full) {
    RS_ASSIGN(tail, forward_layers(at, layers, Activity::recompute, std::move(tail)));
  }
  if (is_reducing) {
    RS_ASSIGN(tail, fill_buckets(at, std::move(tail)));
  } else {
    tail = {compute(at, Activity::backward, std::int64_t{layers.count} * cost.backward, tail)};
  }
  if (p_.zero == 3) stages_[at.stage].owed.push_back({at, tail});
  return in_groups(at, layers.count * cost.backward_reduces, 2 * layers.count, std::move(tail));
}

/// What tensor and expert groups do before anything else can be computed.
Result<StepBuilder::After> StepBuilder::in_groups(Position at, std::uint32_t reduces,
                                                  std::uint32_t exchanges, After tail) {
  const LayerCost& cost = costs_.layers[at.layer];
  const StepSpan label{at.stage, StreamKind::layers, Activity::expert_exchange, at.micro_batch,
                       at.layer};
  const auto then = [&](CollectiveKind kind, std::uint32_t times, const Groups& who,
                        Bytes bytes) -> Result<void> {
    if (times == 0 || who.size == 1 || bytes == Bytes{}) return {};
    RS_ASSIGN(Cost one, cost_of(at.stage, kind, who, bytes));
    one.time = std::int64_t{times} * one.time;
    one.sent = times * one.sent;
    StepSpan its = label;
    if (kind != CollectiveKind::all_to_all) its.activity = Activity::tensor_reduce;
    tail = {add(its, one, tail)};
    return {};
  };
  RS_TRY(then(CollectiveKind::all_to_all, exchanges, groups(at.stage, p_.expert, p_.tensor),
              cost.exchanged));
  const Groups tensor = groups(at.stage, p_.tensor, 1);
  if (!p_.sequence_parallel) {
    RS_TRY(then(CollectiveKind::all_reduce, reduces, tensor, cost.output));
    return tail;
  }
  RS_TRY(then(CollectiveKind::reduce_scatter, reduces, tensor, cost.output));
  RS_TRY(then(CollectiveKind::all_gather, reduces, tensor, cost.output));
  return tail;
}

/// ZeRO-3: parameters are gathered while the layer before is computed, one layer ahead.
Result<StepBuilder::After> StepBuilder::fetch_parameters(Position at, After tail) {
  if (p_.zero < 3 || p_.data == 1) return tail;
  StageState& state = stages_[at.stage];
  After both = tail;
  for (const Kind kind : {shared, expert}) {
    const LayerCost& layer = costs_.layers[at.layer];
    const Groups who = replicas(at.stage, kind);
    const Bytes bytes = (kind == shared ? layer.shared : layer.expert) * costs_.element;
    if (who.size == 1 || bytes == Bytes{}) continue;
    RS_ASSIGN(const Cost cost, cost_of(at.stage, CollectiveKind::all_gather, who, bytes));
    both.push_back(
        add({at.stage, StreamKind::replicas, Activity::parameter_gather, at.micro_batch, at.layer},
            cost, state.fetch));
  }
  state.fetch = std::move(tail);
  RS_TRY(reduce_owed(at.stage));
  return both;
}

/// ZeRO-3: the next layer's parameters are asked for before this one's gradients are there.
Result<void> StepBuilder::reduce_owed(std::uint32_t stage) {
  for (const auto& [at, after] : std::exchange(stages_[stage].owed, {})) {
    const LayerCost& layer = costs_.layers[at.layer];
    RS_TRY(reduce(at, {shared, layer.shared * costs_.element}, after));
    RS_TRY(reduce(at, {expert, layer.expert * costs_.element}, after));
  }
  return {};
}

/// Gradients of a layer are ready evenly along its backward pass; whenever a bucket is full of
/// them, it is reduced.
Result<StepBuilder::After> StepBuilder::fill_buckets(Position at, After tail) {
  struct Full {
    Duration when;
    Bucket bucket;
  };
  StageState& state = stages_[at.stage];
  const LayerCost& cost = costs_.layers[at.layer];
  std::vector<Full> full;
  for (const Kind kind : {shared, expert}) {
    const Bytes all = (kind == shared ? cost.shared : cost.expert) * costs_.element;
    Bytes& filled = state.filled[kind];
    Bytes used{};
    while (all - used >= p_.bucket - filled && p_.bucket > filled) {
      used += p_.bucket - filled;
      filled = {};
      const auto share = static_cast<double>(used.count) / static_cast<double>(all.count);
      const auto when = static_cast<double>(cost.backward.picoseconds) * share;
      full.push_back({{static_cast<std::int64_t>(when)}, {kind, p_.bucket}});
    }
    filled += all - used;
  }
  std::ranges::stable_sort(full, {}, &Full::when);
  Duration done{};
  for (const Full& next : full) {
    if (next.when > done || done == Duration{})
      tail = {compute(at, Activity::backward, next.when - done, tail)};
    done = next.when;
    RS_TRY(reduce(at, next.bucket, tail));
  }
  if (done < cost.backward || full.empty())
    tail = {compute(at, Activity::backward, cost.backward - done, tail)};
  return tail;
}

/// What was too little for a bucket.
Result<void> StepBuilder::flush(Position at) {
  StageState& state = stages_[at.stage];
  for (const Kind kind : {shared, expert}) {
    RS_TRY(reduce(at, {kind, state.filled[kind]}, state.computed));
    state.filled[kind] = {};
  }
  return {};
}

Result<void> StepBuilder::reduce(Position at, Bucket bucket, const After& after) {
  const Groups who = replicas(at.stage, bucket.kind);
  if (who.size == 1 || bucket.bytes == Bytes{}) return {};
  StageState& state = stages_[at.stage];
  RS_ASSIGN(
      const Cost cost,
      cost_of(at.stage, p_.zero == 0 ? CollectiveKind::all_reduce : CollectiveKind::reduce_scatter,
              who, bucket.bytes));
  state.reduced = {
      add({at.stage, StreamKind::replicas, Activity::gradient_reduce, at.micro_batch, at.layer},
          cost, after)};
  return {};
}

/// Each GPU updates what it holds; under ZeRO-1 and 2 it then gathers what others updated.
Result<void> StepBuilder::update(std::uint32_t stage) {
  StageState& state = stages_[stage];
  RS_TRY(reduce_owed(stage));
  std::array<std::uint64_t, 2> parameters{};
  for (auto piece = stage; piece < costs_.pieces.size(); piece += p_.pipeline)
    for (const Stretch& stretch : costs_.pieces[piece]) {
      parameters[shared] += stretch.count * costs_.layers[stretch.layer].shared;
      parameters[expert] += stretch.count * costs_.layers[stretch.layer].expert;
    }
  const Position here{stage, p_.micro_batches - 1, 0};
  After tail = state.ended;
  tail.insert(tail.end(), state.reduced.begin(), state.reduced.end());
  if (costs_.memory.bytes_per_second > 0) {
    std::uint64_t mine = 0;
    for (const Kind kind : {shared, expert})
      mine += parameters[kind] / (p_.zero > 0 ? replicas(stage, kind).size : 1);
    tail = {compute(here, Activity::update, wire_time(mine * costs_.updated, costs_.memory), tail)};
  }
  if (p_.zero != 1 && p_.zero != 2) return {};
  for (const Kind kind : {shared, expert}) {
    const Groups who = replicas(stage, kind);
    for (Bytes left = parameters[kind] * costs_.element; left > Bytes{} && who.size > 1;) {
      const Bytes bytes = std::min(left, p_.bucket);
      RS_ASSIGN(const Cost cost, cost_of(stage, CollectiveKind::all_gather, who, bytes));
      add({stage, StreamKind::replicas, Activity::parameter_gather, here.micro_batch, 0}, cost,
          tail);
      left = left - bytes;
    }
  }
  return {};
}

}  // namespace ringside::sim
