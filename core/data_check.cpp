// Filling and comparing whole vectors: a tile of elements is worked out one by one, and long
// vectors are made of it.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/assert.hpp"
#include "core/data.hpp"
#include "core/data_pattern.hpp"

namespace ringside {

/// The elements that pieces of one stretch are compared with: all of a short one, a tile for a long
/// one. The latest are kept, as ranks mostly ask for the same.
class DataSet::Reference {
 public:
  explicit Reference(const DataSet& data) : data_(data) {}

  const std::vector<Expected>& elements() const { return elements_; }
  const std::byte* bytes(std::uint64_t position) const {
    return &bytes_[position * size_of(data_.problem_.type).count];
  }

  /// Calls visit(index, position, elements) for pieces of the stretch, after making ready what is
  /// at these positions of elements() and bytes().
  template <typename Visit>
  void each_piece(const Stretch& stretch, Visit visit) {
    const bool is_short = stretch.elements <= data::tile;
    prepare(is_short ? stretch : Stretch{stretch.source, 0, 0, data::tile}, !is_short);
    if (is_short)
      visit(stretch.first, 0, stretch.elements);
    else
      data::each_piece(data_.seed_, stretch.first, stretch.elements, visit);
  }

 private:
  void prepare(const Stretch& stretch, bool is_tile) {
    const bool is_known = is_tile == is_tile_ && stretch.source == known_.source &&
                          stretch.first == known_.first && stretch.elements == known_.elements;
    if (is_known && !elements_.empty()) return;
    known_ = stretch;
    is_tile_ = is_tile;
    const auto type = data_.problem_.type;
    elements_.clear();
    bytes_.resize(stretch.elements * size_of(type).count);
    for (std::uint64_t i = 0; i < stretch.elements; ++i) {
      const auto position = is_tile ? i : data::position(data_.seed_, stretch.first + i);
      elements_.push_back(stretch.source
                              ? Expected{.bits = data_.input_at(*stretch.source, position)}
                              : data_.reduced_at(position));
      store_bits(&bytes_[i * size_of(type).count], type, elements_.back().bits);
    }
  }

  const DataSet& data_;
  Stretch known_{};
  bool is_tile_ = false;
  std::vector<Expected> elements_;
  std::vector<std::byte> bytes_;
};

void DataSet::fill(Rank rank, std::span<std::byte> vector) const {
  const auto size = size_of(problem_.type).count;
  const auto range = given(rank);
  RS_ASSERT(vector.size() >= range.last * size, "an input is the whole vector");
  Reference reference(*this);
  reference.each_piece({rank, range.first, range.first, range.last - range.first},
                       [&](std::uint64_t index, std::uint64_t position, std::uint64_t elements) {
                         if (elements > 0)
                           std::memcpy(&vector[index * size], reference.bytes(position),
                                       elements * size);
                       });
}

std::uint64_t DataSet::changed(Rank rank, std::span<const std::byte> vector) const {
  const auto size = size_of(problem_.type).count;
  const auto range = given(rank);
  std::uint64_t changed = 0;
  Reference reference(*this);
  reference.each_piece({rank, range.first, range.first, range.last - range.first},
                       [&](std::uint64_t index, std::uint64_t position, std::uint64_t elements) {
                         if (elements == 0) return;
                         const auto* const now = &vector[index * size];
                         const auto* const before = reference.bytes(position);
                         if (std::memcmp(now, before, elements * size) == 0) return;
                         for (std::uint64_t i = 0; i < elements; ++i)
                           changed += std::memcmp(now + i * size, before + i * size, size) != 0;
                       });
  return changed;
}

/// Where what a rank is promised comes from.
std::vector<DataSet::Stretch> DataSet::stretches(Rank rank) const {
  const auto range = promised(rank);
  const auto n = problem_.spec.ranks;
  const auto all = [&](std::optional<Rank> source) {
    return std::vector<Stretch>{{source, range.first, range.first, range.last - range.first}};
  };
  switch (problem_.spec.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce:
    case CollectiveKind::reduce_scatter:
      return all(std::nullopt);
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return all(problem_.spec.root);
    case CollectiveKind::send_recv:
      return all(Rank{(rank.value + n - 1) % n});
    case CollectiveKind::barrier:
      return {};
    default:
      break;
  }
  std::vector<Stretch> blocks;  // all_gather, gather, all_to_all
  if (range.last == range.first) return blocks;
  const bool turned = problem_.spec.kind == CollectiveKind::all_to_all;
  for (std::uint32_t s = 0; s < n; ++s)
    blocks.push_back(
        {Rank{s}, (turned ? rank.value : s) * problem_.count, s * problem_.count, problem_.count});
  return blocks;
}

void DataSet::compare(Rank rank, std::span<const std::byte> vector, Reference& reference,
                      Comparison& found) const {
  const auto size = size_of(problem_.type).count;
  RS_ASSERT(vector.size() >= promised(rank).last * size, "an output is the whole vector");
  for (const Stretch& stretch : stretches(rank))
    reference.each_piece(
        stretch, [&](std::uint64_t index, std::uint64_t position, std::uint64_t elements) {
          const auto at = stretch.to + (index - stretch.first);
          if (elements == 0) return;
          if (!within_bound() &&
              std::memcmp(&vector[at * size], reference.bytes(position), elements * size) == 0) {
            found.checked += elements;
            return;
          }
          for (std::uint64_t i = 0; i < elements; ++i)
            compare({rank, at + i, vector}, reference.elements()[position + i], found);
        });
}

Comparison DataSet::check(Rank rank, std::span<const std::byte> vector) const {
  Comparison found;
  Reference reference(*this);
  compare(rank, vector, reference, found);
  return found;
}

Comparison DataSet::check(const Memory& memory, std::span<const Rank> ranks) const {
  Comparison found;
  Reference reference(*this);
  for (const Rank rank : ranks) compare(rank, memory.ranks[rank.value].output, reference, found);
  return found;
}

}  // namespace ringside
