// Logs of nccl-tests with everything that befalls them. All are our own, in the manner of real
// ones.

#include "core/formats/measured_log.hpp"

#include <gmock/gmock.h>

namespace ringside {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Replaces every `from`.
std::string with(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string before_each_line(std::string_view tag, const std::string& text) {
  return std::string(tag) + with(text.substr(0, text.size() - 1), "\n", "\n" + std::string(tag)) +
         "\n";
}

const std::string head =
    "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: "
    "20\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid   4711 on       nodeA device  0 [0000:1b:00] NVIDIA H200\n"
    "#  Rank  1 Group  0 Pid   4711 on       nodeA device  1 [0000:1c:00] NVIDIA H200\n"
    "#  Rank  2 Group  0 Pid   4712 on       nodeB device  0 [0000:1b:00] NVIDIA H200\n"
    "#  Rank  3 Group  0 Pid   4712 on       nodeB device  1 [0000:1c:00] NVIDIA H200\n"
    "#\n"
    "#                                                              out-of-place        in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    " "
    " algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " "
    "(GB/s)  (GB/s)\n";
const std::string row1 =
    "     1048576        262144     float     sum      -1    40.00   26.21   39.32      0    41.00 "
    "  "
    "25.58   38.36      0\n";
const std::string row2 =
    "     2097152        524288     float     sum      -1    60.00   34.95   52.43      0    62.00 "
    "  "
    "33.83   50.74      0\n";
const std::string tail = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 45.2\n";
const std::string starting = "# Collective test starting: all_reduce_perf\n";
const std::string usual = starting + head + row1 + row2 + tail;

MeasuredLog read(const std::string& text, const LogOptions& options = {}) {
  auto log = read_measured(text, "log", options);
  EXPECT_TRUE(log) << log.error().message << "\n" << text;
  return log.value_or(MeasuredLog{});
}

std::string refusal(const std::string& text) {
  const auto log = read_measured(text, "log");
  return log ? "not refused" : log.error().message;
}

/// Sizes and times in order: `1048576 in place 41`.
std::vector<std::string> summary(const MeasuredLog& log) {
  std::vector<std::string> all;
  for (const Row& row : log.rows) {
    char text[80];
    std::snprintf(text, sizeof text, "%llu%s %g", static_cast<unsigned long long>(row.size->count),
                  row.in_place ? " in" : "", row.time->microseconds());
    all.emplace_back(text);
  }
  return all;
}
const auto both_rows = ElementsAre("1048576 40", "1048576 in 41", "2097152 60", "2097152 in 62");

TEST(MeasuredLog, AWholeTableNeedsNoNote) {
  const auto log = read(usual);
  EXPECT_THAT(summary(log), both_rows);
  EXPECT_THAT(log.notes, IsEmpty());
  EXPECT_EQ(log.on.hardware, "NVIDIA H200");
  EXPECT_EQ(log.on.ranks, 4u);
  EXPECT_EQ(log.on.nodes, 2u);
  EXPECT_EQ(log.on.gpus_per_process, 2u);
  const Row& row = log.rows.front();
  EXPECT_EQ(row.collective, CollectiveKind::all_reduce);
  EXPECT_EQ(row.ranks, 4u);
  EXPECT_EQ(row.type, ElementType::float32);
  EXPECT_EQ(row.redop, ReduceOp::sum);
  EXPECT_FALSE(row.root);
  EXPECT_EQ(row.wrong, 0u);
}

TEST(MeasuredLog, WhatLaunchersAndPastesPutAroundChangesNothing) {
  const std::string dressed[] = {
      before_each_line("[1,0]<stdout>:", usual),
      before_each_line("[1,0]<stdout>:  ", usual),
      before_each_line("0: ", usual),
      before_each_line("12: ", usual),
      before_each_line("    ", usual),
      before_each_line("> ", usual),
      before_each_line("worker-0 | ", usual),
      with(usual, "\n", "\r\n"),
      "\xEF\xBB\xBF" + usual,
      "```\n" + usual + "```\n",
      with(with(usual, "    float", "\x1b[1m    float\x1b[0m"), "    float", "[0]    float"),
      with(usual, "  float", "[1,0]<stdout>:  float"),
      with(usual, row1,
           "| 1048576 | 262144 | float | sum | -1 | 40.00 | 26.21 | 39.32 | 0 | 41.00 "
           "| 25.58 | 38.36 | 0 |\n")};
  for (const auto& text : dressed) {
    const auto log = read(text);
    EXPECT_THAT(summary(log), both_rows) << text;
    EXPECT_EQ(log.on.ranks, 4u) << text;
    EXPECT_EQ(log.on.nodes, 2u) << text;
  }
  EXPECT_THAT(read(before_each_line("0: ", usual)).notes,
              ElementsAre(StartsWith("2 rows begin with something before their size, which was not "
                                     "read, the first is line 13: \"0:")));
}

TEST(MeasuredLog, LinesBetweenRowsAreCountedAndNamed) {
  const auto log = read(starting + head + row1 +
                        "nodeA:4711:4729 [0] NCCL INFO Channel 00/24 :    0   1   2   3\n"
                        "AllReduceRunColl\n" +
                        row2 + tail);
  EXPECT_THAT(summary(log), both_rows);
  EXPECT_THAT(log.notes, ElementsAre(StartsWith("2 lines are no rows and were not read, the first "
                                                "is line 14: \"nodeA:4711:4729 [0] NCCL")));
}

TEST(MeasuredLog, NcclsOwnLinesNameTheNetwork) {
  const auto among = [](const std::string& lines) {
    return read(starting + head + row1 + lines + row2 + tail).on.interconnect;
  };
  const std::string at = "nodeA:4711:4729 [0] NCCL INFO ";
  EXPECT_EQ(among(at + "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"), "InfiniBand");
  EXPECT_EQ(among(at + "Using network IB\n" + at + "NET/IB : Using [0]mlx5_0:1/RoCE\n"), "RoCE");
  EXPECT_EQ(among(at + "NET/IB : No device found.\n" + at + "NET/Socket : Using [0]eth0\n"),
            "TCP sockets");
  EXPECT_EQ(among(at + "NET/OFI Selected Provider is efa\n" + at + "Using network AWS Libfabric\n"),
            "EFA");
  EXPECT_EQ(among("InfiniBand is meant\n"), "");
}

/// Headers and rows in an order that no program prints.
TEST(MeasuredLog, ALineOfRanksBehindRowsBeginsATest) {
  const auto log = read(starting + row1 + "#  Rank  5 is mentioned\n" + row2);
  EXPECT_THAT(summary(log), both_rows);
}

TEST(MeasuredLog, ARowCutByOtherOutputIsPutTogether) {
  const std::string info = "nodeA:4711:4729 [0] NCCL INFO comm 0x7f rank 0 nranks 4\n";
  const auto whole = row2.substr(0, row2.size() - 1);
  for (const std::size_t cut : {whole.find("-1") + 2, whole.find(" 62.00") - 1}) {
    auto text = starting + head + row1;
    const auto begin = text.size();
    text.append(whole).append("\n").append(tail);
    text.insert(begin + cut, " " + info);
    const auto log = read(text);
    EXPECT_THAT(summary(log), both_rows);
    EXPECT_THAT(log.notes, Contains(HasSubstr("put together again")));
  }
}

TEST(MeasuredLog, OfACutRowWhatIsWholeStays) {
  const auto log = read(starting + head + row1 + row2.substr(0, row2.find(" 33.83")) + "\n" + tail);
  EXPECT_THAT(summary(log), ElementsAre("1048576 40", "1048576 in 41", "2097152 60"));
  EXPECT_THAT(log.notes, ElementsAre(StartsWith("1 row is cut, and what is missing of it was not "
                                                "read: line 14: \"2097152")));
  const auto only_end = read(starting + head + "  579.3   0.00   0.00      0\n" + row2);
  EXPECT_THAT(summary(only_end), ElementsAre("2097152 60", "2097152 in 62"));
  EXPECT_THAT(only_end.notes, ElementsAre(StartsWith("1 row is cut")));
}

/// A table with another header and rows that have these columns.
std::string table(const std::string& header, const std::string& rows) {
  const auto at = head.find("#       size");
  return starting + head.substr(0, at) + header + rows;
}

TEST(MeasuredLog, ColumnsOfEveryVersion) {
  const std::pair<std::string, std::string> layouts[] = {
      // no root, the largest error instead of wrong elements
      {"#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n",
       "1048576 262144 float sum 40.00 26.21 39.32 2e-07 41.00 25.58 38.36 N/A\n"
       "2097152 524288 float sum 60.00 34.95 52.43 2e-07 62.00 33.83 50.74 N/A\n"},
      // a root, but no op
      {"#  size  count  type  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n",
       "1048576 262144 float -1 40.00 26.21 39.32 0 41.00 25.58 38.36 N/A\n"
       "2097152 524288 float -1 60.00 34.95 52.43 0 62.00 33.83 50.74 N/A\n"},
      // neither
      {"",
       "1048576 262144 float 40.00 26.21 39.32 0 41.00 25.58 38.36 0\n"
       "2097152 524288 float 60.00 34.95 52.43 0 62.00 33.83 50.74 0\n"},
      // an op column that is empty
      {"#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  "
       "#wrong\n",
       "1048576 262144 float      -1 40.00 26.21 39.32 0 41.00 25.58 38.36 0\n"
       "2097152 524288 float      -1 60.00 34.95 52.43 0 62.00 33.83 50.74 0\n"},
      // RCCL
      {"#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong ALGO PROTO "
       "NCHANNELS\n",
       "1048576 262144 float sum -1 40.00 26.21 39.32 0 41.00 25.58 38.36 0 RING LL128 16\n"
       "2097152 524288 float sum -1 60.00 34.95 52.43 0 62.00 33.83 50.74 0 RING SIMPLE 16\n"},
      // -S and -I
      {"# timestamp size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% "
       "time "
       "algbw busbw #wrong i_min i_max i_p99 i_cv%\n",
       "2026-05-04 10:11:12 1048576 262144 float sum -1 40.00 26.21 39.32 0 38.1 44.0 43.9 3.10 "
       "41.00 25.58 38.36 0 40.1 45.2 45.0 2.90\n"
       "2026-05-04 10:11:13 2097152 524288 float sum -1 60.00 34.95 52.43 0 58.1 64.0 63.9 3.10 "
       "62.00 33.83 50.74 0 60.1 65.2 65.0 2.90\n"},
      // -I without its header
      {"",
       "1048576 262144 float sum -1 40.00 26.21 39.32 0 38.1 44.0 43.9 3.10 41.00 25.58 38.36 0 "
       "40.1 45.2 45.0 2.90\n"
       "2097152 524288 float sum -1 60.00 34.95 52.43 0 58.1 64.0 63.9 3.10 62.00 33.83 50.74 0 "
       "60.1 65.2 65.0 2.90\n"}};
  for (const auto& [header, rows] : layouts) {
    const auto log = read(table(header, rows));
    EXPECT_THAT(summary(log), both_rows) << header << rows;
    EXPECT_EQ(log.on.ranks, 4u);
    if (rows.find("RING") != std::string::npos) {
      EXPECT_EQ(log.rows.front().algorithm, "ring");
      EXPECT_EQ(log.rows.front().protocol, "LL128");
    } else {
      EXPECT_EQ(log.rows.front().algorithm, "");
    }
  }
}

TEST(MeasuredLog, OurOwnTablesSayMore) {
  const std::string rows =
      " 1048576 262144 float sum -1 40.00 26.21 39.32 0 41.00 25.58 38.36 0 39.1 -2.2 9.1 39.9 "
      "-2.3 "
      "9.1 ring chunks=8 host/sliced\n"
      " 2097152 524288 float sum -1 60.00 34.95 52.43 0 N/A N/A N/A N/A 39.1 -2.2 9.1 N/A N/A N/A "
      "ring host/sliced\n";
  const auto log = read(
      "# Collective test starting: all_reduce\n# nRanks 4 minBytes 1M\n"
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong  "
      "predict  error  link  predict  error  link  algorithm  executor\n" +
      rows);
  EXPECT_THAT(summary(log), ElementsAre("1048576 40", "1048576 in 41", "2097152 60"));
  EXPECT_THAT(log.notes, IsEmpty());
  EXPECT_EQ(log.rows.front().algorithm, "ring");
  EXPECT_EQ(log.rows.front().ranks, 4u);
}

TEST(MeasuredLog, EditedTablesMayLackTheInPlaceColumns) {
  const auto log = read(table("#  size  count  type  redop  root  time  algbw  busbw\n",
                              "1048576 262144 float sum -1 40.00 26.21 39.32\n...\n"
                              "2097152 524288 float sum -1 60.00 34.95 52.43\n"
                              "4194304 1048576 float sum -1 XXXXX XXXXX XXXXX\n"));
  EXPECT_THAT(summary(log), ElementsAre("1048576 40", "2097152 60"));
  EXPECT_THAT(log.notes, Contains("there are no in-place columns"));
  EXPECT_THAT(log.notes, Contains(StartsWith("1 line is no row and was not read: line 13: \"...")));
  EXPECT_THAT(log.notes, Contains(HasSubstr("1 row is cut")));
}

TEST(MeasuredLog, MillisecondsOf2019) {
  const auto log = read(table(
      "#     bytes          N    type      op     time  algbw  busbw      res     time  algbw "
      " busbw      res\n",
      "1048576 262144 float sum 0.040 26.21 39.32 2e-07 0.041 25.58 38.36 2e-07\n"
      "2097152 524288 float sum 0.060 34.95 52.43 2e-07 0.062 33.83 50.74 2e-07\n"));
  EXPECT_THAT(summary(log), both_rows);
  EXPECT_THAT(log.notes, Contains(HasSubstr("milliseconds")));
}

TEST(MeasuredLog, SizesOfNoBytesAreLeftOut) {
  const auto log =
      read(starting + head +
           "  0  0  float  sum  -1  6.41  0.00  0.00  0  6.11  0.00  0.00  N/A\n" + row1 + row2);
  EXPECT_THAT(summary(log), both_rows);
  EXPECT_THAT(log.notes, ElementsAre("2 rows of no bytes left out"));
}

TEST(MeasuredLog, RowsThatWereNotMeasuredAreLeftOut) {
  const auto log = read(starting + head + row1 +
                        " 4 1 float sum -1 N/A N/A N/A N/A nan nan nan N/A\n" + row2 + tail);
  EXPECT_THAT(summary(log), both_rows);
  EXPECT_THAT(log.notes, ElementsAre("1 row without a time above zero left out"));
}

TEST(MeasuredLog, AllGatherOfLongAgoPrintsBusbwTwice) {
  // 12 ranks: bytes over time is 12/11 of what is printed.
  const auto log = read_measured(
      "# ./build/all_gather_perf -b 12M -e 24M -f 2 -g 12\n"
      "12582912 262144 float none 80.00 144.18 144.18 0 81.00 142.40 142.40 0\n"
      "25165824 524288 float none 150.00 153.79 153.79 0 151.00 152.77 152.77 0\n",
      "log");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->rows.front().collective, CollectiveKind::all_gather);
  EXPECT_EQ(log->rows.front().ranks, 12u);
  EXPECT_EQ(log->rows.front().time, microseconds(80));
  EXPECT_THAT(log->notes, Contains(HasSubstr("1.091 times the algbw printed")));
}

TEST(MeasuredLog, WhatRanIsReadOffTheFiguresWhereNoLineSaysIt) {
  struct Case {
    std::string row;
    CollectiveKind kind;
    std::uint32_t ranks;
  };
  const Case cases[] = {
      {"1073741824 268435456 float sum -1 8000.0 134.22 265.64 0 8000.0 134.22 265.64 0\n",
       CollectiveKind::all_reduce, 96},
      {"1073741824 67108864 float none -1 8000.0 134.22 100.66 0 8000.0 134.22 100.66 0\n",
       CollectiveKind::barrier, 0},  // all-gather or all-to-all
      {"1073741824 67108864 float sum -1 8000.0 134.22 100.66 0 8000.0 134.22 100.66 0\n",
       CollectiveKind::reduce_scatter, 4},
      {"1073741824 268435456 float none 0 8000.0 134.22 134.22 0 8000.0 134.22 134.22 0\n",
       CollectiveKind::barrier, 0}};  // how many ranks does not show
  for (const auto& [row, kind, ranks] : cases) {
    const auto log = read_measured(row, "log");
    if (kind == CollectiveKind::barrier) {
      ASSERT_FALSE(log) << row;
      EXPECT_THAT(log.error().message, HasSubstr("say it with --collective")) << row;
      continue;
    }
    ASSERT_TRUE(log) << row << log.error().message;
    EXPECT_EQ(log->rows.front().collective, kind) << row;
    EXPECT_EQ(log->rows.front().ranks, ranks) << row;
    EXPECT_THAT(log->notes, Contains(HasSubstr("no line says so")));
  }
  EXPECT_THAT(refusal(cases[1].row), HasSubstr("all_gather, all_to_all"));
}

TEST(MeasuredLog, FiguresBeatAListOfRanks) {
  // Four ranks are listed, but busbw is 1.75 of algbw: eight.
  const auto log =
      read(with(with(starting + head + row1 + row2, " 39.32", " 45.88"), " 52.43", " 61.17"));
  EXPECT_EQ(log.rows.front().ranks, 8u);
  EXPECT_THAT(log.notes, Contains(HasSubstr("ranks listed: 4, but the figures are those of 8")));
}

TEST(MeasuredLog, AListOfRanksMayBeCut) {
  auto text = with(with(with(usual, "nGpus 2", "nGpus 8"), " 39.32", " 45.88"), " 52.43", " 61.17");
  for (std::size_t at = 0; (at = text.find("#  Rank  ", at)) != std::string::npos;)
    if (text[at + 9] != '0')
      text.erase(at, text.find('\n', at) + 1 - at);
    else
      ++at;
  const auto log = read(text);
  EXPECT_EQ(log.on.ranks, 8u) << "as busbw says, not the one rank that is listed";
  EXPECT_EQ(log.on.gpus_per_process, 8u);
}

TEST(MeasuredLog, WrongElementsAndWrongRatesAreSaid) {
  const auto wrong = read(with(usual, "52.43      0", "52.43     17"));
  EXPECT_THAT(wrong.notes, ElementsAre(StartsWith("1 row had wrong elements")));
  EXPECT_EQ(wrong.rows[2].wrong, 17u);
  const auto lies = read(with(usual, "   33.83", "   39.83"));
  EXPECT_THAT(lies.notes, ElementsAre(StartsWith("of 1 row the algbw is not size over time")));
}

TEST(MeasuredLog, SeveralTestsInOneText) {
  const auto other =
      with(with(with(usual, "all_reduce_perf", "reduce_perf"), "      -1", "       0"),
           "NVIDIA H200", "NVIDIA B200");
  const auto log = read(usual + other);
  ASSERT_EQ(log.rows.size(), 8u);
  EXPECT_EQ(log.rows[3].collective, CollectiveKind::all_reduce);
  EXPECT_EQ(log.rows[4].collective, CollectiveKind::reduce);
  EXPECT_EQ(log.rows[4].root, Rank{0});
  EXPECT_EQ(log.on.hardware, "NVIDIA H200");
}

TEST(MeasuredLog, WhatIsNoLogIsRefused) {
  const std::pair<std::string, const char*> odd[] = {
      {"", "log holds no measured rows"},
      {"# only a header\n", "holds no measured rows"},
      {"Dear reader, 8 2 float of it\n", "holds no measured rows"},
      {"{", "is not JSON"},
      {"{\"results\": []}", "no measured rows"},
      {"{\"results\": [3]}", "row 0: it is no JSON object"},
      {"{\"results\": [{\"collective\": \"all_reduce\", \"bytes\": 8}]}", "row 0: it has no time"},
      {"# Collective test starting: alltoallv_perf\n" + row1, "no collective"}};
  for (const auto& [text, said] : odd) EXPECT_THAT(refusal(text), HasSubstr(said)) << text;
}

TEST(MeasuredLog, TheReaderMayKnowBetter) {
  const auto log = read(row1, {.collective = CollectiveKind::all_reduce, .ranks = 4});
  EXPECT_EQ(log.rows.front().collective, CollectiveKind::all_reduce);
  EXPECT_EQ(log.rows.front().ranks, 4u);
  EXPECT_THAT(log.notes, IsEmpty());
}

}  // namespace
}  // namespace ringside
