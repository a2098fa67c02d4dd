#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "sim/workload/scaling.hpp"

namespace ringside::stage {

/// What is trained, and how it is spread, as the controls say it. On which machine says the
/// scenario.
struct Workload {
  std::string model = "gpt2-xl";
  std::string gpu;  ///< empty: the system's; of a shape h100
  std::uint32_t gpus = 64;
  std::uint32_t tensor = 1, pipeline = 1;
  std::uint64_t batch = 256;       ///< samples a step, all replicas together, on `gpus` GPUs
  std::uint32_t micro_batch = 1;   ///< samples that pass at once
  std::string schedule = "1f1b";   ///< of a pipeline: or gpipe
  std::string zero = "auto";       ///< 0 to 3; auto: the least that fits
  std::string recompute = "auto";  ///< none, selective, full
  std::string mode = "strong";     ///< of the curve: or weak
  std::uint32_t most = 256;        ///< GPUs, where the curve ends
  // Of the small training that is done here, for real (practice.hpp).
  std::string network = "mlp";      ///< or transformer
  std::uint32_t workers = 4;        ///< at most 8
  std::string way = "weighted";     ///< or no_sync, sum, average_losses: what people get wrong
  std::string shards = "even";      ///< or uneven: half of the batch is worker 0's
  std::string start = "broadcast";  ///< or own: everyone starts from weights of their own
  std::vector<std::string> set{};   ///< of wires that the run which plays does not have
  friend bool operator==(const Workload&, const Workload&) = default;
};

/// `train.model`, `train.gpus` ...: the workload's fields as Edit names them, in the order in which
/// the column shows them.
std::span<const std::string_view> workload_fields();
bool is_of_workload(std::string_view field);
/// Of the small training alone.
bool is_of_practice(std::string_view field);
std::string workload_field(const Workload& workload, std::string_view field);
/// Errors: one sentence, with what was expected; the workload stays as it was.
Result<void> set_workload_field(Workload& workload, std::string_view field, std::string_view value);
/// What a list offers; none for a number.
std::vector<std::string> workload_choices(std::string_view field);

/// Where the curve has points: one replica's GPUs, doubled, up to `most`, which is always there.
std::vector<std::uint32_t> counts_of(const Workload& workload);

/// The curve that a student draws before the true one is shown: a speed-up for each count that the
/// mouse has passed.
struct Drawing {
  std::map<std::uint32_t, double> speedup{};  ///< by GPUs
  bool is_compared = false;                   ///< the true curve is shown; nothing more is drawn
};
/// From one place of the chart to another, or on one: the mouse has moved so.
struct Draw {
  double gpus_from = 1, speedup_from = 1, gpus_to = 1, speedup_to = 1;
};
/// What is under a stroke, by its place in `xs`, with the stroke's height there: straight between
/// the ends in the log-log picture. One that begins and ends between two of them is over the nearer
/// one. `xs` are more than 0.
std::vector<std::pair<std::size_t, double>> under(std::span<const double> xs, const Draw& stroke);
/// Counts under the stroke get its height. Nothing happens once compared.
void draw(Drawing& drawing, std::span<const std::uint32_t> counts, const Draw& stroke);

/// By what factor the drawing misses the curve, on average over what was drawn where the curve has
/// a point: exp of the mean |log(drawn / true)|. Empty where nothing can be compared.
std::optional<double> missed_by(const Drawing& drawing, const sim::ScalingCurve& curve);

}  // namespace ringside::stage
