#include "tests/fidelity/logs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file.hpp"

namespace ringside::fidelity {
namespace {

using Json = nlohmann::json;

const std::set<std::string> left_out = {"07", "41", "42"};
const std::vector<std::set<std::string>> families = {
    {"01", "03", "05"},       {"33", "35"}, {"36", "38"}, {"52", "54"}, {"46", "48", "49"},
    {"26", "28", "70", "73"}, {"64", "65"}};
/// Out of place the stock library ran; in place, an algorithm that was given.
const std::set<std::string> ran_given_xml_in_place = {"46", "48", "49"};

std::string family_of(const std::string& number) {
  for (const auto& family : families)
    if (family.contains(number)) return *family.begin();
  return number;
}

std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// A row whose other placement took less than half its time: something was set up meanwhile.
void flag_spikes(Log& log) {
  std::map<std::uint64_t, double> least;
  for (const Sample& sample : log.samples) {
    auto& time = least.try_emplace(sample.query.size.count, sample.microseconds).first->second;
    time = std::min(time, sample.microseconds);
  }
  log.spikes = std::erase_if(log.samples, [&](const Sample& sample) {
    return sample.microseconds > 2 * least[sample.query.size.count];
  });
}

Result<Log> read_log(const std::filesystem::path& path) {
  RS_ASSIGN(const std::string written, read_file(path.string(), 16_MiB));
  const Json json = Json::parse(written);
  Log log{.file = path.stem().string(), .family = {}, .platform = {}, .ranks = 0, .samples = {}};
  log.family = family_of(log.number());
  log.ranks = json.at("total_gpus").get<std::uint32_t>();
  RS_ASSIGN(log.platform, sim::platform_of(sim::Description{
                              .hardware = text(json, "hardware"),
                              .nodes = json.at("nodes").get<std::uint32_t>(),
                              .per_node = json.at("gpus_per_node").get<std::uint32_t>(),
                              .interconnect = text(json, "interconnect"),
                              .version = text(json, "nccl_version"),
                              .notes = text(json, "notes")}));
  const std::string collective = text(json, "collective");
  CollectiveKind kind = CollectiveKind::all_to_all;
  if (collective != "alltoall") {
    RS_ASSIGN(kind, parse_collective(collective));
  }
  for (const Json& row : json.at("rows")) {
    const Sample sample{
        {kind, {row.at("bytes").get<std::uint64_t>()}, row.at("in_place").get<bool>()},
        row.at("time_us").get<double>(),
        row.at("busbw_GBps").get<double>()};
    if (sample.query.size.count == 0 || sample.microseconds <= 0) continue;
    if (sample.query.in_place && ran_given_xml_in_place.contains(log.number())) continue;
    log.samples.push_back(sample);
  }
  flag_spikes(log);
  return log;
}

}  // namespace

Result<std::vector<Log>> read_logs(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json" &&
        !left_out.contains(entry.path().stem().string().substr(0, 2)))
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) return bad_request("no logs in " + folder);
  std::vector<Log> logs;
  for (const auto& path : paths) {
    RS_ASSIGN(auto log, read_log(path));
    logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace ringside::fidelity
