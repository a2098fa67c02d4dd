#pragma once

#include <string>

#include "core/result.hpp"

namespace ringside::scenario {

/// What the window keeps from one session to the next, as text until read; empty or 0: its own
/// choice.
struct Settings {
  std::string theme, language;
  double scale = 0;
  unsigned width = 0, height = 0;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// `$XDG_CONFIG_HOME/ringside/settings.toml`, or under `~/.config`; empty if there is no home.
std::string settings_path();

/// What could be read, and what could not: a file that is no settings file is renamed to
/// `settings.toml.broken`, and `complaint` says so in one sentence. No file is no complaint.
struct KeptSettings {
  Settings settings;
  std::string complaint;
};
KeptSettings load_settings(const std::string& path);
/// Makes the folder if need be. Errors (wrong): it cannot be written.
Result<void> save_settings(const std::string& path, const Settings& settings);

}  // namespace ringside::scenario
