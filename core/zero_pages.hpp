#pragma once

#include <cstddef>

namespace ringside {

/// Zeroed memory that costs nothing until it is touched; in large pages where the system has them.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t bytes);
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  /// Null if the system has no such room.
  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace ringside
