// Fields by name and share strings: what people type and paste.

#include "viz/scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "viz/scenario/fields.hpp"

namespace ringside::scenario {
namespace {

using testing::HasSubstr;

/// Values that each field takes, none of them its default.
const std::vector<std::pair<std::string, std::vector<std::string>>> good = {
    {"collective", {"broadcast", "all_to_all"}},
    {"algorithm", {"star", "halving_doubling", "环 & ring?=%"}},
    {"system", {"dgx-a100", "some dir/machine.toml", "机器.toml"}},
    {"ranks", {"2", "256"}},
    {"nodes", {"4"}},
    {"net", {"ndr"}},
    {"bytes", {"8", "1G", "0.5MiB"}},
    {"type", {"bfloat16"}},
    {"redop", {"max"}},
    {"root", {"3"}},
    {"in-place", {"true"}},
    {"chunks", {"16"}},
    {"channels", {"2"}},
    {"ranks-per-node", {"4"}},
    {"dims", {"4x8"}},
    {"bandwidth", {"12.5GB/s"}},
    {"latency", {"1.5us"}},
    {"nvlink", {"4"}},
    {"no-p2p", {"true"}},
    {"set", {"pcie.bandwidth=12GB/s", "nvlink.latency=2us,ib.bandwidth=x0.5"}},
    {"model", {"stream"}},
    {"rank-order", {"auto", "0,2,1,3"}},
    {"slow", {"gpu3->nvsw0=4x", "gpu0->gpu1=2x,gpu1->gpu2=3x"}},
    {"dead", {"gpu3->nvsw0", "gpu0->gpu1,gpu1->gpu0"}},
    {"straggler", {"3=50us"}},
    {"jitter", {"5%:7"}},
    {"mistake", {"wrong_neighbour", "doubled_add:3"}},
    {"schedule", {"files/ring8.xml"}},
};

TEST(Fields, AreAllCoveredHere) {
  std::vector<std::string> names;
  for (const auto& [name, values] : good) names.push_back(name);
  std::vector<std::string> known(field_names().begin(), field_names().end());
  std::ranges::sort(names);
  std::ranges::sort(known);
  EXPECT_EQ(names, known);
}

TEST(Fields, GiveBackWhatWasSet) {
  for (const auto& [name, values] : good)
    for (const auto& value : values) {
      Scenario scenario;
      EXPECT_NE(*field(scenario, name), value) << name;
      ASSERT_TRUE(set_field(scenario, name, value)) << name << " = " << value;
      EXPECT_EQ(*field(scenario, name), value) << name;
    }
}

TEST(Fields, RefuseWhatIsOutOfRangeAndStayAsTheyWere) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"collective", {"", "all_redcue", "ring"}},
      {"algorithm", {"", "  "}},
      {"schedule", {" "}},
      {"system", {""}},
      {"ranks", {"0", "-1", "1e3", "NaN", "1048577", "99999999999999999999", "8 "}},
      {"nodes", {"0", "-4", "x", "1048577"}},
      {"net", {" "}},
      {"bytes", {"", "-8", "NaN", "1.5", "inf", "8Q", "99999999999G"}},
      {"type", {"", "flaot"}},
      {"redop", {"", "summ"}},
      {"root", {"-1", "1048576"}},
      {"in-place", {"maybe"}},
      {"chunks", {"0", "-1", "4194305"}},
      {"channels", {"0", "1025"}},
      {"ranks-per-node", {"0", "x"}},
      {"dims", {"4x", "x", "0x4"}},
      {"bandwidth", {"12", "-1GB/s", "NaN", "0GB/s"}},
      {"latency", {"5", "-1us", "NaN"}},
      {"nvlink", {"0", "7"}},
      {"no-p2p", {"2"}},
      {"set", {"pcie.bandwidth", "pci.bandwidth=12GB/s", "pcie.bandwidth=-1GB/s", ","}},
      {"model", {"", "flwo"}},
      {"rank-order", {" "}},
      {"slow", {"gpu0->gpu1", "gpu0->gpu1=0x", "gpu0->gpu1=NaN"}},
      {"dead", {" "}},
      {"straggler", {"3", "3=-1us", "x=1us"}},
      {"jitter", {"5", "-5%", "NaN%"}},
      {"mistake", {"wrong", "wrong_neighbour:", "wrong_neighbour:-1", "wrong_neighbour:x"}},
  };
  ASSERT_EQ(bad.size(), good.size());
  for (const auto& [name, values] : bad)
    for (const auto& value : values) {
      Scenario scenario;
      const auto before = *field(scenario, name);
      const auto done = set_field(scenario, name, value);
      ASSERT_FALSE(done) << name << " = " << value;
      EXPECT_THAT(done.error().message, HasSubstr(name + ": "));
      EXPECT_EQ(*field(scenario, name), before);
    }
}

