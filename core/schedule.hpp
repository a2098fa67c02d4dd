#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/collective.hpp"
#include "core/transfer.hpp"

namespace ringside {

/// A transfer has two events: *read* (its source has been read) and *commit* (its target holds the
/// result, its operand has been used).
enum class DependencyKind : std::uint8_t {
  raw,  ///< my read after its commit; lies on my source rank
  war,  ///< my commit after its read; lies on my target rank
  waw,  ///< my commit after its commit; lies on my target rank
};

/// raw and waw point to smaller ids; war may point to a larger one of the same step (an exchange).
/// The graph over events is acyclic.
struct Dependency {
  TransferId on;
  DependencyKind kind = DependencyKind::raw;
  friend constexpr auto operator<=>(const Dependency&, const Dependency&) = default;
};

/// All transfers of one collective, in told order, with the dependencies that the rule of the step
/// implies. Immutable. Made by ScheduleBuilder, which derives the dependencies; proven right by
/// verify().
class Schedule {
 public:
  const CollectiveSpec& spec() const { return spec_; }
  std::uint32_t chunks() const { return chunks_; }  ///< of the whole vector
  std::uint32_t agents() const {
    return agents_;
  }  ///< ranks spec().ranks .. + agents - 1 sit in switches
  std::uint32_t participants() const { return spec_.ranks + agents_; }
  std::uint32_t scratch_chunks() const {
    return scratch_chunks_;
  }  ///< most scratch slots on any rank
  std::uint32_t channels() const { return channels_; }
  /// Steps in which something moves: one that moves nothing has no number.
  std::uint32_t steps() const { return static_cast<std::uint32_t>(step_begin_.size()) - 1; }

  std::span<const Transfer> transfers() const { return transfers_; }
  const Transfer& operator[](TransferId id) const { return transfers_[id.value]; }
  Step step(TransferId id) const;
  /// Transfers of one step are consecutive: [first, last).
  TransferId step_begin(Step step) const { return {step_begin_[step.value]}; }
  TransferId step_end(Step step) const { return {step_begin_[step.value + 1]}; }
  /// Sorted by (on, kind), without repeats.
  std::span<const Dependency> dependencies(TransferId id) const {
    return std::span(dependencies_)
        .subspan(dependency_begin_[id.value],
                 dependency_begin_[id.value + 1] - dependency_begin_[id.value]);
  }
  std::size_t dependency_count() const { return dependencies_.size(); }

  /// A mistake to be found (core/mutation.hpp): the same schedule without its nth dependency of
  /// transfer `id`.
  Schedule with_dependency_dropped(TransferId id, std::size_t nth) const;

 private:
  friend class ScheduleBuilder;
  CollectiveSpec spec_;
  std::uint32_t chunks_ = 1, agents_ = 0, scratch_chunks_ = 0, channels_ = 1;
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> step_begin_;        // steps + 1
  std::vector<std::uint64_t> dependency_begin_;  // transfers + 1
  std::vector<Dependency> dependencies_;
};

/// `transfer 3 (step 1)`.
std::string describe(TransferId id, const Schedule& schedule);

}  // namespace ringside
