#include "tests/core/strict_msccl.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engine.hpp"
#include "core/formats/check_schedule.hpp"
#include "core/formats/msccl_write.hpp"

namespace ringside {
namespace {

/// It knows no programs, only elements, attributes and rules.
class StrictMsccl {
 public:
  static std::string judge(std::string_view text) {
    StrictMsccl reader(text);
    reader.read();
    return reader.broken_;
  }

 private:
  using Attributes = std::map<std::string, std::string>;
  struct Step {
    std::string type;
    long depid, deps, hasdep, count;
  };
  struct Block {
    long send, recv, chan;
    std::vector<Step> steps;
  };

  explicit StrictMsccl(std::string_view text) : rest_(text) {}

  void require(bool holds, const std::string& rule) {
    if (!holds && broken_.empty()) broken_ = where_ + rule;
  }
  long number(const Attributes& attributes, const std::string& key) {
    const auto found = attributes.find(key);
    require(found != attributes.end(), "has no " + key);
    if (found == attributes.end()) return 0;
    const std::string& text = found->second;
    require(!text.empty() && text.find_first_not_of("-0123456789") == std::string::npos,
            key + " is no number");
    return std::strtol(text.c_str(), nullptr, 10);
  }

  /// The next tag: `algo`, `/algo`, `step/` ...
  std::string next(Attributes& attributes) {
    attributes.clear();
    const auto open = rest_.find('<'), close = rest_.find('>');
    if (open == std::string_view::npos || close == std::string_view::npos) return "";
    require(rest_.substr(0, open).find_first_not_of(" \n") == std::string_view::npos, "text");
    auto tag = rest_.substr(open + 1, close - open - 1);
    rest_.remove_prefix(close + 1);
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    const auto name_end = std::min(tag.find(' '), tag.size());
    std::string name(tag.substr(0, name_end));
    for (auto at = name_end; at < tag.size();) {
      const auto equals = tag.find("=\"", at), quote = tag.find('"', equals + 2);
      if (equals == std::string_view::npos || quote == std::string_view::npos) break;
      const bool is_new = attributes
                              .emplace(std::string(tag.substr(at + 1, equals - at - 1)),
                                       std::string(tag.substr(equals + 2, quote - equals - 2)))
                              .second;
      require(is_new, "an attribute comes twice");
      at = quote + 1;
    }
    return is_empty ? name + "/" : name;
  }

  void read() {
    Attributes a;
    require(next(a) == "algo", "starts with no algo");
    const std::set<std::string> colls{"allreduce", "allgather", "reduce",        "broadcast",
                                      "alltoall",  "custom",    "reduce_scatter"};
    require(colls.contains(a["coll"]), "coll " + a["coll"]);
    require(std::set<std::string>{"Simple", "LL", "LL128"}.contains(a["proto"]), "proto");
    const auto inplace = number(a, "inplace"), outofplace = number(a, "outofplace");
    require(inplace == 1 || outofplace == 1, "is for no call style");
    require(number(a, "maxBytes") == 0 || number(a, "minBytes") <= number(a, "maxBytes"), "sizes");
    gpus_ = number(a, "ngpus");
    channels_ = number(a, "nchannels");
    per_loop_ = number(a, "nchunksperloop");
    coll_ = a["coll"];
    require(channels_ >= 1 && channels_ <= 32, "nchannels");
    for (long gpu = 0; gpu < gpus_; ++gpu) {
      where_ = "gpu " + std::to_string(gpu) + ": ";
      require(next(a) == "gpu" && number(a, "id") == gpu, "gpus count from 0");
      read_gpu(gpu, a);
    }
    require(next(a) == "/algo" && next(a).empty(), "does not end");
    match_connections();
  }

  void read_gpu(long gpu, const Attributes& sizes) {
    const long input = number(sizes, "i_chunks"), output = number(sizes, "o_chunks");
    require(input == 0 || input * (coll_ == "allgather" ? gpus_ : 1) == per_loop_, "i_chunks");
    require(output == 0 || output * (coll_ == "reduce_scatter" ? gpus_ : 1) == per_loop_,
            "o_chunks");
    sizes_ = {{"i", input}, {"o", output}, {"s", number(sizes, "s_chunks")}};
    std::vector<Block> blocks;
    Attributes a;
    std::string tag;
    while ((tag = next(a)) == "tb") {
      where_ = "gpu " + std::to_string(gpu) + " tb " + std::to_string(blocks.size()) + ": ";
      require(number(a, "id") == long(blocks.size()), "tbs count from 0");
      Block block{number(a, "send"), number(a, "recv"), number(a, "chan"), {}};
      require(block.send < gpus_ && block.recv < gpus_, "peer");
      require(block.send != gpu && block.recv != gpu, "talks to itself");
      require(block.chan >= 0 && block.chan < channels_, "chan");
      while ((tag = next(a)) == "step/") read_step(block, a);
      require(tag == "/tb", "tb does not end");
      blocks.push_back(std::move(block));
    }
    require(tag == "/gpu", "gpu does not end");
    check_blocks(gpu, blocks);
  }

