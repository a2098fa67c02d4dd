#include "core/zero_pages.hpp"

#include <sys/mman.h>

namespace ringside {

ZeroPages::ZeroPages(std::size_t bytes) : bytes_(bytes) {
  if (bytes_ == 0) return;
  void* const got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return;
  data_ = got;
  constexpr std::size_t much = std::size_t{64} << 20;
  if (bytes_ >= much) madvise(data_, bytes_, MADV_HUGEPAGE);
}

ZeroPages::~ZeroPages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace ringside
