#include "tests/cuda/plan_mistakes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace ringside::cuda {
namespace {

using Number = std::uint32_t;
constexpr std::uint64_t element = 4;

std::span<Piece> pieces(StreamPlan& plan, Number operation) {
  const auto begin = operation == 0 ? 0 : plan.operations[operation - 1].pieces_end;
  return std::span(plan.pieces).subspan(begin, plan.operations[operation].pieces_end - begin);
}

bool overlap(const Place& a, std::uint64_t a_bytes, const Place& b, std::uint64_t b_bytes) {
  return a.area == b.area && a.owner == b.owner && a.offset < b.offset + b_bytes &&
         b.offset < a.offset + a_bytes;
}

/// How two operations meet in memory.
struct Meeting {
  bool raw = false, war = false, waw = false;
};
Meeting meeting(const StreamPlan& plan, Number earlier, Number later) {
  Meeting found;
  const auto combines = [&](Number i) { return plan.operations[i].kind == OperationKind::reduce; };
  for (const Piece& a : plan.pieces_of(earlier))
    for (const Piece& b : plan.pieces_of(later)) {
      found.raw |= overlap(a.dst, a.bytes, b.src, b.bytes) ||
                   (combines(later) && overlap(a.dst, a.bytes, b.with, b.bytes));
      found.war |= overlap(a.src, a.bytes, b.dst, b.bytes) ||
                   (combines(earlier) && overlap(a.with, a.bytes, b.dst, b.bytes));
      found.waw |= overlap(a.dst, a.bytes, b.dst, b.bytes);
    }
  return found;
}

/// One of the numbers below `count` that will do.
template <typename Fits>
std::optional<Number> choose(std::size_t count, std::uint64_t seed, Fits fits) {
  std::vector<Number> fit;
  for (Number i = 0; i < count; ++i)
    if (fits(i)) fit.push_back(i);
  if (fit.empty()) return std::nullopt;
  return fit[seed % fit.size()];
}

template <typename Fits>
std::optional<Number> choose_operation(const StreamPlan& plan, std::uint64_t seed, Fits fits) {
  return choose(plan.operations.size(), seed, [&](Number i) {
    const auto moved = plan.pieces_of(i);
    return !moved.empty() && fits(plan.operations[i], moved.front());
  });
}

/// Forgets one wait of those for which `fits(earlier, later)`.
template <typename Fits>
bool forget_wait(StreamPlan& plan, std::uint64_t seed, Fits fits) {
  const auto waiter = [&](Number wait) {
    const auto after =
        std::upper_bound(plan.operations.begin(), plan.operations.end(), wait,
                         [](Number w, const Operation& o) { return w < o.waits_end; });
    return static_cast<Number>(after - plan.operations.begin());
  };
  const auto wait =
      choose(plan.waits.size(), seed, [&](Number w) { return fits(plan.waits[w], waiter(w)); });
  if (wait) plan.waits[*wait] = waiter(*wait);  // never holds: it comes too late
  return wait.has_value();
}

bool wait_for_data_forgotten(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) { return meeting(plan, a, b).raw; });
}

bool wait_for_reader_forgotten(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) {
    const auto found = meeting(plan, a, b);
    return found.war && !found.raw && !found.waw;
  });
}

bool wait_for_writer_forgotten(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) {
    const auto found = meeting(plan, a, b);
    return found.waw && !found.raw;
  });
}

bool staged_copy_reads_early(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) {
    return plan.operations[a].kind == OperationKind::to_staging &&
           plan.operations[b].kind == OperationKind::from_staging && meeting(plan, a, b).raw;
  });
}

bool staging_filled_before_it_is_empty(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) {
    return plan.operations[a].kind == OperationKind::from_staging &&
           plan.operations[b].kind == OperationKind::to_staging && meeting(plan, a, b).war;
  });
}

bool event_never_recorded(StreamPlan& plan, std::uint64_t seed) {
  const auto at =
      choose_operation(plan, seed, [](const Operation& o, const Piece&) { return o.is_awaited; });
  if (at) plan.operations[*at].is_awaited = false;
  return at.has_value();
}

/// The event waited for is one that its stream records later.
bool waits_before_the_record(StreamPlan& plan, std::uint64_t seed) {
  const auto wait = choose(plan.waits.size(), seed, [&](Number w) {
    return plan.operations[plan.waits[w]].stream == plan.operations.back().stream;
  });
  if (wait) plan.waits[*wait] = static_cast<Number>(plan.operations.size()) - 1;
  return wait.has_value();
}

bool source_one_chunk_off(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(plan, seed, [](const Operation&, const Piece& piece) {
    return piece.src.offset >= piece.bytes && piece.src.area < Area::landing;
  });
  if (at) pieces(plan, *at).front().src.offset -= pieces(plan, *at).front().bytes;
  return at.has_value();
}

bool target_one_element_off(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(plan, seed, [](const Operation&, const Piece& piece) {
    return piece.dst.offset >= element && piece.dst.area < Area::landing;
  });
  if (at) pieces(plan, *at).front().dst.offset -= element;
  return at.has_value();
}

