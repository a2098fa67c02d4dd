#include "gpu/mpi/shared_memory.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>

namespace ringside::mpi {
namespace {

using testing::HasSubstr;

TEST(SharedMemory, IsTheSameBytesForWhoeverMapsIt) {
  SharedMemory memory;
  auto* const here = static_cast<std::byte*>(memory.allocate(10'000, 64));
  const auto place = memory.find(here + 5'000);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->offset, 5'000u);
  EXPECT_EQ(place->size, 10'000u);
  const auto there = Mapping::of(getpid(), place->descriptor, place->size);
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_NE(there->begin(), here);
  here[5'000] = std::byte{42};
  EXPECT_EQ(there->begin()[5'000], std::byte{42});
  there->begin()[9'999] = std::byte{7};
  EXPECT_EQ(here[9'999], std::byte{7});
  // Whoever mapped it keeps it.
  memory.deallocate(here, 10'000, 64);
  EXPECT_EQ(there->begin()[9'999], std::byte{7});
  EXPECT_FALSE(memory.find(here));
}

TEST(SharedMemory, KnowsWhatIsNotItsOwn) {
  SharedMemory memory;
  auto* const first = static_cast<std::byte*>(memory.allocate(1, 64));
  std::byte elsewhere{};
  EXPECT_FALSE(memory.find(&elsewhere));
  EXPECT_FALSE(memory.find(first + 1));
  EXPECT_FALSE(memory.find(nullptr));
  memory.deallocate(first, 1, 64);
}

TEST(Mapping, SaysWhatItMayNotSee) {
  const auto nothing = Mapping::of(getpid(), 987, 1);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::machine);
  EXPECT_THAT(nothing.error().message, HasSubstr("may not see the memory of"));
  EXPECT_THAT(nothing.error().message, HasSubstr("messages and window"));
}

}  // namespace
}  // namespace ringside::mpi
