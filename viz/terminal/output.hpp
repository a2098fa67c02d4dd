#pragma once

#include <chrono>
#include <string>

#include "core/report.hpp"
#include "core/result.hpp"

namespace CLI {
class App;
}

namespace ringside::terminal {

/// How a result is to be written: for people, or as JSON or CSV, to the terminal or a file.
struct OutputOptions {
  bool json = false;
  bool csv = false;
  std::string out;  ///< file; empty = standard output

  void add_to(CLI::App& command, bool with_csv = true);
  bool for_people() const { return !json && !csv; }
};

/// Writes text to standard output, or to a temporary file that then takes `out`'s name.
Result<void> write(const OutputOptions& options, const std::string& text);
/// The report in the format asked for.
Result<void> write(const OutputOptions& options, const Report& report);

/// Before long work: one sentence if the file that `flag` names, if any, could not be written by
/// this process, if it writes at all.
Result<void> check_writable(const std::string& flag, const std::string& file);

/// One table or report in the making: lines of a table appear as they come.
class Sheet {
 public:
  explicit Sheet(const OutputOptions& output) : output_(output) {}

  Result<void> say(const std::string& text) {
    if (!output_.for_people()) return {};
    if (output_.out.empty()) return write(output_, text);
    text_ += text;
    return {};
  }
  Result<void> end(const Report& report) {
    if (!output_.for_people()) return write(output_, report);
    return output_.out.empty() ? Result<void>{} : write(output_, text_);
  }

 private:
  const OutputOptions& output_;
  std::string text_;
};

/// True where a person watches: progress lines and colours are for terminals only.
bool is_terminal(int file_descriptor);

/// One line that overwrites itself on standard error, on terminals only: what is done, and how long
/// the rest takes if it goes on like that.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  void done(std::size_t n, const std::string& what);

 private:
  std::size_t total_;
  bool shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};
/// `, 12 s left`, `, 3 min left`; empty before there is something to go by.
std::string time_left(std::chrono::duration<double> so_far, std::size_t done, std::size_t total);

}  // namespace ringside::terminal
