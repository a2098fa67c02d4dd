// Letters of processes that meet: words come back as they were, and who leaves is heard by all.

#include "core/farewell.hpp"

#include <gtest/gtest.h>

namespace ringside {
namespace {

TEST(Farewell, WordsComeBackAsTheyWere) {
  for (const std::string words : {"", "l0 looks like a farewell", "w", "two\nlines"}) {
    EXPECT_FALSE(farewell_in(letter_with(words)));
    EXPECT_EQ(*words_in({letter_with(words), letter_with("x")}),
              (std::vector<std::string>{words, "x"}));
  }
}

TEST(Farewell, OfOneIsAnErrorToThoseWhoGoOn) {
  const auto heard = [](const Farewell& farewell) {
    const auto words = words_in({letter_with("x"), letter_with(farewell)});
    EXPECT_FALSE(words);
    return words.error();
  };
  EXPECT_EQ(heard({1, "it broke"}).message, "it broke");
  EXPECT_EQ(heard({1, "it broke"}).kind, ErrorKind::wrong);
  EXPECT_EQ(heard({2, "no such flag"}).kind, ErrorKind::request);
  EXPECT_EQ(heard({3, "no GPU"}).kind, ErrorKind::machine);
  EXPECT_EQ(heard({0, ""}).message, "rank 1 has ended before the others");
}

TEST(Farewell, OfAllIsTheWorstStatusAndTheFirstComplaint) {
  EXPECT_FALSE(farewell_of_all(std::vector{letter_with(Farewell{}), letter_with("wait")}));
  const auto all = farewell_of_all(std::vector{
      letter_with(Farewell{}), letter_with(Farewell{1, "a"}), letter_with(Farewell{3, "b"})});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->status, 3);
  EXPECT_EQ(all->complaint, "a");
}

TEST(Farewell, IsTakenUntilAllTakeIt) {
  int turns = 0;
  const auto all = leave_together({1, "mine"}, [&](const std::string& letter) {
    return std::vector{letter, ++turns < 3 ? letter_with("x") : letter_with(Farewell{2, "yours"})};
  });
  ASSERT_TRUE(all);
  EXPECT_EQ(turns, 3);
  EXPECT_EQ(all->status, 2);
  EXPECT_EQ(all->complaint, "mine");
  const auto none = leave_together({}, [](const std::string&) -> Result<std::vector<std::string>> {
    return gone_wrong(absence(1));
  });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "rank 1 has not come to where all ranks meet");
}

}  // namespace
}  // namespace ringside
