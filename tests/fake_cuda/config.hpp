#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fake {

/// Which device may reach which other one's memory.
enum class Peers {
  full,
  partial,  ///< only 0 and 1, 2 and 3, ...: cards that a bridge joins two by two
  none,
  broken,  ///< all, says the driver; but what is written over there arrives wrong
  deaf,    ///< all; but of what running kernels write over there, none hears the other
};

/// The machine to pretend: `devices=4,peers=full,memory=1GiB,seed=7,fail=cudaMalloc:3`.
struct Config {
  int devices = 4;
  Peers peers = Peers::full;
  std::size_t memory = std::size_t{1} << 30;  ///< of each device, in bytes
  std::uint64_t seed = 1;                     ///< of the order in which streams get on
  int multiprocessors = 16;                   ///< of each device, 2048 threads each
  int driver = 0;                             ///< 0: that of the toolkit; `none`: -1
  bool cooperative = true;
  bool mig = false;
  std::string mode = "default";  ///< or exclusive, prohibited
  /// The `fail_call`-th call of this function gives `fail_code` (0: what suits the function).
  std::string fail;
  std::uint64_t fail_call = 0;
  int fail_code = 0;
  std::uint64_t fault = 0;  ///< the kernel that faults, counted from 1: from then on all fails
  std::uint64_t drop = 0;   ///< the event wait that is forgotten, counted from 1
  std::uint64_t stall = 0;  ///< what streams do before nothing gets on any more; 0: all of it

  bool reaches(int from, int to) const;
};

/// Nothing where the text is not understood; `complaint` says what is wrong.
std::optional<Config> parse_config(std::string_view text, std::string& complaint);

}  // namespace fake
