// `ringside verify` says what is right and finds what is wrong, on paper and on real data.

#include "viz/terminal/verification.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/file.hpp"
#include "core/variants.hpp"
#include "tests/viz/command.hpp"
#include "viz/terminal/backends.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

Json json_of(const std::string& words) {
  const auto ran = run(words + " --json");
  EXPECT_EQ(ran.status, 0) << words << ran.err;
  return Json::parse(ran.out);
}

TEST(VerifyOnReference, PutsEveryTypeAndOpThroughEveryAlgorithm) {
  const auto json = json_of("verify --backend reference --ranks 3");
  std::set<std::string> expected, seen;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& spec : specs_that_matter(algorithm.collective, 3)) {
      if (!make_plan(algorithm, spec, {})) continue;
      const bool barrier = spec.kind == CollectiveKind::barrier;
      for (std::size_t t = 0; t < (barrier ? 1 : element_type_count); ++t)
        for (std::size_t o = 0; o < (reduces(spec.kind) ? reduce_op_count : 1); ++o) {
          std::string key = std::string(name(spec.kind)) + " " + std::string(algorithm.name) + " " +
                            std::to_string(spec.root.value) + (spec.in_place ? " in place" : "");
          if (!barrier) key += " " + std::string(name(static_cast<ElementType>(t)));
          if (reduces(spec.kind)) key += " " + std::string(name(static_cast<ReduceOp>(o)));
          EXPECT_TRUE(expected.insert(key).second) << key;
        }
    }
  for (const Json& row : json["results"]) {
    EXPECT_EQ(row["backend"], "reference");
    EXPECT_EQ(row["ranks"], 3);
    EXPECT_EQ(row["wrong"], 0) << row;
    EXPECT_EQ(row["pass"], true) << row;
    EXPECT_FALSE(row.contains("violation")) << row;
    std::string key =
        row["collective"].get<std::string>() + " " + row["algorithm"].get<std::string>() + " " +
        std::to_string(row.value("root", 0)) + (row["in_place"].get<bool>() ? " in place" : "");
    if (row.contains("type")) key += " " + row["type"].get<std::string>();
    if (row.contains("redop")) key += " " + row["redop"].get<std::string>();
    EXPECT_TRUE(seen.insert(key).second) << key << " comes twice";
  }
  EXPECT_EQ(seen, expected);
}

TEST(VerifyOnReference, AllIsMoreThanPairs) {
  const auto runs = [](const std::string& more) {
    const auto ran = run("verify --backend reference --ranks 2 --algorithm star" + more);
    EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
    std::uint64_t n = 0;
    for (const auto& line : lines(ran.out))
      if (line.find(" runs on reference") != std::string::npos) n = std::stoull(line);
    return n;
  };
  const auto pairs = runs(""), product = runs(" --all");
  EXPECT_GT(pairs, 100u);
  EXPECT_GT(product, 10 * pairs);
}

TEST(VerifyOnReference, SaysHowMuchItDid) {
  const auto ran = run("verify --backend reference --ranks 1-2 --algorithm ring");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("ok    all_reduce      ring "));
  EXPECT_THAT(ran.out, HasSubstr(" runs on reference, "));
  EXPECT_EQ(ran.out.find("FAIL"), std::string::npos);
}

