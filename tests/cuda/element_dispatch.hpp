#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/element.hpp"

namespace ringside::cuda {

/// Calls use(std::integral_constant<ElementType, type>).
template <typename Use>
void with_type(ElementType type, const Use& use) {
  const auto one = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr auto candidate = static_cast<ElementType>(i);
    if (candidate == type) use(std::integral_constant<ElementType, candidate>{});
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (one(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<element_type_count>{});
}

}  // namespace ringside::cuda
