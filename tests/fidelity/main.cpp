// fidelity LOGS SOURCE: fits the tuner's figures to a folder of logs, writes them into SOURCE/sim
// and the study into SOURCE/docs/fidelity.md.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/file.hpp"
#include "tests/fidelity/study.hpp"

namespace ringside::fidelity {
namespace {

Result<void> write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path);
  stream << text;
  stream.close();
  if (!stream) return machine_lacks("cannot write " + path.string());
  return {};
}

Result<void> run(const std::string& folder, const std::filesystem::path& source) {
  RS_ASSIGN(const auto logs, read_logs(folder));
  Study result = study(logs);
  for (const char* where : {"sim/generations", "sim/tuner"})
    for (const auto& entry : std::filesystem::directory_iterator(source / where)) {
      if (entry.path().extension() != ".toml") continue;
      RS_ASSIGN(const std::string toml, read_file(entry.path().string(), 1_MiB));
      RS_TRY(write(entry.path(), with_fitted(toml, entry.path().stem().string(), result.fitted)));
    }
  return write(source / "docs/fidelity.md", markdown(result));
}

}  // namespace
}  // namespace ringside::fidelity

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: fidelity LOGS SOURCE\n", stderr);
    return 2;
  }
  const auto done = ringside::fidelity::run(arguments[1], arguments[2]);
  if (!done) std::fprintf(stderr, "fidelity: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
