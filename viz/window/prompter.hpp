#pragma once

#include <string>

#include "viz/stage/model.hpp"

namespace ringside::window {

/// What a lecturer reads in the terminal that the window was started from, and a class does not
/// see: the beat, its notes and its answer, whenever another beat is reached.
class Prompter {
 public:
  /// Writes to standard output if there is anything new to be said.
  void follow(const stage::Model& model);

 private:
  std::string last_;  // the beat that was said
};

/// Keeps a lesson's progress in its file as it is made.
class LedgerKeeper {
 public:
  explicit LedgerKeeper(std::string file) : file_(std::move(file)) {}
  /// Writes what has changed. A file that cannot be written is said once, on standard error: a
  /// lesson goes on without it.
  void follow(const stage::Model& model);

 private:
  std::string file_, kept_;
  bool has_complained_ = false;
};

}  // namespace ringside::window
