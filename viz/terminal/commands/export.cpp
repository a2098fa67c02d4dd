// `ringside export`: what is to be printed or shown elsewhere, as a file.

#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "viz/figure/sheet/sheet.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/figure_flags.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct PageOptions {
  std::string what, out, language = "en";
  std::string command;  ///< how it was asked for
};

Result<stage::Language> parse_sheet_language(std::string_view text) {
  static constexpr std::string_view known[] = {"en", "zh"};
  if (text == known[0]) return stage::Language::english;
  if (text == known[1]) return stage::Language::chinese;
  return bad_request(unknown("language", text, known));
}

/// Runs librsvg's own program, which embeds the fonts. Its exit status; 127 if there is none.
int convert_to_pdf(const std::string& svg_file, const std::string& pdf_file) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("rsvg-convert", "rsvg-convert", "--format=pdf", "--output", pdf_file.c_str(),
           svg_file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

Result<void> write_pdf(const std::string& svg, const std::string& out) {
  const auto draft = out + ".svg";
  if (std::filesystem::exists(draft))
    return bad_request(draft + " is needed on the way to " + out + ", and exists: move it away");
  RS_TRY(write_file(draft, svg));
  const int status = convert_to_pdf(draft, out);
  std::error_code stays;
  std::filesystem::remove(draft, stays);
  if (status == 127)
    return machine_lacks(
        "a PDF is made by rsvg-convert (install librsvg2-bin); an SVG needs none: " +
        std::string("--out FILE.svg"));
  if (status != 0) return machine_lacks("rsvg-convert could not write " + out);
  return {};
}

Result<int> export_page(const PageOptions& options) {
  static constexpr std::string_view known[] = {"cheatsheet"};
  if (options.what != known[0]) return bad_request(unknown("export", options.what, known));
  RS_ASSIGN(const auto language, parse_sheet_language(options.language));
  RS_ASSIGN(const std::string svg, figure::draw_sheet(language, options.command));
  if (options.out == "-") {
    RS_TRY(write(OutputOptions{}, svg));
  } else if (options.out.ends_with(".pdf")) {
    RS_TRY(write_pdf(svg, options.out));
  } else {
    RS_TRY(write_file(options.out, svg));
  }
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("export", "Pages to print, as files");
  command->footer("Example: ringside export cheatsheet --lang zh --out cheatsheet.svg");
  const auto options = std::make_shared<PageOptions>();
  command->add_option("what", options->what, "cheatsheet: all of it on one page of A4")->required();
  command->add_option("--out", options->out, "The file to write: FILE.svg, FILE.pdf, or - for SVG")
      ->required();
  command->add_option("--lang", options->language, "en or zh")->capture_default_str();
  command->callback([options, command, &chosen] {
    options->command = command_line(*command);
    chosen = [options] { return export_page(*options); };
  });
}

}  // namespace ringside::terminal