/// Runs other work than it is asked for.
class Mistaken final : public Backend {
 public:
  using Change = void (*)(Work&);
  explicit Mistaken(Change change) : change_(change) {}
  std::string_view name() const override { return "mistaken"; }
  Capabilities capabilities() const override { return {.agents = false, .real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    Work other = work;
    change_(other);
    return real_->prepare(other, memory, options);
  }

 private:
  std::unique_ptr<Backend> real_ = make_reference_backend();
  Change change_;
};

struct Verdict {
  int status = -1;
  std::string text;
};
Verdict verdict(Backend& backend, const Verification& what, bool json) {
  OutputOptions output;
  output.json = json;
  output.out = testing::TempDir() + "ringside_verdict_" + std::to_string(getpid());
  const auto status = verify_all(what, &backend, output);
  EXPECT_TRUE(status);
  Verdict found{status.value_or(-1), read_file(output.out).value_or("")};
  std::remove(output.out.c_str());
  return found;
}

Verification only(CollectiveKind kind, std::string_view algorithm) {
  return {{*find_algorithm(kind, algorithm)}, 2, 3};
}

TEST(VerifyOnABadBackend, EndsInOneAndNamesTheCase) {
  Mistaken backend([](Work& work) {
    if (work.op == ReduceOp::max && work.type == ElementType::float16) work.op = ReduceOp::min;
  });
  const auto what = only(CollectiveKind::all_reduce, "ring");
  const auto text = verdict(backend, what, false);
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.text, HasSubstr("FAIL  all_reduce      ring"));
  EXPECT_THAT(text.text, HasSubstr("\n      2 ranks, half max: count 67, exact data"));
  EXPECT_THAT(text.text, HasSubstr("284 of 288 placements, types and ops right\n"));
  const auto json = Json::parse(verdict(backend, what, true).text);
  for (const Json& row : json["results"]) {
    const bool wrong = row["type"] == "half" && row["redop"] == "max";
    EXPECT_EQ(row["pass"], !wrong) << row;
    EXPECT_EQ(row["wrong"] > 0, wrong) << row;
    EXPECT_EQ(row.contains("violation"), wrong) << row;
  }
}

TEST(VerifyOnABadBackend, SeesEverySlip) {
  const std::pair<const char*, Mistaken::Change> slips[] = {
      {"the last element forgotten", [](Work& w) { w.count -= w.count > 0; }},
      {"an average never divided",
       [](Work& w) { w.op = w.op == ReduceOp::avg ? ReduceOp::sum : w.op; }},
      {"inputs never scaled",
       [](Work& w) { w.op = w.op == ReduceOp::mulsum ? ReduceOp::sum : w.op; }},
      {"bfloat16 taken for half", [](Work& w) {
         if (w.type == ElementType::bfloat16) w.type = ElementType::float16;
       }}};
  for (const auto& [what, change] : slips) {
    Mistaken backend(change);
    EXPECT_EQ(verdict(backend, only(CollectiveKind::reduce, "binomial"), false).status, 1) << what;
  }
  Mistaken right([](Work&) {});
  EXPECT_EQ(verdict(right, only(CollectiveKind::reduce, "binomial"), false).status, 0);
}

/// Damages its result where two things come together.
class Particular final : public Backend {
 public:
  using Trouble = bool (*)(const Work&, const Memory&, const RunOptions&);
  explicit Particular(Trouble trouble) : trouble_(trouble) {}
  std::string_view name() const override { return "particular"; }
  Capabilities capabilities() const override {
    static constexpr std::string_view ways[] = {"plain", "odd"};
    return {.real_bytes = true, .executors = ways};
  }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    Work other = work;
    if (trouble_(work, memory, options)) other.count -= 1;
    return real_->prepare(other, memory, options);
  }

 private:
  std::unique_ptr<Backend> real_ = make_reference_backend();
  Trouble trouble_;
};

TEST(VerifyOnABadBackend, SeesWhateverTwoThingsTogetherDo) {
  const Particular::Trouble troubles[] = {
      [](const Work& w, const Memory&, const RunOptions& run) {
        return w.count == 1009 && run.executor == "odd";
      },
      [](const Work& w, const Memory& m, const RunOptions&) {
        const auto at = reinterpret_cast<std::uintptr_t>(m.ranks[0].output.data());
        return w.count > 0 && w.type == ElementType::bfloat16 && at % 64 == 6;
      },
      [](const Work& w, const Memory&, const RunOptions&) {
        return w.op == ReduceOp::prod && w.count == w.schedule->spec().ranks + 1;
      }};
  for (const auto trouble : troubles) {
    Particular backend(trouble);
    EXPECT_EQ(verdict(backend, only(CollectiveKind::all_reduce, "ring"), false).status, 1);
  }
}

