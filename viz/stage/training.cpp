#include "viz/stage/training.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/suggest.hpp"
#include "sim/workload/gpu.hpp"
#include "sim/workload/model.hpp"

namespace ringside::stage {
namespace {

constexpr std::uint64_t most_gpus = 1024, most_samples = 1 << 20, most_workers = 8;

template <typename Number>
Result<void> set_number(Number& into, std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > most)
    return bad_request("expected a whole number from 1 to " + std::to_string(most) + ", not " +
                       in_quotes(text));
  into = static_cast<Number>(number);
  return {};
}

struct Field {
  std::string_view name;
  std::string (*get)(const Workload&);
  Result<void> (*set)(Workload&, std::string_view);
  std::vector<std::string> (*choices)();  ///< null: a number
};

Result<void> set_choice(std::string& into, std::string_view text,
                        const std::vector<std::string>& choices) {
  if (std::ranges::count(choices, text) == 0) {
    const std::vector<std::string_view> names(choices.begin(), choices.end());
    return bad_request(unknown("choice", text, names));
  }
  into = text;
  return {};
}

template <std::string Workload::*member, auto choices>
constexpr Field choice(std::string_view name) {
  return {name, [](const Workload& w) { return w.*member; },
          [](Workload& w, std::string_view t) { return set_choice(w.*member, t, choices()); },
          choices};
}
template <auto member, std::uint64_t most>
constexpr Field number(std::string_view name) {
  return {name, [](const Workload& w) { return std::to_string(w.*member); },
          [](Workload& w, std::string_view t) { return set_number(w.*member, t, most); }, nullptr};
}

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one.name);
  return names;
}
std::vector<std::string> models() {
  static const auto names = names_of(sim::list_models());
  return names;
}
/// The empty one: the system's own.
std::vector<std::string> gpus() {
  static const auto names = [] {
    auto all = names_of(sim::list_gpus());
    all.insert(all.begin(), "");
    return all;
  }();
  return names;
}
std::vector<std::string> schedules() {
  return {"1f1b", "gpipe"};
}
std::vector<std::string> zero_stages() {
  return {"auto", "0", "1", "2", "3"};
}
std::vector<std::string> recomputes() {
  return {"auto", "none", "selective", "full"};
}
std::vector<std::string> modes() {
  return {"strong", "weak"};
}
std::vector<std::string> networks() {
  return {"mlp", "transformer"};
}
std::vector<std::string> ways() {
  return {"weighted", "no_sync", "sum", "average_losses"};
}
std::vector<std::string> shard_sizes() {
  return {"even", "uneven"};
}
std::vector<std::string> starts() {
  return {"broadcast", "own"};
}

constexpr std::string_view of_practice[] = {"train.network", "train.workers", "train.way",
                                            "train.shards", "train.start"};

constexpr Field fields[] = {
    choice<&Workload::model, models>("train.model"),
    choice<&Workload::gpu, gpus>("train.gpu"),
    number<&Workload::gpus, most_gpus>("train.gpus"),
    number<&Workload::batch, most_samples>("train.batch"),
    number<&Workload::tensor, most_gpus>("train.tensor"),
    number<&Workload::pipeline, most_gpus>("train.pipeline"),
    number<&Workload::micro_batch, most_samples>("train.micro_batch"),
    choice<&Workload::schedule, schedules>("train.schedule"),
    choice<&Workload::zero, zero_stages>("train.zero"),
    choice<&Workload::recompute, recomputes>("train.recompute"),
    choice<&Workload::mode, modes>("train.mode"),
    number<&Workload::most, most_gpus>("train.most"),
    choice<&Workload::network, networks>(of_practice[0]),
    number<&Workload::workers, most_workers>(of_practice[1]),
    choice<&Workload::way, ways>(of_practice[2]),
    choice<&Workload::shards, shard_sizes>(of_practice[3]),
    choice<&Workload::start, starts>(of_practice[4]),
};

const Field* find(std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == std::end(fields) ? nullptr : &*found;
}

}  // namespace

std::span<const std::string_view> workload_fields() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const Field& field : fields) all.push_back(field.name);
    return all;
  }();
  return names;
}

bool is_of_workload(std::string_view field) {
  return field.starts_with("train.");
}

bool is_of_practice(std::string_view field) {
  return std::ranges::count(of_practice, field) > 0;
}

std::string workload_field(const Workload& workload, std::string_view field) {
  const Field* found = find(field);
  return found == nullptr ? "" : found->get(workload);
}

Result<void> set_workload_field(Workload& workload, std::string_view field,
                                std::string_view value) {
  const Field* found = find(field);
  if (found == nullptr) return bad_request(unknown("field", field, workload_fields()));
  if (auto done = found->set(workload, value); !done)
    return bad_request(std::string(field) + ": " + done.error().message);
  return {};
}

std::vector<std::string> workload_choices(std::string_view field) {
  const Field* found = find(field);
  if (found == nullptr || found->choices == nullptr) return {};
  return found->choices();
}

std::vector<std::uint32_t> counts_of(const Workload& workload) {
  const std::uint64_t replica = std::uint64_t{workload.tensor} * workload.pipeline;
  std::vector<std::uint32_t> counts;
  for (std::uint64_t count = replica; count < workload.most; count *= 2)
    counts.push_back(static_cast<std::uint32_t>(count));
  counts.push_back(static_cast<std::uint32_t>(std::max<std::uint64_t>(workload.most, replica)));
  return counts;
}

std::vector<std::pair<std::size_t, double>> under(std::span<const double> xs, const Draw& stroke) {
  const auto is_good = [](double value) { return std::isfinite(value) && value > 0; };
  if (xs.empty() || !is_good(stroke.gpus_from) || !is_good(stroke.gpus_to) ||
      !is_good(stroke.speedup_from) || !is_good(stroke.speedup_to))
    return {};
  const double from = std::log(stroke.gpus_from), to = std::log(stroke.gpus_to);
  const double low = std::log(stroke.speedup_from), high = std::log(stroke.speedup_to);
  const auto nearest =
      std::ranges::min_element(xs, {}, [&](double x) { return std::abs(std::log(x) - to); });
  std::vector<std::pair<std::size_t, double>> heights{
      {static_cast<std::size_t>(nearest - xs.begin()), stroke.speedup_to}};
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double at = std::log(xs[i]);
    if (at < std::min(from, to) || at > std::max(from, to) || from == to) continue;
    heights.emplace_back(i, std::exp(low + (at - from) / (to - from) * (high - low)));
  }
  return heights;
}

void draw(Drawing& drawing, std::span<const std::uint32_t> counts, const Draw& stroke) {
  if (drawing.is_compared) return;
  const std::vector<double> xs(counts.begin(), counts.end());
  for (const auto& [i, height] : under(xs, stroke)) drawing.speedup[counts[i]] = height;
}

std::optional<double> missed_by(const Drawing& drawing, const sim::ScalingCurve& curve) {
  double sum = 0;
  int compared = 0;
  for (const auto& point : curve.points) {
    const auto drawn = drawing.speedup.find(point.gpus);
    if (!point.runs() || drawn == drawing.speedup.end()) continue;
    sum += std::abs(std::log(drawn->second / point.speedup));
    ++compared;
  }
  if (compared == 0) return std::nullopt;
  return std::exp(sum / compared);
}

}  // namespace ringside::stage
