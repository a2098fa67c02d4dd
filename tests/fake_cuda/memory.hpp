#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake {

enum class MemoryKind { device, pinned, registered };

/// Memory that devices know, in this process's address space.
struct Allocation {
  std::byte* base = nullptr;
  std::size_t size = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;               ///< whose it is; of host memory, who pinned it
  std::byte* mapped = nullptr;  ///< with a page on each side that nobody may touch
  std::size_t mapped_size = 0;

  bool holds(const void* at, std::size_t bytes) const {
    const auto* first = static_cast<const std::byte*>(at);
    return first >= base && bytes <= size && static_cast<std::size_t>(first - base) <= size - bytes;
  }
  std::string describe() const;  ///< `4096 B of device 1`
};

/// Everything allocated and not yet freed. What is freed stays mapped without access, so that who
/// still uses it is stopped there.
class Registry {
 public:
  explicit Registry(std::uint64_t seed) : seed_(seed) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

  /// New memory, filled with bytes that no result can be mistaken for. Null: the machine has none.
  void* allocate(std::size_t size, MemoryKind kind, int device);
  void add_registered(void* at, std::size_t size, int device);
  /// Empty, or what is wrong: not the start of such memory, or written past its end.
  std::string release(void* at, MemoryKind kind);

  /// The live allocation at this address; null where there is none.
  const Allocation* find(const void* at) const;
  /// What was once here: for complaints.
  std::string history(const void* at) const;
  std::size_t used(int device) const;
  std::vector<std::string> leaks() const;

 private:
  bool is_intact(const Allocation& allocation) const;

  std::uint64_t seed_;
  std::map<std::uintptr_t, Allocation> live_, freed_;  ///< by base
  std::map<int, std::size_t> used_;
};

}  // namespace fake
