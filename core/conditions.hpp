#pragma once

#include <cstdint>
#include <functional>

#include "core/collective.hpp"

namespace ringside {

// precondition() and postcondition() as runs of slots, for numbers of ranks whose slots no list
// should hold.

/// `count` consecutive slots from `slot` on.
struct GivenRun {
  Slot slot;
  std::uint32_t count = 1;
};
void for_each_given(const CollectiveSpec& spec, std::uint32_t chunks,
                    const std::function<void(const GivenRun&)>& visit);

/// `slots` consecutive slots: the i-th expects chunk `from_chunk` + i of the ranks that `first`
/// names.
struct PromisedRun {
  Expectation first;
  std::uint32_t slots = 1;
};
void for_each_promised(const CollectiveSpec& spec, std::uint32_t chunks,
                       const std::function<void(const PromisedRun&)>& visit);

}  // namespace ringside
