#include "core/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace ringside {
namespace {

std::optional<Bytes> meminfo() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  for (std::string line; file >> name >> kib; std::getline(file, line))
    if (name == "MemAvailable:") return Bytes{kib << 10};
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or `max`
}

/// As a container sees its own group.
std::optional<Bytes> control_group() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max"),
             used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::nullopt;
  return Bytes{*limit - std::min(*limit, *used)};
}

}  // namespace

std::optional<Bytes> available_memory() {
  const auto machine = meminfo(), group = control_group();
  if (machine && group) return std::min(*machine, *group);
  return machine ? machine : group;
}

Result<void> check_memory(Bytes needed, const std::string& what) {
  if (needed < 16_MiB) return {};  // always there, and asking takes time
  const auto available = available_memory();
  if (!available || needed <= *available) return {};
  const auto mib = [](Bytes size) { return std::to_string(size.count >> 20) + " MiB"; };
  return machine_lacks(what + " needs " + mib(needed) + " of memory, but this machine has " +
                       mib(*available) + " available");
}

}  // namespace ringside
