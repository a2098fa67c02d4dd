#include "core/formats/msccl_xml.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/file.hpp"
#include "core/formats/check_schedule.hpp"

namespace ringside {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Finding = CheckReport::Finding;

std::string step(int s, const char* type, const char* src, const char* dst, const char* more = "") {
  const auto pair = [](const char* prefix, const char* at) {
    return std::string(prefix) + "buf=\"" + at[0] + "\" " + prefix + "off=\"" + (at + 1) + "\" ";
  };
  return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" " + pair("src", src) +
         pair("dst", dst) + more + "/>";
}

/// Two gpus swap and add in place; `second` replaces the steps of gpu 1.
std::string pair(const std::string& second = step(0, "s", "i0", "i0") + step(1, "rrc", "i0", "i0"),
                 const std::string& attributes = "coll=\"allreduce\" inplace=\"1\"") {
  return "<algo name=\"pair\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"2\" " +
         attributes + "><gpu id=\"0\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"1\">" +
         "<tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">" + step(0, "s", "i0", "i0") +
         step(1, "rrc", "i0", "i0") + "</tb></gpu><gpu id=\"1\" i_chunks=\"1\" o_chunks=\"0\" " +
         "s_chunks=\"1\"><tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">" + second +
         "</tb></gpu></algo>";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MscclXml, ReadsAnExchange) {
  const auto algorithm = msccl_from_xml(pair(), "pair.xml");
  ASSERT_TRUE(algorithm) << algorithm.error().message;
  EXPECT_EQ(algorithm->header.name, "pair");
  EXPECT_TRUE(algorithm->header.in_place);
  EXPECT_FALSE(algorithm->header.out_of_place);
  ASSERT_THAT(algorithm->program.ranks, SizeIs(2));
  const Lane& lane = algorithm->program.ranks[1][0];
  EXPECT_EQ(lane.to, Rank{0});
  EXPECT_EQ(lane.instructions[1].op, Opcode::receive_reduce);
  EXPECT_THAT(check(algorithm->program), IsEmpty());
}

TEST(MscclXml, MovesOwnSharesToTheirBlocks) {
  // gpu 1 sends its input 0 and keeps it; in all_gather that is chunk 1 of the whole vector.
  const auto text =
      R"(<algo nchunksperloop="2" ngpus="2" coll="allgather" inplace="0" outofplace="1">
    <gpu id="1" i_chunks="1" o_chunks="2"><copy i_off="0" o_off="1"/><tb id="0" send="0" recv="0">
      <op step="0" type="s" buf="i" off="0"/><op step="1" type="r" buf="o" off="0"/></tb></gpu>
    <gpu id="0" i_chunks="1" o_chunks="2"><copy i_off="0" o_off="0"/><tb id="0" send="1" recv="1">
      <op step="0" type="s" buf="i" off="0"/><op step="1" type="r" buf="o" off="1"/></tb></gpu>
    </algo>)";
  const auto algorithm = msccl_from_xml(text, "f");
  ASSERT_TRUE(algorithm) << algorithm.error().message;
  const auto& lanes = algorithm->program.ranks[1];
  ASSERT_THAT(lanes, SizeIs(2));  // the tb, and what its <copy> asks for
  EXPECT_EQ(lanes[0].instructions[0].src, (Place{Buffer::input, {1}}));
  EXPECT_EQ(lanes[0].instructions[0].after, (After{1, 0}));
  EXPECT_EQ(lanes[1].instructions[0].dst, (Place{Buffer::output, {1}}));
  EXPECT_THAT(check(algorithm->program), IsEmpty());
}

TEST(MscclXml, CutsChunksFinerWhereTheyDoNotDivideAmongGpus) {
  const auto text = R"(<algo nchunksperloop="3" ngpus="2" coll="allgather" inplace="1">
    <gpu id="0" o_chunks="3"/><gpu id="1" o_chunks="3"/></algo>)";
  const auto algorithm = msccl_from_xml(text, "f");
  ASSERT_TRUE(algorithm) << algorithm.error().message;
  EXPECT_EQ(algorithm->program.chunks, 6u);
  EXPECT_THAT(algorithm->notes, Contains(HasSubstr("no multiple of the 2 gpus")));
}

