#include "core/formats/msccl_write.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/engine.hpp"
#include "core/formats/check_schedule.hpp"
#include "core/schedule_builder.hpp"
#include "core/variants.hpp"
#include "core/verifier.hpp"
#include "tests/core/local_swap.hpp"
#include "tests/core/strict_msccl.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

/// Chunk by chunk, without step labels, and as the format can say it: a reduce of a separate local
/// operand is a copy and a reduce, and what waits in `kept` scratch never went there.
std::vector<Transfer> essence(const Schedule& schedule, std::uint32_t kept) {
  std::vector<Transfer> all;
  std::map<Slot, Slot> in_scratch;
  const auto one = [&](Slot slot, std::uint32_t c) {
    slot.chunk.value += c;
    const auto known = in_scratch.find(slot);
    return known == in_scratch.end() ? slot : known->second;
  };
  for (const Transfer& t : schedule.transfers())
    for (std::uint32_t c = 0; c < t.chunks(); ++c) {
      Slot src = one(t.src(), c);
      Slot with = one(t.with(), c);
      const Slot dst = one(t.dst(), c);
      if (dst.buffer == Buffer::scratch && dst.chunk.value >= kept) {
        in_scratch[dst] = src;
        continue;
      }
      if (t.is_local() && t.has_separate_operand()) {
        if (src == dst)
          src = with;
        else
          all.push_back(Transfer::copy(with, dst, 1, t.channel()));
        with = dst;
      }
      all.push_back(t.action() == Action::copy ? Transfer::copy(src, dst, 1, t.channel())
                                               : Transfer::reduce(src, with, dst, 1, t.channel()));
    }
  const auto key = [](const Transfer& t) {
    return std::tuple(t.src(), t.dst(), t.with(), t.action(), t.channel());
  };
  std::sort(all.begin(), all.end(),
            [&](const Transfer& a, const Transfer& b) { return key(a) < key(b); });
  return all;
}

bool same(const std::vector<Transfer>& a, const std::vector<Transfer>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Transfer& x, const Transfer& y) {
                      return x.src() == y.src() && x.dst() == y.dst() && x.with() == y.with() &&
                             x.action() == y.action() && x.channel() == y.channel();
                    });
}

/// Written, read strictly, read by us, proven, and the same story. Empty, or why not.
std::string round_trip(const Schedule& schedule, const std::string& name) {
  MscclHeader header{.name = name, .protocol = MscclProtocol::ll};
  const auto text = schedule_to_msccl(schedule, header);
  if (!text) return text.error().message;
  if (const auto broken = judge_strictly(*text); !broken.empty()) return "strict: " + broken;
  const auto report = check_schedule_text(*text, "written");
  if (!report) return report.error().message;
  if (!report->findings.empty()) return report->findings.front().what;
  const auto read = msccl_from_xml(*text, "written");
  if (read->is_custom) return "reads as custom";
  const auto& spec = read->program.spec;
  if (spec.kind != schedule.spec().kind || spec.root != schedule.spec().root ||
      spec.in_place != schedule.spec().in_place)
    return "reads as another collective";
  const auto again = lift(read->program);
  if (!again) return again.error().message;
  const auto kept = schedule.scratch_chunks();
  return same(essence(schedule, kept), essence(*again, kept)) ? "" : "reads as another story";
}

/// What each algorithm comes to: "" or a refusal.
void check_all(const Algorithm& algorithm, const CollectiveSpec& spec) {
  for (const Plan& plan : plans_that_matter(algorithm, spec)) {
    const auto schedule = build_schedule(plan);
    ASSERT_TRUE(schedule);
    const auto said = round_trip(*schedule, std::string(algorithm.name));
    const bool too_much = said.find("needs a switch") != std::string::npos ||
                          said.find("does not fit: MSCCL has room for") != std::string::npos ||
                          said.find("holds 8") != std::string::npos;
    EXPECT_TRUE(said.empty() || too_much)
        << name(spec.kind) << " " << algorithm.name << " on " << spec.ranks << " ranks, root "
        << spec.root.value << (spec.in_place ? ", in place" : "") << ", " << plan.options.chunks
        << " chunks: " << said;
    if (plan.options.agents > 0) {
      EXPECT_THAT(said, HasSubstr("MSCCL knows nothing"));
    }
  }
}

TEST(MscclWrite, OfEveryAlgorithmIsReadStrictlyAndBack) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 7u})
      for (const auto& spec : specs_that_matter(algorithm.collective, ranks))
        check_all(algorithm, spec);
}

TEST(MscclWriteFull, OfEveryAlgorithmIsReadStrictlyAndBack) {
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t ranks = 2; ranks <= 16; ++ranks)
      for (const auto& spec : specs_that_matter(algorithm.collective, ranks))
        check_all(algorithm, spec);
}

std::string refusal(CollectiveKind kind, std::string_view name, std::uint32_t ranks,
                    const Options& options) {
  const auto plan = make_plan(**find_algorithm(kind, name), {kind, ranks}, options);
  const auto text = schedule_to_msccl(*build_schedule(*plan), {.name = std::string(name)});
  return text ? "written" : text.error().message;
}

TEST(MscclWrite, RefusesWhatTheFormatHasNoRoomFor) {
  using enum CollectiveKind;
  EXPECT_THAT(refusal(all_reduce, "nvls", 4, {}),
              HasSubstr("all_reduce nvls needs a switch that computes"));
  EXPECT_THAT(refusal(all_gather, "direct", 34, {}),
              HasSubstr("all_gather direct does not fit: MSCCL has room for 32 peers a channel and "
                        "direction; gpu 0 has 33 on channel 0"));
  EXPECT_THAT(refusal(broadcast, "chain", 3, {.chunks = 300}),
              HasSubstr("room for 256 steps a tb; gpu 0, tb "));
}

TEST(MscclWrite, SplitsWhatMovesMoreThanSeventyOneChunks) {
  ScheduleBuilder builder({.kind = CollectiveKind::broadcast, .ranks = 2}, 200);
  builder.copy(input(0, 0), output(1, 0), 200);
  builder.copy(input(0, 0), output(0, 0), 200);
  const auto schedule = std::move(builder).build();
  ASSERT_TRUE(schedule);
  EXPECT_EQ(round_trip(*schedule, "split"), "");
  const auto text = *schedule_to_msccl(*schedule, {.name = "split"});
  EXPECT_THAT(text, HasSubstr("cnt=\"58\""));  // 71, 71, 58
}

TEST(MscclWrite, KeepsALocalSwapInScratch) {
  const auto schedule = local_swap();
  ASSERT_TRUE(schedule);
  const auto text = schedule_to_msccl(*schedule, {.name = "swap & <swap>"});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(judge_strictly(*text), "");
  const auto report = check_schedule_text(*text, "f");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->findings, testing::IsEmpty());
  EXPECT_EQ(report->msccl->name, "broadcast swap & <swap> root 0");
}

TEST(MscclWrite, OfDefaultsOnSixteenRanksFits) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const auto plan = make_plan(algorithm, {algorithm.collective, 16}, {});
    if (!plan || plan->options.agents > 0) continue;
    const auto schedule = build_schedule(*plan);
    ASSERT_TRUE(schedule);
    EXPECT_EQ(round_trip(*schedule, std::string(algorithm.name)), "")
        << name(algorithm.collective) << " " << algorithm.name;
  }
}

}  // namespace
}  // namespace ringside
