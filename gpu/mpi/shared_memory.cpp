#include "gpu/mpi/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "core/assert.hpp"

namespace ringside::mpi {
namespace {

std::byte* map(int descriptor, std::size_t size) {
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) return nullptr;
  madvise(at, size, MADV_HUGEPAGE);  // where the machine lets shared memory have such pages
  return static_cast<std::byte*>(at);
}

}  // namespace

std::optional<SharedMemory::Place> SharedMemory::find(const std::byte* byte) const {
  auto next = pieces_.upper_bound(byte);
  if (next == pieces_.begin()) return std::nullopt;
  const auto& [begin, piece] = *--next;
  const auto offset = static_cast<std::size_t>(byte - begin);
  if (offset >= piece.size) return std::nullopt;
  return Place{piece.descriptor, offset, piece.size};
}

void* SharedMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  RS_ASSERT(alignment <= 4096, "pages are aligned to no more");
  const Piece piece{memfd_create("ringside", MFD_CLOEXEC), std::max<std::size_t>(bytes, 1)};
  if (piece.descriptor < 0) throw std::bad_alloc();
  std::byte* at = nullptr;
  if (ftruncate(piece.descriptor, static_cast<off_t>(piece.size)) == 0)
    at = map(piece.descriptor, piece.size);
  if (at == nullptr) {
    close(piece.descriptor);
    throw std::bad_alloc();
  }
  pieces_[at] = piece;
  return at;
}

void SharedMemory::do_deallocate(void* at, std::size_t, std::size_t) {
  const auto found = pieces_.find(static_cast<std::byte*>(at));
  munmap(at, found->second.size);
  close(found->second.descriptor);
  pieces_.erase(found);
}

Result<Mapping> Mapping::of(int process, int descriptor, std::size_t size) {
  const auto path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  const int here = open(path.c_str(), O_RDWR | O_CLOEXEC);
  std::byte* const at = here < 0 ? nullptr : map(here, size);
  const int error = errno;
  if (here >= 0) close(here);
  if (at == nullptr)
    return machine_lacks("process " + std::to_string(getpid()) + " may not see the memory of " +
                         std::to_string(process) + " (" + std::strerror(error) +
                         "); executors messages and window need no such thing");
  return Mapping(at, size);
}

Mapping::Mapping(Mapping&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(other.size_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (begin_ != nullptr) munmap(begin_, size_);
}

}  // namespace ringside::mpi
