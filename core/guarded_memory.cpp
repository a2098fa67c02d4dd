#include "core/guarded_memory.hpp"

#include <algorithm>
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

void add_damage(Comparison& found, std::uint64_t elements, const std::string& what) {
  if (elements == 0) return;
  found.wrong += elements;
  if (found.first.empty()) found.first = what;
}

}  // namespace

GuardedMemory::GuardedMemory(const Problem& problem, std::vector<Rank> owned,
                             std::size_t misaligned)
    : in_place_(problem.spec.in_place),
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
  ::operator delete[](bytes, std::align_val_t{guard});
}

GuardedMemory::Buffer GuardedMemory::allocate(std::size_t size, std::size_t misaligned) const {
  const auto begin = guard + misaligned * element_, whole = begin + size + guard;
  auto* const bytes = static_cast<std::byte*>(::operator new[](whole, std::align_val_t{guard}));
  return {std::unique_ptr<std::byte[], Free>(bytes), {bytes, whole}, begin, size};
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
  const auto damaged = [&](std::size_t first, std::size_t last) {
    return static_cast<std::uint64_t>(
        std::count_if(buffer.all.begin() + static_cast<std::ptrdiff_t>(first),
                      buffer.all.begin() + static_cast<std::ptrdiff_t>(last),
                      [](std::byte b) { return b != guard_byte; }));
  };
  add_damage(found, damaged(0, buffer.begin), "memory before the " + name + " was written");
  add_damage(found, damaged(buffer.begin + buffer.size, buffer.all.size()),
             "memory behind the " + name + " was written");
}

void GuardedMemory::check_source(const DataSet& data, Rank rank, Comparison& found) const {
  const Buffer& input = inputs_[rank.value];
  if (input.size == 0) return;
  std::vector<std::byte> before(input.size, poison_byte);
  data.fill(rank, before);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] != input.inside()[i];
  add_damage(found, changed,
             "the input of rank " + std::to_string(rank.value) +
                 " was written, though the collective is out of place");
}

void GuardedMemory::check_unpromised(const DataSet& data, Rank rank, Comparison& found) const {
  const auto output = outputs_[rank.value].inside();
  if (data.problem().spec.kind == CollectiveKind::barrier) return;
  const auto promised = data.promised(rank);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const bool inside = i >= promised.first * element_ && i < promised.last * element_;
    changed += !inside && output[i] != poison_byte;
  }
  add_damage(found, changed,
             "the output of rank " + std::to_string(rank.value) + " was written outside its block");
}

Comparison GuardedMemory::check_equal(const Problem& problem) const {
  Comparison found;
  if (problem.spec.kind != CollectiveKind::all_reduce || owned_.empty()) return found;
  const Rank reference = owned_.front();
  const auto first = outputs_[reference.value].inside();
  for (const Rank rank : std::span(owned_).subspan(1))
    for (std::size_t i = 0; i < first.size(); i += element_) {
      const auto mine = load_bits(&first[i], problem.type),
                 other = load_bits(&outputs_[rank.value].inside()[i], problem.type);
      ++found.checked;
      if (mine == other || found.wrong++ > 0) continue;
      found.first = "element " + std::to_string(i / element_) + " is " +
                    element_to_string(other, problem.type) + " on rank " +
                    std::to_string(rank.value) + " but " + element_to_string(mine, problem.type) +
                    " on rank " + std::to_string(reference.value);
    }
  return found;
}

std::uint64_t GuardedMemory::digest(const Problem& problem) const {
  std::uint64_t digest = 0;
  if (problem.spec.kind != CollectiveKind::all_reduce || owned_.empty()) return digest;
  const auto first = outputs_[owned_.front().value].inside();
  for (std::size_t i = 0; i < first.size(); i += element_)
    digest = mix(digest, load_bits(&first[i], problem.type));
  return digest;
}

}  // namespace ringside
