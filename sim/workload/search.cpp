#include "sim/workload/search.hpp"

#include <algorithm>

#include "core/suggest.hpp"
#include "sim/workload/stages.hpp"

namespace ringside::sim {
namespace {

struct Candidate {
  Parallelism parallelism{};
  MemoryUse memory{};
  double least_seconds = 0;  ///< no split of these stages is faster
};

std::vector<std::uint32_t> divisors(std::uint32_t number, std::uint32_t most) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t d = 1; d <= std::min(number, most); ++d)
    if (number % d == 0) all.push_back(d);
  return all;
}

std::uint32_t experts_of(const Model& model) {
  std::uint32_t most = 1;
  for (const auto& layer : model.layers) most = std::max(most, layer.experts);
  return most;
}

/// Of the slowest stage's computing, every other stage filling and draining once: what is left if
/// nothing has to be sent. Recomputation runs the layers forward once more.
Result<double> least_seconds(const SearchRequest& request, const Parallelism& p) {
  RS_ASSIGN(const double rate, achieved_flops(request.gpu, p.type));
  double slowest = 0, all = 0;
  for (const auto& stage : cut_into_stages(request.model, p.pipeline)) {
    double seconds = 0;
    for (const auto& [index, count] : stage) {
      const Layer& layer = request.model.layers[index];
      const double again = p.recompute == Recompute::full ? layer.forward_flops : 0;
      const double flops = layer.forward_flops + layer.backward_flops + again;
      seconds += count * flops / (layer.splits_by_tensor ? p.tensor : 1) / rate;
    }
    slowest = std::max(slowest, seconds * p.micro_batch_samples);
    all += seconds * p.micro_batch_samples;
  }
  // An interleaved pipeline fills and drains that much faster.
  return (p.micro_batches - 1) * slowest + slowest + (all - slowest) / p.interleave;
}

class Search {
 public:
  explicit Search(const SearchRequest& request)
      : request_(request), batch_(request.global_batch > 0 ? request.global_batch : request.gpus) {}

  Result<SearchResult> run() {
    RS_TRY(collect());
    if (candidates_.empty())
      return bad_request(
          "no split of " + counted(request_.gpus, "GPU") + " trains " + request_.model.name +
          " on a " + request_.gpu.name +
          (result_.left_out.empty()
               ? ""
               : ": of " + counted(result_.candidates, "candidate") + ", " + most_common()));
    RS_TRY(simulate());
    return std::move(result_);
  }

 private:
  void leave_out(const std::string& why) { ++result_.left_out[why]; }

  std::string most_common() const {
    const auto most =
        std::max_element(result_.left_out.begin(), result_.left_out.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return std::to_string(most->second) + " " + most->first;
  }

  Result<void> collect() {
    for (const auto tensor : divisors(request_.gpus, request_.most_tensor))
      for (const auto pipeline : divisors(request_.gpus / tensor, request_.model.depth())) {
        Parallelism p = request_.parallelism;
        p.tensor = tensor;
        p.pipeline = pipeline;
        p.data = request_.gpus / tensor / pipeline;
        if (p.interleave > 1 && pipeline == 1) p.interleave = 1;
        for (const auto expert : divisors(experts_of(request_.model), p.data)) {
          p.expert = expert;
          RS_TRY(collect_batches(p));
        }
      }
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) {
      return a.least_seconds < b.least_seconds;
    });
    return {};
  }

  Result<void> collect_batches(Parallelism p) {
    constexpr std::uint32_t most_samples = 64, most_micro_batches = 1U << 12;
    for (std::uint32_t samples = 1; samples <= most_samples; samples *= 2) {
      const auto at_once = std::uint64_t{p.data} * samples;
      const bool divides = batch_ % at_once == 0 && batch_ / at_once <= most_micro_batches;
      if (!divides && samples > 1) break;
      p.micro_batch_samples = samples;
      p.micro_batches = divides ? static_cast<std::uint32_t>(batch_ / at_once) : 1;
      for (std::uint32_t zero = 0; zero <= 3; ++zero) {
        if (p.data == 1 && zero > 0) break;
        ++result_.candidates;
        p.zero = zero;
        if (!divides)
          leave_out("do not divide the batch");
        else if (!check(p, request_.model))
          leave_out("do not divide the model");
        else if (p.pipeline > 1 && zero > 1)
          leave_out("would split gradients that a pipeline still sums (ZeRO 2 and 3)");
        else
          RS_TRY(collect_fitting(p));
      }
    }
    return {};
  }

  Result<void> collect_fitting(Parallelism p) {
    for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      p.recompute = recompute;
      RS_ASSIGN(const auto memory, memory_use(request_.model, p));
      if (memory.total() > request_.gpu.memory) continue;
      RS_ASSIGN(const double least, least_seconds(request_, p));
      candidates_.push_back({p, memory, least});
      return {};
    }
    leave_out("do not fit");
    return {};
  }

  Result<void> simulate() {
    RS_ASSIGN(const Topology machine, request_.machine(request_.gpus));
    RS_ASSIGN(auto times, GroupTimes::make(machine, request_.algorithm));
    for (const auto& candidate : candidates_) {
      const auto& p = candidate.parallelism;
      if (result_.best.size() >= request_.keep &&
          candidate.least_seconds >= result_.best.back().step.time.seconds()) {
        leave_out("could not win even if communication were free");
        continue;
      }
      if (request_.on_progress)
        request_.on_progress(result_.simulated, candidates_.size(),
                             std::to_string(p.data) + " x " + std::to_string(p.tensor) + " x " +
                                 std::to_string(p.pipeline));
      RS_ASSIGN(auto step, simulate_step(request_.model, request_.gpu, p, times));
      ++result_.simulated;
      keep(candidate, std::move(step));
    }
    return {};
  }

  void keep(const Candidate& candidate, TrainingStep step) {
    ScalingPoint point{
        .gpus = request_.gpus, .parallelism = candidate.parallelism, .memory = candidate.memory};
    point.samples_per_second =
        static_cast<double>(candidate.parallelism.samples()) / step.time.seconds();
    point.step = std::move(step);
    const auto slower =
        std::upper_bound(result_.best.begin(), result_.best.end(), point,
                         [](const auto& a, const auto& b) { return a.step.time < b.step.time; });
    result_.best.insert(slower, std::move(point));
    if (result_.best.size() > request_.keep) result_.best.pop_back();
  }

  const SearchRequest& request_;
  std::uint64_t batch_;
  std::vector<Candidate> candidates_;
  SearchResult result_;
};

}  // namespace

Result<SearchResult> search(const SearchRequest& request) {
  return Search(request).run();
}

}  // namespace ringside::sim
