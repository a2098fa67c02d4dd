// On a real GPU: kernels give core's bits, every algorithm is right by every executor, and what the
// device's memory can do, for comparison.

#include <gmock/gmock.h>

#include <chrono>
#include <cstring>

#include "gpu/cuda/cuda_backend.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/kernels.hpp"
#include "gpu/cuda/status.hpp"
#include "tests/conformance/backend_conformance.hpp"

namespace ringside::cuda {
namespace {

/// Skips where there are fewer devices than a test needs.
class OnDevices : public testing::Test {
 protected:
  void need(std::size_t count) {
    const auto found = list_devices();
    if (!found) GTEST_SKIP() << "needs a GPU: " << found.error().message;
    if (found->size() < count)
      GTEST_SKIP() << "needs " << count << " GPUs, and this machine has " << found->size();
    devices_ = *found;
  }
  std::vector<Device> devices_;
};

class OneDevice : public OnDevices {
 protected:
  void SetUp() override { need(1); }
};
class TwoDevices : public OnDevices {
 protected:
  void SetUp() override { need(2); }
};

std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> data(bytes);
  for (auto& byte : data) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(seed >> 33);
  }
  return data;
}

/// All bytes of `memory` after what `enqueue` told the stream.
template <typename Enqueue>
std::vector<std::byte> after(const DeviceMemory& memory, Enqueue enqueue) {
  const Stream stream = make_stream(memory.device()).value();
  EXPECT_EQ(enqueue(stream.get()), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  std::vector<std::byte> result(memory.size().count);
  EXPECT_EQ(cudaMemcpy(result.data(), memory.data(), result.size(), cudaMemcpyDeviceToHost),
            cudaSuccess);
  return result;
}

/// The same task with its places elsewhere.
ElementTask moved(const ElementTask& task, std::byte* base) {
  const auto at = [&](const auto* place) { return base + reinterpret_cast<std::uintptr_t>(place); };
  ElementTask copy = task;
  copy.target = at(task.target);
  copy.with = at(task.with);
  copy.source = at(task.source);
  return copy;
}
std::byte* offset(std::size_t bytes) {
  return reinterpret_cast<std::byte*>(bytes);
}

constexpr std::size_t room = 1 << 16;

void on_cpu(ElementType type, const ElementTask& task) {
  const auto run = [&]<ElementType t>() {
    if (type == t) element_share<t>(task, Worker{});
  };
  using E = ElementType;
  run.template operator()<E::int8>(), run.template operator()<E::uint8>();
  run.template operator()<E::int32>(), run.template operator()<E::uint32>();
  run.template operator()<E::int64>(), run.template operator()<E::uint64>();
  run.template operator()<E::float16>(), run.template operator()<E::bfloat16>();
  run.template operator()<E::float32>(), run.template operator()<E::float64>();
  run.template operator()<E::f8e4m3>(), run.template operator()<E::f8e5m2>();
}

TEST_F(OneDevice, KernelsGiveTheBitsOfTheCpu) {
  const DeviceMemory memory = make_device_memory(0, {room}).value();
  for (std::size_t t = 0; t < element_type_count; ++t)
    for (std::size_t op = 0; op < element_op_count; ++op)
      for (const std::size_t count : {1u, 15u, 16u, 1'000u})
        for (const std::size_t shift : {0u, 1u, 3u}) {
          const auto type = static_cast<ElementType>(t);
          const auto size = size_of(type).count;
          const ElementTask task{offset(32'768 + shift * size),
                                 offset(shift * size),
                                 offset(16'384 + shift * size),
                                 count,
                                 3,
                                 static_cast<ElementOp>(op)};
          auto data = pattern(room, t * 100 + op);
          ASSERT_EQ(cudaMemcpy(memory.data(), data.data(), room, cudaMemcpyHostToDevice),
                    cudaSuccess);
          const auto found = after(memory, [&](cudaStream_t stream) {
            return launch_elements(type, moved(task, memory.data()), {}, stream);
          });
          on_cpu(type, moved(task, data.data()));
          ASSERT_EQ(std::memcmp(found.data(), data.data(), room), 0)
              << name(type) << ", op " << op << ", " << count << " elements, shift " << shift;
        }
}

/// Every nth case of all pairs, on 1 to 8 virtual ranks.
conformance::Report conform(const std::string& executor, std::size_t nth) {
  conformance::Report report;
  const auto backend = make_cuda_backend({}).value();
  std::size_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 5, 8}))
      if (turn++ % nth == 0) conformance::run(*backend, c, report, executor);
  return report;
}

class Executors : public OneDevice, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Each, Executors, testing::Values("streams", "graph", "kernel"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(Executors, DoEveryAlgorithmRight) {
  const auto report = conform(GetParam(), 4);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
  EXPECT_GT(report.cases, all_algorithms().size());
}

/// For the report: what a device's memory moves, read and written, in one long copy.
TEST_F(OneDevice, CopiesWithinItsMemory) {
  const Bytes size{std::min<std::uint64_t>(512u << 20, devices_.front().memory.count / 8)};
  const DeviceMemory from = make_device_memory(0, size).value();
  const DeviceMemory to = make_device_memory(0, size).value();
  const Stream stream = make_stream(0).value();
  const Event begin = make_event(0, EventUse::timing).value();
  const Event end = make_event(0, EventUse::timing).value();
  double best = 0;
  for (int sample = 0; sample < 10; ++sample) {
    cudaEventRecord(begin.get(), stream.get());
    ASSERT_EQ(
        cudaMemcpyAsync(to.data(), from.data(), size.count, cudaMemcpyDeviceToDevice, stream.get()),
        cudaSuccess);
    cudaEventRecord(end.get(), stream.get());
    ASSERT_EQ(cudaEventSynchronize(end.get()), cudaSuccess);
    float milliseconds = 0;
    ASSERT_EQ(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), cudaSuccess);
    best = std::max(best, 2e-6 * static_cast<double>(size.count) / milliseconds);
  }
  std::printf("copy bandwidth, read and written: %.1f GB/s\n", best);
  EXPECT_GT(best, 0);
}

TEST_F(TwoDevices, DoEveryAlgorithmRightBetweenThem) {
  for (const char* executor : {"streams", "graph", "kernel"})
    EXPECT_EQ(conform(executor, 8).failures, std::vector<std::string>{}) << executor;
}

}  // namespace
}  // namespace ringside::cuda
