#include "core/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

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

Result<FileDraft> FileDraft::open(const std::string& path) {
  FileDraft draft;
  draft.path_ = path;
  if (!is_special(path)) draft.temporary_ = path + "." + std::to_string(getpid()) + ".tmp";
  draft.file_.reset(std::fopen((draft.temporary_.empty() ? path : draft.temporary_).c_str(), "wb"));
  if (draft.file_) return draft;
  Error error = draft.cannot_write();
  draft.temporary_.clear();  // there is none to remove
  return tl::unexpected<Error>(std::move(error));
}

FileDraft::FileDraft(FileDraft&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)) {}

FileDraft::~FileDraft() {
  file_.reset();
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

Error FileDraft::cannot_write() const {
  return {ErrorKind::request, "cannot write " + path_ + ": " + reason()};
}

Result<void> FileDraft::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size()) return {};
  return tl::unexpected<Error>(cannot_write());
}

Result<void> FileDraft::finish() {
  if (std::fflush(file_.get()) != 0) return tl::unexpected<Error>(cannot_write());
  if (temporary_.empty()) return {};
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    return tl::unexpected<Error>(cannot_write());
  temporary_.clear();
  return {};
}

Result<void> check_writable(const std::string& path) {
  const auto cannot = [&](const std::string& why) {
    return bad_request("cannot write " + path + ": " + why);
  };
  if (is_special(path)) return access(path.c_str(), W_OK) == 0 ? Result<void>{} : cannot(reason());
  struct stat file {};
  if (stat(path.c_str(), &file) == 0 && S_ISDIR(file.st_mode)) return cannot(std::strerror(EISDIR));
  RS_TRY(FileDraft::open(path));
  return {};
}

bool is_same_file(const std::string& path, const std::string& other) {
  if (path.empty() || other.empty() || is_special(path)) return false;
  std::error_code none;
  const auto place = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name), none);
  };
  return place(path) == place(other);
}

Result<void> write_file(const std::string& path, std::string_view text) {
  RS_ASSIGN(FileDraft draft, FileDraft::open(path));
  RS_TRY(draft.write(text));
  return draft.finish();
}

}  // namespace ringside
