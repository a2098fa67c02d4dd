#include "viz/terminal/figure_flags.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

Result<Step> parse_step(const std::string& text) {
  Step step;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step.value);
  if (error == std::errc() && end == text.data() + text.size()) return step;
  return bad_request("--at-step takes a step's number, from 0, not \"" + text + "\"");
}

}  // namespace

void FigureFlags::add_to(CLI::App& command) {
  const std::string group = "Figure";
  auto* file =
      command.add_option("--svg", svg, "Draw the run into this file (SVG) instead")->group(group);
  command.add_option("--at", at, "Which moment it shows, such as 40us; default: the middle")
      ->group(group)
      ->needs(file);
  command.add_option("--at-step", at_step, "Which step it shows, counted from 0")
      ->group(group)
      ->needs(file);
  command.add_option("--theme", theme, "dark or light")
      ->group(group)
      ->needs(file)
      ->capture_default_str();
}

std::string command_line(const CLI::App& command) {
  std::string text = "ringside " + command.get_name();
  std::map<const CLI::Option*, std::size_t> used;
  for (const CLI::Option* option : command.parse_order()) {
    if (!option->get_positional()) text += " " + option->get_name();
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const auto nth = used[option]++;
    if (nth < option->results().size()) text += " " + shell_word(option->results()[nth]);
  }
  return text;
}

Result<void> write_figure(const FigureFlags& flags, const figure::PicturedRun& run,
                          const std::string& command) {
  figure::FigureOptions options{.at = {}, .at_step = {}, .theme = nullptr, .command = command};
  RS_ASSIGN(options.theme, figure::find_theme(flags.theme));
  if (!flags.at.empty()) {
    RS_ASSIGN(options.at, parse_duration(flags.at));
  }
  if (!flags.at_step.empty()) {
    RS_ASSIGN(options.at_step, parse_step(flags.at_step));
  }
  RS_ASSIGN(const std::string svg, figure::draw_figure(run, options));
  return flags.svg == "-" ? write(OutputOptions{}, svg) : write_file(flags.svg, svg);
}

}  // namespace ringside::terminal
