#include "sim/workload/scaling.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/suggest.hpp"
#include "sim/workload/knee.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint32_t most_gpus = 1U << 16;

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

/// Samples that the replicas of a step share.
std::uint64_t batch_on(const ScalingRequest& request, std::uint32_t data) {
  const Parallelism& p = request.parallelism;
  const auto replicas = [&](std::uint32_t gpus) {
    return std::max<std::uint64_t>(gpus / (std::uint64_t{p.tensor} * p.pipeline), 1);
  };
  if (request.mode == Scaling::strong)
    return request.global_batch > 0 ? request.global_batch
                                    : replicas(request.gpus.back()) * p.micro_batch_samples;
  // The first count that holds a replica.
  const auto first = std::find_if(
      request.gpus.begin(), request.gpus.end(),
      [&](std::uint32_t gpus) { return gpus >= std::uint64_t{p.tensor} * p.pipeline; });
  const auto at_first = first == request.gpus.end() ? 1 : replicas(*first);
  const auto whole =
      request.global_batch > 0 ? request.global_batch : at_first * p.micro_batch_samples;
  return whole * data / at_first;
}

/// The degrees on that many GPUs, or why there are none.
Result<Parallelism> divided(const ScalingRequest& request, std::uint32_t gpus) {
  Parallelism p = request.parallelism;
  const auto one_replica = std::uint64_t{p.tensor} * p.pipeline;
  if (gpus % one_replica != 0)
    return bad_request(text(gpus) + " GPUs are no whole number of replicas of " +
                       text(one_replica) + " (tensor " + text(p.tensor) + " x pipeline " +
                       text(p.pipeline) + ")");
  p.data = static_cast<std::uint32_t>(gpus / one_replica);
  const auto batch = batch_on(request, p.data);
  const auto at_once = std::uint64_t{p.data} * p.micro_batch_samples;
  if (batch % at_once != 0)
    return bad_request("a batch of " + text(batch) + " cannot be shared out evenly among " +
                       counted(p.data, "replica") + " in micro-batches of " +
                       text(p.micro_batch_samples));
  constexpr std::uint64_t most_micro_batches = 1U << 16;
  if (batch / at_once > most_micro_batches)
    return bad_request("a batch of " + text(batch) + " is more than " + text(most_micro_batches) +
                       " micro-batches for each replica");
  p.micro_batches = static_cast<std::uint32_t>(batch / at_once);
  RS_TRY(check(p, request.model));
  return p;
}

std::string_view name_of(Recompute recompute) {
  constexpr std::array<std::string_view, 3> names{"none", "selective", "full"};
  return names[static_cast<std::size_t>(recompute)];
}

/// From what costs least: traffic grows with ZeRO 3 only, computing with each recomputation.
std::vector<Parallelism> choices(const ScalingRequest& request) {
  std::vector<Parallelism> all;
  for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full})
    for (std::uint32_t zero = 0; zero <= 3; ++zero) {
      Parallelism p = request.parallelism;
      if (request.choose_zero) p.zero = zero;
      if (request.choose_recompute) p.recompute = recompute;
      // Gradients that are split before a pipeline has summed them travel once a micro-batch.
      if (request.choose_zero && p.pipeline > 1 && zero > 1) continue;
      if (p.zero == zero && p.recompute == recompute) all.push_back(p);
    }
  return all;
}

/// The first choice that fits at the most counts.
void choose(ScalingRequest& request, std::vector<std::string>& notes) {
  if (!request.choose_zero && !request.choose_recompute) return;
  std::optional<Parallelism> best;
  std::size_t most = 0;
  for (const auto& choice : choices(request)) {
    request.parallelism = choice;
    std::size_t fit = 0;
    for (const auto gpus : request.gpus) {
      const auto p = divided(request, gpus);
      const auto use = p ? memory_use(request.model, *p) : Result<MemoryUse>();
      if (p && use && use->total() <= request.gpu.memory) ++fit;
    }
    if (best && fit <= most) continue;
    best = choice;
    most = fit;
  }
  request.parallelism = *best;
  notes.push_back("ZeRO " + text(best->zero) + ", recomputation " +
                  std::string(name_of(best->recompute)) +
                  ": the least that fits at most counts (--zero, --recompute say otherwise)");
}

