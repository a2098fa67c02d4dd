#include "viz/scenario/in_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ringside::scenario {

unsigned threads_for(std::uint32_t ranks, unsigned asked) {
  constexpr std::uint32_t most_ranks_at_once = 2048;
  if (ranks > most_ranks_at_once) return 1;
  return asked > 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

void in_parallel(std::size_t parts, unsigned threads,
                 const std::function<void(std::size_t part)>& take) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_thrown = false;
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto take_parts = [&] {
    try {
      for (auto at = next++; at < parts && !has_thrown; at = next++) take(at);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
      has_thrown = true;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (unsigned t = 1; t < std::min<std::size_t>(threads, parts); ++t)
        others.emplace_back(take_parts);
      // NOLINTNEXTLINE(bugprone-empty-catch): the system gives no more; those there are will do
    } catch (const std::system_error&) {
    }
    take_parts();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace ringside::scenario
