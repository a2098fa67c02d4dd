#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <SFML/Graphics/Image.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ringside::window {

/// What one run of a program came to.
struct Ran {
  int status = -1;  ///< exit status; 128 + N: ended by signal N
  std::string out, err;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Runs programs in a folder of its own, which is gone afterwards, without a display: where one is
/// needed, the window makes it.
class Window : public testing::Test {
 protected:
  Window() { std::filesystem::create_directories(here_); }
  ~Window() override { std::filesystem::remove_all(here_); }

  void SetUp() override {
    if (std::system("command -v Xvfb >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no Xvfb here: apt-get install xvfb";
  }

  /// `words` as a shell takes them; `before` goes in front: assignments, a wrapper.
  Ran run(const std::string& words, const std::string& before = "") const {
    const auto script = "cd '" + here_.string() +
                        "' && unset DISPLAY && export HOME=\"$PWD\" XDG_CONFIG_HOME= && " + before +
                        " timeout 120 " RINGSIDE_PROGRAM " " + words + " >out 2>err </dev/null";
    const int status = std::system(script.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            contents(here_ / "out"), contents(here_ / "err")};
  }
  std::filesystem::path at(const std::string& name) const { return here_ / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(at(name)); }

 private:
  std::filesystem::path here_ =
      std::filesystem::path(testing::TempDir()) /
      ("ringside_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
       std::to_string(getpid()));
};

/// Width and height of a PNG file; 0 x 0 if it is none.
struct PngSize {
  unsigned width = 0, height = 0;
  friend bool operator==(const PngSize&, const PngSize&) = default;
};
inline PngSize png_size(const std::filesystem::path& path) {
  const std::string bytes = contents(path);
  if (bytes.size() < 24 || bytes.compare(1, 3, "PNG") != 0) return {};
  const auto number = [&](std::size_t from) {
    unsigned value = 0;
    for (std::size_t i = from; i < from + 4; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  };
  return {number(16), number(20)};
}

/// How many pixels of two pictures differ visibly; a large number if they have not the same size.
inline std::size_t difference(const std::filesystem::path& a, const std::filesystem::path& b) {
  constexpr int visible = 8;  // of 255
  constexpr std::size_t everything = 1u << 30;
  sf::Image first, second;
  if (!first.loadFromFile(a.string()) || !second.loadFromFile(b.string())) return everything;
  if (first.getSize() != second.getSize()) return everything;
  const std::size_t count = std::size_t{first.getSize().x} * first.getSize().y;
  std::size_t different = 0;
  for (std::size_t i = 0; i < count * 4; i += 4)
    for (std::size_t channel = 0; channel < 3; ++channel)
      if (std::abs(first.getPixelsPtr()[i + channel] - second.getPixelsPtr()[i + channel]) >
          visible) {
        ++different;
        break;
      }
  return different;
}

}  // namespace ringside::window
