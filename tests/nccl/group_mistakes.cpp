#include "tests/nccl/group_mistakes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ringside::nccl {
namespace {

using cuda::Area;
using cuda::OperationKind;

/// A turn of a rank, with an end or a piece of work in it.
struct Spot {
  std::uint32_t rank;
  std::size_t turn, index;
};

/// One of all the ends for which `fits(rank, turn, index)`.
template <typename Fits>
std::optional<Spot> choose_end(const GroupedPlan& plan, std::uint64_t seed, Fits fits) {
  std::vector<Spot> all;
  for (std::uint32_t r = 0; r < plan.ranks.size(); ++r)
    for (std::size_t t = 0; t < plan.ranks[r].turns.size(); ++t) {
      const auto begin = t == 0 ? 0 : plan.ranks[r].turns[t - 1].ends_end;
      for (std::size_t i = begin; i < plan.ranks[r].turns[t].ends_end; ++i)
        if (fits(plan.ranks[r], t, i)) all.push_back({r, t, i});
    }
  if (all.empty()) return std::nullopt;
  return all[seed % all.size()];
}

template <typename Fits>
std::optional<Spot> choose_work(const GroupedPlan& plan, std::uint64_t seed, Fits fits) {
  std::vector<Spot> all;
  for (std::uint32_t r = 0; r < plan.ranks.size(); ++r)
    for (std::size_t t = 0; t < plan.ranks[r].turns.size(); ++t) {
      const auto begin = t == 0 ? 0 : plan.ranks[r].turns[t - 1].work_end;
      for (std::size_t i = begin; i < plan.ranks[r].turns[t].work_end; ++i)
        if (fits(plan.ranks[r], t, i)) all.push_back({r, t, i});
    }
  if (all.empty()) return std::nullopt;
  return all[seed % all.size()];
}

bool any(const RankTurns&, std::size_t, std::size_t) {
  return true;
}

void remove_end(RankTurns& own, const Spot& spot) {
  own.ends.erase(own.ends.begin() + static_cast<std::ptrdiff_t>(spot.index));
  for (auto t = spot.turn; t < own.turns.size(); ++t) --own.turns[t].ends_end;
}

bool end_forgotten(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, any);
  if (spot) remove_end(plan.ranks[spot->rank], *spot);
  return spot.has_value();
}

bool empty_end_called(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, any);
  if (spot) plan.ranks[spot->rank].ends[spot->index].bytes = 0;
  return spot.has_value();
}

bool length_differs(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, [](const RankTurns& own, std::size_t, std::size_t i) {
    return own.ends[i].bytes > 1;
  });
  if (spot) --plan.ranks[spot->rank].ends[spot->index].bytes;
  return spot.has_value();
}

bool wrong_peer(GroupedPlan& plan, std::uint64_t seed) {
  const auto ranks = static_cast<std::uint32_t>(plan.ranks.size());
  const auto spot = ranks < 3 ? std::nullopt : choose_end(plan, seed, any);
  if (!spot) return false;
  auto& peer = plan.ranks[spot->rank].ends[spot->index].peer;
  do peer = (peer + 1) % ranks;
  while (peer == spot->rank);
  return true;
}

bool both_send(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, any);
  if (spot) plan.ranks[spot->rank].ends[spot->index].sends ^= true;
  return spot.has_value();
}

/// Two messages of one pair, swapped at one end.
bool order_differs(GroupedPlan& plan, std::uint64_t seed) {
  const auto next = [](const RankTurns& own, std::size_t t, std::size_t i) {
    for (auto j = i + 1; j < own.turns[t].ends_end; ++j)
      if (own.ends[j].peer == own.ends[i].peer && own.ends[j].sends == own.ends[i].sends) return j;
    return i;
  };
  const auto spot = choose_end(plan, seed, [&](const RankTurns& own, std::size_t t, std::size_t i) {
    return next(own, t, i) != i;
  });
  if (!spot) return false;
  auto& own = plan.ranks[spot->rank];
  std::swap(own.ends[spot->index], own.ends[next(own, spot->turn, spot->index)]);
  return true;
}

/// A turn that has several ends of one connection becomes two, on one rank only.
bool groups_differ(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, [](const RankTurns& own, std::size_t t, std::size_t i) {
    const auto begin = t == 0 ? 0 : own.turns[t - 1].ends_end;
    return i > begin && own.ends[i - 1].peer == own.ends[i].peer &&
           own.ends[i - 1].sends == own.ends[i].sends;
  });
  if (!spot) return false;
  auto& own = plan.ranks[spot->rank];
  Turn first = own.turns[spot->turn];
  first.ends_end = static_cast<std::uint32_t>(spot->index);
  first.work_end = spot->turn == 0 ? 0 : own.turns[spot->turn - 1].work_end;
  own.turns.insert(own.turns.begin() + static_cast<std::ptrdiff_t>(spot->turn), first);
  return true;
}

