#include "core/engine.hpp"

#include <string>
#include <vector>

#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

/// Each ring must visit every rank once; algorithms follow it blindly.
Result<void> check_rank_order(const CollectiveSpec& spec, const Options& given) {
  std::size_t number = 0;
  for (const auto& ring : given.rank_order) {
    std::vector<bool> visited(spec.ranks, false);
    const std::string which = "ring " + std::to_string(number++) + " of the rank order ";
    for (const Rank rank : ring) {
      if (rank.value >= spec.ranks)
        return bad_request(which + "names rank " + std::to_string(rank.value) +
                           ", but the ranks are 0 to " + std::to_string(spec.ranks - 1));
      if (visited[rank.value])
        return bad_request(which + "names rank " + std::to_string(rank.value) + " twice");
      visited[rank.value] = true;
    }
    if (ring.size() != spec.ranks)
      return bad_request(which + "names " + std::to_string(ring.size()) + " of the " +
                         std::to_string(spec.ranks) + " ranks; it must name each once");
  }
  return {};
}

}  // namespace

Result<Plan> make_plan(const Algorithm& algorithm, const CollectiveSpec& spec,
                       const Options& given) {
  RS_TRY(check(spec));
  RS_ASSERT(spec.kind == algorithm.collective, "the algorithm serves another collective");
  RS_TRY(check_rank_order(spec, given));
  Plan plan{&algorithm, spec, algorithm.complete(spec, given)};
  RS_TRY(algorithm.supports(plan.spec, plan.options));
  return plan;
}

Result<Schedule> build_schedule(const Plan& plan) {
  ScheduleBuilder builder(plan.spec, plan.options.chunks, plan.options.agents);
  plan.algorithm->tell(plan.spec, plan.options, builder);
  return std::move(builder).build();
}

}  // namespace ringside
