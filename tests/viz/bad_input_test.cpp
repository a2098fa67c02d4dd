// What cannot be done is said in one sentence on standard error, which helps; standard output stays
// empty; the exit status is 2. Nothing crashes, nothing hangs.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void expect_one_sentence(const Ran& ran, const std::string& what) {
  EXPECT_EQ(ran.signal, 0) << what;
  EXPECT_EQ(ran.status, 2) << what << "\n" << ran.out << ran.err;
  EXPECT_EQ(ran.out, "") << what;
  EXPECT_EQ(ran.err.rfind("ringside: ", 0), 0u) << what << ": " << ran.err;
  EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << "not one line: " << ran.err;
  EXPECT_LT(ran.err.size(), 400u) << what;
  for (const char* from_the_inside : {"std::", "what()", "bad_alloc", "Could not convert", "UINT",
                                      "18446744073709551", "basic_string", "terminate"})
    EXPECT_THAT(ran.err, Not(HasSubstr(from_the_inside))) << what;
}

/// A command line, and what its refusal must say.
struct Case {
  const char* words;
  const char* said;
};
/// gtest prints it by its words.
void PrintTo(const Case& c, std::ostream* stream) {
  *stream << c.words;
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, IsRefusedInOneSentence) {
  const auto ran = run(GetParam().words);
  expect_one_sentence(ran, GetParam().words);
  EXPECT_THAT(ran.err, HasSubstr(GetParam().said));
}

constexpr Case unknown_names[] = {
    {"smulate", "no command \"smulate\"; did you mean simulate?"},
    {"simulate --algoritm ring", "--algoritm in simulate; did you mean --algorithm?"},
    {"simulate --collective all_redcue", "did you mean all_reduce?"},
    {"simulate --algorithm rign", "did you mean ring?"},
    {"simulate --system dgx-h10", "did you mean dgx-h100?"},
    {"simulate --system rign", "did you mean ring?"},
    {"run --backend hots", "did you mean host?"},
    {"run --executor slice", "did you mean sliced?"},
    {"run --predict dgx-h10", "--predict: "},
    {"simulate -d flot", "did you mean float?"},
    {"simulate -o summ", "did you mean sum?"},
    {"simulate --system dgx-h100 --nodes 2 --net ndrr", "did you mean ndr?"},
    {"simulate --model flwo", "did you mean flow?"},
    {"simulate --system dgx-h100 --set nvlnk.bandwidth=x2", "did you mean nvlink?"},
    {"simulate --system dgx-h100 --set nvlink.bandwith=x2", "did you mean bandwidth?"},
    {"simulate --system dgx-h100 --set nvlink=x2", "KIND.FIELD=VALUE"},
    {"simulate --system dgx-h100 --slow gpu3->nvsw9=4x", "did you mean nvsw0?"},
    {"simulate --dead gpu3->gpuu4", "did you mean gpu4?"},
    {"simulate --dead unknown", "expected FROM->TO"},
    {"list sistems", "did you mean systems?"},
    {"completion bsh", "the shell \"bsh\"; did you mean bash?"},
    {"verify --algorithm rng", "did you mean ring?"},
    {"verify --collective brodcast", "did you mean broadcast?"},
    {"step --svg - --theme drak", "did you mean dark?"},
    {"schedule chekc x", "did you mean check?"},
    {"view --algorithm rign", "did you mean ring?"},
    {"view --system dgx-h10", "did you mean dgx-h100?"},
    {"view --theme drak", "did you mean dark?"},
    {"view --lang zn", "no language \"zn\""},
    {"view --shto x.png", "did you mean --shot?"},
    {"-x", "no option -x; ringside --help"},
    {"smulate --help", "no command \"smulate\"; did you mean simulate?"},
    {"--help smulate", "no command \"smulate\"; did you mean simulate?"},
    {"smulate --version", "no command \"smulate\"; did you mean simulate?"},
    {"bogus -h", "no command \"bogus\"; ringside --help lists what there is"},
    {"schedule chekc --help", "no command \"chekc\" in schedule; did you mean check?"},
    {"demo foo", "takes no further argument, but got \"foo\""},
};
INSTANTIATE_TEST_SUITE_P(UnknownNames, BadInput, testing::ValuesIn(unknown_names));

