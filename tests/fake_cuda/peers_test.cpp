// Peer access as it is found by trying, not as a driver promises it.

#include "gpu/cuda/peers.hpp"

#include <gmock/gmock.h>

#include "tests/fake_cuda/machine.hpp"

namespace ringside::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PeerReport probe(const std::string& config) {
  const fake::Machine machine(config);
  return probe_peers(list_devices().value()).value();
}

TEST(Peers, AllReachEachOther) {
  const auto report = probe("devices=4");
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b) EXPECT_TRUE(report.matrix.reaches(a, b));
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Peers, WhereTwoByTwoHaveABridgeTheOthersAreStaged) {
  const auto report = probe("devices=4,peers=partial");
  EXPECT_TRUE(report.matrix.reaches(0, 1) && report.matrix.reaches(3, 2));
  EXPECT_FALSE(report.matrix.reaches(1, 2) || report.matrix.reaches(3, 0));
  EXPECT_THAT(report.notes, ElementsAre("no peer access between devices 0-2, 0-3, 1-2, 1-3: what "
                                        "goes there is staged through pinned host memory"));
}

TEST(Peers, StagedMemoryThatMayLieFarAwayIsSaidOnce) {
  const fake::Machine machine("devices=4,peers=partial");
  auto devices = list_devices().value();
  devices[2].node = 1000;  // as where a container forbids memory policies
  auto report = probe_peers(devices).value();
  ASSERT_EQ(report.notes.size(), 2u);
  EXPECT_THAT(report.notes[1], testing::HasSubstr("staged memory may lie far from its device"));
  note_far_memory(devices, report);
  EXPECT_EQ(report.notes.size(), 2u);
  const fake::Machine reaching("devices=2");
  EXPECT_THAT(probe_peers(std::span(devices).first(2)).value().notes, IsEmpty());
}

/// The driver offers it, every call succeeds, and the bytes are wrong.
TEST(Peers, AreNotBelievedBeforeDataArrived) {
  const auto report = probe("devices=2,peers=broken");
  EXPECT_FALSE(report.matrix.reaches(0, 1) || report.matrix.reaches(1, 0));
  EXPECT_THAT(report.notes,
              ElementsAre("the driver promises peer access between devices 0-1, but data arrive "
                          "wrong: what goes there is staged through pinned host memory"));
}

TEST(Peers, CanBeTriedTwice) {
  const fake::Machine machine("devices=2");
  const auto devices = list_devices().value();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(probe_peers(devices).value().matrix.reaches(0, 1));
}

TEST(Peers, RanksKnowTheirDevicesByNumber) {
  const fake::Machine machine("devices=4,peers=partial");
  const std::vector<int> chosen{3, 2, 1};
  const auto devices = choose_devices(chosen).value();
  const auto placement =
      placement_of(place_ranks(6, devices), probe_peers(list_devices().value()).value());
  EXPECT_THAT(placement.device_of, ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_TRUE(placement.peers.reaches(0, 1));   // devices 3 and 2
  EXPECT_FALSE(placement.peers.reaches(1, 2));  // devices 2 and 1
}

TEST(Peers, RunningKernelsHearEachOther) {
  const fake::Machine machine("devices=3");
  const auto devices = list_devices().value();
  const auto report = probe_running_kernels(devices, probe_peers(devices).value()).value();
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t b = 0; b < 3; ++b) EXPECT_TRUE(report.matrix.reaches(a, b));
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Peers, WhoseRunningKernelsAreDeafAreStaged) {
  const fake::Machine machine("devices=3,peers=deaf");
  const auto devices = list_devices().value();
  auto report = probe_peers(devices).value();
  EXPECT_TRUE(report.matrix.reaches(0, 2)) << "copies arrive";
  report = probe_running_kernels(devices, std::move(report)).value();
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t b = 0; b < 3; ++b) EXPECT_EQ(report.matrix.reaches(a, b), a == b);
  EXPECT_THAT(report.notes,
              ElementsAre("copies between devices 0-1, 0-2, 1-2 arrive, but running kernels do not "
                          "hear each other: what goes there is staged through pinned host memory"));
}

/// A copy or a kernel that fails on the way is an error of the pair, with nothing left behind.
TEST(Peers, AFailureIsToldOfTheDevice) {
  for (const std::string call :
       {"cudaLaunchKernel:3", "cudaMemcpyPeerAsync:1", "cudaStreamQuery:2"}) {
    const fake::Machine machine("devices=2,fail=" + call);
    const auto report = probe_peers(list_devices().value());
    ASSERT_FALSE(report) << call;
    EXPECT_THAT(report.error().message, testing::StartsWith("CUDA device ")) << call;
  }
}

}  // namespace
}  // namespace ringside::cuda
