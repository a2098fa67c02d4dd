#include "core/engine.hpp"

#include "core/schedule_builder.hpp"

namespace ringside {

Result<Plan> make_plan(const Algorithm& algorithm, const CollectiveSpec& spec,
                       const Options& given) {
  RS_TRY(check(spec));
  RS_ASSERT(spec.kind == algorithm.collective, "the algorithm serves another collective");
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
