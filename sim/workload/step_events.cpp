#include "sim/workload/step_events.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ringside::sim {
namespace {

std::string in_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Picoseconds as microseconds with three decimals.
std::string time_text(std::int64_t picoseconds) {
  const auto nanoseconds = picoseconds / 1000;
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::string stage_name(std::uint32_t stage, const Parallelism& p) {
  const auto per_stage = p.data * p.tensor;
  const auto first = stage * per_stage;
  if (per_stage == 1) return fmt::format("stage {} (GPU {})", stage, first);
  return fmt::format("stage {} (GPUs {} to {})", stage, first, first + per_stage - 1);
}

std::string names(const Parallelism& p) {
  std::string text;
  for (std::uint32_t stage = 0; stage < p.pipeline; ++stage) {
    text += fmt::format(
        "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\",\"args\":{{\"name\":{1}}}}},\n"
        "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}"
        "}},\n",
        stage, in_json(stage_name(stage, p)));
    for (std::uint32_t stream = 0; stream < stream_count; ++stream)
      text += fmt::format(
          "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}"
          "}},\n",
          stage, stream, in_json(name(static_cast<StreamKind>(stream))));
  }
  return text;
}

}  // namespace

std::string step_events(const TrainingStep& step, const StepTitle& title) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + names(title.parallelism);
  for (const StepSpan& span : step.timeline) {
    // The difference of what is rounded down, so that what touches still touches.
    const auto begin = span.begin.picoseconds / 1000 * 1000;
    const auto length = span.end.picoseconds / 1000 * 1000 - begin;
    text += fmt::format(
        "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{"
        "\"layer\":{},\"micro_batch\":{}}}}},\n",
        span.stage, static_cast<int>(span.stream), time_text(begin), time_text(length),
        name(span.activity), in_json(title.model.layers[span.layer].name), span.micro_batch);
  }
  if (text.ends_with(",\n")) text.resize(text.size() - 2);
  return text + fmt::format(
                    "\n],\"otherData\":{{\"version\":{},\"command\":{},\"model\":{},\"machine\":{},"
                    "\"clock\":\"simulated\"}}}}\n",
                    in_json(title.version), in_json(title.command), in_json(title.model.name),
                    in_json(title.machine));
}

}  // namespace ringside::sim
