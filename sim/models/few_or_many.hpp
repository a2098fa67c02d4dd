#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace ringside::sim::models {

/// A list of numbers. Up to `few` lie in the object itself, which is few + 1 words; more lie
/// elsewhere, in room for the next power of two.
template <std::uint32_t few>
class FewOrMany {
 public:
  FewOrMany() = default;
  FewOrMany(FewOrMany&& other) noexcept
      : size_(std::exchange(other.size_, 0)), words_(other.words_) {}
  FewOrMany& operator=(FewOrMany&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(words_, other.words_);
    return *this;
  }
  ~FewOrMany() { resize_to(0); }

  std::uint32_t size() const { return size_; }
  const std::uint32_t* begin() const { return size_ > few ? many() : words_.data(); }
  const std::uint32_t* end() const { return begin() + size_; }

  void push_back(std::uint32_t number) {
    if (size_ >= few && (size_ == few || std::has_single_bit(size_))) widen();
    (size_ >= few ? many() : words_.data())[size_] = number;
    ++size_;
  }
  void assign(std::span<const std::uint32_t> numbers) {
    resize_to(0);
    for (const auto number : numbers) push_back(number);
  }
  template <typename Condition>
  void erase_if(Condition condition) {
    auto* const begin = size_ > few ? many() : words_.data();
    resize_to(static_cast<std::uint32_t>(std::remove_if(begin, begin + size_, condition) - begin));
  }

 private:
  static_assert(few >= 2, "a pointer takes two words");

  std::uint32_t* many() const {
    std::uint32_t* pointer;
    std::memcpy(static_cast<void*>(&pointer), words_.data(), sizeof pointer);
    return pointer;
  }
  void widen() {
    auto* const wider = new std::uint32_t[std::bit_ceil(size_ + 1)];
    std::copy(begin(), end(), wider);
    if (size_ > few) delete[] many();
    std::memcpy(words_.data(), static_cast<const void*>(&wider), sizeof wider);
  }
  void resize_to(std::uint32_t size) {
    if (size_ > few && size <= few) {
      auto* const numbers = many();
      std::copy_n(numbers, size, words_.data());
      delete[] numbers;
    }
    size_ = size;
  }

  std::uint32_t size_ = 0;
  std::array<std::uint32_t, few> words_{};
};

}  // namespace ringside::sim::models
