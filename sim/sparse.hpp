#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::sim {

/// A value by device, where most devices have none: as large as what was set. Open addressing,
/// never more than half full.
template <typename Value>
class Sparse {
 public:
  explicit Sparse(Value none) : none_(none), entries_(16, Entry{nobody, none}) {}

  const Value& operator[](std::uint32_t device) const {
    const Entry& e = entries_[place(device)];
    return e.device == device ? e.value : none_;
  }
  void set(std::uint32_t device, Value value) {
    auto& e = entries_[place(device)];
    if (e.device == device) {
      e.value = value;
      return;
    }
    e = {device, value};
    if (2 * ++size_ > entries_.size()) grow();
  }
  std::size_t size() const { return size_; }
  /// In no order that means anything, but always the same.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Entry& e : entries_)
      if (e.device != nobody) visit(e.device);
  }

 private:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Entry {
    std::uint32_t device;
    Value value;
  };

  /// Where the device is, or would be.
  std::size_t place(std::uint32_t device) const {
    const auto mask = entries_.size() - 1;
    std::size_t at = device * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(entries_.size()));
    while (entries_[at].device != nobody && entries_[at].device != device) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size(), Entry{nobody, none_});
    old.swap(entries_);
    for (const Entry& e : old)
      if (e.device != nobody) entries_[place(e.device)] = e;
  }

  Value none_;
  std::size_t size_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace ringside::sim
