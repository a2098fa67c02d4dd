#include "core/contributions.hpp"

#include <algorithm>
#include <bit>

namespace ringside {
namespace {

constexpr std::uint32_t word_bits = 64;

bool has(const std::vector<std::uint64_t>& bits, std::uint32_t rank) {
  return (bits[rank / word_bits] >> (rank % word_bits)) & 1;
}

}  // namespace

Contributions Contributions::sum(const Contributions& a, const Contributions& b,
                                 std::uint32_t ranks) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  if (a.is_mixed() || b.is_mixed() || a.chunk_ != b.chunk_) return mix(a, b, ranks);
  if (!a.large_ && !b.large_ && a.count_ + b.count_ <= ranks) {
    const bool whole = a.count_ + b.count_ == ranks;
    if ((a.first_ + a.count_) % ranks == b.first_)
      return {a.chunk_, whole ? 0 : a.first_, a.count_ + b.count_};
    if ((b.first_ + b.count_) % ranks == a.first_)
      return {a.chunk_, whole ? 0 : b.first_, a.count_ + b.count_};
  }
  return same_chunk(a, b, ranks);
}

void Contributions::add_to(Large& set, std::uint32_t ranks) const {
  const auto add = [&set](std::size_t word, std::uint64_t present, std::uint64_t repeated) {
    set.repeated[word] |= repeated | (set.present[word] & present);
    set.present[word] |= present;
  };
  if (large_) {
    for (std::size_t w = 0; w < set.present.size(); ++w)
      add(w, large_->present[w], large_->repeated[w]);
    return;
  }
  for (std::uint32_t i = 0; i < count_; ++i) {
    const auto rank = (first_ + i) % ranks;
    add(rank / word_bits, std::uint64_t{1} << (rank % word_bits), 0);
  }
}

Contributions Contributions::same_chunk(const Contributions& a, const Contributions& b,
                                        std::uint32_t ranks) {
  Large set;
  set.present.assign((ranks + word_bits - 1) / word_bits, 0);
  set.repeated = set.present;
  a.add_to(set, ranks);
  b.add_to(set, ranks);
  std::uint32_t present = 0, repeated = 0;
  for (const auto word : set.present) present += static_cast<std::uint32_t>(std::popcount(word));
  for (const auto word : set.repeated) repeated += static_cast<std::uint32_t>(std::popcount(word));
  if (present == ranks && repeated == 0) return {a.chunk_, 0, ranks};
  Contributions result(a.chunk_, 0, 0);
  result.large_ = std::make_shared<const Large>(std::move(set));
  return result;
}

Contributions Contributions::mix(const Contributions& a, const Contributions& b,
                                 std::uint32_t ranks) {
  auto parts = a.list(ranks);
  const auto more = b.list(ranks);
  parts.insert(parts.end(), more.begin(), more.end());
  std::sort(parts.begin(), parts.end());
  Large set;
  set.cut_short = a.is_cut_short() || b.is_cut_short();
  for (const Contribution& part : parts) {
    auto& mixed = set.mixed;
    if (!mixed.empty() && mixed.back().rank == part.rank && mixed.back().chunk == part.chunk)
      mixed.back().repeated = true;
    else if (mixed.size() < max_mixed)
      mixed.push_back(part);
    else
      set.cut_short = true;
  }
  Contributions result(0, 0, 0);
  result.large_ = std::make_shared<const Large>(std::move(set));
  return result;
}

bool Contributions::is_exactly(ChunkId chunk, Rank first, std::uint32_t count) const {
  if (!large_) return chunk_ == chunk.value && first_ == first.value && count_ == count;
  if (is_mixed() || chunk_ != chunk.value) return false;
  std::uint32_t in = 0, all = 0;
  for (std::uint32_t r = first.value; r < first.value + count; ++r)
    in += has(large_->present, r) && !has(large_->repeated, r) ? 1 : 0;
  for (const auto word : large_->present) all += static_cast<std::uint32_t>(std::popcount(word));
  return in == count && all == count;
}

std::vector<Contribution> Contributions::list(std::uint32_t ranks) const {
  if (is_mixed()) return large_->mixed;
  std::vector<Contribution> parts;
  if (!large_) {
    for (std::uint32_t i = 0; i < count_; ++i)
      parts.push_back({{(first_ + i) % ranks}, {chunk_}, false});
    std::sort(parts.begin(), parts.end());
    return parts;
  }
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (has(large_->present, r)) parts.push_back({{r}, {chunk_}, has(large_->repeated, r)});
  return parts;
}

}  // namespace ringside
