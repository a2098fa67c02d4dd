#include "gpu/host/arithmetic.hpp"

#include <array>
#include <cstring>
#include <span>
#include <utility>

namespace ringside::host {
namespace {

template <ElementType type, ReduceOp op>
void reduce_slowly(std::byte* target, const std::byte* with, const std::byte* source,
                   std::size_t elements) {
  const auto bytes = elements * size_of(type).count;
  reduce_into({target, bytes}, {with, bytes}, {source, bytes}, {type, op});
}

template <ElementType type>
void scale_slowly(std::byte* target, const std::byte* source, std::size_t elements,
                  std::uint64_t scalar) {
  const auto size = size_of(type).count;
  for (std::size_t at = 0; at < elements * size; at += size)
    store_bits(target + at, type,
               combine(load_bits(source + at, type), scalar, {type, ReduceOp::prod}));
}

template <ElementType type>
void divide_slowly(std::byte* data, std::size_t elements, std::uint32_t divisor) {
  divide({data, elements * size_of(type).count}, type, divisor);
}

template <ElementType type, std::size_t... ops>
Arithmetic of_type(ReduceOp op, std::index_sequence<ops...>) {
  constexpr std::array reduces{&reduce_slowly<type, static_cast<ReduceOp>(ops)>...};
  return {reduces[static_cast<std::size_t>(op)], &scale_slowly<type>, &divide_slowly<type>};
}

template <std::size_t... types>
Arithmetic of(Reduction reduction, std::index_sequence<types...>) {
  constexpr auto ops = std::make_index_sequence<reduce_op_count>{};
  const std::array all{of_type<static_cast<ElementType>(types)>(reduction.op, ops)...};
  return all[static_cast<std::size_t>(reduction.type)];
}

}  // namespace

Arithmetic arithmetic(Reduction reduction) {
  return of(reduction, std::make_index_sequence<element_type_count>{});
}

}  // namespace ringside::host
