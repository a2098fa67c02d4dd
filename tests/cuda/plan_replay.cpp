#include "tests/cuda/plan_replay.hpp"

#include <optional>

namespace ringside::cuda {
namespace {

/// What an operation does to a stretch of one area.
struct Access {
  std::uint32_t operation = 0;
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
};

/// Every operation that must be over before this one begins.
class Past {
 public:
  explicit Past(const StreamPlan& plan) : before_(plan.operations.size()) {
    std::vector<std::optional<std::uint32_t>> last(plan.streams.size());
    for (std::uint32_t i = 0; i < before_.size(); ++i) {
      before_[i].resize(before_.size());
      auto& previous = last[plan.operations[i].stream];
      if (previous) add(i, *previous);
      for (const auto wait : plan.waits_of(i))
        if (holds(plan, i, wait)) add(i, wait);
      previous = i;
    }
  }
  bool orders(std::uint32_t first, std::uint32_t second) const { return before_[second][first]; }

 private:
  void add(std::uint32_t i, std::uint32_t earlier) {
    before_[i][earlier] = true;
    for (std::uint32_t j = 0; j < earlier; ++j)
      if (before_[earlier][j]) before_[i][j] = true;
  }
  std::vector<std::vector<char>> before_;
};

std::map<std::pair<Area, std::uint32_t>, std::vector<Access>> accesses_of(const StreamPlan& plan) {
  std::map<std::pair<Area, std::uint32_t>, std::vector<Access>> accesses;
  for (std::uint32_t i = 0; i < plan.operations.size(); ++i)
    for (const Piece& piece : plan.pieces_of(i)) {
      const auto add = [&](const Place& place, bool writes) {
        accesses[{place.area, place.owner}].push_back(
            {i, place.offset, place.offset + piece.bytes, writes});
      };
      add(piece.src, false);
      add(piece.dst, true);
      if (plan.operations[i].kind == OperationKind::reduce) add(piece.with, false);
    }
  return accesses;
}

}  // namespace

std::string first_race(const StreamPlan& plan) {
  const Past past(plan);
  for (const auto& [place, accesses] : accesses_of(plan))
    for (std::size_t a = 0; a < accesses.size(); ++a)
      for (std::size_t b = a + 1; b < accesses.size(); ++b) {
        const Access &x = accesses[a], &y = accesses[b];
        if (x.operation == y.operation || !(x.writes || y.writes) || x.end <= y.begin ||
            y.end <= x.begin || past.orders(x.operation, y.operation))
          continue;
        return "operations " + std::to_string(x.operation) + " and " + std::to_string(y.operation) +
               " race for area " + std::to_string(static_cast<int>(place.first)) + " of " +
               std::to_string(place.second);
      }
  return {};
}

}  // namespace ringside::cuda
