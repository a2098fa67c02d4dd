#include "tests/fake_cuda/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace fake {
namespace {

constexpr std::size_t page = 4096, alignment = 256;
constexpr std::size_t filled = std::size_t{4} << 20;  // of larger ones, only so much at each end
constexpr std::size_t most_kept = 512;                // freed ones that stay mapped
constexpr std::byte canary{0xdb};

std::size_t round_up(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}
std::uintptr_t key(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

template <typename Map>
const Allocation* lookup(const Map& map, const void* at) {
  auto after = map.upper_bound(key(at));
  if (after == map.begin()) return nullptr;
  const Allocation& before = std::prev(after)->second;
  return key(at) < key(before.base) + std::max<std::size_t>(before.size, 1) ? &before : nullptr;
}

}  // namespace

std::string Allocation::describe() const {
  const char* const of = kind == MemoryKind::device   ? " B of device "
                         : kind == MemoryKind::pinned ? " B of pinned memory of device "
                                                      : " B of registered memory of device ";
  return std::to_string(size) + of + std::to_string(device);
}

Registry::~Registry() {
  for (auto* map : {&live_, &freed_})
    for (auto& [at, allocation] : *map)
      if (allocation.mapped != nullptr) munmap(allocation.mapped, allocation.mapped_size);
}

void* Registry::allocate(std::size_t size, MemoryKind kind, int device) {
  const std::size_t usable = round_up(std::max<std::size_t>(size, 1), alignment);
  const std::size_t inner = round_up(usable, page);
  void* const at = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const mapped = static_cast<std::byte*>(at);
  if (mprotect(mapped + page, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(at, inner + 2 * page);
    return nullptr;
  }
  std::byte* const base = mapped + page + inner - usable;
  const auto garbage = static_cast<int>((seed_ * 37 + live_.size() * 11) % 251 + 3);
  std::memset(base, garbage, std::min(size, filled));
  if (size > filled) std::memset(base + size - filled, garbage, filled);
  std::memset(base + size, std::to_integer<int>(canary), usable - size);
  live_[key(base)] = {base, size, kind, device, mapped, inner + 2 * page};
  if (kind == MemoryKind::device) used_[device] += size;
  return base;
}

void Registry::add_registered(void* at, std::size_t size, int device) {
  live_[key(at)] = {static_cast<std::byte*>(at), size, MemoryKind::registered, device};
}

bool Registry::is_intact(const Allocation& allocation) const {
  if (allocation.mapped == nullptr) return true;
  const std::byte* const end = allocation.mapped + allocation.mapped_size - page;
  return std::all_of(static_cast<const std::byte*>(allocation.base) + allocation.size, end,
                     [](std::byte b) { return b == canary; });
}

std::string Registry::release(void* at, MemoryKind kind) {
  const auto found = live_.find(key(at));
  if (found == live_.end()) return "frees what is not allocated" + history(at);
  Allocation allocation = found->second;
  if (allocation.kind != kind) return "frees in the wrong way " + allocation.describe();
  const bool intact = is_intact(allocation);
  live_.erase(found);
  if (kind == MemoryKind::device) used_[allocation.device] -= allocation.size;
  if (allocation.mapped != nullptr) {
    mprotect(allocation.mapped, allocation.mapped_size, PROT_NONE);
    freed_[key(at)] = allocation;
    if (freed_.size() > most_kept) {
      const auto first = freed_.begin();
      munmap(first->second.mapped, first->second.mapped_size);
      freed_.erase(first);
    }
  }
  return intact ? "" : "wrote past the end of " + allocation.describe();
}

const Allocation* Registry::find(const void* at) const {
  return lookup(live_, at);
}

std::string Registry::history(const void* at) const {
  const Allocation* const once = lookup(freed_, at);
  return once == nullptr ? "" : " (it once was in " + once->describe() + ", since freed)";
}

std::size_t Registry::used(int device) const {
  const auto found = used_.find(device);
  return found == used_.end() ? 0 : found->second;
}

std::vector<std::string> Registry::leaks() const {
  std::vector<std::string> all;
  for (const auto& [at, allocation] : live_) {
    all.push_back("never freed: " + allocation.describe());
    if (!is_intact(allocation)) all.push_back("wrote past the end of " + allocation.describe());
  }
  return all;
}

}  // namespace fake
