// Where more GPUs stop helping, and why.

#include "sim/workload/knee.hpp"

#include <algorithm>
#include <cmath>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

/// `1.4`
std::string one_decimal(double value) {
  const auto tenths = std::lround(value * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

double share(Duration part, const ScalingPoint& point) {
  return part.seconds() / point.step.time.seconds();
}

/// How much of what the next count adds is really added.
double gain(const ScalingPoint& point, const ScalingPoint& next) {
  const double more = static_cast<double>(next.gpus) / point.gpus - 1;
  return (next.samples_per_second / point.samples_per_second - 1) / more;
}

/// What would stay exposed if no link had a latency.
Result<Duration> exposed_without_latency(const ScalingRequest& request, const ScalingPoint& point) {
  RS_ASSIGN(Topology machine, request.machine(point.gpus));
  for (auto& link : machine.links) link.latency = {};
  RS_ASSIGN(auto times, GroupTimes::make(machine, request.algorithm));
  RS_ASSIGN(const auto step, simulate_step(request.model, request.gpu, point.parallelism, times));
  return step.shares.exposed;
}

Result<Knee> explained(const ScalingRequest& request, const std::vector<ScalingPoint>& points,
                       std::size_t at, std::size_t after) {
  const auto& point = points[at];
  const auto& next = points[after];
  Knee knee{.point = at};
  const double exposed = share(next.step.shares.exposed, next);
  const double bubble = share(next.step.shares.bubble, next);
  std::string why;
  if (bubble - share(point.step.shares.bubble, point) >
      exposed - share(point.step.shares.exposed, point)) {
    knee.limit = Limit::bubble;
    why = "the pipeline's bubble takes " + percent(bubble) +
          " of each step there: too few micro-batches for its stages";
  } else {
    RS_ASSIGN(const auto rest, exposed_without_latency(request, next));
    const bool is_latency = 2 * rest.picoseconds < next.step.shares.exposed.picoseconds;
    knee.limit = is_latency ? Limit::latency : Limit::bandwidth;
    why = "communication that computing does not hide takes " + percent(exposed) +
          " of each step there, " +
          (is_latency ? "most of it the latency of many small messages"
                      : "most of it bytes waiting for bandwidth");
  }
  knee.sentence = "The knee is at " + counted(point.gpus, "GPU") + ": " +
                  std::to_string(next.gpus) + " do only " +
                  one_decimal(next.samples_per_second / point.samples_per_second) +
                  "x as much, for " + why + ".";
  return knee;
}

/// No more counts run: what forbids it, or nothing.
Knee at_the_end(const ScalingRequest& request, const std::vector<ScalingPoint>& points,
                std::size_t last) {
  const auto& point = points[last];
  Knee knee;
  if (last + 1 < points.size()) {
    const auto& next = points[last + 1];
    const bool fits = next.memory.total() <= request.gpu.memory;
    knee.point = last;
    knee.limit = fits ? Limit::batch : Limit::memory;
    knee.sentence = "The knee is at " + counted(point.gpus, "GPU") +
                    ", the last that can be used: " + next.left_out + ".";
    return knee;
  }
  knee.sentence = "No knee up to " + counted(point.gpus, "GPU") + ": they work at " +
                  percent(point.efficiency) + " efficiency.";
  return knee;
}

}  // namespace

Result<Knee> find_knee(const ScalingRequest& request, const std::vector<ScalingPoint>& points) {
  constexpr double worth_it = 0.5;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].runs()) continue;
    if (last && gain(points[*last], points[i]) < worth_it)
      return explained(request, points, *last, i);
    last = i;
  }
  return at_the_end(request, points, *last);
}

}  // namespace ringside::sim
