#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/import.hpp"
#include "sim/router.hpp"
#include "sim/topology.hpp"

namespace ringside::sim::test {

/// Files of a folder of real inputs beside the repository, sorted; empty where it is absent.
inline std::vector<std::filesystem::path> real_files(const std::string& folder) {
  namespace fs = std::filesystem;
  const char* given = std::getenv("RINGSIDE_SHARED_DATA");
  const fs::path root = given != nullptr ? given : RINGSIDE_SOURCE_DIR "/../shared/data";
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / folder, none))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline Result<Topology> import_topology(std::string_view text, std::string_view name,
                                        const ImportOptions& options = {}) {
  RS_ASSIGN(System system, import_system(text, name, options));
  return std::move(system.topology);
}

/// The first two ranks without a route, in words; empty if all reach all.
inline std::string unreachable(const Topology& topology) {
  Router router(topology);
  const auto ranks = static_cast<std::uint32_t>(topology.ranks.size());
  for (std::uint32_t a = 0; a < ranks; ++a)
    for (std::uint32_t b = 0; b < ranks; ++b)
      if (const auto route = router.route({a}, {b}, {0}); !route) return route.error().message;
  return {};
}

/// What must be read, and must be a machine whose GPUs all reach each other.
inline Topology imported(std::string_view text, std::string_view name,
                         const ImportOptions& options = {}) {
  const auto topology = import_topology(text, name, options);
  if (topology) {
    EXPECT_EQ(unreachable(*topology), "");
    EXPECT_TRUE(check(*topology));
    return *topology;
  }
  ADD_FAILURE() << topology.error().message;
  return {};
}

/// The sentence that refuses it; empty if it is read.
inline std::string refusal_of(std::string_view text, std::string_view name) {
  const auto topology = import_topology(text, name);
  return topology ? "" : topology.error().message;
}

/// Sum of the bandwidths of the links of one kind out of a device.
inline double gigabytes_out(const Topology& topology, std::string_view device, LinkKind kind) {
  double sum = 0;
  for (const Link& link : topology.links)
    if (topology[link.from].name == device && link.kind == kind)
      sum += link.bandwidth.gigabytes_per_second();
  return sum;
}

inline std::size_t count_of(const Topology& topology, DeviceKind kind) {
  return static_cast<std::size_t>(
      std::count_if(topology.devices.begin(), topology.devices.end(),
                    [kind](const Device& device) { return device.kind == kind; }));
}

/// Names of the devices that a device is linked to, in link order.
inline std::vector<std::string> neighbours(const Topology& topology, std::string_view device) {
  std::vector<std::string> names;
  for (const Link& link : topology.links)
    if (topology[link.from].name == device) names.push_back(topology[link.to].name);
  return names;
}

inline bool assumes(const Topology& topology, std::string_view words) {
  return std::any_of(topology.assumed.begin(), topology.assumed.end(),
                     [words](const std::string& s) { return s.find(words) != s.npos; });
}

}  // namespace ringside::sim::test