TEST(MscclXml, FindsWhatIsWrongWithIt) {
  const auto findings = [](const std::string& text) {
    const auto report = check_schedule_text(text, "f");
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->findings : std::vector<Finding>{};
  };
  EXPECT_THAT(findings(pair()), IsEmpty());
  EXPECT_THAT(findings(pair(step(0, "s", "i0", "i0"))),
              Contains(AllOf(Field(&Finding::kind, "mismatch"),
                             Field(&Finding::what, HasSubstr("nobody receives")))));
  EXPECT_THAT(findings(pair(step(0, "s", "s0", "i0") + step(1, "rrc", "i0", "i0"))),
              Contains(Field(&Finding::kind, "undefined")));
  EXPECT_THAT(findings(pair(step(0, "s", "i0", "i0") + step(1, "r", "i0", "i0"))),
              Contains(Field(&Finding::kind, "result")));
  const auto receive_first = step(0, "rrc", "i0", "i0") + step(1, "s", "i0", "i0");
  EXPECT_THAT(
      findings(replaced(pair(receive_first), step(0, "s", "i0", "i0") + step(1, "rrc", "i0", "i0"),
                        receive_first)),
      Contains(Field(&Finding::kind, "deadlock")));
  const auto waits = step(1, "rrc", "i0", "i0", "depid=\"0\" deps=\"0\"");
  EXPECT_THAT(findings(pair(step(0, "s", "i0", "i0", "hasdep=\"1\"") + waits)), IsEmpty());
  EXPECT_THAT(findings(pair(step(0, "s", "i0", "i0", "hasdep=\"0\"") +
                            replaced(waits, "/>", " hasdep=\"0\"/>"))),
              Contains(Field(&Finding::what, HasSubstr("never says that it is done"))));
}

TEST(MscclXml, SaysWhereAndWhatWasExpected) {
  struct Case {
    const char *from, *to, *says;
  };
  const Case cases[] = {
      {"ngpus=\"2\"", "ngpus=\"1000000000\"",
       "f: algo: ngpus=\"1000000000\" is no whole number from 1 to 16384"},
      {"ngpus=\"2\"", "ngpus=\"3\"", "f: gpu 2 of 3 is missing"},
      {"nchunksperloop=\"1\"", "", "nchunksperloop=\"\" is no whole number"},
      {"allreduce", "allredcue",
       "f: algo: there is no coll \"allredcue\"; did you mean allreduce?"},
      {"id=\"1\"", "id=\"0\"", "f: gpu 0 comes twice"},
      {"send=\"1\"", "send=\"0\"", "f: gpu 0, tb 0: send names the gpu itself"},
      {"send=\"1\"", "send=\"x\"", "f: gpu 0, tb 0: send=\"x\" is no whole number from -1 to 1"},
      {"tb id=\"0\"", "tb id=\"1\"", "f: gpu 0, tb 0: id=\"1\" where 0 is due: tbs count from 0"},
      {"</tb>", "</tb><tb id=\"0\"/>", "f: gpu 0, tb 1: id=\"0\" where 1 is due"},
      {"chan=\"0\"", "chan=\"5000\"", "chan=\"5000\""},
      {"<step s=\"1\"", "<step s=\"2\"",
       "f: gpu 0, tb 0, step 1: s=\"2\" where 1 is due: steps count"},
      {"\"rrc\"", "\"rrd\"", "f: gpu 0, tb 0, step 1: there is no step type \"rrd\""},
      {"srcbuf=\"i\"", "srcbuf=\"q\"", "srcbuf=\"q\" is none of i, o, s"},
      {"srcoff=\"0\"", "srcoff=\"7\"", "reaches past the 1 chunk of buffer i"},
      {"srcoff=\"0\"", "srcoff=\"-1\"", "srcoff=\"-1\" is no whole number"},
      {"<step", "<stop", "expected <step>, found <stop>"},
      {"<algo", "<lago", "is not XML"},
      {"s_chunks=\"1\"", "s_chunks=\"4000000\"", "s_chunks=\"4000000\" is too large"},
      {"\"rrc\"", "\"ra\"", "f: gpu 0, tb 0, step 1: step type ra (residual add)"},
      {"\"Simple\"", "\"simple\"", "f: algo: there is no proto \"simple\"; did you mean Simple?"},
      {"coll=", "minBytes=\"NaN\" coll=", "f: algo: minBytes=\"NaN\" is no whole number"},
      {"chan=\"0\"", "chan=\"1\"", "f: gpu 0, tb 0: chan=\"1\" is no whole number from 0 to 0"},
      {"dstbuf=\"i\"", "cnt=\"-3\" dstbuf=\"i\"", "f: gpu 0, tb 0, step 0: cnt=\"-3\" is no"},
      {"dstbuf=\"i\"", "hasdep=\"2\" dstbuf=\"i\"", "hasdep=\"2\" is no whole number from 0 to 1"},
  };
  for (const Case& c : cases) {
    const auto algorithm = msccl_from_xml(replaced(pair(), c.from, c.to), "f");
    EXPECT_THAT(algorithm ? "read" : algorithm.error().message, HasSubstr(c.says)) << c.to;
  }
  EXPECT_FALSE(check_schedule_text("", "f"));
  EXPECT_FALSE(check_schedule_text("hello", "f"));
  EXPECT_FALSE(check_schedule_text("<", "f"));
  EXPECT_TRUE(check_schedule_text("\xef\xbb\xbf" + pair(), "f"));
}

