#pragma once

#include <cstddef>
#include <map>
#include <memory_resource>
#include <optional>

#include "core/result.hpp"

namespace ringside::mpi {

/// Memory of this process that other processes of its machine may map. It has no name in any file
/// system, so that nothing stays behind however a process ends.
class SharedMemory final : public std::pmr::memory_resource {
 public:
  /// What another process must know to find a byte of it: the number of the descriptor here.
  struct Place {
    int descriptor = -1;
    std::size_t offset = 0, size = 0;  ///< of the byte; of all that belongs to the descriptor
  };
  /// Nothing if the byte was not allocated here.
  std::optional<Place> find(const std::byte* byte) const;

 private:
  struct Piece {
    int descriptor = -1;
    std::size_t size = 0;
  };
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::map<const std::byte*, Piece> pieces_;  // by where they begin
};

/// A piece of another process's SharedMemory, for as long as this lives.
class Mapping {
 public:
  /// An error (ErrorKind::machine): this process may not see that one's memory.
  static Result<Mapping> of(int process, int descriptor, std::size_t size);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();
  std::byte* begin() const { return begin_; }

 private:
  Mapping(std::byte* begin, std::size_t size) : begin_(begin), size_(size) {}
  std::byte* begin_;
  std::size_t size_;
};

}  // namespace ringside::mpi
