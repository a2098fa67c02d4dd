#include "core/guarded_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "core/binding.hpp"
#include "core/mix.hpp"

namespace ringside {
namespace {

constexpr std::size_t guard = 64;  // bytes before and after; a power of two: the alignment too
// As floats of any width these are numbers, so that a sum with poison shows; no data set has many.
constexpr std::byte guard_byte{0xa5}, poison_byte{0x5a};

/// How many bytes are not `as`; at the speed of memory where none is.
std::uint64_t unlike(std::span<const std::byte> bytes, std::byte as) {
  if (bytes.empty()) return 0;
  if (bytes[0] == as && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0)
    return 0;
  return bytes.size() - static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), as));
}

/// Of bytes and their order: four sums side by side, as one alone would wait for its
/// multiplication.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t sums[4] = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + sizeof sums <= bytes.size(); at += sizeof sums) {
    std::uint64_t words[4];
    std::memcpy(words, &bytes[at], sizeof words);
    for (int i = 0; i < 4; ++i) sums[i] = (sums[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
  }
  std::uint64_t hash = bytes.size();
  for (const auto sum : sums) hash = mix(hash, sum ^ sum >> 32);
  for (; at < bytes.size(); ++at) hash = mix(hash, std::to_integer<std::uint64_t>(bytes[at]));
  return hash;
}

void add_damage(Comparison& found, std::uint64_t elements, const std::string& what) {
  if (elements == 0) return;
  found.wrong += elements;
  if (found.first.empty()) found.first = what;
}

}  // namespace

GuardedMemory::GuardedMemory(const Problem& problem, std::vector<Rank> owned,
                             std::size_t misaligned, std::pmr::memory_resource& from)
    : from_(&from),
      in_place_(problem.spec.in_place),
      element_(size_of(problem.type).count),
      owned_(std::move(owned)) {
  const auto n = problem.spec.ranks;
  const auto whole = size_of(problem.spec, problem.count, problem.type).count;
  inputs_.resize(n);
  outputs_.resize(n);
  memory_.ranks.resize(n);
  for (const auto [r] : owned_) {
    const auto needed = needs(problem.spec, Rank{r});
    auto& [input, output] = memory_.ranks[r];
    if (needed.input) inputs_[r] = allocate(whole, misaligned), input = inputs_[r].inside();
    if (needed.output) outputs_[r] = allocate(whole, misaligned), output = outputs_[r].inside();
    if (in_place_) input = output;
  }
}

void GuardedMemory::Free::operator()(std::byte* bytes) const {
  from->deallocate(bytes, size, guard);
}

GuardedMemory::Buffer GuardedMemory::allocate(std::size_t size, std::size_t misaligned) const {
  const auto begin = guard + misaligned * element_, whole = begin + size + guard;
  auto* const bytes = static_cast<std::byte*>(from_->allocate(whole, guard));
  return {std::unique_ptr<std::byte[], Free>(bytes, {from_, whole}), {bytes, whole}, begin, size};
}

Bytes GuardedMemory::needed(const Problem& problem, std::span<const Rank> owned) {
  const auto whole = size_of(problem.spec, problem.count, problem.type);
  Bytes sum;
  for (const Rank rank : owned) {
    const auto has = needs(problem.spec, rank);
    sum += (std::uint64_t{has.input} + std::uint64_t{has.output}) * whole;
  }
  return sum;
}

void GuardedMemory::reset(const DataSet& data) {
  for (const auto [r] : owned_) {
    for (Buffer* buffer : {&inputs_[r], &outputs_[r]}) {
      std::fill(buffer->all.begin(), buffer->all.end(), guard_byte);
      const auto inside = buffer->inside();
      std::fill(inside.begin(), inside.end(), poison_byte);
    }
    auto& given = in_place_ ? outputs_[r] : inputs_[r];
    if (given.size > 0) data.fill(Rank{r}, given.inside());
  }
}

Comparison GuardedMemory::check(const DataSet& data) const {
  Comparison found = data.check(memory_, owned_);
  for (const auto [r] : owned_) {
    check_guards(inputs_[r], "input of rank " + std::to_string(r), found);
    check_guards(outputs_[r], "output of rank " + std::to_string(r), found);
    if (in_place_) continue;
    check_source(data, Rank{r}, found);
    check_unpromised(data, Rank{r}, found);
  }
  return found;
}

void GuardedMemory::check_guards(const Buffer& buffer, const std::string& name,
                                 Comparison& found) const {
  const std::span<const std::byte> all = buffer.all;
  if (all.empty()) return;
  add_damage(found, unlike(all.first(buffer.begin), guard_byte),
             "memory before the " + name + " was written");
  add_damage(found, unlike(all.subspan(buffer.begin + buffer.size), guard_byte),
             "memory behind the " + name + " was written");
}

void GuardedMemory::check_source(const DataSet& data, Rank rank, Comparison& found) const {
  const auto input = inputs_[rank.value].inside();
  if (input.empty()) return;
  const auto given = data.given(rank);
  const auto changed = data.changed(rank, input) +
                       unlike(input.first(given.first * element_), poison_byte) +
                       unlike(input.subspan(given.last * element_), poison_byte);
  add_damage(found, changed,
             "the input of rank " + std::to_string(rank.value) +
                 " was written, though the collective is out of place");
}

void GuardedMemory::check_unpromised(const DataSet& data, Rank rank, Comparison& found) const {
  const auto output = outputs_[rank.value].inside();
  if (output.empty() || data.problem().spec.kind == CollectiveKind::barrier) return;
  const auto promised = data.promised(rank);
  const auto changed = unlike(output.first(promised.first * element_), poison_byte) +
                       unlike(output.subspan(promised.last * element_), poison_byte);
  add_damage(found, changed,
             "the output of rank " + std::to_string(rank.value) + " was written outside its block");
}

Comparison GuardedMemory::check_equal(const Problem& problem) const {
  Comparison found;
  if (problem.spec.kind != CollectiveKind::all_reduce || owned_.empty()) return found;
  const Rank reference = owned_.front();
  const auto first = outputs_[reference.value].inside();
  if (first.empty()) return found;
  for (const Rank rank : std::span(owned_).subspan(1)) {
    const auto mine = outputs_[rank.value].inside();
    found.checked += problem.count;
    if (std::memcmp(first.data(), mine.data(), first.size()) == 0) continue;
    for (std::size_t i = 0; i < first.size(); i += element_) {
      const auto is = load_bits(&mine[i], problem.type),
                 wanted = load_bits(&first[i], problem.type);
      if (is == wanted || found.wrong++ > 0) continue;
      found.first = "element " + std::to_string(i / element_) + " is " +
                    element_to_string(is, problem.type) + " on rank " + std::to_string(rank.value) +
                    " but " + element_to_string(wanted, problem.type) + " on rank " +
                    std::to_string(reference.value);
    }
  }
  return found;
}

std::uint64_t GuardedMemory::digest(const Problem& problem) const {
  if (problem.spec.kind != CollectiveKind::all_reduce || owned_.empty()) return 0;
  return hash_of(outputs_[owned_.front().value].inside());
}

std::uint64_t GuardedMemory::fingerprint(const DataSet& data) const {
  std::uint64_t all = 0;
  for (const Rank rank : owned_) {
    const auto promised = data.promised(rank);
    const auto output = outputs_[rank.value].inside();
    if (output.empty()) continue;
    all = mix(all, hash_of(output.subspan(promised.first * element_,
                                          (promised.last - promised.first) * element_)));
  }
  return all;
}

}  // namespace ringside