bool wrong_operand(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(plan, seed, [](const Operation& o, const Piece& piece) {
    return o.kind == OperationKind::reduce && piece.with.offset >= piece.bytes;
  });
  if (at) pieces(plan, *at).front().with.offset -= pieces(plan, *at).front().bytes;
  return at.has_value();
}

/// What should land beside its target goes straight there.
bool landing_left_out(StreamPlan& plan, std::uint64_t seed) {
  const auto landed = [&](Number id) {
    const auto [first, read, arrival, commit] = plan.milestones[id];
    return arrival != commit && !plan.pieces_of(commit).empty();
  };
  const auto id = choose(plan.milestones.size(), seed, landed);
  if (!id) return false;
  const auto [first, read, arrival, commit] = plan.milestones[*id];
  const auto into = pieces(plan, arrival), from = pieces(plan, commit);
  for (std::size_t i = 0; i < into.size(); ++i) into[i].dst = from[i].dst, from[i].bytes = 0;
  return true;
}

/// All slots of an area are one.
bool slots_shared(StreamPlan& plan, Area area) {
  bool is_changed = false;
  for (Piece& piece : plan.pieces)
    for (Place* place : {&piece.dst, &piece.src})
      if (place->area == area && place->offset >= 16) {
        place->offset %= 16;
        is_changed = true;
      }
  return is_changed;
}
bool landing_slots_shared(StreamPlan& plan, std::uint64_t) {
  return slots_shared(plan, Area::landing);
}
bool staging_slots_shared(StreamPlan& plan, std::uint64_t) {
  return slots_shared(plan, Area::staging);
}

bool copied_instead_of_added(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(
      plan, seed, [](const Operation& o, const Piece&) { return o.kind == OperationKind::reduce; });
  if (at) plan.operations[*at].kind = OperationKind::copy;
  return at.has_value();
}

bool last_element_left_out(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(plan, seed, [](const Operation& o, const Piece& piece) {
    return o.transfer != no_transfer && piece.bytes > 0;
  });
  if (at) pieces(plan, *at).back().bytes -= element;
  return at.has_value();
}

bool operation_left_out(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(plan, seed, [](const Operation&, const Piece&) { return true; });
  if (at)
    for (Piece& piece : pieces(plan, *at)) piece.bytes = 0;
  return at.has_value();
}

bool on_another_stream(StreamPlan& plan, std::uint64_t seed) {
  if (plan.streams.size() < 2) return false;
  const auto at = choose_operation(plan, seed, [](const Operation& o, const Piece&) {
    return o.kind == OperationKind::reduce || o.kind == OperationKind::copy;
  });
  if (at)
    plan.operations[*at].stream =
        static_cast<Number>((plan.operations[*at].stream + 1) % plan.streams.size());
  return at.has_value();
}

bool is_of(const Operation& operation, OperationKind kind) {
  return operation.kind == kind;
}

bool never_divided(StreamPlan& plan, std::uint64_t seed) {
  const auto at = choose_operation(
      plan, seed, [](const Operation& o, const Piece&) { return is_of(o, OperationKind::divide); });
  if (at)
    for (Piece& piece : pieces(plan, *at)) piece.bytes = 0;
  return at.has_value();
}

bool divided_before_the_last_sum(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) {
    return is_of(plan.operations[b], OperationKind::divide) && meeting(plan, a, b).raw;
  });
}

bool read_before_it_is_scaled(StreamPlan& plan, std::uint64_t seed) {
  return forget_wait(plan, seed, [&](Number a, Number b) {
    return is_of(plan.operations[a], OperationKind::scale) && meeting(plan, a, b).raw;
  });
}

constexpr std::array<PlanMistake, 20> all{{
    {"wait_for_data_forgotten", wait_for_data_forgotten},
    {"wait_for_reader_forgotten", wait_for_reader_forgotten},
    {"wait_for_writer_forgotten", wait_for_writer_forgotten},
    {"event_never_recorded", event_never_recorded},
    {"waits_before_the_record", waits_before_the_record},
    {"source_one_chunk_off", source_one_chunk_off},
    {"target_one_element_off", target_one_element_off},
    {"wrong_operand", wrong_operand},
    {"landing_left_out", landing_left_out},
    {"landing_slots_shared", landing_slots_shared, true},
    {"staged_copy_reads_early", staged_copy_reads_early},
    {"staging_filled_before_it_is_empty", staging_filled_before_it_is_empty},
    {"staging_slots_shared", staging_slots_shared, true},
    {"copied_instead_of_added", copied_instead_of_added},
    {"last_element_left_out", last_element_left_out},
    {"operation_left_out", operation_left_out},
    {"on_another_stream", on_another_stream, true},
    {"never_divided", never_divided},
    {"divided_before_the_last_sum", divided_before_the_last_sum},
    {"read_before_it_is_scaled", read_before_it_is_scaled},
}};

}  // namespace

std::span<const PlanMistake> plan_mistakes() {
  return all;
}

}  // namespace ringside::cuda
