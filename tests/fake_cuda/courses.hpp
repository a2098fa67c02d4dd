#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "core/backend.hpp"

namespace ringside::cuda {

/// What is traced: an algorithm on so many ranks of a fake machine.
struct Course {
  std::string_view algorithm;
  std::uint32_t ranks;
  const char* machine;
};
constexpr Course courses[] = {{"ring", 4, "devices=4"},
                              {"ring", 4, "devices=4,peers=none"},
                              {"recursive_doubling", 8, "devices=2"},
                              {"double_binary_tree", 7, "devices=7,peers=partial"},
                              {"direct", 6, "devices=1"}};

/// Nothing may seem to happen before what it depends on, but for what clocks are off. `sent`: by
/// when the data that a transfer passes on must have come: before it begins, or, where it leaves as
/// it comes, before its last byte leaves (`&Span::read`).
inline void expect_order(const Schedule& schedule, const Measurement& measured,
                         TimePoint Span::*sent) {
  for (std::uint32_t id = 0; id < measured.trace.size(); ++id) {
    const Span& span = measured.trace[id];
    EXPECT_LE(span.ready, span.begin);
    EXPECT_LE(span.begin, span.read);
    EXPECT_LE(span.read, span.commit);
    EXPECT_LE(span.begin, span.arrival);
    EXPECT_LE(span.arrival, span.commit);
    for (const Dependency& d : schedule.dependencies({id})) {
      const Span& other = measured.trace[d.on.value];
      const Duration first = d.kind == DependencyKind::war ? other.read : other.commit;
      const Duration then = d.kind == DependencyKind::raw ? span.*sent : span.commit;
      EXPECT_LE(first, then + measured.clock_error) << id << " after " << d.on.value;
    }
  }
}

}  // namespace ringside::cuda
