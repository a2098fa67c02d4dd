#include "gpu/cuda/stream_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/binding.hpp"
#include "core/message.hpp"
#include "gpu/cuda/slot_pool.hpp"
#include "gpu/cuda/stream_clocks.hpp"
#include "gpu/host/linear_order.hpp"

namespace ringside::cuda {
namespace {

using host::Phase;
using Operations = std::vector<std::uint32_t>;

class Planner {
 public:
  Planner(const Work& work, const Placement& placement)
      : work_(work),
        placement_(placement),
        schedule_(*work.schedule),
        layout_(layout_of(work)),
        element_(size_of(work.type).count),
        clocks_(3 * schedule_.transfers().size()),
        landing_(schedule_.participants()),
        staging_(schedule_.participants()),
        landed_at_(schedule_.transfers().size()),
        scaled_by_(schedule_.participants()),
        users_(schedule_.participants()) {}

  StreamPlan plan() && {
    plan_.milestones.resize(schedule_.transfers().size());
    for (const Transfer& t : schedule_.transfers()) {
      const auto bytes = message_elements(t, layout_) * element_;
      landing_.expect(connection(t), bytes);
      staging_.expect(connection(t), bytes);
    }
    if (adapts(ReduceOp::mulsum)) scale_inputs();
    for (const host::Event& event : host::linear_order(schedule_)) {
      if (event.phase == Phase::commit)
        commit_landed(event.transfer);
      else if (event.phase == Phase::read || reduces_from_afar(schedule_[event.transfer]))
        fetch(event.transfer, true);
      else
        move(event.transfer);
      if (event.phase == Phase::whole && reduces_from_afar(schedule_[event.transfer]))
        commit_landed(event.transfer);
    }
    if (adapts(ReduceOp::avg) && schedule_.spec().ranks > 1) divide_outputs();
    for (std::uint32_t p = 0; p < schedule_.participants(); ++p)
      plan_.bytes.push_back({schedule_.scratch_chunks() * room(),
                             scales_aside() ? layout_.total() * element_ : 0, landing_.bytes(p),
                             staging_.bytes(p)});
    return std::move(plan_);
  }

 private:
  /// A stretch of a transfer, and where in the message it lies.
  struct Run {
    Piece piece;
    std::uint64_t packed_at = 0;
  };

  bool adapts(ReduceOp op) const { return work_.op == op && reduces(schedule_.spec().kind); }
  bool scales_aside() const { return adapts(ReduceOp::mulsum) && !schedule_.spec().in_place; }
  std::uint64_t room() const {
    const auto bytes = layout_.longest() * element_;
    return (bytes + SlotPool::boundary - 1) / SlotPool::boundary * SlotPool::boundary;
  }
  std::uint32_t device(Rank rank) const { return placement_.device_of[rank.value]; }
  bool is_on_one_device(const Transfer& t) const {
    return device(t.src().rank) == device(t.dst().rank);
  }
  bool is_staged(const Transfer& t) const {
    return !placement_.peers.reaches(device(t.src().rank), device(t.dst().rank));
  }
  bool reduces_from_afar(const Transfer& t) const {
    return t.action() == Action::reduce && !is_on_one_device(t);
  }
  static Connection connection(const Transfer& t) {
    return {t.src().rank.value, t.dst().rank.value, t.channel()};
  }

  Place place(const Slot& slot) const {
    const auto owner = slot.rank.value;
    if (slot.buffer == Buffer::scratch) return {Area::scratch, owner, slot.chunk.value * room()};
    const auto offset = layout_.offset(slot.chunk) * element_;
    if (slot.buffer == Buffer::output) return {Area::output, owner, offset};
    return {scales_aside() ? Area::scaled : Area::input, owner, offset};
  }

  // What a transfer moves.

  std::vector<Run> runs_of(const Transfer& t) const {
    std::vector<Run> runs;
    std::uint64_t packed_at = 0;
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto bytes = slot_elements(t, i, layout_) * element_;
      const Piece piece{place(nth(t.dst(), i)), place(nth(t.with(), i)), place(nth(t.src(), i)),
                        bytes};
      if (bytes > 0 && !grows(runs, piece, t)) runs.push_back({piece, packed_at});
      packed_at += bytes;
    }
    if (host::last_chunk_first(t)) std::reverse(runs.begin(), runs.end());
    return runs;
  }

