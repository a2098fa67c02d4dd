// Which NUMA node a GPU hangs on, and that memory is asked from there.

#include "gpu/cuda/numa.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace ringside::cuda {
namespace {

/// A /sys of one device, whose node is said to be `said`.
class Sysfs {
 public:
  explicit Sysfs(const std::string& said)
      : root_(testing::TempDir() + "sysfs_" + std::to_string(getpid())) {
    const auto folder = root_ + "/bus/pci/devices/0000:b1:00.0";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/numa_node") << said;
  }
  ~Sysfs() { std::filesystem::remove_all(root_); }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

TEST(Numa, ADevicesNodeIsWhatTheKernelSays) {
  EXPECT_EQ(numa_node("0000:B1:00.0", Sysfs("3\n").root()), 3) << "CUDA writes capitals";
  EXPECT_EQ(numa_node("0000:b1:00.0", Sysfs("0\n").root()), 0);
}

TEST(Numa, WhatItDoesNotSayIsNoNode) {
  EXPECT_LT(numa_node("0000:b1:00.0", Sysfs("-1\n").root()), 0);
  EXPECT_LT(numa_node("0000:b1:00.0", Sysfs("").root()), 0);
  EXPECT_LT(numa_node("0000:b1:00.0", Sysfs("70000\n").root()), 0);
  EXPECT_LT(numa_node("0000:c1:00.0", Sysfs("1\n").root()), 0);
  EXPECT_LT(numa_node("", Sysfs("1\n").root()), 0);
}

/// This thread's policy: its mode, and the first nodes.
std::pair<int, unsigned long> policy() {
  int mode = -1;
  std::array<unsigned long, 1024 / (8 * sizeof(unsigned long))> nodes{};
  syscall(SYS_get_mempolicy, &mode, nodes.data(), 1025, nullptr, 0);
  return {mode, nodes[0]};
}

TEST(Numa, MemoryIsAskedFromTheNodeAndThenAsBefore) {
  const auto before = policy();
  {
    const NearNode near(0);
    if (!near.holds()) GTEST_SKIP() << "this kernel knows no nodes";
    EXPECT_EQ(policy(), std::pair(int{MPOL_PREFERRED}, 1ul));
  }
  EXPECT_EQ(policy(), before);
}

TEST(Numa, NothingIsAskedWhereThereIsNoSuchNode) {
  const auto before = policy();
  for (const int node : {-1, 1000}) {
    const NearNode near(node);
    EXPECT_FALSE(near.holds()) << node;
    EXPECT_EQ(policy(), before);
  }
}

TEST(Numa, ARefusalIsSaid) {
  const std::vector<int> none{-1, -1}, no_such_node{-1, 1000};
  EXPECT_EQ(refusal(none), "");
  EXPECT_NE(refusal(no_such_node).find("from NUMA node 1000,"), std::string::npos);
}

}  // namespace
}  // namespace ringside::cuda
