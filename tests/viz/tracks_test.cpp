// The picture of a trace is of the trace: every slice, arrow and counter of the file, where it
// says.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/viz/command.hpp"
#include "viz/figure/tracks.hpp"

namespace ringside::figure {
namespace {

using terminal::run;
using ::testing::HasSubstr;
using Json = nlohmann::json;

std::vector<pugi::xml_node> all(const pugi::xml_document& document, const char* path) {
  std::vector<pugi::xml_node> nodes;
  for (const auto& found : document.select_nodes(path)) nodes.push_back(found.node());
  return nodes;
}

Result<std::string> drawn(const Json& trace) {
  return draw_tracks(trace.dump(), {.theme = *find_theme("light"), .command = "ringside <trace>"});
}

std::vector<std::string> tree(const char* ranks) {
  return {"trace",       "--system",           "star",    "--ranks", ranks,
          "--algorithm", "double_binary_tree", "--bytes", "256K"};
}

TEST(Tracks, EverySliceArrowAndCounterIsDrawnWhereTheFileSays) {
  const Json trace = Json::parse(run(tree("5")).out);
  const auto svg = drawn(trace);
  ASSERT_TRUE(svg) << svg.error().message;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg->c_str()));
  EXPECT_STREQ(document.child("svg").child("desc").text().get(), "ringside <trace>");
  std::vector<double> begins, ends;
  double end = 0;
  std::size_t arrows = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event.contains("ts")) end = std::max(end, event["ts"].get<double>());
    arrows += event["ph"] == "f";
    if (event["ph"] == "B") begins.push_back(event["ts"]);
    if (event["ph"] == "E") ends.push_back(event["ts"]);
  }
  const auto ways = all(document, "//path[@class='arrow']");
  EXPECT_EQ(ways.size(), arrows);
  for (const auto& way : ways) {  // "Mx,y C... x,y": from one track to another
    const std::string data = way.attribute("d").value();
    const auto from = data.find(',') + 1;
    EXPECT_NE(data.substr(from, data.find(' ') - from), data.substr(data.rfind(',') + 1)) << data;
  }
  EXPECT_EQ(all(document, "//path[@class='counter']").size(), 2 * 10u) << "a link each way";
  const auto slices = all(document, "//rect[@class='slice']");
  ASSERT_EQ(slices.size(), begins.size());
  double left = 1e9, right = 0;
  for (const auto& slice : slices) {
    const double x = slice.attribute("x").as_double();
    left = std::min(left, x);
    right = std::max(right, x + slice.attribute("width").as_double());
  }
  ASSERT_EQ(std::ranges::min(begins), 0);
  ASSERT_EQ(std::ranges::max(ends), end);
  std::vector<double> drawn_begins, drawn_ends;
  for (const auto& slice : slices) {
    const double x = slice.attribute("x").as_double();
    drawn_begins.push_back((x - left) / (right - left) * end);
    drawn_ends.push_back((x + slice.attribute("width").as_double() - left) / (right - left) * end);
  }
  const auto near = [&](std::vector<double> a, std::vector<double> b) {
    std::ranges::sort(a), std::ranges::sort(b);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], end * 2e-5);
  };
  near(drawn_begins, begins);
  near(drawn_ends, ends);
}

TEST(Tracks, BeyondWhatAPictureShowsItSaysSo) {
  const auto crowd = run(tree("64"));
  const auto svg = drawn(Json::parse(crowd.out));
  ASSERT_FALSE(svg);
  EXPECT_THAT(svg.error().message, HasSubstr("96 tracks and 4096 slices at most"));
  const auto some = drawn(Json::parse(run(tree("16")).out));
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_THAT(*some, HasSubstr("and 20 links more"));
  auto both = tree("4");
  both.insert(both.end(), {"--svg", "a.svg", "--out", "b.json"});
  EXPECT_EQ(run(both).status, 2);
}

}  // namespace
}  // namespace ringside::figure
