#include "gpu/nccl/watch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace ringside::nccl {

Watch::Watch(std::string sentence, std::function<void()> abort, Duration timeout)
    : sentence_(std::move(sentence) + " within " + to_string(timeout)),
      abort_(std::move(abort)),
      timeout_(std::chrono::nanoseconds(timeout.picoseconds / 1000)),
      grace_(std::clamp<Clock::duration>(timeout_ / 4, std::chrono::milliseconds(500),
                                         std::chrono::seconds(10))),
      last_(Clock::now()),
      thread_([this] { watch(); }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watch::progress() {
  const std::lock_guard lock(mutex_);
  last_ = Clock::now();
}

void Watch::give_up(const std::string& sentence) {
  std::unique_lock lock(mutex_);
  sentence_ = sentence;
  gives_up_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return has_aborted_; });
}

std::optional<std::string> Watch::verdict() {
  const std::lock_guard lock(mutex_);
  return has_aborted_ ? std::optional(sentence_) : std::nullopt;
}

/// Whoever waits himself is given the time to say what hangs: hence the grace.
void Watch::watch() {
  std::unique_lock lock(mutex_);
  while (!is_done_ && !gives_up_ && Clock::now() < last_ + timeout_ + grace_)
    changed_.wait_until(lock, last_ + timeout_ + grace_);
  if (is_done_) return;
  if (!abort_) end_process();
  abort_within(lock);
  if (gives_up_) return;
  if (!changed_.wait_for(lock, grace_, [this] { return is_done_ || gives_up_; })) end_process();
}

void Watch::abort_within(std::unique_lock<std::mutex>& lock) {
  struct Aborted {
    std::mutex mutex;
    std::condition_variable changed;
    bool is = false;
  };
  const auto aborted = std::make_shared<Aborted>();
  std::thread([aborted, abort = abort_] {
    abort();
    const std::lock_guard mine(aborted->mutex);
    aborted->is = true;
    aborted->changed.notify_all();
  }).detach();
  lock.unlock();
  {
    std::unique_lock waiting(aborted->mutex);
    if (!aborted->changed.wait_for(waiting, grace_, [&] { return aborted->is; })) end_process();
  }
  lock.lock();
  has_aborted_ = true;
  changed_.notify_all();
}

void Watch::end_process() const {
  std::fprintf(stderr, "ringside: %s\n", sentence_.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

}  // namespace ringside::nccl
