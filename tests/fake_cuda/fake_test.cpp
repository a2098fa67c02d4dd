// The fake machine itself: what it lets pass, what it finds, and that it does so by some seed.

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <set>

#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/kernels.hpp"
#include "gpu/cuda/numa.hpp"
#include "gpu/cuda/status.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace fake {
namespace {

using namespace ringside;
using namespace ringside::cuda;

std::string with(const std::string& config, std::uint64_t seed) {
  return config + ",seed=" + std::to_string(seed);
}

/// One byte goes from device 0 to 1 and back, on three streams. Returns what came back.
class RoundTrip {
 public:
  explicit RoundTrip(std::size_t bytes = 1000) : bytes_(bytes) {
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    for (int i = 0; i < 3; ++i) streams_[i] = make_stream(i % 2).value();
    for (int i = 0; i < 2; ++i) {
      memory_[i] = make_device_memory(i, {bytes}).value();
      host_[i] = make_pinned_memory(0, {bytes}).value();
      events_[i] = make_event(i, EventUse::order).value();
    }
    std::memset(host_[0].data(), 42, bytes);
    std::memset(host_[1].data(), 0, bytes);
  }

  void enqueue() {
    const auto copy = [&](std::byte* to, const std::byte* from, int stream) {
      ASSERT_EQ(cudaMemcpyAsync(to, from, bytes_, cudaMemcpyDefault, streams_[stream].get()),
                cudaSuccess);
    };
    copy(memory_[0].data(), host_[0].data(), 0);
    cudaEventRecord(events_[0].get(), streams_[0].get());
    cudaStreamWaitEvent(streams_[1].get(), events_[0].get(), 0);
    copy(memory_[1].data(), memory_[0].data(), 1);
    cudaEventRecord(events_[1].get(), streams_[1].get());
    cudaStreamWaitEvent(streams_[2].get(), events_[1].get(), 0);
    copy(host_[1].data(), memory_[1].data(), 2);
  }
  bool run() {
    enqueue();
    for (const auto& stream : streams_) EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
    return arrived();
  }
  bool run_as_graph() {
    EXPECT_EQ(cudaStreamBeginCapture(streams_[0].get(), cudaStreamCaptureModeGlobal), cudaSuccess);
    enqueue();
    const Event end = make_event(0, EventUse::order).value();
    cudaEventRecord(end.get(), streams_[2].get());
    cudaStreamWaitEvent(streams_[0].get(), end.get(), 0);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(streams_[0].get(), &graph), cudaSuccess);
    const Graph owned(graph, 0);
    cudaGraphExec_t exec = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    const GraphExec owned_exec(exec, 0);
    for (int launch = 0; launch < 2; ++launch)
      EXPECT_EQ(cudaGraphLaunch(exec, streams_[0].get()), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(streams_[0].get()), cudaSuccess);
    return arrived();
  }
  bool arrived() const { return std::memcmp(host_[0].data(), host_[1].data(), bytes_) == 0; }

  std::size_t bytes_;
  std::array<Stream, 3> streams_;
  std::array<DeviceMemory, 2> memory_;
  std::array<PinnedMemory, 2> host_;
  std::array<Event, 2> events_;
};

TEST(Fake, ARightProgramIsRightInEveryOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Machine machine(with("devices=2", seed));
    EXPECT_TRUE(RoundTrip().run()) << seed;
    EXPECT_TRUE(RoundTrip().run_as_graph()) << seed;
  }
}

TEST(Fake, AWaitThatIsForgottenIsSeenBySomeSeed) {
  for (const int wait : {1, 2}) {
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Machine machine(with("devices=2,drop=" + std::to_string(wait), seed));
      if (!RoundTrip().run()) ++seen;
    }
    EXPECT_GE(seen, 4) << wait;
    EXPECT_LE(seen, 16) << "no order is the only one";
  }
}

TEST(Fake, StreamsRunOnlyWhenSomebodyWaits) {
  const Machine machine("devices=2");
  RoundTrip trip;
  trip.enqueue();
  EXPECT_FALSE(trip.arrived());
  EXPECT_EQ(cudaStreamSynchronize(trip.streams_[2].get()), cudaSuccess);
  EXPECT_TRUE(trip.arrived());
}

TEST(Fake, HostMemoryIsAllocatedNearTheDevice) {
  const Machine machine("devices=1");
  if (!NearNode(0).holds()) GTEST_SKIP() << "this kernel knows no nodes";
  Device near_0, anywhere;
  near_0.node = 0;
  EXPECT_TRUE(make_near_memory(near_0, {1000}));
  EXPECT_EQ(ringside_fake_cuda_host_node(), 0);
  EXPECT_TRUE(make_near_memory(anywhere, {1000}));
  EXPECT_LT(ringside_fake_cuda_host_node(), 0) << "the wish outlived its memory";
}

TEST(Fake, AWaitForAnEventNotYetRecordedWaitsForNothing) {
  const Machine machine("devices=1");
  const Stream stream = make_stream(0).value();
  const Event event = make_event(0, EventUse::order).value();
  EXPECT_EQ(cudaStreamWaitEvent(stream.get(), event.get(), 0), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaSuccess);
}

TEST(Fake, TimeIsPretendedAndTheSameInEveryOrder) {
  std::set<float> times;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Machine machine(with("devices=2", seed));
    const RoundTrip trip;
    const Event begin = make_event(0, EventUse::timing).value();
    const Event end = make_event(0, EventUse::timing).value();
    cudaEventRecord(begin.get(), trip.streams_[0].get());
    cudaMemcpyAsync(trip.memory_[0].data(), trip.host_[0].data(), 1000, cudaMemcpyHostToDevice,
                    trip.streams_[0].get());
    cudaEventRecord(end.get(), trip.streams_[0].get());
    cudaEventSynchronize(end.get());
    float milliseconds = 0;
    ASSERT_EQ(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), cudaSuccess);
    times.insert(milliseconds);
  }
  EXPECT_THAT(times, testing::ElementsAre(testing::FloatNear(0.00104f, 1e-6f)));
}

