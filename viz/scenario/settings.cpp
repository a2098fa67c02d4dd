#include "viz/scenario/settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstdlib>
#include <filesystem>

#include "core/file.hpp"
#include "core/suggest.hpp"

namespace ringside::scenario {
namespace {

namespace fs = std::filesystem;
constexpr double largest_scale = 4;
constexpr unsigned largest_side = 16'384;

/// Refuses everything but what save_settings() writes.
Result<Settings> parse(const std::string& text) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return bad_request(fmt::format("line {}: {}", error.source().begin.line, error.description()));
  }
  Settings settings;
  const auto reads = [&](const std::string& key, const toml::node& value) {
    if (key == "theme" || key == "language") {
      const auto word = value.value_exact<std::string>();
      (key == "theme" ? settings.theme : settings.language) = word.value_or("");
      return word.has_value();
    }
    if (key == "scale") {
      settings.scale = value.value<double>().value_or(0);
      return settings.scale >= 1 && settings.scale <= largest_scale;
    }
    const auto pixels = value.value_exact<std::int64_t>().value_or(0);
    (key == "width" ? settings.width : settings.height) = static_cast<unsigned>(pixels);
    return (key == "width" || key == "height") && pixels > 0 && pixels <= largest_side;
  };
  for (const auto& [key, value] : table)
    if (!reads(std::string(key.str()), value))
      return bad_request("no such setting: " + in_quotes(key.str()));
  return settings;
}

}  // namespace

std::string settings_path() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  constexpr const char* file = "/ringside/settings.toml";
  if (const auto config = variable("XDG_CONFIG_HOME"); !config.empty()) return config + file;
  const auto home = variable("HOME");
  return home.empty() ? "" : home + "/.config" + file;
}

KeptSettings load_settings(const std::string& path) {
  constexpr Bytes most{64u << 10};
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return {};
  const auto text = read_file(path, most);
  auto settings = text ? parse(*text) : tl::unexpected(text.error());
  if (settings) return {*settings, ""};
  const std::string aside = path + ".broken";
  std::error_code failed;
  fs::rename(path, aside, failed);
  return {{},
          fmt::format("the settings in {} are not used ({}); {}", path, settings.error().message,
                      failed ? "they could not be set aside" : "they are now in " + aside)};
}

Result<void> save_settings(const std::string& path, const Settings& settings) {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  std::string text = "# What Ringside's window keeps from one session to the next.\n";
  if (!settings.theme.empty()) text += fmt::format("theme = \"{}\"\n", settings.theme);
  if (!settings.language.empty()) text += fmt::format("language = \"{}\"\n", settings.language);
  if (settings.scale > 0) text += fmt::format("scale = {:.2f}\n", settings.scale);
  if (settings.width > 0)
    text += fmt::format("width = {}\nheight = {}\n", settings.width, settings.height);
  return write_file(path, text);
}

}  // namespace ringside::scenario