// ---- real files

std::vector<std::filesystem::path> real_files() {
  namespace fs = std::filesystem;
  const char* given = std::getenv("RINGSIDE_SHARED_DATA");
  const fs::path root = given != nullptr ? given : RINGSIDE_SOURCE_DIR "/../shared/data";
  std::vector<fs::path> files;
  for (const char* folder : {"msccl_xml", "msccl_measured"})
    if (fs::exists(root / folder))
      for (const auto& entry : fs::directory_iterator(root / folder))
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(MscclXml, JudgesRealFilesAsTheyDeserve) {
  const auto files = real_files();
  if (files.empty()) GTEST_SKIP() << "no MSCCL files beside the sources: set RINGSIDE_SHARED_DATA";
  const std::map<std::string, std::string> wrong{{"29", "undefined"}, {"34", "deadlock"}};
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const auto text = read_file(file.string());
    ASSERT_TRUE(text);
    const auto report = check_schedule_text(*text, file.filename().string());
    ASSERT_TRUE(report) << report.error().message;
    const auto number = file.filename().string().substr(0, 2);
    if (const auto expected = wrong.find(number); expected != wrong.end()) {
      EXPECT_THAT(report->findings, testing::Not(IsEmpty()));
      EXPECT_THAT(report->findings, testing::Each(Field(&Finding::kind, expected->second)));
      continue;
    }
    EXPECT_THAT(report->findings, IsEmpty());
    EXPECT_EQ(report->needed_fifo, number == "09" ? 2u : 1u);
    const auto shallow = check_schedule_text(*text, "f", 1);
    ASSERT_TRUE(shallow);
    if (number != "09") {
      EXPECT_THAT(shallow->findings, IsEmpty());
      continue;
    }
    ASSERT_THAT(shallow->findings, SizeIs(1));
    EXPECT_EQ(shallow->findings[0].kind, "deadlock");
    EXPECT_THAT(shallow->findings[0].what,
                testing::ContainsRegex("gpu [0-7], tb [0-9]+, step [0-9]+ .* waits for gpu"));
  }
}

}  // namespace
}  // namespace ringside
