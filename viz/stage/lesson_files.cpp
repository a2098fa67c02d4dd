#include "viz/stage/lesson_files.hpp"

#include <cstdlib>
#include <filesystem>

namespace ringside::stage {

namespace fs = std::filesystem;

Result<std::string> lessons_folder(const std::string& given) {
  if (!given.empty()) return given;
  std::error_code failure;
  const auto program = fs::read_symlink("/proc/self/exe", failure);
  const auto installed = program.parent_path().parent_path() / "share" / "ringside" / "lessons";
  for (const fs::path& folder : {installed, fs::path(RINGSIDE_LESSONS)})
    if (fs::is_directory(folder, failure)) return folder.string();
  return machine_lacks("no lessons were found, neither in " + installed.string() + " nor in " +
                       RINGSIDE_LESSONS + ": say where they are with --lessons DIR");
}

Result<std::string> ledger_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  auto folder = fs::path(variable("XDG_STATE_HOME"));
  if (folder.empty() && !variable("HOME").empty())
    folder = fs::path(variable("HOME")) / ".local" / "state";
  if (!folder.is_absolute())
    return machine_lacks(
        "progress cannot be kept: HOME is not set; name a file with --ledger FILE");
  std::error_code failure;
  fs::create_directories(folder / "ringside", failure);
  return (folder / "ringside" / "lessons.json").string();
}

}  // namespace ringside::stage
