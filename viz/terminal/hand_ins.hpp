#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "lessons/course/grading.hpp"

namespace ringside::terminal {

/// A file that somebody handed in; with a problem, it is not to be read.
struct FoundFile {
  std::string path, problem{};
};
/// What lies in a folder, in order of name, and in folders in it, four deep; or the one file. Names
/// that begin with a dot are left out. Links, devices and pipes are never opened: each is a
/// problem. Errors: no such folder, nothing in it, more than 10,000 files.
Result<std::vector<FoundFile>> find_hand_ins(const std::string& folder);

/// Marks for people; as JSON; as CSV, in which nothing can be taken for a formula.
std::string marks_table(const std::vector<lessons::HandIn>& rows, const std::string& summary);
std::string marks_json(const std::vector<lessons::HandIn>& rows, const std::string& summary);
std::string marks_csv(const std::vector<lessons::HandIn>& rows);

}  // namespace ringside::terminal
