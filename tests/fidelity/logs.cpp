#include "tests/fidelity/logs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/file.hpp"
#include "core/formats/measured_log.hpp"

namespace ringside::fidelity {
namespace {

const std::set<std::string> left_out = {"07", "41", "42"};
const std::vector<std::set<std::string>> families = {
    {"01", "03", "05"},       {"33", "35"}, {"36", "38"}, {"52", "54"}, {"46", "48", "49"},
    {"26", "28", "70", "73"}, {"64", "65"}};

std::string family_of(const std::string& number) {
  for (const auto& family : families)
    if (family.contains(number)) return *family.begin();
  return number;
}

Result<Log> read_log(const std::filesystem::path& path) {
  RS_ASSIGN(const std::string written, read_file(path.string(), 16_MiB));
  RS_ASSIGN(MeasuredLog measured, read_measured(written, path.string()));
  Log log{.file = path.stem().string(), .family = {}, .platform = {}, .ranks = 0, .samples = {}};
  log.family = family_of(log.number());
  const MeasuredOn& on = measured.on;
  log.ranks = on.ranks;
  RS_ASSIGN(log.platform, sim::platform_of(sim::Description{.hardware = on.hardware,
                                                            .nodes = on.nodes,
                                                            .per_node = on.ranks / on.nodes,
                                                            .interconnect = on.interconnect,
                                                            .version = on.version,
                                                            .notes = on.remarks}));
  std::erase_if(measured.rows, ran_by_name);  // algorithms that the library was given
  const auto stand_out = outliers(measured.rows);
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    const Row& row = measured.rows[i];
    if (stand_out[i])
      ++log.spikes;
    else
      log.samples.push_back({{row.collective, *row.size, row.in_place},
                             row.time->microseconds(),
                             row.busbw().value_or(0)});
  }
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
