#include "gpu/cuda/stream_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "gpu/cuda/slot_pool.hpp"
#include "gpu/cuda/stream_clocks.hpp"
#include "gpu/cuda/stream_layout.hpp"
#include "gpu/cuda/stream_manner.hpp"

namespace ringside::cuda {
namespace {

using Operations = std::vector<std::uint32_t>;
enum class Lane : std::uint8_t { send, receive };

class Planner {
 public:
  Planner(const Work& work, const Placement& placement, const SliceLimits& limits)
      : placement_(placement),
        limits_(limits),
        schedule_(*work.schedule),
        layout_(work),
        manners_(manners(schedule_, placement)),
        clocks_(3 * schedule_.transfers().size()),
        landing_(schedule_.participants()),
        staging_(schedule_.participants()),
        scaled_by_(schedule_.participants()),
        users_(schedule_.participants()) {}

  StreamPlan plan() && {
    plan_.milestones.resize(schedule_.transfers().size(), {unknown, unknown, unknown, unknown});
    for (TransferId id{0}; id.value < schedule_.transfers().size(); ++id.value) expect(id);
    if (layout_.adapts(ReduceOp::mulsum)) scale_inputs();
    for (Step step{0}; step.value < schedule_.steps(); ++step.value) plan_step(step);
    if (layout_.adapts(ReduceOp::avg) && schedule_.spec().ranks > 1) divide_outputs();
    for (std::uint32_t p = 0; p < schedule_.participants(); ++p)
      plan_.bytes.push_back({layout_.scratch_bytes(),
                             layout_.scales_aside() ? layout_.vector_bytes() : 0, landing_.bytes(p),
                             staging_.bytes(p)});
    return std::move(plan_);
  }

 private:
  static constexpr std::uint32_t unknown = UINT32_MAX;

  /// A transfer on its way.
  struct Flow {
    TransferId id;
    const Transfer& transfer;
    Manner manner;
    Pieces pieces;               ///< all of it
    std::vector<Pieces> slices;  ///< as they are sent: to the target, or to where they land
    Place landed{}, staged{};    ///< where the last slice lies
    Operations before_landing{};
    std::uint32_t sent = unknown;
  };

  static Connection connection(const Transfer& t) {
    return {t.src().rank.value, t.dst().rank.value, t.channel()};
  }
  bool is_staged(const Transfer& t) const { return cuda::is_staged(t, placement_); }
  std::uint64_t slice_limit(const Transfer& t) const {
    return is_staged(t) ? limits_.staging : limits_.landing;
  }

  /// How much room a message will need on its way, and whether streams must do two things at once.
  void expect(TransferId id) {
    const Transfer& t = schedule_[id];
    const auto bytes = layout_.bytes(t), slice = std::min(bytes, slice_limit(t));
    landing_.expect(connection(t), manners_[id.value] == Manner::late ? bytes : slice);
    staging_.expect(connection(t), slice);
    is_duplex_ |= bytes > limits_.duplex && !is_on_one_device(t, placement_);
  }

  /// All that is read first, then what arrives, then what is added: were it one transfer after the
  /// other, each rank would send only after it has received.
  void plan_step(Step step) {
    std::vector<Flow> flows;
    std::size_t rounds = 0;
    for (TransferId id = schedule_.step_begin(step); id < schedule_.step_end(step); ++id.value) {
      if (manners_[id.value] == Manner::at_once) {
        move(id);
        continue;
      }
      flows.push_back(flow(id));
      rounds = std::max(rounds, flows.back().slices.size());
      send(flows.back(), 0);
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      for (Flow& flow : flows)
        if (round > 0 && round < flow.slices.size()) send(flow, round);
      for (Flow& flow : flows)
        if (round < flow.slices.size() && is_staged(flow.transfer)) receive(flow, round);
      for (Flow& flow : flows)
        if (round < flow.slices.size() && lands_in_slices(flow)) commit(flow, flow.slices[round]);
    }
    for (Flow& flow : flows)
      if (flow.manner == Manner::late) commit(flow, flow.pieces);
  }

  // Operations.

  std::uint32_t stream(Rank rank, ChannelId channel, Lane lane) {
    const bool receives = is_duplex_ && lane == Lane::receive;
    const auto [at, is_new] = streams_.try_emplace({rank, channel, receives}, 0);
    if (is_new) {
      at->second = clocks_.add_stream();
      plan_.streams.push_back({rank.value, channel, receives});
    }
    return at->second;
  }
  std::uint32_t sender(const Transfer& t) { return stream(t.src().rank, t.channel(), Lane::send); }
  std::uint32_t receiver(const Transfer& t) {
    return stream(t.dst().rank, t.channel(), Lane::receive);
  }

