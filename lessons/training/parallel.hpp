#pragma once

#include <cstddef>
#include <functional>

namespace ringside::training {

/// Calls `work` for 0 to n-1, as many at once as this machine has cores; done when all are. The
/// first exception is thrown on.
void for_each(std::size_t n, const std::function<void(std::size_t)>& work);

}  // namespace ringside::training