  void read_step(Block& block, const Attributes& a) {
    require(number(a, "s") == long(block.steps.size()), "steps count from 0");
    Step step{a.at("type"), number(a, "depid"), number(a, "deps"), number(a, "hasdep"),
              number(a, "cnt")};
    const bool is_nop = step.type == "nop";
    const std::set<std::string> types{"s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"};
    require(types.contains(step.type), "type " + step.type);
    require(is_nop || (step.count >= 1 && step.count < 72), "cnt");
    require((step.depid == -1) == (step.deps == -1), "half a dependency");
    for (const std::string side : {"src", "dst"}) {
      if (is_nop) continue;
      const auto buffer = a.at(side + "buf");
      require(sizes_.contains(buffer), "buffer " + buffer);
      const long offset = number(a, side + "off");
      require(offset >= 0 && offset + step.count <= sizes_[buffer], "outside " + buffer);
    }
    const bool sends =
        step.type == "s" || step.type == "rcs" || step.type == "rrs" || step.type == "rrcs";
    const bool receives = step.type[0] == 'r' && step.type != "re";
    require(!sends || block.send >= 0, "sends to nobody");
    require(!receives || block.recv >= 0, "receives from nobody");
    block.steps.push_back(step);
  }

  void check_blocks(long gpu, const std::vector<Block>& blocks) {
    require(blocks.size() <= 216, "more than 216 tbs");
    std::map<std::pair<long, bool>, std::set<long>> peers;
    std::set<std::tuple<long, long, long>> awaited;
    std::set<std::pair<long, long>> signals;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      where_ = "gpu " + std::to_string(gpu) + " tb " + std::to_string(b) + ": ";
      const Block& block = blocks[b];
      require(block.steps.size() <= 256, "more than 256 steps");
      if (block.send >= 0)
        require(peers[{block.chan, true}].insert(block.send).second, "two tbs own one connection");
      if (block.recv >= 0)
        require(peers[{block.chan, false}].insert(block.recv).second, "two tbs own one connection");
      bool after_nop = false;
      for (std::size_t s = 0; s < block.steps.size(); ++s) {
        const Step& step = block.steps[s];
        if (step.depid >= 0) {
          require(step.depid < long(blocks.size()) && step.depid != long(b), "depid");
          require(
              step.depid < long(blocks.size()) && step.deps < long(blocks[step.depid].steps.size()),
              "deps");
          awaited.insert({0, step.depid, step.deps});
        }
        if (step.hasdep == 1) signals.insert({long(b), long(s)});
        require(step.type == "nop" || !after_nop || step.depid >= 0, "nops before no dependency");
        after_nop = step.type == "nop";
        if (step.type != "nop") record(gpu, block, step);
      }
      require(!after_nop, "ends with a nop");
    }
    for (const auto& [peer, ranks] : peers) require(ranks.size() <= 32, "more than 32 peers");
    for (const auto& [zero, block, step] : awaited)
      require(signals.contains({block, step}), "a step that is awaited has hasdep=\"0\"");
    require(awaited.size() == signals.size(), "hasdep=\"1\" for nobody");
  }

  void record(long gpu, const Block& block, const Step& step) {
    const auto& t = step.type;
    if (t == "s" || t == "rcs" || t == "rrs" || t == "rrcs")
      sent_[{gpu, block.send, block.chan}].push_back(step.count);
    if (t[0] == 'r' && t != "re") received_[{block.recv, gpu, block.chan}].push_back(step.count);
  }

  void match_connections() {
    where_ = "";
    require(sent_ == received_, "sends and receives do not match");
  }

  std::string_view rest_;
  std::string broken_, where_, coll_;
  long gpus_ = 0, channels_ = 0, per_loop_ = 0;
  std::map<std::string, long> sizes_;
  std::map<std::tuple<long, long, long>, std::vector<long>> sent_, received_;
};

}  // namespace

