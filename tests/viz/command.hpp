#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "viz/terminal/command.hpp"

namespace ringside::terminal {

/// What one command line came to. A process of its own, so that a crash or a hang is a result too.
struct Ran {
  int status = -1;  ///< exit status; -1: ended by `signal`
  int signal = 0;   ///< SIGALRM: it hung
  std::string out, err;
};

inline std::FILE* temporary_file() {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) throw std::runtime_error("this machine gives no temporary file");
  return file;
}
inline void to_start(std::FILE* file) {
  if (std::fseek(file, 0, SEEK_SET) != 0) throw std::runtime_error("a file that cannot be rewound");
}

inline std::string whole(std::FILE* file) {
  to_start(file);
  std::string text;
  std::array<char, 4096> block{};
  while (const auto read = std::fread(block.data(), 1, block.size(), file))
    text.append(block.data(), read);
  std::fclose(file);
  return text;
}

inline constexpr unsigned hung_seconds = 120;  // sanitizers on a busy machine are slow

/// Runs `ringside WORDS...` with `input` on standard input, and does `meanwhile` with its process.
inline Ran run(const std::vector<std::string>& words, const std::string& input = "",
               const std::function<void(pid_t)>& meanwhile = {}) {
  std::FILE *in = temporary_file(), *out = temporary_file(), *err = temporary_file();
  std::fputs(input.c_str(), in);
  to_start(in);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(hung_seconds);
    dup2(fileno(in), STDIN_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    std::vector<const char*> argv{"ringside"};
    for (const auto& word : words) argv.push_back(word.c_str());
    const int status = run_command_line(static_cast<int>(argv.size()), argv.data());
    std::fflush(nullptr);
    _exit(status);
  }
  if (meanwhile) meanwhile(child);
  int status = 0;
  waitpid(child, &status, 0);
  std::fclose(in);
  Ran ran;
  if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  ran.out = whole(out);
  ran.err = whole(err);
  return ran;
}

/// `simulate --ranks 4` as words; nothing is quoted.
inline std::vector<std::string> split(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list;
}

inline Ran run(const std::string& words) {
  return run(split(words));
}

inline std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

}  // namespace ringside::terminal
