#include "tests/cuda/plan_replay.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/binding.hpp"
#include "core/reduce.hpp"

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

/// Devices as far as a plan knows them; any place outside its area, on the wrong device or of the
/// wrong kind is a fault.
class PlanMemory {
 public:
  PlanMemory(const Work& work, const Memory& memory, const Placement& placement,
             const StreamPlan& plan)
      : work_(work), placement_(placement), plan_(plan), areas_(plan.bytes.size()) {
    for (std::size_t p = 0; p < areas_.size(); ++p) {
      const bool is_rank = p < memory.ranks.size();
      const auto& bytes = plan.bytes[p];
      const auto of = [](std::size_t size) {
        return std::vector<std::byte>(size, std::byte{0xa5});
      };
      areas_[p] = {
          of(is_rank && !work.schedule->spec().in_place ? memory.ranks[p].input.size() : 0),
          of(is_rank ? memory.ranks[p].output.size() : 0),
          of(bytes.scratch),
          of(bytes.scaled),
          of(bytes.landing),
          of(bytes.staging)};
    }
  }

  std::vector<std::byte>& area(Area area, std::size_t owner) {
    return areas_[owner][static_cast<std::size_t>(area)];
  }

  /// Empty, or what is wrong with it.
  std::string run(std::uint32_t number) {
    const Operation& operation = plan_.operations[number];
    for (const Piece& piece : plan_.pieces_of(number)) {
      const bool combines = operation.kind == OperationKind::reduce;
      if (!is_inside(piece.dst, piece.bytes) || !is_inside(piece.src, piece.bytes) ||
          (combines && !is_inside(piece.with, piece.bytes)))
        return "operation " + std::to_string(number) + " leaves its area";
      if (!is_feasible(operation, piece))
        return "operation " + std::to_string(number) + " is of the wrong kind";
      apply(operation.kind, piece);
    }
    return {};
  }

 private:
  bool is_inside(const Place& place, std::uint64_t bytes) {
    return place.owner < areas_.size() &&
           place.offset + bytes <= area(place.area, place.owner).size();
  }

  bool is_feasible(const Operation& operation, const Piece& piece) const {
    const auto device = [&](const Place& place) { return placement_.device_of[place.owner]; };
    const auto own = placement_.device_of[plan_.streams[operation.stream].participant];
    const bool from_host = piece.src.area == Area::staging,
               to_host = piece.dst.area == Area::staging;
    switch (operation.kind) {
      case OperationKind::peer_copy:
        return !from_host && !to_host && device(piece.src) == own && device(piece.dst) != own &&
               placement_.peers.reaches(own, device(piece.dst));
      case OperationKind::to_staging:
        return to_host && !from_host && device(piece.src) == own;
      case OperationKind::from_staging:
        return from_host && !to_host && device(piece.dst) == own;
      case OperationKind::reduce:
        if (device(piece.with) != own || piece.with.area == Area::staging) return false;
        [[fallthrough]];
      default:
        return !from_host && !to_host && device(piece.src) == own && device(piece.dst) == own;
    }
  }

  std::span<std::byte> at(const Place& place, std::uint64_t bytes) {
    return std::span(area(place.area, place.owner)).subspan(place.offset, bytes);
  }

  void apply(OperationKind kind, const Piece& piece) {
    const auto dst = at(piece.dst, piece.bytes), src = at(piece.src, piece.bytes);
    if (kind == OperationKind::reduce)
      return reduce_into(dst, at(piece.with, piece.bytes), src, {work_.type, work_.op});
    std::memmove(dst.data(), src.data(), src.size());
    if (kind == OperationKind::scale) scale(dst, work_.type, work_.mulsum_scalar);
    if (kind == OperationKind::divide) divide(dst, work_.type, work_.schedule->spec().ranks);
  }

  const Work& work_;
  const Placement& placement_;
  const StreamPlan& plan_;
  std::vector<std::array<std::vector<std::byte>, 6>> areas_;  // by participant and Area
};

