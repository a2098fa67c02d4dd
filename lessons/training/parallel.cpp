#include "lessons/training/parallel.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace ringside::training {

void for_each(std::size_t n, const std::function<void(std::size_t)>& work) {
  const std::size_t threads =
      std::min<std::size_t>(n, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::exception_ptr> thrown(threads);
  const auto share_of = [&](std::size_t thread) {
    try {
      for (std::size_t i = thread; i < n; i += threads) work(i);
    } catch (...) {
      thrown[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(share_of, t);
    if (threads > 0) share_of(0);
  }
  for (const auto& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace ringside::training
