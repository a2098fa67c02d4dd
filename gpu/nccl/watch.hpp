#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/units.hpp"

namespace ringside::nccl {

/// Bounds calls that know no limit of their own, from another thread. Some time after `timeout`
/// without progress() it aborts, which should end them. What has not ended a little later ends this
/// process, exit status 1, with the sentence on standard error: an abort may hang too.
class Watch {
 public:
  Watch(std::string sentence, std::function<void()> abort, Duration timeout);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// Something happened: the time begins anew.
  void progress();
  /// Aborts now, and returns when that has ended.
  void give_up(const std::string& sentence);
  /// Once it has aborted: why.
  std::optional<std::string> verdict();

 private:
  using Clock = std::chrono::steady_clock;
  void watch();
  void abort_within(std::unique_lock<std::mutex>& lock);
  [[noreturn]] void end_process() const;

  std::string sentence_;
  std::function<void()> abort_;
  Clock::duration timeout_, grace_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point last_;
  bool is_done_ = false, gives_up_ = false, has_aborted_ = false;
  std::thread thread_;
};

}  // namespace ringside::nccl
