#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fake_cuda/control.hpp"

namespace fake {

/// A pretended machine for as long as this lives; at its end, nothing may be left on it and nothing
/// forbidden may have happened, unless the test took the findings before.
class Machine {
 public:
  explicit Machine(const std::string& config) {
    ringside_fake_cuda_restart(config.c_str(), nullptr, 0);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { EXPECT_EQ(findings(), ""); }

  /// What is wrong so far, a line each; from here on the machine is an unused one.
  std::string findings() {
    std::array<char, 4096> report{};
    ringside_fake_cuda_restart("", report.data(), report.size());
    return report.data();
  }
  /// The functions called so far.
  static std::vector<std::string> called() {
    std::string text(ringside_fake_cuda_called(nullptr, 0) + 1, '\0');
    ringside_fake_cuda_called(text.data(), text.size());
    std::vector<std::string> names;
    for (std::size_t begin = 0, end; (end = text.find(' ', begin)) != text.npos; begin = end + 1)
      names.push_back(text.substr(begin, end - begin));
    return names;
  }
};

}  // namespace fake