std::string judge_strictly(std::string_view text) {
  return StrictMsccl::judge(text);
}

namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

std::string exported(std::string_view algorithm, std::uint32_t ranks, std::uint32_t chunks = 0) {
  const auto found = find_algorithm(CollectiveKind::all_reduce, algorithm);
  const auto plan =
      make_plan(**found, {CollectiveKind::all_reduce, ranks, {0}, true}, {.chunks = chunks});
  return *schedule_to_msccl(*build_schedule(*plan), {.name = std::string(algorithm)});
}

/// The text with the nth `from` replaced; empty where there are fewer.
std::string mutated(std::string text, const std::string& from, const std::string& to,
                    std::size_t nth = 0) {
  auto at = text.find(from);
  while (nth-- > 0 && at != std::string::npos) at = text.find(from, at + 1);
  return at == std::string::npos ? "" : text.replace(at, from.size(), to);
}

/// What our check finds first; empty: nothing.
std::string finding(const std::string& text) {
  const auto report = check_schedule_text(text, "f");
  if (!report) return report.error().message;
  return report->findings.empty()
             ? ""
             : report->findings.front().kind + ": " + report->findings.front().what;
}

TEST(StrictMsccl, SeesEveryRuleBroken) {
  const auto text = exported("ring", 3);
  EXPECT_EQ(judge_strictly(text), "");
  const std::pair<const char*, const char*> mutations[] = {{"hasdep=\"1\"", "hasdep=\"0\""},
                                                           {"hasdep=\"0\"", "hasdep=\"1\""},
                                                           {"send=\"1\"", "send=\"0\""},
                                                           {"cnt=\"1\"", "cnt=\"2\""},
                                                           {"cnt=\"1\"", "cnt=\"72\""},
                                                           {"tb id=\"1\"", "tb id=\"2\""},
                                                           {" s=\"1\"", " s=\"3\""},
                                                           {"deps=\"0\"", "deps=\"9\""},
                                                           {"i_chunks=\"3\"", "i_chunks=\"2\""},
                                                           {"type=\"s\"", "type=\"t\""},
                                                           {"proto=\"Simple\"", "proto=\"simple\""},
                                                           {"</tb>", ""},
                                                           {"srcoff=\"2\"", "srcoff=\"3\""},
                                                           {"type=\"rrc\"", "type=\"nop\""}};
  for (const auto& [from, to] : mutations) {
    const auto broken = mutated(text, from, to);
    ASSERT_NE(broken, "") << from;
    EXPECT_NE(judge_strictly(broken), "") << from << " -> " << to;
  }
}

TEST(StrictMsccl, MutationsAreFoundByName) {
  const auto text = exported("ring", 4);
  ASSERT_EQ(finding(text), "");
  const auto all = [&](const std::string& from, const std::string& to, const auto& says) {
    std::size_t n = 0;
    for (std::string broken; !(broken = mutated(text, from, to, n)).empty(); ++n)
      EXPECT_THAT(finding(broken), AllOf(HasSubstr("gpu "), HasSubstr("step "), says))
          << from << ", number " << n;
    EXPECT_GT(n, 0u) << from;
  };
  all("type=\"rrc\"", "type=\"r\"", AnyOf(HasSubstr("result: "), HasSubstr("race: ")));
  all("send=\"1\"", "send=\"2\"", HasSubstr("mismatch: "));
  all("hasdep=\"1\"", "hasdep=\"0\"", HasSubstr("has hasdep=\"0\""));
  all("depid=\"1\"", "depid=\"-1\"", HasSubstr("race: "));
  all("type=\"s\" srcbuf=\"i\" srcoff=\"2\"", "type=\"s\" srcbuf=\"i\" srcoff=\"3\"",
      AnyOf(HasSubstr("result: "), HasSubstr("race: ")));
}

TEST(StrictMsccl, NopsHandTheirWaitsToAStepThatWaits) {
  const auto text = exported("halving_doubling", 4);
  const auto nop = text.find("type=\"nop\"");
  ASSERT_NE(nop, std::string::npos);
  const auto next = text.find("depid=\"", text.find("<step", nop));
  auto broken = text;
  broken.replace(next, text.find(" hasdep", next) - next, "depid=\"-1\" deps=\"-1\"");
  EXPECT_THAT(judge_strictly(broken), HasSubstr("nops before no dependency"));
  EXPECT_THAT(finding(broken), HasSubstr("follows nops but has no depid of its own"));
}

}  // namespace
}  // namespace ringside
