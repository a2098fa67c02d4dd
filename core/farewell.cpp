#include "core/farewell.hpp"

#include <algorithm>

namespace ringside {
namespace {

// The first character of a letter.
constexpr char going_on = 'w', leaving = 'l';

Error error_of(const Farewell& farewell, std::size_t process) {
  const auto kind = farewell.status == 2   ? ErrorKind::request
                    : farewell.status == 3 ? ErrorKind::machine
                                           : ErrorKind::wrong;
  if (!farewell.complaint.empty()) return {kind, farewell.complaint};
  return {kind, "rank " + std::to_string(process) + " has ended before the others"};
}

}  // namespace

std::string letter_with(std::string_view words) {
  return going_on + std::string(words);
}

std::string letter_with(const Farewell& farewell) {
  return leaving + std::to_string(farewell.status) + farewell.complaint;
}

std::optional<Farewell> farewell_in(std::string_view letter) {
  if (letter.size() < 2 || letter.front() != leaving) return std::nullopt;
  return Farewell{letter[1] - '0', std::string(letter.substr(2))};
}

Result<std::vector<std::string>> words_in(std::vector<std::string> letters) {
  for (std::size_t process = 0; process < letters.size(); ++process) {
    if (const auto farewell = farewell_in(letters[process]))
      return tl::unexpected<Error>(error_of(*farewell, process));
    letters[process].erase(0, 1);
  }
  return letters;
}

std::optional<Farewell> farewell_of_all(std::span<const std::string> letters) {
  Farewell all;
  for (const std::string& letter : letters) {
    const auto farewell = farewell_in(letter);
    if (!farewell) return std::nullopt;
    all.status = std::max(all.status, farewell->status);
    if (all.complaint.empty()) all.complaint = farewell->complaint;
  }
  return all;
}

Result<Farewell> leave_together(const Farewell& mine, const Exchange& exchange) {
  const auto letter = letter_with(mine);
  for (;;) {
    RS_ASSIGN(const auto letters, exchange(letter));
    if (auto all = farewell_of_all(letters)) return *std::move(all);
  }
}

std::string absence(std::size_t process) {
  return "rank " + std::to_string(process) + " has not come to where all ranks meet";
}

}  // namespace ringside
