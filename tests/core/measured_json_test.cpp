// Logs as JSON: what nccl-tests writes with -J, and what others made of its tables.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/formats/measured_log.hpp"

namespace ringside {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

MeasuredLog read(const std::string& text) {
  auto log = read_measured(text, "log");
  EXPECT_TRUE(log) << log.error().message;
  return log.value_or(MeasuredLog{});
}

TEST(MeasuredJson, JsonOfNcclTests) {
  Json json = Json::parse(R"({"version": 3, "args": ["./build/all_gather_perf", "-b", "1M"],
    "config": {"nthreads": 1, "ngpus": 2, "devices": [
      {"rank": 0, "pid": 7, "hostname": "a", "device_info": "NVIDIA H200"},
      {"rank": 1, "pid": 7, "hostname": "a", "device_info": "NVIDIA H200"}]},
    "results": [
      {"size": 0, "count": 0, "type": "float", "redop": "none", "root": -1,
       "out_of_place": {"time": 5, "alg_bw": 0, "bus_bw": 0, "nwrong": 0},
       "in_place": {"time": 5, "alg_bw": 0, "bus_bw": 0, "nwrong": "nan"}},
      {"size": 1048576, "count": 131072, "type": "float", "redop": "none", "root": -1,
       "out_of_place": {"time": 40, "alg_bw": 26.2144, "bus_bw": 13.1072, "nwrong": 0},
       "in_place": {"time": "41.5", "alg_bw": 25.27, "bus_bw": 12.63, "nwrong": "nan"}}]})");
  const auto log = read(json.dump());
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_EQ(log.rows.front().time, microseconds(40));
  EXPECT_TRUE(log.rows.back().in_place);
  EXPECT_EQ(log.rows.back().time, Duration{41'500'000});
  EXPECT_EQ(log.rows.front().collective, CollectiveKind::all_gather);
  EXPECT_EQ(log.rows.front().wrong, 0u);
  EXPECT_FALSE(log.rows.back().wrong);
  EXPECT_EQ(log.on.ranks, 2u);
  EXPECT_EQ(log.on.gpus_per_process, 2u);
  EXPECT_EQ(log.on.hardware, "NVIDIA H200");
  EXPECT_THAT(log.notes, ElementsAre("2 rows of no bytes left out"));
}

TEST(MeasuredJson, PublishedTablesAsJson) {
  const auto log = read(R"({"hardware": "H100", "nodes": 2, "total_gpus": 16, "interconnect": "NDR",
    "collective": "alltoall", "dtype": "float", "redop": null, "notes": "as found",
    "rows": [{"bytes": 1048576, "time_us": 40, "in_place": true}]})");
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows.front().size, 1_MiB);
  EXPECT_EQ(log.rows.front().time, microseconds(40));
  EXPECT_EQ(log.rows.front().collective, CollectiveKind::all_to_all);
  EXPECT_EQ(log.rows.front().ranks, 16u);
  EXPECT_EQ(log.on.hardware, "H100");
  EXPECT_EQ(log.on.nodes, 2u);
  EXPECT_EQ(log.on.interconnect, "NDR");
  EXPECT_EQ(log.on.remarks, "as found");
}

TEST(MeasuredJson, RowsThatRanAGivenAlgorithmNameIt) {
  const auto algorithm = [](const std::string& fields, bool in_place) {
    const auto log = read(R"({"hardware": "8x AMD MI300X, xGMI", "collective": "all_gather", )" +
                          fields + R"("rows": [{"bytes": 8, "time_us": 9, "in_place": )" +
                          (in_place ? "true" : "false") + "}]}");
    EXPECT_EQ(log.on.ranks, 8u) << "as its hardware says";
    EXPECT_EQ(ran_by_name(log.rows.front()), !log.rows.front().algorithm.empty());
    return log.rows.front().algorithm;
  };
  const std::string notes = R"("notes": "in_place rows = MSCCL algorithm from the XML", )";
  EXPECT_EQ(algorithm(R"("xml": "ag_ring.xml", )" + notes, true), "ag_ring");
  EXPECT_EQ(algorithm(R"("xml": "ag_ring.xml", )" + notes, false), "");
  EXPECT_EQ(
      algorithm(R"("notes": "in_place rows ran the MSCCL algorithm a/b/ar.xml where", )", true),
      "ar");
  EXPECT_EQ(algorithm(notes, true), "msccl") << "which one is not said";
  EXPECT_EQ(algorithm(R"("xml": "ag_ring.xml", "notes": "in_place rows too", )", true), "");
}

}  // namespace
}  // namespace ringside