Result<ScalingPoint> point_on(const ScalingRequest& request, std::uint32_t gpus) {
  ScalingPoint point{.gpus = gpus, .parallelism = request.parallelism};
  const auto p = divided(request, gpus);
  if (!p) {
    point.left_out = p.error().message;
    return point;
  }
  point.parallelism = *p;
  RS_ASSIGN(point.memory, memory_use(request.model, *p));
  RS_ASSIGN(point.left_out, does_not_fit(request.model, *p, request.gpu));
  if (!point.runs()) return point;
  RS_ASSIGN(const Topology machine, request.machine(gpus));
  RS_ASSIGN(auto times, GroupTimes::make(machine, request.algorithm));
  RS_ASSIGN(point.step, simulate_step(request.model, request.gpu, *p, times));
  point.samples_per_second = static_cast<double>(p->samples()) / point.step.time.seconds();
  return point;
}

void compare_with_first(std::vector<ScalingPoint>& points) {
  const auto first =
      std::find_if(points.begin(), points.end(), [](const auto& point) { return point.runs(); });
  for (auto point = first; point != points.end(); ++point) {
    if (!point->runs()) continue;
    point->speedup = point->samples_per_second / first->samples_per_second * first->gpus;
    point->efficiency = point->speedup / point->gpus;
  }
}

Result<std::uint32_t> parse_count(std::string_view whole, std::string_view part) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), count);
  if (error != std::errc{} || end != part.data() + part.size() || count == 0 || count > most_gpus)
    return bad_request(in_quotes(whole) +
                       " is no list of GPU counts from 1 to 65536: write 1-4096 (doubled from "
                       "the first to the last), 8,16,24 or 64");
  return count;
}

}  // namespace

std::string_view name(Limit limit) {
  constexpr std::array<std::string_view, 6> names{"none",   "latency", "bandwidth",
                                                  "bubble", "memory",  "batch"};
  return names[static_cast<std::size_t>(limit)];
}

Result<std::vector<std::uint32_t>> parse_gpu_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    RS_ASSIGN(const auto first, parse_count(text, text.substr(0, dash)));
    RS_ASSIGN(const auto last, parse_count(text, text.substr(dash + 1)));
    if (first > last)
      return bad_request(in_quotes(text) + " counts down: write the smaller number first");
    for (auto count = first; count < last; count *= 2) counts.push_back(count);
    counts.push_back(last);
    return counts;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    RS_ASSIGN(const auto count, parse_count(text, text.substr(begin, end - begin)));
    if (!counts.empty() && count <= counts.back())
      return bad_request(in_quotes(text) + " does not ascend: write each count once, upwards");
    counts.push_back(count);
    begin = end + 1;
  }
  return counts;
}

Result<ScalingCurve> scale(const ScalingRequest& asked) {
  ScalingRequest request = asked;
  ScalingCurve curve;
  choose(request, curve.notes);
  for (const auto gpus : request.gpus) {
    if (request.on_progress)
      request.on_progress(curve.points.size(), request.gpus.size(), counted(gpus, "GPU"));
    RS_ASSIGN(auto point, point_on(request, gpus));
    curve.points.push_back(std::move(point));
  }
  if (std::none_of(curve.points.begin(), curve.points.end(),
                   [](const auto& point) { return point.runs(); }))
    return bad_request("on none of these numbers of GPUs can " + request.model.name +
                       " be trained so: " + curve.points.back().left_out);
  compare_with_first(curve.points);
  RS_ASSIGN(curve.knee, find_knee(request, curve.points));
  return curve;
}

}  // namespace ringside::sim