TEST(Fake, APeersMemoryIsOutOfReachUntilAccessIsEnabled) {
  Machine machine("devices=2");
  {
    const DeviceMemory there = make_device_memory(1, 64_B).value();
    const DeviceMemory here = make_device_memory(0, 64_B).value();
    const Stream stream = make_stream(0).value();
    const auto copy = [&] {
      return cudaMemcpyPeerAsync(here.data(), 0, there.data(), 1, 64, stream.get());
    };
    EXPECT_EQ(copy(), cudaErrorPeerAccessNotEnabled);
    EXPECT_EQ(launch_copy({here.data(), there.data(), 64}, {}, stream.get()),
              cudaErrorPeerAccessNotEnabled);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT_EQ(copy(), cudaSuccess);
    EXPECT_EQ(launch_copy({here.data(), there.data(), 64}, {}, stream.get()), cudaSuccess);
  }
  EXPECT_EQ(machine.findings(),
            "a copy reads 64 B of device 1 on device 0 without peer access\n"
            "a kernel reads 64 B of device 1 on device 0 without peer access\n");
}

TEST(Fake, PeersCanBeMissingOrBroken) {
  const auto can = [](int from, int to) {
    int answer = -1;
    cudaDeviceCanAccessPeer(&answer, from, to);
    return answer;
  };
  {
    const Machine machine("devices=4,peers=partial");
    EXPECT_EQ(can(0, 1), 1);
    EXPECT_EQ(can(1, 2), 0);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(2, 0), cudaErrorPeerAccessUnsupported);
  }
  {
    const Machine machine("devices=2,peers=none");
    EXPECT_EQ(can(0, 1), 0);
  }
  const Machine machine("devices=2,peers=broken");
  EXPECT_EQ(can(0, 1), 1);
  EXPECT_FALSE(RoundTrip().run());
}

TEST(Fake, WhatIsLeftBehindIsReported) {
  Machine machine("devices=2");
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 100), cudaSuccess);
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(machine.findings(), "never freed: 100 B of device 0\nnever destroyed: 1 event(s)\n");
}

TEST(Fake, MemoryThatIsNotThereIsNotTouched) {
  Machine machine("devices=1");
  {
    const Stream stream = make_stream(0).value();
    const DeviceMemory memory = make_device_memory(0, 100_B).value();
    const std::byte* freed = nullptr;
    { freed = make_device_memory(0, 8_B).value().data(); }
    EXPECT_NE(launch_copy({memory.data() + 99, memory.data(), 2}, {}, stream.get()), cudaSuccess);
    EXPECT_NE(launch_copy({memory.data(), freed, 8}, {}, stream.get()), cudaSuccess);
    EXPECT_NE(cudaMemcpyAsync(memory.data(), freed, 8, cudaMemcpyDefault, stream.get()),
              cudaSuccess);
    memory.data()[100] = std::byte{1};
  }
  EXPECT_EQ(machine.findings(),
            "a kernel writes 2 B beyond the end of 100 B of device 0\n"
            "a kernel reads 8 B where nothing is allocated (it once was in 8 B of device 0, since "
            "freed)\n"
            "a copy reads 8 B where nothing is allocated (it once was in 8 B of device 0, since "
            "freed)\n"
            "wrote past the end of 100 B of device 0\n");
}

TEST(Fake, MemoryIsLimited) {
  const Machine machine("devices=1,memory=1MiB");
  EXPECT_TRUE(make_device_memory(0, 1_MiB));
  const auto refused = make_device_memory(0, 2_MiB);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::machine);
  EXPECT_EQ(refused.error().message,
            "CUDA device 0 could not allocate 2 MiB: out of memory (cudaErrorMemoryAllocation); "
            "smaller sizes, or fewer ranks on one device, need less memory");
}

TEST(Fake, TheCallThatWasChosenFails) {
  const Machine machine("devices=1,fail=cudaMalloc:2");
  EXPECT_TRUE(make_device_memory(0, 1_B));
  EXPECT_EQ(ringside_fake_cuda_has_failed(), 0);
  EXPECT_FALSE(make_device_memory(0, 1_B));
  EXPECT_EQ(ringside_fake_cuda_has_failed(), 1);
  EXPECT_TRUE(make_device_memory(0, 1_B));
  EXPECT_EQ(ringside_fake_cuda_calls("cudaMalloc"), 3u);
}

TEST(Fake, AfterAKernelsFaultEverythingFails) {
  const Machine machine("devices=1,fault=1");
  const DeviceMemory memory = make_device_memory(0, 64_B).value();
  const Stream stream = make_stream(0).value();
  EXPECT_EQ(launch_copy({memory.data(), memory.data() + 32, 32}, {}, stream.get()), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaErrorIllegalAddress);
  EXPECT_EQ(make_device_memory(0, 1_B).error().kind, ErrorKind::wrong);
}

TEST(Fake, ACaptureMustBeJoinedAndMayNotBeWaitedFor) {
  const Machine machine("devices=2");
  RoundTrip trip;
  cudaGraph_t graph = nullptr;
  const auto first = trip.streams_[0].get();
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  trip.enqueue();
  EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureUnjoined);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST(Fake, AMachineCanLackADriverOrDevices) {
  int count = 0;
  {
    const Machine machine("driver=none");
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  }
  const Machine machine("devices=0");
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
}

}  // namespace
}  // namespace fake