constexpr Case links[] = {
    {"simulate --system dgx-h100 --nodes 2 --dead node2.gpu0->node0.gpu1",
     "there is no node2 in dgx-h100 x 2: its nodes are node0 and node1"},
    {"simulate --system dgx-h100 --nodes 4 --dead node4.gpu0->node0.gpu1",
     "its nodes are node0 to node3"},
    {"simulate --system dgx-h100 --nodes 2 --dead gpu0->nvsw0",
     "one gpu0 in each node of dgx-h100 x 2: say which, node0.gpu0 or node1.gpu0"},
    {"simulate --system dgx-h100 --nodes 2 --dead node0.gpu9->node0.nvsw0",
     "no device \"node0.gpu9\" in dgx-h100 x 2; GPUs are node0.gpu0 to node0.gpu7"},
    {"simulate --system dgx-h100 --nodes 2 --dead node0.nic0->leaf9", "there are leaf0 to leaf7"},
    {"simulate --system dgx-h100 --nodes 2 --slow leaf0->foo=2x",
     "no device \"foo\" in dgx-h100 x 2; known: node0.gpu0 to node0.gpu7, node0.nvsw0, "},
    {"simulate --dead gpu0->foo", "no device \"foo\" in ring; known: gpu0 to gpu7"},
    {"simulate --dead gpu3-", "in quotes (a shell takes > for a file), as in 'gpu3->nvsw0'"},
    {"simulate --dead ->", "\"->\" is not a link"},
    {"simulate --dead gpu0->", "\"gpu0->\" is not a link"},
    {"simulate --dead gpu0<->gpu1", "is two links, one each way"},
    {"simulate --dead rank3->rank4", "links join devices, not ranks: rank 3 of ring sits on gpu3"},
    {"simulate --dead gpu1->2", "rank 2 of ring sits on gpu2"},
    {"simulate --dead gpu0->gpu3", "no link \"gpu0->gpu3\" in ring; gpu0 has links to gpu1, gpu7"},
    {"simulate --slow gpu0->gpu1=4x --slow gpu0->gpu1=2.5x",
     "--slow names gpu0->gpu1 twice, 4x and 2.5x: give each link one factor"},
    {"simulate --slow gpu0->gpu1=4x --slow gpu0->gpu1#1=2x", "--slow names gpu0->gpu1 twice"},
    {"simulate --straggler 3=5us --straggler 3=7us",
     "straggler 3 comes twice, 5 us and 7 us late: give each rank one delay"},
};
INSTANTIATE_TEST_SUITE_P(Links, BadInput, testing::ValuesIn(links));

constexpr Case missing[] = {
    {"topo", "topo needs system"},
    {"list", "list needs what: systems, algorithms"},
    {"completion", "completion needs shell: bash"},
    {"schedule", "schedule needs a command: check import export"},
    {"schedule check", "schedule check needs file"},
    {"simulate --ranks", "--ranks needs a value"},
    {"step --algorithm all", "name it, such as --algorithm ring"},
    {"step --at 3us", "--at requires --svg"},
};
INSTANTIATE_TEST_SUITE_P(Missing, BadInput, testing::ValuesIn(missing));

