#include "lessons/course/laboratory.hpp"

#include <algorithm>
#include <charconv>

#include "core/suggest.hpp"
#include "core/units.hpp"

namespace ringside::lessons {
namespace {

/// The moment before the first transfer of a step starts.
TimePoint before_step(const Experiment& experiment, std::uint32_t step) {
  const Schedule& schedule = *experiment.schedule;
  if (step == schedule.steps()) return experiment.time;
  TimePoint first = forever;
  const auto end = schedule.step_end({step});
  for (auto id = schedule.step_begin({step}); id < end; ++id.value)
    first = std::min(first, experiment.spans[id.value].begin);
  return first;
}

}  // namespace

Result<TimePoint> moment(const Experiment& experiment, const std::string& at) {
  if (at == "start") return TimePoint{};
  if (at == "end") return experiment.time;
  if (const auto share = parse_share(at))
    return TimePoint{
        static_cast<std::int64_t>(*share * static_cast<double>(experiment.time.picoseconds))};
  const auto steps = experiment.schedule->steps();
  std::uint32_t step = 0;
  const std::string_view number = std::string_view(at).substr(std::min<std::size_t>(5, at.size()));
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), step);
  if (!at.starts_with("step ") || failure != std::errc{} || end != number.data() + number.size() ||
      step > steps)
    return bad_request(in_quotes(at) +
                       " is no moment of this run: write start, end, 35%, or step 0 to step " +
                       std::to_string(steps));
  return before_step(experiment, step);
}

}  // namespace ringside::lessons
