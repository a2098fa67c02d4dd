#include "gpu/cuda/stream_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "gpu/cuda/slot_pool.hpp"
#include "gpu/cuda/stream_clocks.hpp"
#include "gpu/cuda/stream_layout.hpp"
#include "gpu/host/linear_order.hpp"

namespace ringside::cuda {
namespace {

using host::Phase;
using Operations = std::vector<std::uint32_t>;

class Planner {
 public:
  Planner(const Work& work, const Placement& placement, const SliceLimits& limits)
      : placement_(placement),
        limits_(limits),
        schedule_(*work.schedule),
        layout_(work),
        clocks_(3 * schedule_.transfers().size()),
        landing_(schedule_.participants()),
        staging_(schedule_.participants()),
        landed_(schedule_.transfers().size()),
        scaled_by_(schedule_.participants()),
        users_(schedule_.participants()) {}

  StreamPlan plan() && {
    plan_.milestones.resize(schedule_.transfers().size(), {unknown, unknown, unknown, unknown});
    const auto order = host::linear_order(schedule_);
    for (const host::Event& event : order) expect(event);
    if (layout_.adapts(ReduceOp::mulsum)) scale_inputs();
    for (const host::Event& event : order) {
      if (event.phase == Phase::read) read(event.transfer);
      if (event.phase == Phase::commit) commit(event.transfer);
      if (event.phase == Phase::whole) move(event.transfer);
    }
    if (layout_.adapts(ReduceOp::avg) && schedule_.spec().ranks > 1) divide_outputs();
    for (std::uint32_t p = 0; p < schedule_.participants(); ++p)
      plan_.bytes.push_back({layout_.scratch_bytes(),
                             layout_.scales_aside() ? layout_.vector_bytes() : 0, landing_.bytes(p),
                             staging_.bytes(p)});
    return std::move(plan_);
  }

 private:
  static constexpr std::uint32_t unknown = UINT32_MAX;

  std::uint32_t device(Rank rank) const { return placement_.device_of[rank.value]; }
  bool is_on_one_device(const Transfer& t) const {
    return device(t.src().rank) == device(t.dst().rank);
  }
  bool is_staged(const Transfer& t) const {
    return !placement_.peers.reaches(device(t.src().rank), device(t.dst().rank));
  }
  static Connection connection(const Transfer& t) {
    return {t.src().rank.value, t.dst().rank.value, t.channel()};
  }

  /// How much room a message will need on its way.
  void expect(const host::Event& event) {
    const Transfer& t = schedule_[event.transfer];
    const auto bytes = layout_.bytes(t);
    const bool is_whole = event.phase == Phase::whole;
    landing_.expect(connection(t), is_whole ? std::min(bytes, limits_.landing) : bytes);
    staging_.expect(connection(t), std::min(bytes, limits_.staging));
  }

  // Operations.

