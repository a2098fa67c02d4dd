#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

// Long schedules fill hundreds of megabytes once. In pages of 4 KiB that costs the kernel as much
// time as the transfers in them cost us.

namespace ringside {

/// Asks for large pages for memory that nobody has touched yet; a hint.
void prefer_large_pages(void* data, std::size_t bytes);

/// Room for `more` elements, in large pages where that is much.
template <typename T>
void make_room(std::vector<T>& vector, std::size_t more) {
  const auto size = vector.size() + more;
  if (size <= vector.capacity()) return;
  vector.reserve(std::max(size, 2 * vector.capacity()));
  prefer_large_pages(vector.data() + vector.size(),
                     (vector.capacity() - vector.size()) * sizeof(T));
}

}  // namespace ringside
