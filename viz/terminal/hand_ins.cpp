#include "viz/terminal/hand_ins.hpp"

#include <algorithm>
#include <filesystem>

#include "core/suggest.hpp"

namespace ringside::terminal {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_files = 10'000, most_depth = 4;

class HandInSearch {
 public:
  Result<void> enter(const fs::path& folder, std::size_t depth) {
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      if (entry->path().filename().native().starts_with('.')) continue;
      RS_TRY(add(entry->path(), depth));
    }
    if (failure) found_.push_back({folder.string(), "cannot be read: " + failure.message()});
    return {};
  }
  Result<void> add(const fs::path& path, std::size_t depth) {
    if (found_.size() >= most_files)
      return bad_request("more than " + std::to_string(most_files) +
                         " files: grade them folder by folder");
    std::error_code failure;
    const auto status =
        fs::symlink_status(path, failure);  // what it is itself, never where it leads
    if (fs::is_directory(status)) {
      if (depth < most_depth) return enter(path, depth + 1);
      found_.push_back({path.string(), "a folder that lies too deep: " +
                                           std::to_string(most_depth) + " are looked into"});
    } else if (fs::is_symlink(status)) {
      found_.push_back({path.string(), "a link: hand in the file itself"});
    } else if (!fs::is_regular_file(status)) {
      found_.push_back({path.string(), "no regular file"});
    } else {
      found_.push_back({path.string()});
    }
    return {};
  }
  std::vector<FoundFile> in_order() && {
    std::sort(found_.begin(), found_.end(),
              [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
    return std::move(found_);
  }

 private:
  std::vector<FoundFile> found_;
};

}  // namespace

Result<std::vector<FoundFile>> find_hand_ins(const std::string& folder) {
  std::error_code failure;
  const auto status = fs::status(folder, failure);  // the teacher's own folder may be a link
  if (!fs::exists(status))
    return bad_request("there is no folder or file " + in_quotes(folder) + " to grade");
  HandInSearch search;
  if (fs::is_directory(status))
    RS_TRY(search.enter(folder, 0));
  else
    RS_TRY(search.add(folder, 0));
  auto found = std::move(search).in_order();
  if (found.empty()) return bad_request(in_quotes(folder) + " is empty: nothing was handed in");
  return found;
}

}  // namespace ringside::terminal
