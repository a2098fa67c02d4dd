#include "viz/stage/dump_training.hpp"

#include <nlohmann/json.hpp>

namespace ringside::stage::detail {
namespace {

Json json_of(const StepLane& lane) {
  Json spans = Json::array(), idle = Json::array();
  for (const auto& span : lane.spans)
    spans.push_back({sim::name(span.activity), span.micro_batch, span.layer, span.begin.picoseconds,
                     span.end.picoseconds});
  for (const Idle& gap : lane.idle)
    idle.push_back(
        {gap.is_exposed ? "exposed" : "bubble", gap.begin.picoseconds, gap.end.picoseconds});
  return {
      {"stage", lane.stage}, {"stream", sim::name(lane.stream)}, {"spans", spans}, {"idle", idle}};
}

Json json_of(const sim::ScalingPoint& point, const StepLanes& lanes) {
  const auto& [compute, exposed, bubble] = point.step.shares;
  Json all = Json::array();
  for (const StepLane& lane : lanes.lanes) all.push_back(json_of(lane));
  return {{"gpus", point.gpus},
          {"left_out", point.left_out},
          {"time_ps", point.step.time.picoseconds},
          {"compute_ps", compute.picoseconds},
          {"exposed_ps", exposed.picoseconds},
          {"bubble_ps", bubble.picoseconds},
          {"communication_ps", point.step.communication.picoseconds},
          {"samples_per_second", point.samples_per_second},
          {"memory_bytes", point.memory.total().count},
          {"lanes", all}};
}

Json json_of(const sim::ScalingCurve& curve) {
  Json points = Json::array();
  for (const auto& point : curve.points) {
    Json one{{"gpus", point.gpus}};
    if (point.runs())
      one.update({{"time_ps", point.step.time.picoseconds},
                  {"samples_per_second", point.samples_per_second},
                  {"speedup", point.speedup}});
    else
      one["left_out"] = point.left_out;
    points.push_back(std::move(one));
  }
  Json knee_gpus;
  if (curve.knee.point) knee_gpus = curve.points[*curve.knee.point].gpus;
  return {{"points", points},
          {"knee_gpus", knee_gpus},
          {"limit", sim::name(curve.knee.limit)},
          {"sentence", curve.knee.sentence}};
}

Json json_of(const Workload& workload) {
  Json all = Json::object();
  for (const auto field : workload_fields())
    all[std::string(field.substr(field.find('.') + 1))] = workload_field(workload, field);
  return all;
}

}  // namespace

Json dump_practice(const Model& model) {
  if (!model.practice) return nullptr;
  const auto& [run, refusal] = *model.practice;
  if (!refusal.empty()) return {{"refusal", refusal}};
  return {{"steps", run.steps.size()},
          {"workers", run.asked.workers},
          {"shards", run.asked.shards},
          {"first_loss", run.steps.front().loss},
          {"last_loss", run.steps.back().loss},
          {"replicas_identical", run.replicas_identical()},
          {"equals_one_worker", run.equals_one_worker()},
          {"answers_right", run.answers_right}};
}

Json dump_training(const Model& model) {
  if (!model.forecast) return nullptr;
  const Forecast& forecast = *model.forecast;
  Json drawn = Json::object();
  for (const auto& [gpus, speedup] : model.drawing.speedup) drawn[std::to_string(gpus)] = speedup;
  const auto missed = forecast.curve && model.drawing.is_compared
                          ? missed_by(model.drawing, *forecast.curve)
                          : std::nullopt;
  return {{"workload", json_of(model.workload)},
          {"set", model.workload.set},
          {"gpu", forecast.gpu},
          {"no_step", forecast.no_step},
          {"no_curve", forecast.no_curve},
          {"complete", forecast.is_complete},
          {"step", forecast.step ? json_of(*forecast.step, forecast.lanes) : Json()},
          {"drawn", drawn},
          {"compared", model.drawing.is_compared},
          {"missed_by", missed ? Json(*missed) : Json()},
          {"curve", forecast.curve ? json_of(*forecast.curve) : Json()}};
}

}  // namespace ringside::stage::detail
