#include "viz/terminal/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "core/file.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/terminal/processes.hpp"

namespace ringside::terminal {

void OutputOptions::add_to(CLI::App& command, bool with_csv) {
  auto* as_json = command.add_flag("--json", json, "Write one JSON object");
  if (with_csv) command.add_flag("--csv", csv, "Write comma-separated values")->excludes(as_json);
  command.add_option("--out", out, "Write to this file instead of standard output")
      ->check(scenario::not_empty());
}

Result<void> write(const OutputOptions& options, const std::string& text) {
  if (!is_first_process()) return {};
  if (!options.out.empty()) return write_file(options.out, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    return gone_wrong("standard output could not be written: the disk may be full");
  return {};
}

Result<void> write(const OutputOptions& options, const Report& report) {
  return write(options, options.json  ? to_json(report)
                        : options.csv ? to_csv(report)
                                      : to_table(report));
}

Result<void> check_writable(const std::string& flag, const std::string& file) {
  if (file.empty() || !is_first_process()) return {};
  return scenario::of_flag(flag, ringside::check_writable(file));
}

bool is_terminal(int file_descriptor) {
  return isatty(file_descriptor) != 0;
}

Progress::Progress(std::size_t total)
    : total_(total),
      shown_(is_first_process() && is_terminal(STDERR_FILENO) && is_terminal(STDOUT_FILENO)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::done(std::size_t n, const std::string& what) {
  if (!shown_) return;
  const auto left = time_left(std::chrono::steady_clock::now() - begin_, n, total_);
  std::fprintf(stderr, "\r\033[K%zu of %zu  %s%s", n, total_, what.c_str(), left.c_str());
}

std::string time_left(std::chrono::duration<double> so_far, std::size_t done, std::size_t total) {
  constexpr double too_soon = 1, minute = 60;
  if (done == 0 || done >= total || so_far.count() < too_soon) return "";
  const double left =
      so_far.count() / static_cast<double>(done) * static_cast<double>(total - done);
  return left < 2 * minute ? fmt::format(", {:.0f} s left", std::ceil(left))
                           : fmt::format(", {:.0f} min left", std::ceil(left / minute));
}

}  // namespace ringside::terminal
