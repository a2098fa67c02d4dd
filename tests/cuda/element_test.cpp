// What kernels do to elements, on a CPU: the functions and loops are those that GPUs run.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/reduce.hpp"
#include "gpu/cuda/element_loops.hpp"
#include "tests/conformance/interesting_elements.hpp"

namespace ringside::cuda {
namespace {

using namespace conformance;

template <ElementType type>
void share(const ElementTask& task, Worker worker) {
  element_share<type>(task, worker);
}

void share(ElementType type, const ElementTask& task, Worker worker) {
  using E = ElementType;
  constexpr void (*shares[])(const ElementTask&, Worker) = {
      share<E::int8>,    share<E::uint8>,   share<E::int32>,   share<E::uint32>,
      share<E::int64>,   share<E::uint64>,  share<E::float16>, share<E::bfloat16>,
      share<E::float32>, share<E::float64>, share<E::f8e4m3>,  share<E::f8e5m2>};
  shares[static_cast<std::size_t>(type)](task, worker);
}

/// Bytes that start `shift` behind a 16-byte boundary, with a guard at both ends.
class Place {
 public:
  Place(std::size_t bytes, std::size_t shift, std::byte fill) : bytes_(bytes), shift_(shift) {
    all_.resize((shift + bytes + 32 + 15) / 16);
    std::fill_n(raw(), all_.size() * 16, fill);
  }
  std::byte* data() { return raw() + 16 + shift_; }
  std::span<std::byte> inside() { return {data(), bytes_}; }
  bool is_guarded(std::byte fill) {
    const auto is_fill = [&](std::byte b) { return b == fill; };
    return std::all_of(raw(), data(), is_fill) &&
           std::all_of(data() + bytes_, raw() + all_.size() * 16, is_fill);
  }

