// Training on pretended GPUs gives the loss curve and the weights that it gives on CPU threads.

#include <gmock/gmock.h>

#include "tests/fake_cuda/program.hpp"

namespace fake {
namespace {

using testing::HasSubstr;

/// All but where it ran.
std::string trained(const std::string& backend) {
  const auto ran = ringside("devices=3", "train --workers 3 --batch 8 --steps 3 --json " + backend);
  EXPECT_EQ(ran.status, 0) << ran.text;
  const auto begin = ran.text.find("\"backend\""), end = ran.text.find('\n', begin);
  EXPECT_NE(begin, std::string::npos) << ran.text;
  return std::string(ran.text).erase(begin, end - begin);
}

TEST(Training, GivesTheSameBitsAsOnThreads) {
  const auto wanted = trained("--backend host");
  EXPECT_THAT(wanted, HasSubstr("\"replicas_identical\": true"));
  EXPECT_EQ(trained("--backend cuda"), wanted);
  EXPECT_EQ(trained("--backend cuda --devices 0"), wanted) << "virtual ranks";
}

}  // namespace
}  // namespace fake