constexpr Case numbers[] = {
    {"simulate --ranks -3", "--ranks: expected a whole number from 1 to 1048576, not \"-3\""},
    {"simulate --ranks 0", "--ranks: expected"},
    {"simulate --ranks 1e99", "--ranks: expected"},
    {"simulate --ranks nan", "--ranks: expected"},
    {"simulate --ranks 1000000000", "--ranks: expected"},
    {"simulate --ranks 99999999999999999999", "--ranks: expected"},
    {"simulate --system mesh --ranks 1048576", "too many links"},
    {"step --ranks 5000", "too many to walk through"},
    {"step --ranks -1", "--ranks: expected"},
    {"schedule export --ranks 0", "--ranks: expected"},
    {"simulate --system dgx-h100 --ranks 9", "--ranks 9 is more than the 8 GPUs"},
    {"simulate --system dgx-h100 --nodes 0", "--nodes: expected"},
    {"simulate --system dgx-h100 --nodes -1", "--nodes: expected"},
    {"simulate --system dgx-h100 --nodes 1000000000", "--nodes: expected"},
    {"simulate --system dgx-h100 --nodes 1048576", "more than the simulator holds"},
    {"simulate -b -8", "-b: \"-8\" is not a size"},
    {"simulate -b nan", "-b: \"nan\" is not a size"},
    {"simulate -e 1e99", "-e: \"1e99\" is not a size"},
    {"simulate -b 1M -e 1K", "-b must not exceed -e"},
    {"simulate -f 1", "-f: \"1\" is not a factor"},
    {"simulate -f nan", "-f: \"nan\" is not a factor"},
    {"simulate -f inf", "-f: \"inf\" is not a factor"},
    {"simulate -f -2", "-f: \"-2\" is not a factor"},
    {"simulate -f 1.0001", "more than 10,000 sizes"},
    {"simulate --collective broadcast -r 8", "the root is 0 to 7"},
    {"simulate --collective broadcast -r -1", "--root: expected"},
    {"simulate --chunks 1000000000", "--chunks: expected"},
    {"simulate --chunks -1", "--chunks: expected"},
    {"simulate --channels 1000000000 --algorithm ring", "--channels: expected"},
    {"simulate --channels 4 --algorithm ring", "--channels 4 would have no effect"},
    {"simulate --ranks-per-node -3", "--ranks-per-node: expected"},
    {"simulate --ranks-per-node 3 --algorithm hierarchical", "do not divide 8"},
    {"simulate --system torus --dims 0x3", "--dims: \"0x3\" is not a list"},
    {"simulate --system torus --dims abc", "--dims: \"abc\" is not a list"},
    {"simulate --system torus --dims 2x4 --ranks 9", "must multiply to its 9 ranks"},
    {"simulate --system torus --dims 4294967295x4294967295", "too large"},
    {"simulate --jitter -5%", "not a jitter"},
    {"simulate --jitter nan%:1", "not a jitter"},
    {"simulate --straggler 99=1us", "straggler 99 is not a rank"},
    {"simulate --straggler 3=-1us", "not a duration"},
    {"simulate --straggler 3=1e99us", "not a duration"},
    {"simulate --slow gpu0->gpu1=nanx", "not a slow link"},
    {"simulate --slow gpu0->gpu1=-4x", "not a slow link"},
    {"simulate --bandwidth -3GB/s", "--bandwidth: \"-3GB/s\" is not a bandwidth"},
    {"simulate --bandwidth nanGB/s", "not a bandwidth"},
    {"simulate --bandwidth 0GB/s", "not a bandwidth"},
    {"simulate --latency -1us", "--latency: \"-1us\" is not a duration"},
    {"simulate --latency 1e99s", "not a duration"},
    {"simulate --system dgx-h100 --set nvlink.bandwidth=xnan", "nvlink.bandwidth=xnan"},
    {"simulate --system dgx-h100 --set nvlink.bandwidth=-5GB/s", "nvlink.bandwidth=-5GB/s"},
    {"simulate --system dgx-h100 --nvlink 9", "--nvlink: expected"},
    {"verify --backend refrence", "no backend \"refrence\"; did you mean reference?"},
    {"verify --backend foo", "no backend \"foo\"; known: sim reference"},
    {"verify --backend sim", "sim moves no data"},
    {"run --backend sim", "ringside simulate predicts"},
    {"verify --ctas 4", "with --backend: proofs take none"},
    {"verify --timeout 3s", "with --backend: proofs take none"},
    {"run --backend cuda --ctas 3", "add --executor kernel"},
    {"simulate --ranks 20000 --algorithm ring", "take --model stream, which keeps none"},
    {"simulate --fold maybe", "way to fold"},
    {"simulate --algorithm star --fold on", "no group of its ranks does what all others do"},
    {"simulate --algorithm ring --fold on --slow gpu0->gpu1=2x", "are not joined alike"},
    {"simulate --algorithm ring --fold on --explain", "--fold on shows no transfers"},
    {"verify --ranks 0", "not a range of ranks"},
    {"verify --ranks 5-2", "not a range of ranks"},
    {"verify --ranks 1-9999999", "at most 1048576 are supported"},
    {"step --svg - --at -3us", "not a duration"},
    {"step --svg - --at-step -1", "--at-step"},
};
INSTANTIATE_TEST_SUITE_P(Numbers, BadInput, testing::ValuesIn(numbers));