/// Its first runs end, the others do not.
class Hanging final : public Backend {
 public:
  std::string_view name() const override { return "hanging"; }
  Capabilities capabilities() const override { return {.real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    timeout = options.timeout;
    if (++runs > 10) return gone_wrong("rank 1 does not answer");
    return real_->prepare(work, memory, options);
  }
  int runs = 0;
  Duration timeout{};

 private:
  std::unique_ptr<Backend> real_ = make_reference_backend();
};

TEST(VerifyOnABadBackend, ARunThatDoesNotEndIsTheLast) {
  auto what = only(CollectiveKind::all_reduce, "ring");
  what.algorithms.push_back(*find_algorithm(CollectiveKind::broadcast, "chain"));
  what.trying.timeout = 3000000_us;
  Hanging backend;
  const auto text = verdict(backend, what, false);
  EXPECT_EQ(backend.runs, 11);
  EXPECT_EQ(backend.timeout, 3000000_us);
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.text, HasSubstr("rank 1 does not answer"));
  EXPECT_THAT(text.text, HasSubstr("11 runs on hanging, "));
  EXPECT_THAT(text.text, HasSubstr(" right; the last run did not end\n"));
  EXPECT_EQ(text.text.find("chain"), std::string::npos) << "it was not tried";
  Hanging again;
  const auto json = Json::parse(verdict(again, what, true).text);
  std::size_t failed = 0;
  for (const Json& row : json["results"]) failed += !row["pass"].get<bool>();
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(json["results"].back()["pass"], false) << "rows that were not tried are not there";
  EXPECT_THAT(json["notes"].dump(), HasSubstr("nothing was tried after it"));
}

TEST(VerifyOnABadBackend, LeavesOutWhatItCannotRun) {
  Mistaken no_agents([](Work&) {});
  const auto found = verdict(no_agents, only(CollectiveKind::all_reduce, "nvls"), false);
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.text, HasSubstr("0 runs"));
  EXPECT_THAT(found.text, HasSubstr("not for 2, 3 ranks"));
}

TEST(Backends, AreThoseThatAreListed) {
  const Json listed = json_of("list backends");
  for (const Json& entry : listed["results"]) {
    const std::string name = entry["name"];
    EXPECT_EQ(entry["usable"].get<bool>(), !entry.contains("lacks")) << entry;
    if (!entry["usable"].get<bool>()) continue;
    EXPECT_TRUE(entry["built"].get<bool>()) << "what is not there cannot be used: " << entry;
    const std::string ranks = name == "mpi" ? "1" : "2";  // here is one process
    const auto ran = run("verify --ranks " + ranks + " --algorithm ring --backend " + name);
    EXPECT_EQ(ran.status, entry["moves_data"].get<bool>() ? 0 : 2) << name << ran.err;
    EXPECT_EQ(ran.err.find("no backend"), std::string::npos) << ran.err;
  }
}

TEST(Backends, ThatOtherBuildsHaveAreListedAndLackedHere) {
  const Json listed = json_of("list backends");
  std::set<std::string> names;
  for (const Json& entry : listed["results"]) {
    const std::string name = entry["name"];
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
    if (entry["usable"].get<bool>()) continue;
    const auto ran = run("verify --ranks 2 --backend " + name);
    EXPECT_EQ(ran.status, 3) << name;
    EXPECT_THAT(run("list backends").out, HasSubstr("(not here: " + std::string(entry["lacks"])));
    if (entry["built"].get<bool>()) continue;
    EXPECT_EQ(ran.err, "ringside: this build has no " + name +
                           " backend; ringside list backends lists those it has\n");
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"host", "cuda", "nccl", "mpi"}));
}

}  // namespace
}  // namespace ringside::terminal
