#pragma once

#include <string>
#include <vector>

#include "viz/figure/figure.hpp"

namespace CLI {
class App;
}

namespace ringside::terminal {

/// The flags that ask for a figure, as text until read.
struct FigureFlags {
  std::string svg;  ///< file, `-` for standard output; empty: no figure wanted
  std::string at, at_step, theme = "dark";

  /// `--svg --at --at-step --theme`.
  void add_to(CLI::App& command);
};

/// The words of the command line that `command` was parsed from, quoted for a shell.
std::string command_line(const CLI::App& command);

/// Draws the run and writes the file; `command` goes into it.
Result<void> write_figure(const FigureFlags& flags, const figure::PicturedRun& run,
                          const std::string& command);

}  // namespace ringside::terminal