  /// Enqueues an operation, after all that it needs.
  std::uint32_t add(Operation operation, const Pieces& pieces, Operations needed) {
    const auto number = static_cast<std::uint32_t>(plan_.operations.size());
    plan_.pieces.insert(plan_.pieces.end(), pieces.begin(), pieces.end());
    operation.pieces_end = static_cast<std::uint32_t>(plan_.pieces.size());
    plan_.operations.push_back(operation);
    for (const Piece& piece : pieces) {
      use(piece.src, number, needed);
      use(piece.dst, number, needed);
      if (operation.kind == OperationKind::reduce) use(piece.with, number, needed);
    }
    for (const auto wait : clocks_.enqueue(operation.stream, needed)) {
      plan_.waits.push_back(wait);
      plan_.operations[wait].is_awaited = true;
    }
    plan_.operations.back().waits_end = static_cast<std::uint32_t>(plan_.waits.size());
    return number;
  }

  /// What lies here may have to be scaled first, or divided after this.
  void use(const Place& place, std::uint32_t number, Operations& needed) {
    const auto given = schedule_.spec().in_place ? Area::output : Area::scaled;
    if (place.area == given && scaled_by_[place.owner]) needed.push_back(*scaled_by_[place.owner]);
    if (place.area == Area::output) users_[place.owner][plan_.operations[number].stream] = number;
  }

  /// What the schedule says must be over before a transfer's source is read.
  Operations before_read(TransferId id) const {
    Operations needed;
    for (const Dependency& d : schedule_.dependencies(id))
      if (d.kind == DependencyKind::raw) needed.push_back(plan_.milestones[d.on.value].commit);
    return needed;
  }
  /// And before its target is written.
  Operations before_commit(TransferId id) const {
    Operations needed;
    for (const Dependency& d : schedule_.dependencies(id)) {
      const Milestones& other = plan_.milestones[d.on.value];
      if (d.kind == DependencyKind::war) needed.push_back(other.read);
      if (d.kind == DependencyKind::waw) needed.push_back(other.commit);
    }
    return needed;
  }

  /// From source to target at once: a copy, or a reduce within one device.
  void move(TransferId id) {
    const Transfer& t = schedule_[id];
    auto needed = before_read(id);
    append(needed, before_commit(id));
    const auto kind = t.action() == Action::reduce      ? OperationKind::reduce
                      : is_on_one_device(t, placement_) ? OperationKind::copy
                                                        : OperationKind::peer_copy;
    const auto on = kind == OperationKind::reduce ? receiver(t) : sender(t);
    const auto done = add({kind, on, id.value}, layout_.pieces(t), std::move(needed));
    plan_.milestones[id.value] = {done, done, done, done};
  }

  Flow flow(TransferId id) {
    const Transfer& t = schedule_[id];
    Flow flow{id, t, manners_[id.value], layout_.pieces(t), {}};
    if (flow.manner == Manner::late) take_landing(flow, flow.pieces);
    flow.slices = cut(
        flow.manner == Manner::late ? packed(flow.pieces, &Piece::dst, flow.landed) : flow.pieces,
        slice_limit(t));
    return flow;
  }
  static bool lands_in_slices(const Flow& flow) {
    return flow.manner == Manner::in_slices && flow.transfer.action() == Action::reduce;
  }

  /// Pieces lie in a landing area as they will at their target, relative to the boundaries of
  /// vectors.
  void take_landing(Flow& flow, const Pieces& pieces) {
    const Transfer& t = flow.transfer;
    const auto slot = landing_.take(connection(t), t.dst().rank.value);
    const auto shift = pieces.empty() ? 0 : pieces.front().dst.offset % boundary;
    flow.landed = {Area::landing, t.dst().rank.value, slot.offset + shift};
    flow.before_landing.clear();
    if (slot.emptied_by) flow.before_landing.push_back(*slot.emptied_by);
  }

  /// Reads a slice of the source: into staging, a landing area, or one slot of either after the
  /// other.
  void send(Flow& flow, std::size_t round) {
    const Transfer& t = flow.transfer;
    Milestones& milestones = plan_.milestones[flow.id.value];
    auto needed = before_read(flow.id);
    if (is_staged(t)) {
      const auto slot = staging_.take(connection(t), t.src().rank.value);
      if (slot.emptied_by) needed.push_back(*slot.emptied_by);
      flow.staged = {Area::staging, t.src().rank.value, slot.offset};
      flow.sent = add({OperationKind::to_staging, sender(t), flow.id.value},
                      packed(flow.slices[round], &Piece::dst, flow.staged), std::move(needed));
    } else {
      const auto kind =
          is_on_one_device(t, placement_) ? OperationKind::copy : OperationKind::peer_copy;
      const auto slice = arriving(flow, round, needed);
      flow.sent = milestones.arrival = add({kind, sender(t), flow.id.value}, slice, needed);
    }
    if (milestones.first == unknown) milestones.first = flow.sent;
    milestones.read = flow.sent;
  }

