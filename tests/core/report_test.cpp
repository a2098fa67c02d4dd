#include "core/report.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace ringside {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Row full_row() {
  return {.collective = CollectiveKind::reduce,
          .algorithm = "binomial_tree",
          .options = {.chunks = 4, .channels = 2, .dims = {2, 4}, .rank_order = {{{1}, {0}}}},
          .protocol = "none",
          .backend = "sim/flow",
          .system = "dgx-h100",
          .nodes = 2,
          .net = "ndr",
          .conditions = {{"model", {"flow"}},
                         {"no-p2p", {}},
                         {"rank-order", {"0-2"}},
                         {"slow", {"a->b=4x", "b->a=2x"}, true},
                         {"set", {"nvlink.bandwidth=x2"}, true}},
          .host = "node0",
          .ranks = 8,
          .size = 1_MiB,
          .count = 262144,
          .type = ElementType::float32,
          .redop = ReduceOp::sum,
          .root = Rank{3},
          .in_place = true,
          .time = 100_us,
          .statistics = Statistics{20, 100_us, 90_us, 200_us, 105_us, 200_us, 0.25},
          .predicted = 80_us,
          .busiest_link = "gpu0->gpu1",
          .busiest_link_ties = 2,
          .busiest_link_share = 0.5,
          .fastest = true,
          .wrong = 0,
          .pass = true,
          .violation = "none"};
}

/// RFC 4180, and nothing but.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& field = records.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      records.back().emplace_back();
    else if (!quoted && c == '\n')
      records.emplace_back(1, "");
    else
      field += c;
  }
  EXPECT_FALSE(quoted) << "a quote is left open";
  EXPECT_THAT(records.back(), ElementsAre("")) << "the last line has no end";
  records.pop_back();
  return records;
}

TEST(Narrowed, KeepsNcclTestsDecimals) {
  EXPECT_EQ(narrowed(0, 6), "0.00");
  EXPECT_EQ(narrowed(3.14159, 6), "3.14");
  EXPECT_EQ(narrowed(999.994, 6), "999.99");
  EXPECT_EQ(narrowed(999.996, 6), "1000.0") << "rounding may need one more place";
  EXPECT_EQ(narrowed(12345.67, 7), "12345.7");
  EXPECT_EQ(narrowed(99999.96, 7), "100000");
  EXPECT_EQ(narrowed(1234567.8, 7), "1234568");
  EXPECT_EQ(narrowed(12345678, 7), "1.2e+07");
}

TEST(Narrowed, AlwaysFitsAndIsNeverFarOff) {
  for (const int width : {6, 7})
    for (double value = 1e-3; value < 1e15; value *= 1.37) {
      const auto text = narrowed(value, width);
      ASSERT_LE(text.size(), static_cast<std::size_t>(width)) << text;
      EXPECT_NEAR(std::stod(text), value, (value < 1e6 ? 0.05 : 0.5) * value + 0.005) << text;
    }
}

TEST(Rates, NeedBytesAndTime) {
  Row row = full_row();
  EXPECT_DOUBLE_EQ(*row.algbw(), 1048576 / 100e-6 * 1e-9);
  row.collective = CollectiveKind::all_reduce;
  EXPECT_DOUBLE_EQ(*row.busbw(), *row.algbw() * 2 * 7 / 8);
  row.time = Duration{0};
  EXPECT_FALSE(row.algbw()) << "no time at all is no rate";
  row.time.reset();
  EXPECT_FALSE(row.busbw());
  row = full_row();
  row.size.reset();
  EXPECT_FALSE(row.algbw());
}

TEST(Csv, HasTheFieldsOfTheJson) {
  const Report report{.command = "simulate", .rows = {full_row()}};
  const auto records = parse_csv(to_csv(report));
  ASSERT_EQ(records.size(), 2u);
  const auto row = nlohmann::json::parse(to_json(report))["results"][0];
  ASSERT_EQ(records[0].size(), records[1].size());
  for (std::size_t i = 0; i < records[0].size(); ++i) {
    const auto& field = records[0][i];
    ASSERT_TRUE(row.contains(field)) << field;
    if (field == "options") {  // one word a spreadsheet can hold, as the tables have it
      EXPECT_EQ(records[1][i], to_string(full_row().options));
      continue;
    }
    if (field == "conditions") {
      EXPECT_EQ(records[1][i], to_string(full_row().conditions));
      continue;
    }
    EXPECT_EQ(records[1][i],
              row[field].is_string() ? row[field].get<std::string>() : row[field].dump())
        << field;
  }
}