/// What must wait for the peers' reads, or is added, is received where it belongs at once.
bool landing_forgotten(GroupedPlan& plan, std::uint64_t seed) {
  const auto target = [](const RankTurns& own, std::size_t t, const MessageEnd& end) {
    for (const LocalWork& work : own.work_of(t))
      if (work.transfer == end.transfer && work.piece.src.offset == end.at.offset)
        return work.piece.dst;
    return end.at;
  };
  const auto spot = choose_end(plan, seed, [&](const RankTurns& own, std::size_t t, std::size_t i) {
    return !own.ends[i].sends && target(own, t, own.ends[i]).area != Area::landing &&
           own.ends[i].at.area == Area::landing;
  });
  if (!spot) return false;
  auto& own = plan.ranks[spot->rank];
  own.ends[spot->index].at = target(own, spot->turn, own.ends[spot->index]);
  return true;
}

/// Two messages of a group land in one place.
bool landing_shared(GroupedPlan& plan, std::uint64_t seed) {
  const auto other = [](const RankTurns& own, std::size_t t, std::size_t i) {
    for (auto j = i + 1; j < own.turns[t].ends_end; ++j)
      if (!own.ends[j].sends && own.ends[j].at.area == Area::landing) return j;
    return i;
  };
  const auto spot = choose_end(plan, seed, [&](const RankTurns& own, std::size_t t, std::size_t i) {
    return !own.ends[i].sends && own.ends[i].at.area == Area::landing && other(own, t, i) != i;
  });
  if (!spot) return false;
  auto& own = plan.ranks[spot->rank];
  auto& at = own.ends[other(own, spot->turn, spot->index)].at;
  const auto from = at;
  at = own.ends[spot->index].at;
  for (LocalWork& work : own.work)
    if (work.piece.src.area == from.area && work.piece.src.offset == from.offset)
      work.piece.src = at;
  return true;
}

bool wrong_offset(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, [](const RankTurns& own, std::size_t, std::size_t i) {
    return own.ends[i].at.offset > 0;
  });
  if (spot) --plan.ranks[spot->rank].ends[spot->index].at.offset;
  return spot.has_value();
}

/// A rank does two rounds in the wrong order.
bool rounds_swapped(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_end(plan, seed, [](const RankTurns& own, std::size_t t, std::size_t) {
    return t + 1 < own.turns.size() && own.turns[t + 1].ends_end > own.turns[t].ends_end;
  });
  if (!spot) return false;
  auto& own = plan.ranks[spot->rank];
  const auto first = own.ends_of(spot->turn), second = own.ends_of(spot->turn + 1);
  const auto begin = first.data() - own.ends.data();
  const auto size = static_cast<std::uint32_t>(second.size());
  std::rotate(own.ends.begin() + begin,
              own.ends.begin() + begin + static_cast<std::ptrdiff_t>(first.size()),
              own.ends.begin() + begin + static_cast<std::ptrdiff_t>(first.size() + second.size()));
  own.turns[spot->turn].ends_end = static_cast<std::uint32_t>(begin) + size;
  return true;
}

/// What is done behind a group comes before it.
bool work_too_early(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_work(plan, seed, [](const RankTurns& own, std::size_t t, std::size_t i) {
    return t > 0 && !own.ends_of(t).empty() && i == own.turns[t - 1].work_end &&
           own.work[i].piece.src.area == Area::landing;
  });
  if (spot) ++plan.ranks[spot->rank].turns[spot->turn - 1].work_end;
  return spot.has_value();
}

/// ... or after the next one.
bool work_too_late(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_work(plan, seed, [](const RankTurns& own, std::size_t t, std::size_t i) {
    return t + 1 < own.turns.size() && !own.ends_of(t + 1).empty() &&
           i + 1 == own.turns[t].work_end && own.work[i].kind == OperationKind::reduce;
  });
  if (spot) --plan.ranks[spot->rank].turns[spot->turn].work_end;
  return spot.has_value();
}

bool work_forgotten(GroupedPlan& plan, std::uint64_t seed) {
  const auto spot = choose_work(plan, seed, any);
  if (!spot) return false;
  auto& own = plan.ranks[spot->rank];
  own.work.erase(own.work.begin() + static_cast<std::ptrdiff_t>(spot->index));
  for (auto t = spot->turn; t < own.turns.size(); ++t) --own.turns[t].work_end;
  return true;
}

constexpr GroupMistake mistakes[] = {
    {"EndForgotten", end_forgotten},
    {"EmptyEndCalled", empty_end_called},
    {"LengthDiffers", length_differs},
    {"WrongPeer", wrong_peer},
    {"BothSend", both_send},
    {"OrderDiffers", order_differs, 50},
    {"GroupsDiffer", groups_differ},
    {"LandingForgotten", landing_forgotten, 80},
    {"LandingShared", landing_shared},
    {"WrongOffset", wrong_offset, 80},
    {"RoundsSwapped", rounds_swapped, 60},
    {"WorkTooEarly", work_too_early, 60},
    {"WorkTooLate", work_too_late, 50},
    {"WorkForgotten", work_forgotten, 70},
};

}  // namespace

std::span<const GroupMistake> group_mistakes() {
  return mistakes;
}

}  // namespace ringside::nccl
