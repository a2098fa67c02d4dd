// MSCCL programs whose time was measured on 8 MI300X, against what their thread blocks would take.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/formats/msccl_xml.hpp"
#include "core/statistics.hpp"
#include "sim/blocks.hpp"
#include "sim/cluster.hpp"
#include "sim/systems.hpp"
#include "tests/sim/import_files.hpp"

namespace ringside::sim {
namespace {

struct Point {
  std::uint64_t bytes;
  double measured, predicted;  // us
  double error() const { return predicted / measured - 1; }
};

struct Variant {
  std::string name;
  MscclAlgorithm algorithm;
  std::vector<Point> points{};
};

Result<Duration> predict(const MscclAlgorithm& algorithm, std::uint64_t bytes) {
  static const Topology topology = *make_cluster(*load_system("mi300x"), {});
  static const BlockFigures figures = *block_figures("cdna3");
  const BlockWork work{{bytes / algorithm.program.chunks},
                       *parse_protocol(name(algorithm.header.protocol))};
  return run_blocks(algorithm.program, work, topology, figures);
}

/// In-place rows ran the program where the vector divides into its chunks.
std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto& file : test::real_files("msccl_measured")) {
    if (file.extension() != ".json") continue;
    auto xml = file;
    xml.replace_extension(".xml");
    Variant variant{file.stem().string(), *msccl_from_xml(test::read_text(xml), "xml")};
    const auto json = nlohmann::json::parse(test::read_text(file));
    for (const auto& row : json.at("rows")) {
      const std::uint64_t bytes = row.at("bytes");
      if (!row.at("in_place").get<bool>() || bytes == 0 ||
          bytes / 4 % variant.algorithm.header.chunks_per_loop != 0)
        continue;
      const auto time = predict(variant.algorithm, bytes);
      EXPECT_TRUE(time) << variant.name << ": " << time.error().message;
      if (time)
        variant.points.push_back({bytes, row.at("time_us").get<double>(), time->microseconds()});
    }
    all.push_back(std::move(variant));
  }
  return all;
}

constexpr std::uint64_t large = 1u << 20;

std::vector<double> errors(const Variant& variant, bool of_large) {
  std::vector<double> errors;
  for (const Point& point : variant.points)
    if ((point.bytes >= large) == of_large) errors.push_back(std::abs(point.error()));
  std::sort(errors.begin(), errors.end());
  return errors;
}

/// Of pairs of one collective and size that are more than 10 % apart: how many, and how many come
/// out the right way round.
struct Order {
  int pairs = 0, right = 0;
};
Order order(const std::vector<Variant>& all, bool of_large) {
  std::map<std::pair<char, std::uint64_t>, std::vector<Point>> alike;
  for (const Variant& variant : all)
    for (const Point& point : variant.points)
      if ((point.bytes >= large) == of_large)
        alike[{variant.name[1], point.bytes}].push_back(point);
  Order order;
  for (const auto& [key, points] : alike)
    for (const Point& a : points)
      for (const Point& b : points)
        if (a.measured > 1.1 * b.measured) {
          ++order.pairs;
          order.right += a.predicted > b.predicted;
        }
  return order;
}

std::string table(const std::vector<Variant>& all) {
  std::string text =
      "| program | protocol | below 1 MiB: median error | from 1 MiB: median | largest |\n"
      "|---|---|---|---|---|\n";
  std::vector<double> every;
  for (const Variant& variant : all) {
    const auto small = errors(variant, false), big = errors(variant, true);
    every.insert(every.end(), big.begin(), big.end());
    text += fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", variant.name,
                        name(variant.algorithm.header.protocol), 100 * median(small),
                        100 * median(big), 100 * big.back());
  }
  std::sort(every.begin(), every.end());
  const Order small = order(all, false), big = order(all, true);
  return text + fmt::format(
                    "\nFrom 1 MiB: median error {:.1f} %, nine of ten within {:.1f} %. Of {} pairs "
                    "of programs that measured more than 10 % apart at one size, {} come out in "
                    "that order; below 1 MiB, {} of {}.\n",
                    100 * median(every), 100 * every[every.size() * 9 / 10], big.pairs, big.right,
                    small.right, small.pairs);
}

class MeasuredSchedules : public testing::Test {
 protected:
  void SetUp() override {
    if (all_.empty()) GTEST_SKIP() << "no measured MSCCL programs: set RINGSIDE_SHARED_DATA";
  }
  const std::vector<Variant> all_ = variants();
};

TEST_F(MeasuredSchedules, ComeOutWithinFifteenPercent) {
  std::map<std::string, std::vector<double>> groups;
  for (const Variant& variant : all_) {
    const auto big = errors(variant, true);
    auto& group =
        groups[variant.name.substr(0, 5) + std::string(name(variant.algorithm.header.protocol))];
    group.insert(group.end(), big.begin(), big.end());
  }
  EXPECT_GE(groups.size(), 9u);
  for (auto& [group, found] : groups) {
    std::sort(found.begin(), found.end());
    ASSERT_GE(found.size(), 6u) << group;
    EXPECT_LT(median(found), 0.15) << group;
  }
}

TEST_F(MeasuredSchedules, ComeOutInOrder) {
  const Order big = order(all_, true);
  EXPECT_GT(big.pairs, 400);
  EXPECT_GE(big.right, big.pairs - 1);
}

TEST_F(MeasuredSchedules, HangWhereTheMeasurementsStop) {
  for (const Variant& variant : all_) {
    const auto last = variant.points.back().bytes;
    if (last >= (std::uint64_t{1} << 32)) continue;  // measured to the end
    EXPECT_TRUE(predict(variant.algorithm, last));
    const auto next = predict(variant.algorithm, 2 * last);
    ASSERT_FALSE(next) << variant.name;
    EXPECT_THAT(next.error().message,
                testing::HasSubstr("a step is 4 messages, and a connection holds 2"));
  }
}

TEST_F(MeasuredSchedules, AreThoseOfThePage) {
  const auto path = std::filesystem::path(RINGSIDE_SOURCE_DIR) / "docs/msccl.md";
  const std::string page = test::read_text(path), begin = "<!-- measured -->\n";
  const auto at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  const auto end = page.find("<!-- end -->", at);
  const auto now = page.substr(0, at) + begin + table(all_) + page.substr(end);
  if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << now;
  EXPECT_EQ(page, now) << "if this is better: RINGSIDE_UPDATE_GOLDEN=1 renews it";
}

}  // namespace
}  // namespace ringside::sim
