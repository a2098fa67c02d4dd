#include "sim/workload/step_events.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

namespace ringside::sim {
namespace {

std::string in_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds with three decimals.
std::string time_text(TimePoint at) {
  const auto nanoseconds = at.picoseconds / 1000;
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::string stage_name(std::uint32_t stage, const Parallelism& p) {
  const auto per_stage = p.data * p.tensor;
  const auto first = stage * per_stage;
  if (per_stage == 1) return fmt::format("stage {} (GPU {})", stage, first);
  return fmt::format("stage {} (GPUs {} to {})", stage, first, first + per_stage - 1);
}

std::uint32_t thread(std::uint32_t stage, StreamKind stream) {
  return stage * static_cast<std::uint32_t>(stream_count) + static_cast<std::uint32_t>(stream);
}

std::string meta(std::uint32_t stage, std::string_view what, std::string_view rest) {
  return fmt::format("{{\"ph\":\"M\",\"pid\":{},\"name\":\"{}\",{}}},\n", stage, what, rest);
}

/// Stages, and those of their streams that do anything.
std::string names(const TrainingStep& step, const Parallelism& p) {
  std::string text;
  for (std::uint32_t stage = 0; stage < p.pipeline; ++stage) {
    text += meta(stage, "process_name",
                 fmt::format("\"args\":{{\"name\":{}}}", in_json(stage_name(stage, p))));
    text += meta(stage, "process_sort_index", fmt::format("\"args\":{{\"sort_index\":{}}}", stage));
  }
  std::set<std::uint32_t> told;
  for (const StepSpan& span : step.timeline)
    if (const auto its = thread(span.stage, span.stream); told.insert(its).second)
      text +=
          meta(span.stage, "thread_name",
               fmt::format("\"tid\":{},\"args\":{{\"name\":{}}}", its, in_json(name(span.stream))));
  return text;
}

}  // namespace

std::string step_events(const TrainingStep& step, const StepTitle& title) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  text += names(step, title.parallelism);
  for (const StepSpan& span : step.timeline) {
    const auto its = thread(span.stage, span.stream);
    text += fmt::format(
        "{{\"ph\":\"B\",\"pid\":{0},\"tid\":{1},\"ts\":{2},\"name\":\"{3}\",\"args\":{{"
        "\"layer\":{4},\"micro_batch\":{5}}}}},\n"
        "{{\"ph\":\"E\",\"pid\":{0},\"tid\":{1},\"ts\":{6}}},\n",
        span.stage, its, time_text(span.begin), name(span.activity),
        in_json(title.model.layers[span.layer].name), span.micro_batch, time_text(span.end));
  }
  text.resize(text.size() - 2);  // the last comma
  return text + fmt::format(
                    "\n],\"otherData\":{{\"version\":{},\"command\":{},\"model\":{},\"machine\":{},"
                    "\"clock\":\"simulated\"}}}}\n",
                    in_json(title.version), in_json(title.command), in_json(title.model.name),
                    in_json(title.machine));
}

}  // namespace ringside::sim
