// What is kept from one session to the next, and files that are no settings.

#include "viz/scenario/settings.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ringside::scenario {
namespace {

namespace fs = std::filesystem;

class SettingsFile : public testing::Test {
 protected:
  ~SettingsFile() override { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "ringside/settings.toml").string(); }
  void write(const std::string& text) const {
    fs::create_directories(folder_ / "ringside");
    std::ofstream(path(), std::ios::binary) << text;
  }

 private:
  fs::path folder_ =
      fs::path(testing::TempDir()) / ("ringside_settings" + std::to_string(getpid()));
};

TEST_F(SettingsFile, ComesBackAsItWasKept) {
  const Settings kept{
      .theme = "projector", .language = "zh", .scale = 1.5, .width = 1600, .height = 900};
  ASSERT_TRUE(save_settings(path(), kept));
  const auto loaded = load_settings(path());
  EXPECT_EQ(loaded.settings, kept);
  EXPECT_EQ(loaded.complaint, "");
}

TEST_F(SettingsFile, ThatIsNotThereIsNoComplaint) {
  EXPECT_EQ(load_settings(path()).settings, Settings{});
  EXPECT_EQ(load_settings(path()).complaint, "");
  EXPECT_EQ(load_settings("").complaint, "");
}

TEST_F(SettingsFile, ThatIsBrokenIsSetAsideAndSaidSo) {
  for (const auto& text :
       {std::string("scale = "), std::string("scale = 9"), std::string("scale = nan"),
        std::string("theme = 3"), std::string("colour = \"red\""), std::string("width = -5"),
        std::string("\0\xff\xfe", 3), std::string(200'000, '[')}) {
    write(text);
    const auto loaded = load_settings(path());
    EXPECT_EQ(loaded.settings, Settings{}) << text.substr(0, 20);
    EXPECT_THAT(loaded.complaint, testing::HasSubstr(".broken")) << text.substr(0, 20);
    EXPECT_FALSE(fs::exists(path()));
    EXPECT_TRUE(fs::exists(path() + ".broken"));
  }
}

}  // namespace
}  // namespace ringside::scenario
