#include "gpu/nccl/seats.hpp"
#include "core/suggest.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace ringside::nccl {
namespace {

/// A name alone may be that of many containers; what the kernel drew when it started is its own.
std::string machine() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  return std::string(host.data()) + " " + boot;
}

struct Said {
  std::string machine;
  std::vector<std::string> devices;

  std::string host() const { return machine.substr(0, machine.find(' ')); }
};

Said read(const std::string& words) {
  std::istringstream lines(words);
  Said said;
  std::getline(lines, said.machine);
  for (std::string line; std::getline(lines, line);) said.devices.push_back(line);
  return said;
}

}  // namespace

std::string words_of(const std::vector<cuda::Device>& devices) {
  std::string words = machine() + "\n";
  for (const cuda::Device& device : devices) words += device.pci + "\n";
  return words;
}

Result<std::vector<std::uint32_t>> take_seats(const std::vector<std::string>& said) {
  std::vector<Said> all;
  for (const auto& words : said) all.push_back(read(words));
  std::vector<std::uint32_t> seats;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto before = static_cast<std::uint32_t>(
        std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(r),
                      [&](const Said& other) { return other.machine == all[r].machine; }));
    const auto sees = all[r].devices.size();
    seats.push_back(sees == 1 ? 0 : before);
    if (seats.back() >= sees)
      return machine_lacks(
          "rank " + std::to_string(r) + " is process " + std::to_string(before + 1) + " of " +
          all[r].host() + ", which shows it " + counted(sees, "GPU") + ": start one process a GPU");
    for (std::size_t other = 0; other < r; ++other)
      if (all[other].machine == all[r].machine &&
          all[other].devices[seats[other]] == all[r].devices[seats[r]])
        return machine_lacks("ranks " + std::to_string(other) + " and " + std::to_string(r) +
                             " would share GPU " + all[r].devices[seats[r]] + " of " +
                             all[r].host() + ": NCCL needs one for each");
  }
  return seats;
}

}  // namespace ringside::nccl