TEST(Fields, AnAlgorithmTakesThePlaceOfAFile) {
  for (const auto* field : {"algorithm", "collective"}) {
    Scenario scenario;
    ASSERT_TRUE(set_field(scenario, "schedule", "ring8.xml"));
    ASSERT_TRUE(set_field(scenario, field, std::string(field) == "algorithm" ? "ring" : "reduce"));
    EXPECT_EQ(scenario.collective.schedule, "");
  }
}

TEST(Fields, UnknownOnesGetASuggestion) {
  Scenario scenario;
  EXPECT_THAT(set_field(scenario, "rank", "8").error().message, HasSubstr("ranks"));
  EXPECT_THAT(field(scenario, "byte").error().message, HasSubstr("bytes"));
}

TEST(ShareString, OfAFreshWindowIsTheAlgorithmAlone) {
  EXPECT_EQ(to_share_string({}), "ring");
}

TEST(ShareString, NamesOnlyWhatDiffers) {
  Share share;
  share.scenario.system.ranks = 8;
  share.scenario.collective.bytes = "1M";
  share.extra = {{"t", "389.12us"}};
  EXPECT_EQ(to_share_string(share), "ring?ranks=8&bytes=1M&t=389.12us");
}

TEST(ShareString, RoundTripsEveryMixtureOfFields) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    Share share;
    for (const auto& [name, values] : good) {
      if (random() % 3 != 0) continue;
      ASSERT_TRUE(set_field(share.scenario, name, values[random() % values.size()]));
    }
    if (random() % 2 == 0) share.extra = {{"t", "1.5us"}, {"rival", "star?ranks=4&slow=a->b"}};
    const auto text = to_share_string(share);
    EXPECT_EQ(text.find_first_of(" '\"<>#;$`\\"), std::string::npos) << text;  // for any shell
    const auto back = parse_share_string(text);
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    for (const auto name : field_names())
      EXPECT_EQ(*field(back->scenario, name), *field(share.scenario, name)) << text;
    EXPECT_EQ(back->extra, share.extra);
    EXPECT_EQ(to_share_string(*back), text);
  }
}

TEST(ShareString, IsReadAsPeoplePasteIt) {
  for (const char* text :
       {"ring?ranks=8", " ring?ranks=8\n", "ringside view 'ring?ranks=8'",
        "./ringside view \"ring?ranks=8\"", "view ring?ranks=8", "'ring?ranks=8&'"}) {
    const auto share = parse_share_string(text);
    ASSERT_TRUE(share) << text;
    EXPECT_EQ(share->scenario.system.ranks, 8u) << text;
    EXPECT_EQ(share->scenario.collective.algorithm, "ring") << text;
  }
}

TEST(ShareString, HostileOnesGetOneSentence) {
  for (const std::string& text :
       {std::string(""), std::string("?ranks=8"), std::string("ring?ranks"),
        std::string("ring?rank=8"), std::string("ring?ranks=8&ranks=9"),
        std::string("ring?ranks=%"), std::string("ring?ranks=%3"), std::string("ring?ranks=%zz"),
        std::string("ring?system=%00"), std::string("ring?ranks=1e9"), std::string("ranks=8"),
        std::string(1u << 20, 'a'), std::string("ring?=8")}) {
    const auto share = parse_share_string(text);
    ASSERT_FALSE(share) << text.substr(0, 50);
    EXPECT_FALSE(share.error().message.empty());
    EXPECT_EQ(share.error().message.find('\n'), std::string::npos);
    EXPECT_LT(share.error().message.size(), 400u);
  }
}

}  // namespace
}  // namespace ringside::scenario
