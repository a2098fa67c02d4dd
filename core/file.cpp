#include "core/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace ringside {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string reason() {
  return std::strerror(errno);
}

/// `/dev/null`, a pipe: what a rename must not replace.
bool is_special(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode);
}

bool put(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

Result<std::string> read_file(const std::string& path, Bytes limit) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return bad_request("cannot read " + path + ": " + reason());
  std::string text;
  std::array<char, 1 << 16> block;
  while (const auto n = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), n);
    if (text.size() > limit.count)
      return bad_request(path + " is larger than " + to_string(limit) + ", which no such file is");
  }
  if (std::ferror(file.get())) return bad_request("cannot read " + path + ": " + reason());
  return text;
}

Result<void> write_file(const std::string& path, std::string_view text) {
  if (is_special(path)) {
    const File device(std::fopen(path.c_str(), "wb"));
    if (!device || !put(device.get(), text))
      return bad_request("cannot write " + path + ": " + reason());
    return {};
  }
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) return bad_request("cannot write " + path + ": " + reason());
  const bool written = put(file.get(), text);
  if (!written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const auto why = reason();
    std::remove(temporary.c_str());
    return bad_request("cannot write " + path + ": " + why);
  }
  return {};
}

}  // namespace ringside
