#include "gpu/nccl/meeting_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

namespace ringside::nccl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Appears complete.
bool write_file(const std::string& path, std::string_view text) {
  const auto part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  fs::rename(part, path, error);
  return file && !error;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void remove_file(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

// What a process that a signal ends removes first: FILE, and its last letters. In memory of fixed
// size, because a handler may not allocate.
constexpr std::size_t letters_on_disk = 3;
std::array<std::array<char, PATH_MAX>, 1 + letters_on_disk> to_remove{};

void remove_and_end(int signal) {
  for (const auto& path : to_remove)
    if (path.front() != '\0') ::unlink(path.data());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// The first byte comes last: a signal meanwhile finds a whole path or none.
void remember(std::size_t place, const std::string& path) {
  auto& kept = to_remove[place];
  kept.front() = '\0';
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (path.empty() || path.size() >= kept.size()) return;
  std::memcpy(kept.data() + 1, path.c_str() + 1, path.size());
  std::atomic_signal_fence(std::memory_order_seq_cst);
  kept.front() = path.front();
}

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, remove_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
}

/// Asks until there is an answer.
template <typename Ask>
auto wait_for(Ask ask, Duration timeout) {
  const auto end = Clock::now() + std::chrono::nanoseconds(timeout.picoseconds / 1000);
  for (;;) {
    if (auto answer = ask(); answer || Clock::now() > end) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Makes it, with a number in it; not where it is already.
bool make_file(const std::string& path, const std::string& number) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const auto text = number + "\n";
  const bool done = ::write(descriptor, text.data(), text.size()) == std::ssize(text);
  return ::close(descriptor) == 0 && done;
}

}  // namespace

Result<MeetingFiles> MeetingFiles::join(const std::string& file, std::uint32_t rank,
                                        std::uint32_t size, Duration timeout) {
  MeetingFiles made;
  made.file_ = file;
  made.rank_ = rank;
  made.size_ = size;
  if (rank == 0) {
    made.number_ = std::to_string(std::random_device{}());
    catch_signals();
    remember(0, file);
    if (make_file(file, made.number_)) return made;
    remember(0, "");
    if (!fs::exists(file)) return machine_lacks("--id-file: " + file + " cannot be written");
    return bad_request("--id-file: " + file +
                       " is there already, perhaps of a run that was stopped: remove it and " +
                       file + ".*, or name another one");
  }
  catch_signals();
  const auto number = wait_for(
      [&]() -> std::optional<std::string> {
        const auto text = read_file(file);
        if (!text || text->empty() || text->back() != '\n') return std::nullopt;
        return text->substr(0, text->size() - 1);
      },
      timeout);
  if (!number)
    return machine_lacks("--id-file: rank " + std::to_string(rank) + " does not see " + file +
                         " of rank 0; is it on a disk that all ranks see?");
  made.number_ = *number;
  return made;
}

std::string MeetingFiles::path(std::uint64_t turn, std::uint32_t rank) const {
  return file_ + "." + number_ + "." + std::to_string(turn) + "." + std::to_string(rank);
}

/// Who has come here has read all that was said before: so what this process said the turn before
/// last has been read by all.
Result<std::vector<std::string>> MeetingFiles::exchange(const std::string& letter,
                                                        Duration timeout) {
  if (turn_ >= 2) remove_file(path(turn_ - 2, rank_));
  remember(1 + turn_ % letters_on_disk, path(turn_, rank_));
  if (!write_file(path(turn_, rank_), letter))
    return machine_lacks("--id-file: " + path(turn_, rank_) + " cannot be written");
  std::vector<std::string> said;
  for (std::uint32_t r = 0; r < size_; ++r) {
    const auto words = wait_for([&] { return read_file(path(turn_, r)); }, timeout);
    if (!words) {
      has_waited_in_vain_ = true;
      return gone_wrong("after " + to_string(timeout) + " " + absence(r));
    }
    said.push_back(*words);
  }
  ++turn_;
  return said;
}

Result<std::vector<std::string>> MeetingFiles::share(std::string_view words, Duration timeout) {
  RS_ASSIGN(auto letters, exchange(letter_with(words), timeout));
  return words_in(std::move(letters));
}

Farewell MeetingFiles::leave(const Farewell& mine, Duration timeout) {
  constexpr Duration grace = microseconds(500'000);
  if (has_waited_in_vain_) timeout = std::min(timeout, grace);
  const auto all =
      leave_together(mine, [&](const std::string& letter) { return exchange(letter, timeout); });
  clean_up(timeout);
  if (all) return *all;
  return {std::max(mine.status, 1), mine.complaint.empty() ? all.error().message : mine.complaint};
}

void MeetingFiles::remove_letters(std::uint32_t rank) const {
  for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(turn_, letters_on_disk - 1); ++back)
    remove_file(path(turn_ - back, rank));
}

/// The first process removes what is left, when all have said that they have read it. Where one is
/// silent, nobody hears that all have, and each removes what it wrote.
void MeetingFiles::clean_up(Duration timeout) {
  const auto bye = [&](std::uint32_t r) { return path(turn_, r); };
  if (rank_ != 0) {
    if (has_waited_in_vain_)
      remove_letters(rank_);
    else
      write_file(bye(rank_), "");
    return;
  }
  for (std::uint32_t r = 1; r < size_ && !has_waited_in_vain_; ++r)
    has_waited_in_vain_ = !wait_for([&] { return fs::exists(bye(r)); }, timeout);
  for (std::uint32_t r = 0; r < size_; ++r) remove_letters(r);
  remove_file(file_);
  remember(0, "");  // by now it may be another run's
}

}  // namespace ringside::nccl
