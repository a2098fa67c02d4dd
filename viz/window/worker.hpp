#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ringside::window {

/// A process of ours at work beside the window, which never waits for it. It ends with its object.
class Worker {
 public:
  /// Starts `ringside WORDS...`, the program that lies beside this one. Errors (machine): it cannot
  /// be started.
  static Result<Worker> start(const std::vector<std::string>& words);
  ~Worker();
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;

  /// How it ended: an error is what it had to say; empty while it is at work. Never blocks.
  std::optional<Result<void>> ended();

 private:
  Worker(pid_t child, int said) : child_(child), said_(said) {}
  std::string last_words() const;

  pid_t child_ = -1;  // -1: it has ended
  int said_ = -1;     // a file that nobody else sees: what it says on standard error
};

/// A folder that nobody else has, gone with its object.
class PrivateFolder {
 public:
  /// Errors (machine): none can be made.
  static Result<PrivateFolder> make();
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace ringside::window