  /// What waits in staging goes on to the target's device.
  void receive(Flow& flow, std::size_t round) {
    const Transfer& t = flow.transfer;
    Milestones& milestones = plan_.milestones[flow.id.value];
    Operations needed{flow.sent};
    const auto slice = arriving(flow, round, needed);
    milestones.arrival = add({OperationKind::from_staging, receiver(t), flow.id.value},
                             packed(slice, &Piece::src, flow.staged), std::move(needed));
    staging_.give_back(connection(t), flow.staged.offset, milestones.arrival);
    if (flow.manner == Manner::in_slices) milestones.commit = milestones.arrival;
  }

  /// A slice with the places where it is to arrive, and what must be over before it does.
  Pieces arriving(Flow& flow, std::size_t round, Operations& needed) {
    const Pieces& slice = flow.slices[round];
    if (flow.manner == Manner::in_slices && !lands_in_slices(flow)) {
      append(needed, before_commit(flow.id));
      return slice;
    }
    if (lands_in_slices(flow)) take_landing(flow, slice);
    append(needed, flow.before_landing);
    return lands_in_slices(flow) ? packed(slice, &Piece::dst, flow.landed) : slice;
  }

  /// Brings what has landed to its target.
  void commit(Flow& flow, const Pieces& pieces) {
    const Transfer& t = flow.transfer;
    Milestones& milestones = plan_.milestones[flow.id.value];
    auto needed = before_commit(flow.id);
    needed.push_back(milestones.arrival);
    const auto kind = t.action() == Action::reduce ? OperationKind::reduce : OperationKind::copy;
    milestones.commit = add({kind, receiver(t), flow.id.value},
                            packed(pieces, &Piece::src, flow.landed), std::move(needed));
    landing_.give_back(connection(t), flow.landed.offset - flow.landed.offset % boundary,
                       milestones.commit);
  }

  static void append(Operations& to, const Operations& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  // What ops need besides: mulsum scales the inputs before all else, avg divides in the end.

  void scale_inputs() {
    const auto given = schedule_.spec().in_place ? Area::output : Area::input;
    const auto target = schedule_.spec().in_place ? Area::output : Area::scaled;
    for (std::uint32_t r = 0; r < schedule_.spec().ranks; ++r)
      scaled_by_[r] =
          add({OperationKind::scale, stream(Rank{r}, {}, Lane::receive)},
              cut({{{target, r}, {}, {given, r}, layout_.vector_bytes()}}, UINT64_MAX).front(), {});
  }

  void divide_outputs() {
    const auto totals = layout_.totals();
    for (std::uint32_t r = 0; r < totals.size(); ++r) {
      if (totals[r].empty()) continue;
      Operations needed;
      for (const auto& [user, last] : users_[r]) needed.push_back(last);
      add({OperationKind::divide, stream(Rank{r}, {}, Lane::receive)}, totals[r],
          std::move(needed));
    }
  }

  const Placement& placement_;
  SliceLimits limits_;
  const Schedule& schedule_;
  StreamLayout layout_;
  std::vector<Manner> manners_;  // by transfer
  StreamClocks clocks_;
  SlotPool landing_, staging_;
  bool is_duplex_ = false;
  std::map<std::tuple<Rank, ChannelId, bool>, std::uint32_t> streams_;
  std::vector<std::optional<std::uint32_t>> scaled_by_;        // by participant
  std::vector<std::map<std::uint32_t, std::uint32_t>> users_;  // by participant and stream: last
  StreamPlan plan_;
};

template <typename T, typename End>
std::span<const T> share(const std::vector<T>& all, std::uint32_t begin, End end) {
  return std::span(all).subspan(begin, end - begin);
}

}  // namespace

std::span<const std::uint32_t> StreamPlan::waits_of(std::uint32_t operation) const {
  const auto begin = operation == 0 ? 0 : operations[operation - 1].waits_end;
  return share(waits, begin, operations[operation].waits_end);
}

std::span<const Piece> StreamPlan::pieces_of(std::uint32_t operation) const {
  const auto begin = operation == 0 ? 0 : operations[operation - 1].pieces_end;
  return share(pieces, begin, operations[operation].pieces_end);
}

StreamPlan plan_streams(const Work& work, const Placement& placement, const SliceLimits& limits) {
  return Planner(work, placement, limits).plan();
}

}  // namespace ringside::cuda