constexpr Case contradictions[] = {
    {"simulate --system dgx-h100 --nvlink 4", "--nvlink does not fit --system dgx-h100"},
    {"simulate --no-p2p", "--no-p2p does not fit --system ring"},
    {"simulate --system dgx-h100 --bandwidth 3GB/s", "use --set"},
    {"simulate --system dgx-h100 --latency 3us", "use --set"},
    {"simulate --ranks 8 --nodes 2", "a generic shape has no NICs"},
    {"simulate --net ndr", "a generic shape has no NICs"},
    {"simulate --system dgx-h100 --net ndr", "--net ndr joins copies of the machine"},
    {"topo dgx-h100 --ranks 4 --net ndr", "add --nodes 2 or more"},
    {"topo mesh --dims 2x4", "--dims does not fit mesh: it is for torus and fattree"},
    {"topo dgx-h100 --dims 2x4", "--dims does not fit dgx-h100"},
    {"simulate --system mesh --algorithm ring --dims 2x4", "ring all_reduce takes no --dims"},
    {"step --algorithm star --dims 2x2", "star all_reduce takes no --dims"},
    {"schedule export --dims 2x2", "ring all_reduce takes no --dims"},
    {"schedule export --ranks-per-node 2", "ring all_reduce takes no --ranks-per-node"},
    {"schedule export --dims 2x2 --ranks-per-node 2",
     "ring all_reduce takes no --dims, --ranks-per-node"},
    {"schedule export --algorithm best", "name it, such as --algorithm ring"},
    {"simulate --algorithm auto", "ring is bare wires, which NCCL does not run on"},
    {"simulate --system dgx-h100 --algorithm auto --protocol none", "leave --protocol none out"},
    {"simulate --system dgx-h100 --protocol LL129", "did you mean LL128?"},
    {"simulate --system dgx-h100 --algorithm direct --protocol LL", "NCCL does not run direct"},
    {"simulate --system dgx-h100 --algorithm auto --collective barrier", "NCCL has no barrier"},
    {"simulate --system dgx-h100 --algorithm auto --slow gpu0->nvsw0=2x", "--slow is for"},
    {"step --algorithm auto", "name it, such as --algorithm ring"},
    {"simulate --protocol LL", "ring is bare wires, which NCCL does not run on"},
    {"simulate --json --csv", "--json excludes --csv"},
    {"topo ring --json --toml", "choose one"},
    {"simulate --collective all_to_all --in-place", "in"},
    {"simulate --dead gpu0->gpu1 --dead gpu0->gpu7", "no way from gpu0"},
    {"simulate --rank-order 0,0,1", "rank 0 comes twice"},
    {"simulate --rank-order 0,1,2,3,4,5,6,99", "no rank 99"},
    {"simulate --rank-order foo", "expected auto, identity or a list"},
};
INSTANTIATE_TEST_SUITE_P(Contradictions, BadInput, testing::ValuesIn(contradictions));

TEST(EmptyWords, AreRefused) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{""},
                                                {"simulate", "--system", ""},
                                                {"topo", ""},
                                                {"list", ""},
                                                {"simulate", "-b", ""},
                                                {"simulate", "-f", ""},
                                                {"simulate", "--ranks", ""},
                                                {"simulate", "--out", ""},
                                                {"simulate", "--collective", ""},
                                                {"simulate", "-d", ""},
                                                {"simulate", "--algorithm", ""},
                                                {"simulate", "--model", ""},
                                                {"simulate", "--jitter", "%"},
                                                {"verify", "--ranks", ""},
                                                {"schedule", "check", ""},
                                                {"step", "-b", ""}})
    expect_one_sentence(run(words), words.back() + " after " + words.front());
}

TEST(ControlCharacters, NeverReachTheTerminal) {
  const std::string evil = "\033]0;owned\007\033[2Jx";
  for (const std::vector<std::string>& words : {std::vector<std::string>{evil},
                                                {"demo", evil},
                                                {"simulate", "--system", evil},
                                                {"simulate", "--algorithm", evil},
                                                {"simulate", "-b", evil},
                                                {"simulate", "-f", evil},
                                                {"simulate", "--ranks", evil},
                                                {"simulate", "--protocol", evil},
                                                {"list", evil},
                                                {"simulate", "--dead", evil},
                                                {"simulate", "--set", evil},
                                                {"simulate", "--jitter", evil},
                                                {"simulate", "--straggler", evil},
                                                {"simulate", "--rank-order", evil},
                                                {"simulate", "--system", "torus", "--dims", evil},
                                                {"verify", "--ranks", evil},
                                                {"step", "--svg", "-", "--at-step", evil},
                                                {"--" + evil}}) {
    const auto ran = run(words);
    expect_one_sentence(ran, words.front());
    EXPECT_THAT(ran.err, Not(HasSubstr("\033"))) << words.front() << " " << words.back().size();
  }
}

