// `scale`'s results as tables, JSON, CSV and a plot.

#include "viz/terminal/scaling_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/suggest.hpp"

namespace ringside::terminal {
namespace {

using sim::ScalingPoint;

constexpr std::array<std::string_view, 3> recompute_names{"none", "selective", "full"};

std::string_view name_of(sim::Recompute recompute) {
  return recompute_names[static_cast<std::size_t>(recompute)];
}

double share(Duration part, const ScalingPoint& point) {
  return part.seconds() / point.step.time.seconds();
}

/// `dp 64`, `dp 8 x tp 8 x pp 4 (ep 8)`
std::string split(const sim::Parallelism& p) {
  std::string text = fmt::format("dp {}", p.data);
  if (p.tensor > 1) text += fmt::format(" x tp {}", p.tensor);
  if (p.pipeline > 1) text += fmt::format(" x pp {}", p.pipeline);
  if (p.expert > 1) text += fmt::format(" (ep {})", p.expert);
  return text;
}

std::string how(const sim::Parallelism& p) {
  std::string text = fmt::format("zero {}", p.zero);
  if (p.recompute != sim::Recompute::none)
    text += fmt::format(", recompute {}", name_of(p.recompute));
  return text;
}

std::string percent(double value) {
  return fmt::format("{:.1f}%", 100 * value);
}

constexpr std::string_view header =
    "#   GPUs            split  micro-batches     step  samples/s  speed-up  effic.  exposed  "
    "bubble    memory\n";

std::string row(const ScalingPoint& point) {
  const auto& p = point.parallelism;
  if (!point.runs()) return fmt::format("{:>8} {:>16}  {}\n", point.gpus, "-", point.left_out);
  return fmt::format(
      "{:>8} {:>16} {:>14} {:>8} {:>10.1f} {:>9.2f} {:>7} {:>8} {:>7} {:>9}\n", point.gpus,
      split(p), fmt::format("{} of {}", p.micro_batches, p.micro_batch_samples),
      to_string(point.step.time), point.samples_per_second, point.speedup,
      percent(point.efficiency), percent(share(point.step.shares.exposed, point)),
      percent(share(point.step.shares.bubble, point)), gigabytes(point.memory.total()));
}

std::string lines(std::string_view mark, const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += fmt::format("# {}{}\n", mark, text);
  return all;
}

nlohmann::ordered_json memory_json(const sim::MemoryUse& memory) {
  return {{"parameters", memory.parameters.count}, {"gradients", memory.gradients.count},
          {"optimizer", memory.optimizer.count},   {"activations", memory.activations.count},
          {"gathered", memory.gathered.count},     {"total", memory.total().count}};
}

nlohmann::ordered_json point_json(const ScalingPoint& point) {
  const auto& p = point.parallelism;
  nlohmann::ordered_json json{{"gpus", point.gpus},
                              {"data", p.data},
                              {"tensor", p.tensor},
                              {"pipeline", p.pipeline},
                              {"expert", p.expert},
                              {"zero", p.zero},
                              {"recompute", name_of(p.recompute)},
                              {"micro_batches", p.micro_batches},
                              {"micro_batch_samples", p.micro_batch_samples}};
  if (point.memory.total().count > 0) json["memory_bytes"] = memory_json(point.memory);
  if (!point.runs()) {
    json["left_out"] = point.left_out;
    return json;
  }
  json["step_us"] = point.step.time.microseconds();
  json["samples_per_second"] = point.samples_per_second;
  if (point.speedup > 0) {
    json["speedup"] = point.speedup;
    json["efficiency"] = point.efficiency;
  }
  json["compute_us"] = point.step.shares.compute.microseconds();
  json["exposed_us"] = point.step.shares.exposed.microseconds();
  json["bubble_us"] = point.step.shares.bubble.microseconds();
  json["communication_us"] = point.step.communication.microseconds();
  return json;
}

nlohmann::ordered_json head_json(const ScalingHead& head) {
  nlohmann::ordered_json json{{"ringside", 1},
                              {"command", "scale"},
                              {"model", head.model},
                              {"gpu", head.gpu},
                              {"system", head.system}};
  if (!head.mode.empty()) json["mode"] = head.mode;
  return json;
}

std::string finished(nlohmann::ordered_json json, const ScalingHead& head) {
  json["assumed"] = head.assumed;
  json["notes"] = head.notes;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string csv_row(const ScalingPoint& point) {
  const auto& p = point.parallelism;
  std::string text =
      fmt::format("{},{},{},{},{},{},{},{},{},", point.gpus, p.data, p.tensor, p.pipeline, p.expert,
                  p.zero, name_of(p.recompute), p.micro_batches, p.micro_batch_samples);
  const auto memory = point.memory.total().count;
  const auto total = memory > 0 ? fmt::format("{}", memory) : "";
  if (!point.runs()) {
    std::string why = point.left_out;
    std::replace(why.begin(), why.end(), '"', '\'');
    return text + fmt::format(",,,,,,{},\"{}\"\n", total, why);
  }
  return text + fmt::format("{},{},{},{},{},{},{},\n", point.step.time.microseconds(),
                            point.samples_per_second, point.speedup, point.efficiency,
                            point.step.shares.exposed.microseconds(),
                            point.step.shares.bubble.microseconds(), total);
}

constexpr std::string_view csv_header =
    "gpus,data,tensor,pipeline,expert,zero,recompute,micro_batches,micro_batch_samples,step_us,"
    "samples_per_second,speedup,efficiency,exposed_us,bubble_us,memory_bytes,left_out\n";

}  // namespace

std::string gigabytes(Bytes size) {
  return fmt::format("{:.1f} GB", static_cast<double>(size.count) / 1e9);
}

std::string to_table(const ScalingHead& head, const sim::ScalingCurve& curve) {
  std::string text =
      fmt::format("# {} on {} ({}), {} scaling\n", head.model, head.system, head.gpu, head.mode);
  text += lines("assumed: ", head.assumed);
  text += header;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    std::string line = row(curve.points[i]);
    if (curve.knee.point == i) line.insert(line.size() - 1, "  <- knee");
    text += line;
  }
  return text + "# " + curve.knee.sentence + "\n" + lines("", head.notes);
}

std::string to_json(const ScalingHead& head, const sim::ScalingCurve& curve) {
  auto json = head_json(head);
  json["results"] = nlohmann::ordered_json::array();
  for (const auto& point : curve.points) json["results"].push_back(point_json(point));
  nlohmann::ordered_json knee{{"limit", name(curve.knee.limit)}, {"sentence", curve.knee.sentence}};
  if (curve.knee.point) knee["gpus"] = curve.points[*curve.knee.point].gpus;
  json["knee"] = std::move(knee);
  return finished(std::move(json), head);
}

std::string to_csv(const ScalingHead&, const sim::ScalingCurve& curve) {
  std::string text(csv_header);
  for (const auto& point : curve.points) text += csv_row(point);
  return text;
}

std::string plot(const sim::ScalingCurve& curve) {
  constexpr std::size_t column = 6;
  std::vector<const ScalingPoint*> shown;
  for (const auto& point : curve.points)
    if (point.runs()) shown.push_back(&point);
  const auto doubling = [&](double value) {
    return std::lround(std::log2(value / shown.front()->gpus));
  };
  long top = 0;
  for (const auto* point : shown) top = std::max(top, doubling(point->gpus));
  std::string text = "\n  speed-up (o) and the ideal (.)\n";
  for (long level = top; level >= 0; --level) {
    std::string line =
        fmt::format("{:>9.0f} |", shown.front()->gpus * std::exp2(static_cast<double>(level)));
    for (const auto* point : shown) {
      std::string cell(column, ' ');
      if (doubling(point->gpus) == level) cell[column - 2] = '.';
      if (std::max(doubling(point->speedup), 0L) == level) cell[column - 2] = 'o';
      line += cell;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += fmt::format("{:>9} +{}\n{:>11}", "", std::string(column * shown.size(), '-'), "");
  for (const auto* point : shown) text += fmt::format("{:>5} ", point->gpus);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "  GPUs\n";
}

std::string to_table(const ScalingHead& head, const sim::SearchResult& result) {
  const auto& best = result.best.front();
  std::string text = fmt::format("# {} on {} of {} ({})\n", head.model, counted(best.gpus, "GPU"),
                                 head.system, head.gpu);
  text += lines("assumed: ", head.assumed);
  text += fmt::format("#{:>24} {:>28} {:>14} {:>9} {:>10} {:>8} {:>7} {:>9}\n", "split", "how",
                      "micro-batches", "step", "samples/s", "exposed", "bubble", "memory");
  for (const auto& point : result.best) {
    const auto& p = point.parallelism;
    text += fmt::format(
        "{:>25} {:>28} {:>14} {:>9} {:>10.1f} {:>8} {:>7} {:>9}\n", split(p), how(p),
        fmt::format("{} of {}", p.micro_batches, p.micro_batch_samples), to_string(point.step.time),
        point.samples_per_second, percent(share(point.step.shares.exposed, point)),
        percent(share(point.step.shares.bubble, point)), gigabytes(point.memory.total()));
  }
  text +=
      fmt::format("# {}, {} simulated", counted(result.candidates, "candidate"), result.simulated);
  for (const auto& [why, count] : result.left_out) text += fmt::format("; {} {}", count, why);
  return text + "\n" + lines("", head.notes);
}

std::string to_json(const ScalingHead& head, const sim::SearchResult& result) {
  auto json = head_json(head);
  json["results"] = nlohmann::ordered_json::array();
  for (const auto& point : result.best) json["results"].push_back(point_json(point));
  json["candidates"] = result.candidates;
  json["simulated"] = result.simulated;
  json["left_out"] = result.left_out;
  return finished(std::move(json), head);
}

std::string to_csv(const ScalingHead&, const sim::SearchResult& result) {
  std::string text(csv_header);
  for (const auto& point : result.best) text += csv_row(point);
  return text;
}

}  // namespace ringside::terminal