/// One order that streams may take. Each stream has a priority, the highest one that can goes on,
/// and at a few moments drops to the lowest: orders that people do not think of (Burckhardt et al.,
/// "A randomized scheduler with probabilistic guarantees of finding bugs", 2010).
class Interleaving {
 public:
  Interleaving(const StreamPlan& plan, std::uint64_t seed) : plan_(plan), random_(seed) {
    by_stream_.resize(plan.streams.size());
    for (std::uint32_t i = 0; i < plan.operations.size(); ++i)
      by_stream_[plan.operations[i].stream].push_back(i);
    for (std::uint32_t s = 0; s < by_stream_.size(); ++s) order_.push_back(s);
    std::shuffle(order_.begin(), order_.end(), random_);
    next_.resize(by_stream_.size());
    done_.resize(plan.operations.size());
  }

  /// Calls visit(operation) for each; false if some can never run.
  template <typename Visit>
  bool run(Visit visit) {
    std::size_t left = plan_.operations.size();
    while (left > 0) {
      const auto at = std::ranges::find_if(order_, [&](auto s) { return can_go_on(s); });
      if (at == order_.end()) return false;
      const auto stream = *at;
      const auto operation = by_stream_[stream][next_[stream]++];
      visit(operation);
      done_[operation] = true;
      --left;
      if (random_() % 8 == 0) std::rotate(at, at + 1, order_.end());
    }
    return true;
  }

 private:
  bool can_go_on(std::uint32_t stream) const {
    if (next_[stream] == by_stream_[stream].size()) return false;
    const auto i = by_stream_[stream][next_[stream]];
    return std::ranges::all_of(plan_.waits_of(i),
                               [&](auto wait) { return !holds(plan_, i, wait) || done_[wait]; });
  }

  const StreamPlan& plan_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::uint32_t>> by_stream_;
  std::vector<std::uint32_t> order_;  // streams, the highest priority first
  std::vector<std::size_t> next_;     // by stream
  std::vector<bool> done_;            // by operation
};

struct Replayed final : Prepared {
  Replayed(const Work& w, Memory& m, Placement p, StreamPlan s, std::uint64_t from)
      : work(w), memory(m), placement(std::move(p)), plan(std::move(s)), seed(from) {}
  Result<Measurement> run(int iterations) override {
    PlanMemory devices(work, memory, placement, plan);
    for (std::uint32_t r = 0; r < memory.ranks.size(); ++r) {
      if (!work.schedule->spec().in_place)
        std::ranges::copy(memory.ranks[r].input, devices.area(Area::input, r).begin());
      std::ranges::copy(memory.ranks[r].output, devices.area(Area::output, r).begin());
    }
    std::string fault;
    for (int i = 0; i < iterations; ++i) {
      const auto visit = [&](std::uint32_t number) {
        const auto found = devices.run(number);
        if (fault.empty()) fault = found;
      };
      if (!Interleaving(plan, seed++).run(visit)) return gone_wrong("streams wait for ever");
      if (!fault.empty()) return gone_wrong(fault);
    }
    for (std::uint32_t r = 0; r < memory.ranks.size(); ++r)
      std::ranges::copy(devices.area(Area::output, r), memory.ranks[r].output.begin());
    return Measurement{};
  }
  Work work;
  Memory memory;
  Placement placement;
  StreamPlan plan;
  std::uint64_t seed;
};

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

Result<std::unique_ptr<Prepared>> ReplayBackend::prepare(const Work& work, Memory& memory,
                                                         const RunOptions&) {
  RS_TRY(check_binding(work, memory));
  auto placement = place_(work.schedule->participants());
  auto plan = plan_streams(work, placement, limits_);
  if (tamper_) tamper_(plan);
  return std::make_unique<Replayed>(work, memory, std::move(placement), std::move(plan), seed_);
}

}  // namespace ringside::cuda