  /// Whether the last run could take this piece, which continues it everywhere. Where a reduce
  /// overwrites the operand of its next chunk, chunks stay apart.
  static bool grows(std::vector<Run>& runs, const Piece& piece, const Transfer& t) {
    if (runs.empty()) return false;
    Piece& last = runs.back().piece;
    const auto continues = [&](const Place& a, const Place& b) {
      return a.offset + last.bytes == b.offset;
    };
    const bool shifts = t.has_separate_operand() && t.with().buffer == t.dst().buffer;
    if (shifts || !continues(last.dst, piece.dst) || !continues(last.with, piece.with) ||
        !continues(last.src, piece.src))
      return false;
    last.bytes += piece.bytes;
    return true;
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

  /// Enqueues what moves the pieces added since the operation before, after all that it needs.
  std::uint32_t enqueue(Operation operation, Operations needed) {
    const auto number = static_cast<std::uint32_t>(plan_.operations.size());
    operation.pieces_end = static_cast<std::uint32_t>(plan_.pieces.size());
    plan_.operations.push_back(operation);
    for (const Piece& piece : plan_.pieces_of(number)) {
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

  /// Straight from source to target: a copy, or a reduce within one device.
  void move(TransferId id) {
    const Transfer& t = schedule_[id];
    if (t.action() == Action::copy) return fetch(id, false);
    auto needed = before_read(id);
    for (const auto other : before_commit(id)) needed.push_back(other);
    for (const Run& run : runs_of(t)) plan_.pieces.push_back(run.piece);
    const auto done = enqueue({OperationKind::reduce, stream(t.dst().rank, t.channel()), id.value},
                              std::move(needed));
    plan_.milestones[id.value] = {done, done, done};
  }

  /// Reads the source: into the target itself, or into a landing area beside it.
  void fetch(TransferId id, bool lands) {
    const Transfer& t = schedule_[id];
    auto runs = runs_of(t);
    auto before_arrival = lands ? Operations{} : before_commit(id);
    if (lands) {
      const auto slot = landing_.take(connection(t), t.dst().rank.value);
      if (slot.emptied_by) before_arrival.push_back(*slot.emptied_by);
      landed_at_[id.value] = slot.offset;
      for (Run& run : runs) run.piece.dst = landed(id, run);
    }
    const auto done = is_staged(t) ? fetch_staged(id, runs, std::move(before_arrival))
                                   : fetch_straight(id, runs, std::move(before_arrival));
    Milestones& milestones = plan_.milestones[id.value];
    milestones.arrival = done;
    if (!lands) milestones.commit = done;
  }

  /// Messages lie in their slot as they will at their target, relative to 16-byte boundaries.
  Place landed(TransferId id, const Run& run) const {
    const auto shift = place(schedule_[id].dst()).offset % SlotPool::boundary;
    return {Area::landing, schedule_[id].dst().rank.value,
            landed_at_[id.value] + shift + run.packed_at};
  }

  std::uint32_t fetch_straight(TransferId id, const std::vector<Run>& runs, Operations needed) {
    const Transfer& t = schedule_[id];
    for (const auto other : before_read(id)) needed.push_back(other);
    for (const Run& run : runs) plan_.pieces.push_back(run.piece);
    const auto kind = is_on_one_device(t) ? OperationKind::copy : OperationKind::peer_copy;
    return plan_.milestones[id.value].read =
               enqueue({kind, stream(t.src().rank, t.channel()), id.value}, std::move(needed));
  }

  /// By way of the host: the source's stream brings it there, the target's fetches it.
  std::uint32_t fetch_staged(TransferId id, const std::vector<Run>& runs, Operations needed) {
    const Transfer& t = schedule_[id];
    const auto slot = staging_.take(connection(t), t.src().rank.value);
    const auto staged = [&](const Run& run) {
      return Place{Area::staging, t.src().rank.value, slot.offset + run.packed_at};
    };
    auto before = before_read(id);
    if (slot.emptied_by) before.push_back(*slot.emptied_by);
    for (const Run& run : runs)
      plan_.pieces.push_back({staged(run), {}, run.piece.src, run.piece.bytes});
    const auto read =
        enqueue({OperationKind::to_staging, stream(t.src().rank, t.channel()), id.value},
                std::move(before));
    needed.push_back(read);
    for (const Run& run : runs)
      plan_.pieces.push_back({run.piece.dst, {}, staged(run), run.piece.bytes});
    const auto arrival =
        enqueue({OperationKind::from_staging, stream(t.dst().rank, t.channel()), id.value},
                std::move(needed));
    staging_.give_back(connection(t), slot.offset, arrival);
    plan_.milestones[id.value].read = read;
    return arrival;
  }

  void commit_landed(TransferId id) {
    const Transfer& t = schedule_[id];
    auto needed = before_commit(id);
    needed.push_back(plan_.milestones[id.value].arrival);
    for (const Run& run : runs_of(t)) {
      plan_.pieces.push_back(run.piece);
      plan_.pieces.back().src = landed(id, run);
    }
    const auto kind = t.action() == Action::reduce ? OperationKind::reduce : OperationKind::copy;
    const auto done =
        enqueue({kind, stream(t.dst().rank, t.channel()), id.value}, std::move(needed));
    landing_.give_back(connection(t), landed_at_[id.value], done);
    plan_.milestones[id.value].commit = done;
  }

  // What ops need besides: mulsum scales the inputs before all else, avg divides in the end.

  void scale_inputs() {
    const auto bytes = layout_.total() * element_;
    for (std::uint32_t r = 0; r < schedule_.spec().ranks; ++r) {
      const auto given = schedule_.spec().in_place ? Area::output : Area::input;
      const auto target = schedule_.spec().in_place ? Area::output : Area::scaled;
      if (bytes > 0) plan_.pieces.push_back({{target, r, 0}, {}, {given, r, 0}, bytes});
      scaled_by_[r] = enqueue({OperationKind::scale, stream(Rank{r}, {})}, {});
    }
  }

  void divide_outputs() {
    std::vector<std::vector<Piece>> totals(schedule_.spec().ranks);
    for (const Expectation& e : postcondition(schedule_.spec(), schedule_.chunks())) {
      const Place at = place(e.slot);
      const auto bytes = layout_.elements(e.slot.chunk) * element_;
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
      for (const Piece& piece : totals[r]) plan_.pieces.push_back(piece);
      enqueue({OperationKind::divide, stream(Rank{r}, {})}, std::move(needed));
    }
  }

  const Work& work_;
  const Placement& placement_;
  const Schedule& schedule_;
  ChunkLayout layout_;
  std::uint64_t element_;
  StreamClocks clocks_;
  SlotPool landing_, staging_;
  std::map<std::pair<Rank, ChannelId>, std::uint32_t> streams_;
  std::vector<std::uint64_t> landed_at_;                       // by transfer, while it is landed
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

StreamPlan plan_streams(const Work& work, const Placement& placement) {
  return Planner(work, placement).plan();
}

}  // namespace ringside::cuda
