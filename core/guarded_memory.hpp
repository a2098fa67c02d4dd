#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/data.hpp"

namespace ringside {

/// Buffers of the ranks that a process owns, laid out to catch an executor that touches what is not
/// its own: guards on both ends of every buffer, outputs poisoned, sources compared with what was
/// filled in.
class GuardedMemory {
 public:
  /// Buffers start `misaligned` elements behind a 64-byte boundary, as users' buffers may. What is
  /// in them is undefined until reset(). `from` outlives this.
  GuardedMemory(const Problem& problem, std::vector<Rank> owned, std::size_t misaligned = 1,
                std::pmr::memory_resource& from = *std::pmr::new_delete_resource());
  /// What it will allocate.
  static Bytes needed(const Problem& problem, std::span<const Rank> owned);

  Memory& memory() { return memory_; }
  /// Fills in the inputs and poisons everything else.
  void reset(const DataSet& data);
  /// Compares all outputs, and counts as wrong every guard, source or unpromised output that
  /// changed. In place, what was not promised may have been used.
  Comparison check(const DataSet& data) const;
  /// For a reduction to all ranks: elements in which an owned rank's output is not the first owned
  /// one's, bit by bit.
  Comparison check_equal(const Problem& problem) const;
  /// What only equal outputs of a reduction to all ranks have in common: the first owned rank's, in
  /// one number. 0 for other collectives.
  std::uint64_t digest(const Problem& problem) const;
  /// All owned outputs, as far as promised, in one number: the same work on the same data must give
  /// the same again.
  std::uint64_t fingerprint(const DataSet& data) const;

 private:
  struct Free {
    std::pmr::memory_resource* from;
    std::size_t size;
    void operator()(std::byte* bytes) const;
  };
  struct Buffer {
    std::unique_ptr<std::byte[], Free> owner{};
    std::span<std::byte> all{};  ///< guards included
    std::size_t begin = 0, size = 0;
    std::span<std::byte> inside() const { return all.subspan(begin, size); }
  };
  Buffer allocate(std::size_t size, std::size_t misaligned) const;
  void check_guards(const Buffer& buffer, const std::string& name, Comparison& found) const;
  void check_source(const DataSet& data, Rank rank, Comparison& found) const;
  void check_unpromised(const DataSet& data, Rank rank, Comparison& found) const;

  std::pmr::memory_resource* from_;
  bool in_place_;
  std::size_t element_;
  std::vector<Rank> owned_;
  std::vector<Buffer> inputs_, outputs_;  // one a rank; empty where it has none or is not owned
  Memory memory_;
};

}  // namespace ringside