 private:
  std::byte* raw() { return reinterpret_cast<std::byte*>(all_.data()); }
  std::size_t bytes_, shift_;
  std::vector<Vector> all_;
};

void store(const std::vector<std::uint64_t>& values, ElementType type, Place& place) {
  for (std::size_t i = 0; i < values.size(); ++i)
    store_bits(place.data() + i * size_of(type).count, type, values[i]);
}

class KernelElements : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, KernelElements, testing::ValuesIn(all_types),
                         [](const auto& tested) { return std::string(name(tested.param)); });

/// Pairs of interesting values (of narrow types all there are), as vectors and one by one.
TEST_P(KernelElements, AreCombinedAsCoreDefinesBitForBit) {
  const ElementType type = GetParam();
  const auto size = size_of(type).count;
  std::mt19937_64 random(7);
  const auto values = interesting(type, random);
  std::vector<std::uint64_t> left, right;
  const std::size_t stride = size == 1 ? 1 : 3;
  for (const auto a : values)
    for (std::size_t b = 0; b < values.size(); b += stride)
      left.push_back(a), right.push_back(values[b]);
  const auto bytes = left.size() * size;
  for (const std::size_t shift : {std::size_t{0}, size}) {  // the second meets no boundary with it
    Place a(bytes, shift, {}), b(bytes, 0, {});
    store(left, type, a);
    store(right, type, b);
    for (const ReduceOp op : all_ops) {
      Place wanted(bytes, shift, {}), got(bytes, shift, {});
      reduce_into(wanted.inside(), a.inside(), b.inside(), {type, op});
      share(type, {got.data(), a.data(), b.data(), left.size(), 0, element_op(op)}, {});
      for (std::size_t i = 0; i < left.size(); ++i)
        ASSERT_EQ(load_bits(got.data() + i * size, type), load_bits(wanted.data() + i * size, type))
            << std::hex << left[i] << " " << name(op) << " " << right[i];
    }
  }
}

TEST_P(KernelElements, AreScaledAndDividedAsCoreDefinesBitForBit) {
  const ElementType type = GetParam();
  std::mt19937_64 random(8);
  const auto values = interesting(type, random);
  const auto bytes = values.size() * size_of(type).count;
  Place given(bytes, 0, {});
  store(values, type, given);
  const auto compare = [&](Place wanted, std::uint64_t scalar, ElementOp op) {
    Place got(bytes, 0, {});
    share(type, {got.data(), nullptr, given.data(), values.size(), scalar, op}, {});
    EXPECT_TRUE(std::ranges::equal(got.inside(), wanted.inside())) << scalar;
  };
  for (const std::uint32_t n : {2u, 3u, 7u, 10u, 17u, 48u, 255u, 1000u, 4095u}) {
    auto wanted = given;
    divide(wanted.inside(), type, n);
    compare(wanted, n, ElementOp::divide);
  }
  for (const double scalar : {2.0, -1.0, 0.3, 0.0, 1e-3}) {
    auto wanted = given;
    scale(wanted.inside(), type, scalar);
    compare(wanted, convert_scalar(scalar, type), ElementOp::scale);
  }
}

/// Every short length at every alignment, shared among more and fewer workers than there is work:
/// each element once, nothing beside them, targets that are operands.
TEST_P(KernelElements, AreSharedWithoutGapOrOverlap) {
  const ElementType type = GetParam();
  const auto size = size_of(type).count;
  std::mt19937_64 random(9);
  auto values = interesting(type, random);
  const auto once = values;
  values.insert(values.end(), once.begin(), once.end());  // bytes have 256 in all
  const auto a = bytes_of(values, type);
  for (const std::uint64_t workers : {1, 3, 64})
    for (std::size_t n = 0; n < 300 / size; ++n)
      for (std::size_t shift = 0; shift < 16; shift += size)
        for (const std::size_t other : {shift, std::size_t{0}}) {
          Place target(n * size, shift, std::byte{0x5a}), source(n * size, other, {});
          std::copy_n(&a[1], n * size, target.data());
          std::copy_n(&a[1 + size], n * size, source.data());
          Place wanted = target;
          reduce_into(wanted.inside(), wanted.inside(), source.inside(), {type, ReduceOp::sum});
          for (std::uint64_t w = 0; w < workers; ++w)
            share(type, {target.data(), target.data(), source.data(), n, 0, ElementOp::sum},
                  {w, workers});
          ASSERT_TRUE(std::ranges::equal(target.inside(), wanted.inside())) << n << " " << shift;
          ASSERT_TRUE(target.is_guarded(std::byte{0x5a})) << n << " elements past " << shift;
        }
}

TEST(KernelCopies, MoveEveryByteAndNoOther) {
  for (const std::uint64_t workers : {1, 3, 64})
    for (std::size_t bytes = 0; bytes < 300; bytes += bytes < 40 ? 1 : 7)
      for (std::size_t shift = 0; shift < 16; ++shift)
        for (const std::size_t other : {shift, std::size_t{0}, std::size_t{4}}) {
          Place target(bytes, shift, std::byte{0x5a}), source(bytes, other, {});
          for (std::size_t i = 0; i < bytes; ++i) source.inside()[i] = std::byte(1 + i % 251);
          for (std::uint64_t w = 0; w < workers; ++w)
            copy_share({target.data(), source.data(), bytes}, {w, workers});
          ASSERT_TRUE(std::ranges::equal(target.inside(), source.inside())) << bytes;
          ASSERT_TRUE(target.is_guarded(std::byte{0x5a})) << bytes << " bytes past " << shift;
        }
}

/// Where the boundaries of all places fall together, little is done one by one.
TEST(KernelCuts, LeaveLessThanTwoVectorsToSingles) {
  alignas(16) std::byte memory[256];
  for (std::size_t shift = 0; shift < 16; ++shift)
    for (std::size_t bytes = 0; bytes < 200; ++bytes) {
      const Cut parts = cut(memory + shift, memory + 16 + shift, bytes);
      EXPECT_LE(parts.head, parts.tail);
      EXPECT_LE(parts.tail, bytes);
      EXPECT_EQ((parts.tail - parts.head) % 16, 0);
      EXPECT_LE(bytes - (parts.tail - parts.head), 30);
      EXPECT_TRUE(parts.tail == parts.head || (shift + parts.head) % 16 == 0);
    }
}

}  // namespace
}  // namespace ringside::cuda
