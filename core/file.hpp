#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside {

/// The whole of a file, or of standard input for `-`. Refuses what is larger than `limit`,
/// directories, and what cannot be read, saying why.
Result<std::string> read_file(const std::string& path, Bytes limit = Bytes{256u << 20});

/// A file in the making, of any length: written beside `path` under a name of its own, which
/// finish() changes to `path`. Nothing half-written is ever seen; what is not finished leaves
/// nothing behind. What is no regular file (`/dev/null`, a pipe) is written to as it is.
class FileDraft {
 public:
  static Result<FileDraft> open(const std::string& path);
  ~FileDraft();
  FileDraft(FileDraft&&) noexcept;
  FileDraft& operator=(FileDraft&&) = delete;

  Result<void> write(std::string_view text);
  Result<void> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  FileDraft() = default;
  Error cannot_write() const;

  std::string path_, temporary_;  ///< no temporary: the file is special, or finished
  std::unique_ptr<std::FILE, Close> file_;
};

/// One sentence if a draft of `path` could not be written or finished. Nothing stays behind.
Result<void> check_writable(const std::string& path);
/// Whether both name one regular file, be it there or not: one would overwrite the other.
bool is_same_file(const std::string& path, const std::string& other);

/// The whole text as a FileDraft.
Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace ringside