TEST(LongWords, AreCut) {
  const std::string novel(100'000, 'a');
  for (const std::vector<std::string>& words : {std::vector<std::string>{novel},
                                                {"simulate", "--system", novel},
                                                {"--" + novel},
                                                {"simulate", "--collective", novel},
                                                {"simulate", "-b", novel},
                                                {"verify", "--ranks", novel},
                                                {"simulate", "--ranks", novel},
                                                {"simulate", "--set", novel},
                                                {"simulate", "--dead", novel},
                                                {"list", novel},
                                                {"demo", novel},
                                                {"simulate", "-f", novel},
                                                {"simulate", "--slow", novel}})
    expect_one_sentence(run(words), words.front().substr(0, 20));
}

/// A folder of its own for each test, gone afterwards.
class BadFiles : public testing::Test {
 protected:
  BadFiles() { std::filesystem::create_directories(folder_); }
  ~BadFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  const testing::TestInfo* info_ = testing::UnitTest::GetInstance()->current_test_info();
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("ringside_" + std::string(info_->name()) + std::to_string(getpid()));
};

TEST_F(BadFiles, AreRefusedAsSystems) {
  const auto expect = [](const std::string& file, const std::string& said) {
    for (const auto& words : {std::vector<std::string>{"topo", file},
                              std::vector<std::string>{"simulate", "--system", file}}) {
      const auto ran = run(words);
      expect_one_sentence(ran, words.front() + " " + file);
      EXPECT_THAT(ran.err, HasSubstr(said));
    }
  };
  expect(path(""), "Is a directory");
  expect(path("nowhere.toml"), "No such file");
  expect("-", "nothing in it");
  expect(written("empty", ""), "nothing in it");
  expect(written("binary", std::string("ELF\0\1\2\xff\xfe", 8)), "this is neither");
  expect(written("prose.txt", "It was a dark and stormy night.\n"), "prose.txt");
  expect(written("cut.xml", "<system version=\"1\"><cpu numaid=\"0\""), "cut.xml");
  expect(written("cut.toml", "name = \"x\"\n[[device"), "cut.toml");
}

TEST_F(BadFiles, OfAGigabyteAreNotRead) {
  const auto file = written("huge.xml", "<system>");
  std::filesystem::resize_file(file, 1u << 30);  // sparse
  const auto ran = run(std::vector<std::string>{"topo", file});
  expect_one_sentence(ran, "a GiB");
  EXPECT_THAT(ran.err, HasSubstr("larger than 16 MiB"));
}

TEST_F(BadFiles, ThatMayNotBeReadSaySo) {
  const auto file = written("secret.toml", "name = 1");
  chmod(file.c_str(), 0);
  if (access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "root may read every file";
  const auto ran = run(std::vector<std::string>{"topo", file});
  expect_one_sentence(ran, "unreadable");
  EXPECT_THAT(ran.err, HasSubstr("Permission denied"));
}

TEST_F(BadFiles, CannotBeWrittenTo) {
  for (const auto& command : {"demo", "simulate -b 1 -e 1", "topo ring", "list systems",
                              "step --all", "verify --ranks 2", "schedule export"})
    for (const auto& file : {path("no/folder/x"), path("")}) {
      auto words = split(command);
      words.insert(words.end(), {"--out", file});
      const auto ran = run(words);
      expect_one_sentence(ran, command);
      EXPECT_THAT(ran.err, HasSubstr("cannot write " + file));
    }
  EXPECT_TRUE(std::filesystem::is_empty(path(""))) << "something half-written was left behind";
}

TEST_F(BadFiles, AWrongScheduleIsOneNotTwo) {
  auto text = run("schedule export --algorithm ring --ranks 3").out;
  const std::string kept = R"("from": [0, "output", 0], "to": [1)",
                    other = R"("from": [0, "output", 1], "to": [1)";
  ASSERT_THAT(text, HasSubstr(kept));
  const auto right = run({"schedule", "check", "-"}, text);
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  text.replace(text.find(kept), kept.size(), other);
  const auto wrong = run({"schedule", "check", "-"}, text);
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out, "");
}

TEST(ExitStatus, IsZeroForWhatIsRight) {
  for (const char* words : {"demo", "list systems", "topo ring", "simulate -b 1K -e 1K",
                            "step --all", "verify --ranks 1-3", "--help", "simulate --help",
                            "schedule --help", "schedule check --help", "--version", "",
                            "completion bash", "simulate -b 0 -e 0 --ranks 1", "step -b 0 --all"}) {
    const auto ran = run(words);
    EXPECT_EQ(ran.status, 0) << words << ran.err;
    EXPECT_EQ(ran.err, "") << words;
    EXPECT_NE(ran.out, "") << words;
  }
}

}  // namespace
}  // namespace ringside::terminal
