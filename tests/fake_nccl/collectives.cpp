// What ranks read, write and get: the definitions of nccl.h.

#include <algorithm>
#include <cstring>

#include "tests/fake_nccl/clique.hpp"

namespace fake {
namespace {

using ringside::ElementType;
using ringside::ReduceOp;

bool reduces(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter;
}

/// All shares together, one rank after the other.
std::vector<std::byte> total(const std::vector<std::vector<std::byte>>& shares,
                             const Reducing& reducing) {
  std::vector<std::byte> sum;
  for (auto share : shares) {
    if (reducing.op == ReduceOp::mulsum) ringside::scale(share, reducing.type, reducing.scalar);
    if (sum.empty())
      sum = std::move(share);
    else
      ringside::reduce_into(sum, sum, share, {reducing.type, reducing.op});
  }
  if (reducing.op == ReduceOp::avg)
    ringside::divide(sum, reducing.type, static_cast<std::uint32_t>(shares.size()));
  return sum;
}

std::vector<std::byte> part(const std::vector<std::byte>& of, std::size_t index,
                            std::size_t bytes) {
  const auto first = of.begin() + static_cast<std::ptrdiff_t>(index * bytes);
  return {first, first + static_cast<std::ptrdiff_t>(bytes)};
}

}  // namespace

const ElementType* element_type(ncclDataType_t type) {
  static constexpr ElementType types[ncclNumTypes] = {
      ElementType::int8,    ElementType::uint8,    ElementType::int32,   ElementType::uint32,
      ElementType::int64,   ElementType::uint64,   ElementType::float16, ElementType::float32,
      ElementType::float64, ElementType::bfloat16, ElementType::f8e4m3,  ElementType::f8e5m2};
  return type >= 0 && type < ncclNumTypes ? types + type : nullptr;
}

std::size_t Call::element() const {
  return ringside::size_of(*element_type(type)).count;
}

std::size_t Call::source_bytes(int rank, int ranks) const {
  const auto all = static_cast<std::size_t>(ranks) * count * element();
  switch (kind) {
    case Kind::receive:
      return 0;
    case Kind::reduce_scatter:
    case Kind::all_to_all:
      return all;
    case Kind::scatter:
      return rank == peer ? all : 0;
    case Kind::broadcast:
      return rank == peer ? count * element() : 0;
    default:
      return count * element();
  }
}

std::size_t Call::target_bytes(int rank, int ranks) const {
  const auto all = static_cast<std::size_t>(ranks) * count * element();
  switch (kind) {
    case Kind::send:
      return 0;
    case Kind::all_gather:
    case Kind::all_to_all:
      return all;
    case Kind::gather:
      return rank == peer ? all : 0;
    case Kind::reduce:
      return rank == peer ? count * element() : 0;
    default:
      return count * element();
  }
}

std::vector<std::byte> result_of(const Call& call, int rank,
                                 const std::vector<std::vector<std::byte>>& shares,
                                 const Reducing& reducing) {
  const auto bytes = call.count * call.element();
  const auto me = static_cast<std::size_t>(rank), root = static_cast<std::size_t>(call.peer);
  if (call.target_bytes(rank, static_cast<int>(shares.size())) == 0) return {};
  if (reduces(call.kind)) {
    const auto sum = total(shares, reducing);
    return call.kind == Kind::reduce_scatter ? part(sum, me, bytes) : sum;
  }
  if (call.kind == Kind::broadcast) return shares[root];
  if (call.kind == Kind::scatter) return part(shares[root], me, bytes);
  std::vector<std::byte> all;
  for (const auto& share : shares) {
    const auto piece = call.kind == Kind::all_to_all ? part(share, me, bytes) : share;
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

}  // namespace fake
