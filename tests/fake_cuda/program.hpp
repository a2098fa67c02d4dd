#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace fake {

/// What a run of the program came to; both of its streams in `text`.
struct Ran {
  int status = -1;
  std::string text;
};

inline Ran shell(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> block{};
  for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    ran.text.append(block.data(), n);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

/// `ringside ARGUMENTS` on a pretended machine; what the fake lacks stops it at its start.
inline Ran ringside(const std::string& machine, const std::string& arguments) {
  return shell("RINGSIDE_FAKE_CUDA=" + machine +
               " LD_BIND_NOW=1 LD_LIBRARY_PATH=" RINGSIDE_FAKE_LIBRARY
               " timeout -k 5 300 " RINGSIDE_PROGRAM " " +
               arguments);
}

}  // namespace fake
