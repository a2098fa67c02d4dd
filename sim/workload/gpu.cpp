#include "sim/workload/gpu.hpp"

#include <charconv>

#include "sim/strict_toml.hpp"
#include "sim/workload/shipped.hpp"

namespace ringside::sim {
namespace {

/// `312TFLOP/s` in FLOP/s.
Result<double> read_peak(const TomlTable& table, const TomlEntry& entry) {
  constexpr std::string_view unit = "TFLOP/s";
  const auto wrong = entry.key + " is a rate without sparsity, such as \"312TFLOP/s\"";
  const auto* text = std::get_if<std::string>(&entry.value.value);
  if (text == nullptr || !text->ends_with(unit)) return table.fail(entry.value, wrong);
  const char* const last = text->data() + text->size() - unit.size();
  double tera = 0;
  const auto [rest, error] = std::from_chars(text->data(), last, tera);
  if (error != std::errc{} || rest != last || !(tera > 0 && tera <= 1e6))
    return table.fail(entry.value, wrong);
  return tera * 1e12;
}

Result<std::map<ElementType, double>> read_peaks(const TomlTable& gpu) {
  std::map<ElementType, double> peaks;
  const auto* value = gpu.find("peak");
  if (value == nullptr)
    return gpu.fail("[peak] is missing: write [peak] and bfloat16 = \"312TFLOP/s\" under it");
  RS_ASSIGN(const auto table, gpu.table(*value, "write [peak]"));
  for (const auto& entry : table.entries()) {
    const auto type = parse_element_type(entry.key);
    if (!type) return table.fail(entry.value, type.error().message);
    RS_ASSIGN(peaks[*type], read_peak(table, entry));
  }
  if (peaks.empty()) return table.fail("[peak] names at least one type, such as bfloat16");
  return peaks;
}

/// A text as `parse` reads it, with the line where it cannot.
template <typename Parse>
auto read_text(const TomlTable& table, std::string_view key, std::string_view such_as, Parse parse)
    -> decltype(parse("")) {
  RS_ASSIGN(const auto text, table.needed(key, such_as));
  auto parsed = parse(text);
  if (!parsed) return table.fail(key, parsed.error().message);
  return parsed;
}

}  // namespace

Result<Gpu> read_gpu(std::string_view text, std::string_view file) {
  RS_ASSIGN(const TomlValue root, parse_toml(text, file));
  const TomlTable table(root, file);
  RS_TRY(table.only(
      {"name", "summary", "aliases", "systems", "memory", "bandwidth", "achieved", "peak"}));
  Gpu gpu;
  RS_ASSIGN(gpu.name, table.needed("name", "a100-80g"));
  RS_ASSIGN(const auto summary, table.text("summary", "NVIDIA A100 SXM4 80 GB"));
  gpu.summary = summary.value_or("");
  RS_ASSIGN(gpu.aliases, table.texts("aliases"));
  RS_ASSIGN(gpu.systems, table.texts("systems"));
  RS_ASSIGN(gpu.memory, read_text(table, "memory", "80GiB", parse_bytes));
  RS_ASSIGN(gpu.memory_bandwidth, read_text(table, "bandwidth", "2039GB/s", parse_bandwidth));
  RS_ASSIGN(gpu.achieved, read_text(table, "achieved", "60%", parse_share));
  if (gpu.memory.count == 0) return table.fail("memory", "a GPU has memory");
  if (gpu.achieved <= 0) return table.fail("achieved", "achieved is more than 0 %");
  RS_ASSIGN(gpu.peak_flops, read_peaks(table));
  return gpu;
}

Result<double> achieved_flops(const Gpu& gpu, ElementType type) {
  const auto peak = gpu.peak_flops.find(type);
  if (peak != gpu.peak_flops.end()) return peak->second * gpu.achieved;
  std::string known;
  for (const auto& [one, flops] : gpu.peak_flops)
    known += (known.empty() ? "" : ", ") + std::string(name(one));
  return bad_request(gpu.name + " has no peak rate for " + std::string(name(type)) +
                     ": it has one for " + known);
}

std::vector<Gpu> list_gpus() {
  return read_shipped(gpu_texts(), read_gpu);
}

Result<Gpu> find_gpu(std::string_view name_or_file) {
  return find_shipped(list_gpus(), name_or_file, "GPU", read_gpu);
}

Result<Gpu> gpu_of_system(std::string_view system) {
  auto all = list_gpus();
  std::string names;
  for (auto& gpu : all) {
    if (std::find(gpu.systems.begin(), gpu.systems.end(), system) != gpu.systems.end())
      return std::move(gpu);
    names += (names.empty() ? "" : ", ") + gpu.name;
  }
  return bad_request("which GPUs " + in_quotes(system) + " has is not known: say it with --gpu (" +
                     names + ", or a file)");
}

}  // namespace ringside::sim