  std::uint32_t stream(Rank rank, ChannelId channel) {
    const auto [at, is_new] = streams_.try_emplace({rank, channel}, 0);
    if (is_new) {
      at->second = clocks_.add_stream();
      plan_.streams.push_back({rank.value, channel});
    }
    return at->second;
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

  /// From source to target: at once within a device, and copies between devices; what is added
  /// from another device lands slice by slice.
  void move(TransferId id) {
    const Transfer& t = schedule_[id];
    const Pieces pieces = layout_.pieces(t);
    if (t.action() == Action::copy) {
      plan_.milestones[id.value].commit = fetch(id, pieces, before_commit(id));
    } else if (is_on_one_device(t)) {
      auto needed = before_read(id);
      for (const auto other : before_commit(id)) needed.push_back(other);
      const auto done = add({OperationKind::reduce, stream(t.dst().rank, t.channel()), id.value},
                            pieces, std::move(needed));
      plan_.milestones[id.value] = {done, done, done, done};
    } else {
      for (const Pieces& slice : cut(pieces, limits_.landing)) {
        land(id, slice);
        apply(id, slice);
      }
    }
  }

  void read(TransferId id) { land(id, layout_.pieces(schedule_[id])); }
  void commit(TransferId id) { apply(id, layout_.pieces(schedule_[id])); }

  /// Reads into a landing area beside the target, to lie there as it will at its target, relative
  /// to the boundaries of vectors.
  void land(TransferId id, const Pieces& pieces) {
    const Transfer& t = schedule_[id];
    const auto slot = landing_.take(connection(t), t.dst().rank.value);
    const auto shift = pieces.empty() ? 0 : pieces.front().dst.offset % boundary;
    landed_[id.value] = {Area::landing, t.dst().rank.value, slot.offset + shift};
    Operations needed;
    if (slot.emptied_by) needed.push_back(*slot.emptied_by);
    fetch(id, packed_into(pieces, landed_[id.value]), std::move(needed));
  }

  /// Brings what has landed to its target.
  void apply(TransferId id, const Pieces& pieces) {
    const Transfer& t = schedule_[id];
    const Place landed = landed_[id.value];
    auto needed = before_commit(id);
    needed.push_back(plan_.milestones[id.value].arrival);
    const auto kind = t.action() == Action::reduce ? OperationKind::reduce : OperationKind::copy;
    const auto done = add({kind, stream(t.dst().rank, t.channel()), id.value},
                          packed_from(pieces, landed), std::move(needed));
    landing_.give_back(connection(t), landed.offset - landed.offset % boundary, done);
    plan_.milestones[id.value].commit = done;
  }

  /// Reads the source and writes where the pieces say, after all `needed` and what reading needs.
  /// Returns the last operation.
  std::uint32_t fetch(TransferId id, const Pieces& pieces, Operations needed) {
    const Transfer& t = schedule_[id];
    Milestones& milestones = plan_.milestones[id.value];
    if (is_staged(t)) {
      for (const Pieces& slice : cut(pieces, limits_.staging)) stage(id, slice, needed);
      return milestones.arrival;
    }
    for (const auto other : before_read(id)) needed.push_back(other);
    const auto kind = is_on_one_device(t) ? OperationKind::copy : OperationKind::peer_copy;
    const auto done =
        add({kind, stream(t.src().rank, t.channel()), id.value}, pieces, std::move(needed));
    if (milestones.first == unknown) milestones.first = done;
    return milestones.read = milestones.arrival = done;
  }

  /// By way of the host: the source's stream brings it there, the target's fetches it.
  void stage(TransferId id, const Pieces& pieces, Operations needed) {
    const Transfer& t = schedule_[id];
    const auto slot = staging_.take(connection(t), t.src().rank.value);
    const Place staged{Area::staging, t.src().rank.value, slot.offset};
    auto before = before_read(id);
    if (slot.emptied_by) before.push_back(*slot.emptied_by);
    const auto read = add({OperationKind::to_staging, stream(t.src().rank, t.channel()), id.value},
                          packed_into(pieces, staged), std::move(before));
    needed.push_back(read);
    const auto arrival =
        add({OperationKind::from_staging, stream(t.dst().rank, t.channel()), id.value},
            packed_from(pieces, staged), std::move(needed));
    staging_.give_back(connection(t), slot.offset, arrival);
    Milestones& milestones = plan_.milestones[id.value];
    if (milestones.first == unknown) milestones.first = read;
    milestones.read = read;
    milestones.arrival = arrival;
  }

  // What ops need besides: mulsum scales the inputs before all else, avg divides in the end.

  void scale_inputs() {
    const auto given = schedule_.spec().in_place ? Area::output : Area::input;
    const auto target = schedule_.spec().in_place ? Area::output : Area::scaled;
    for (std::uint32_t r = 0; r < schedule_.spec().ranks; ++r)
      scaled_by_[r] =
          add({OperationKind::scale, stream(Rank{r}, {})},
              cut({{{target, r}, {}, {given, r}, layout_.vector_bytes()}}, UINT64_MAX).front(), {});
  }

  void divide_outputs() {
    std::vector<Pieces> totals(schedule_.spec().ranks);
    for (const Expectation& e : postcondition(schedule_.spec(), schedule_.chunks())) {
      const Place at = layout_.place(e.slot);
      const auto bytes = layout_.bytes(e.slot.chunk);
      auto& pieces = totals[at.owner];
      if (!pieces.empty() && pieces.back().dst.offset + pieces.back().bytes == at.offset)
        pieces.back().bytes += bytes;
      else if (bytes > 0)
        pieces.push_back({at, {}, at, bytes});
    }
    for (std::uint32_t r = 0; r < totals.size(); ++r) {
      if (totals[r].empty()) continue;
      Operations needed;
      for (const auto& [user, last] : users_[r]) needed.push_back(last);
      add({OperationKind::divide, stream(Rank{r}, {})}, totals[r], std::move(needed));
    }
  }

  const Placement& placement_;
  SliceLimits limits_;
  const Schedule& schedule_;
  StreamLayout layout_;
  StreamClocks clocks_;
  SlotPool landing_, staging_;
  std::map<std::pair<Rank, ChannelId>, std::uint32_t> streams_;
  std::vector<Place> landed_;                                  // by transfer, while it is landed
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