TEST(Csv, QuotesWhatNeedsIt) {
  for (const std::string odd :
       {"a,b", "say \"so\"", "two\nlines", "two\r\nlines", "\"", ",", "\r"}) {
    Row row = full_row();
    row.busiest_link = odd;
    row.violation = odd + odd;
    const auto records = parse_csv(to_csv({.command = "x", .rows = {row, full_row()}}));
    ASSERT_EQ(records.size(), 3u) << odd;
    ASSERT_EQ(records[1].size(), records[0].size()) << odd;
    EXPECT_THAT(records[1], testing::Contains(odd));
    EXPECT_THAT(records[1], testing::Contains(odd + odd));
  }
  EXPECT_THAT(to_csv({.command = "x", .rows = {full_row()}}), Not(HasSubstr("\"")))
      << "plain fields stay plain";
}

TEST(Csv, LeavesEmptyWhatMeansNothing) {
  const auto records =
      parse_csv(to_csv({.command = "x", .rows = {{.algorithm = "ring", .ranks = 2}}}));
  ASSERT_EQ(records[1].size(), records[0].size());
  for (std::size_t i = 0; i < records[0].size(); ++i) {
    const auto& field = records[0][i];
    const bool always =
        field == "collective" || field == "algorithm" || field == "ranks" || field == "in_place";
    EXPECT_EQ(records[1][i].empty(), !always) << field;
  }
}

TEST(Json, KeepsForeignNames) {
  Row row = full_row();
  row.busiest_link = "机架一.gpu0->Knoten·µ";
  const Report report{.command = "simulate", .rows = {row}, .notes = {"ж"}};
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["results"][0]["busiest_link"], row.busiest_link);
  EXPECT_THAT(parse_csv(to_csv(report))[1], testing::Contains(row.busiest_link));
  EXPECT_THAT(to_table(report), HasSubstr(row.busiest_link));
}

TEST(Json, SurvivesBytesThatAreNoText) {
  Row row = full_row();
  row.busiest_link = "gpu\xff\xfe->\xc3";
  EXPECT_TRUE(nlohmann::json::accept(to_json({.command = "simulate", .rows = {row}})));
}

TEST(Table, ColumnsStandUnderTheirHeads) {
  Row wide = full_row();
  wide.size = 512_GiB;
  wide.count = std::uint64_t{1} << 37;
  wide.type = ElementType::bfloat16;
  wide.redop = ReduceOp::mulsum;
  wide.time = Duration{123'456'789'012'345};
  const auto head = table_header();
  const auto at = head.find("algorithm");
  for (const Row& row : {full_row(), wide}) {
    const auto line = table_row(row);
    EXPECT_EQ(line.find("binomial_tree"), at) << head << line;
    EXPECT_EQ(line.find("gpu0->gpu1"), head.find("busiest link")) << head << line;
    EXPECT_NE(line[line.size() - 2], ' ') << "no blanks at the end";
  }
}

TEST(Table, MarksTheFastestWithoutShiftingIt) {
  Row row = full_row();
  const auto plain = table_row(row);
  row.fastest = true;
  const auto marked = table_row(row);
  EXPECT_EQ(marked.size(), plain.size());
  EXPECT_EQ(marked.find("*binomial_tree"), plain.find("binomial_tree") - 1);
}

TEST(Conditions, AreFlagsThatAShellTakes) {
  EXPECT_EQ(to_string(full_row().conditions),
            "--model flow --no-p2p --rank-order 0-2 --slow 'a->b=4x' --slow 'b->a=2x' "
            "--set nvlink.bandwidth=x2");
  EXPECT_EQ(to_string(std::vector<Condition>{{"net", {"it's"}}}), "--net 'it'\\''s'");
}

TEST(Conditions, AreAnObjectInJson) {
  const auto row =
      nlohmann::json::parse(to_json({.command = "simulate", .rows = {full_row()}}))["results"][0];
  EXPECT_EQ(row["system"], "dgx-h100");
  EXPECT_EQ(row["nodes"], 2);
  EXPECT_EQ(row["net"], "ndr");
  EXPECT_EQ(row["conditions"], nlohmann::json::parse(R"({"model": "flow", "no_p2p": true,
      "rank_order": "0-2", "slow": ["a->b=4x", "b->a=2x"], "set": ["nvlink.bandwidth=x2"]})"));
}

TEST(OptionsText, NamesWhatWasChosen) {
  EXPECT_EQ(to_string(Options{}), "");
  EXPECT_EQ(to_string(full_row().options), "chunks=4 channels=2 dims=2x4 rings=1");
}

}  // namespace
}  // namespace ringside
