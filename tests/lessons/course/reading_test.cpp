// Files, numbers and expressions as people write them.

#include <gmock/gmock.h>

#include "lessons/course/amount.hpp"
#include "lessons/course/expression.hpp"
#include "lessons/course/lesson.hpp"
#include "lessons/course/markdown.hpp"

namespace ringside::lessons {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Amount, IsShownWithFourDigitsInAUnitThatSuits) {
  EXPECT_EQ(show(179.2e6, Unit::bytes), "179.2 MB");
  EXPECT_EQ(show(7.0 * (1 << 30), Unit::bytes), "7 GiB");
  EXPECT_EQ(show(64.0 * 1024, Unit::bytes), "64 KiB");
  EXPECT_EQ(show(1433.6e6, Unit::bytes), "1.434 GB");
  EXPECT_EQ(show(0.0161, Unit::time), "16.1 ms");
  EXPECT_EQ(show(25e9, Unit::bandwidth), "25 GB/s");
  EXPECT_EQ(show(80.0 / 122, Unit::percent), "65.57 %");
  EXPECT_EQ(show(10.49, Unit::times), "10.49x");
  EXPECT_EQ(show(14000, Unit::none), "14000");
  EXPECT_EQ(show(0.1 + 0.2, Unit::none), "0.3");
  EXPECT_EQ(show(0, Unit::bytes), "0 B");
}

TEST(Amount, IsReadAsPeopleTypeIt) {
  const auto read = [](const char* text, Unit unit) {
    return parse_amount(text, unit).value_or(-1);
  };
  EXPECT_DOUBLE_EQ(read("179.2 MB", Unit::bytes), 179.2e6);
  EXPECT_DOUBLE_EQ(read("179.2mb", Unit::bytes), 179.2e6);
  EXPECT_DOUBLE_EQ(read("0.75GiB", Unit::bytes), 0.75 * (1 << 30));
  EXPECT_DOUBLE_EQ(read("１６．１ｍｓ", Unit::time), 0.0161);
  EXPECT_DOUBLE_EQ(read("20 µs", Unit::time), 20e-6);
  EXPECT_DOUBLE_EQ(read("400Gb/s", Unit::bandwidth), 50e9);
  EXPECT_DOUBLE_EQ(read("65.6%", Unit::percent), 0.656);
  EXPECT_DOUBLE_EQ(read("65.6", Unit::percent), 0.656);
  EXPECT_DOUBLE_EQ(read("10.5x", Unit::times), 10.5);
  EXPECT_DOUBLE_EQ(read("8 步", Unit::steps), 8);
  EXPECT_DOUBLE_EQ(read("1,400", Unit::none), 1400);
  EXPECT_EQ(read("0", Unit::bytes), 0);
  for (const char* text : {"", "x", "12", "12 parsecs", "1e999 MB", "nan MB", "inf MB", "--3 MB"})
    EXPECT_FALSE(parse_amount(text, Unit::bytes)) << text;
  EXPECT_THAT(parse_amount("12", Unit::bytes).error().message, HasSubstr("with its unit"));
}

Values values() {
  return {{"n", {8, Unit::none}},
          {"S", {100e6, Unit::bytes}},
          {"B", {25e9, Unit::bandwidth}},
          {"a", {5e-6, Unit::time}}};
}
Result<Quantity> worked_out(std::string_view text) {
  const auto names = values();
  return evaluate(text, Scope{names, [](std::string_view) -> Result<ExperimentPtr> {
                                return bad_request("there are no runs here");
                              }});
}

TEST(Expression, KnowsItsDimension) {
  const auto unit = [](const char* text) { return worked_out(text)->unit; };
  EXPECT_EQ(unit("2 * (n - 1) / n * S"), Unit::bytes);
  EXPECT_EQ(unit("2 * (n - 1) * a + S / B"), Unit::time);
  EXPECT_EQ(unit("S / (S / B)"), Unit::bandwidth);
  EXPECT_EQ(unit("S / MB"), Unit::none);
  EXPECT_EQ(unit("max(S / B, a)"), Unit::time);
  EXPECT_EQ(unit("n > 4 ? S : 2 * S"), Unit::bytes);
  EXPECT_EQ(unit("sqrt(S / B / a)"), Unit::none);
}

TEST(Expression, IsWorkedOut) {
  const auto value = [](const char* text) { return worked_out(text)->value; };
  EXPECT_DOUBLE_EQ(value("2 * (n - 1)"), 14);
  EXPECT_DOUBLE_EQ(value("mod(1 - 3, 5)"), 3);
  EXPECT_DOUBLE_EQ(value("floor(2.7) + ceil(2.1) + round(2.5)"), 8);
  EXPECT_DOUBLE_EQ(value("float32(float32(100000000 + 1) - 100000000)"), 0);
  EXPECT_DOUBLE_EQ(value("true && n == 8 ? log2(n) : 0"), 3);
  EXPECT_DOUBLE_EQ(value("zero_memory(0, 8, 1000)"), 16000);
}

TEST(Expression, WhatCannotBeWorkedOutIsOneSentence) {
  const auto error = [](std::string_view text) { return worked_out(text).error().message; };
  EXPECT_THAT(error("2 * m"), HasSubstr("there is no name"));
  EXPECT_THAT(error("time('ring')"), HasSubstr("there are no runs here"));
  EXPECT_THAT(error("1 / 0"), HasSubstr("finite"));
  EXPECT_THAT(error("mod(1, 0)"), HasSubstr("mod(a, 0)"));
  EXPECT_THAT(error(""), HasSubstr("empty"));
  for (const char* text : {"(", ")", "1 +", "sent()", "sent('x'", "'", "a = 3", "zero_sent(1)",
                           "2 2", "if", "\"", "n ? 1", "time(n)"})
    EXPECT_FALSE(worked_out(text)) << text;
  EXPECT_FALSE(worked_out(std::string(5000, '(')));
  EXPECT_FALSE(worked_out(std::string(399, '(')));
}

std::string shown(const Block& block) {
  return plain_text(block.line);
}

TEST(Markdown, BecomesBlocks) {
  const auto blocks = parse_markdown(
      "One **two** *three*\nfour `[[five]]` [[six]].\n\n"
      "- seven\n  - eight\n1. nine\n\n> ten\n\n| a | b |\n|---|---|\n| c | d "
      "|\n\n```\n[[x]]\n```\n");
  ASSERT_EQ(blocks.size(), 7u);
  EXPECT_EQ(shown(blocks[0]), "One two three four [[five]] ____.");
  EXPECT_TRUE(blocks[0].line[1].strong);
  EXPECT_TRUE(blocks[0].line[3].emphasis);
  EXPECT_EQ(blocks[0].line[7].blank, "six");
  EXPECT_EQ(blocks[1].marker, "-");
  EXPECT_EQ(blocks[2].level, 2u);
  EXPECT_EQ(blocks[3].marker, "1.");
  EXPECT_EQ(blocks[4].kind, BlockKind::quote);
  ASSERT_EQ(blocks[5].rows.size(), 2u);
  EXPECT_EQ(plain_text(blocks[5].rows[1][1]), "d");
  EXPECT_EQ(blocks[6].kind, BlockKind::code);
  EXPECT_EQ(blocks[6].line[0].text, "[[x]]\n");
}

TEST(Mentions, AreNamesInBraces) {
  const auto found = mentions("{n} of {S:bytes},\n{1,2} {} {x y} {_a1}");
  EXPECT_THAT(found,
              ElementsAre(Mention{"n", "", 0}, Mention{"S", "bytes", 0}, Mention{"_a1", "", 1}));
  const auto said =
      filled("a {n}{", [](const Mention& one) -> Result<std::string> { return one.name; });
  EXPECT_EQ(*said, "a n{");
}

TEST(LessonText, ErrorsNameTheLine) {
  const auto error = [](std::string_view text) {
    const auto read = parse_lesson_text(text, "en.md");
    return read ? std::string("read") : read.error().message;
  };
  EXPECT_THAT(error(""), StartsWith("en.md:0: a title is missing"));
  EXPECT_THAT(error("hello\n"), StartsWith("en.md:1: text before the title"));
  EXPECT_THAT(error("# A\n\n## b\n## b\n"), StartsWith("en.md:4: the beat \"b\" has been written"));
  EXPECT_THAT(error("# A\n## b\n### hint 4\n"),
              StartsWith("en.md:3: \"hint 4\" is no part of a beat"));
  EXPECT_THAT(error("# A\n### right\n"), StartsWith("en.md:2: a `###` part before the first beat"));
  EXPECT_EQ(error("# A\n## b\n```\n# no heading\n```\n"), "read");
}

TEST(LessonToml, ErrorsNameTheLineAndWhatWasExpected) {
  const auto error = [](const std::string& text) {
    const auto read = parse_lesson(text, "lesson.toml", ".");
    return read ? std::string("read") : read.error().message;
  };
  const std::string beat = "[[beat]]\nid = \"a\"\npart = \"hook\"\n";
  EXPECT_EQ(error(beat), "read");
  EXPECT_THAT(error("minutes = 13\n" + beat),
              StartsWith("lesson.toml:1: minutes is a whole number"));
  EXPECT_THAT(error("[vars]\nn = []\n" + beat), StartsWith("lesson.toml:2: n has no value"));
  EXPECT_THAT(error("[vars]\nn = [\"4 parsecs\"]\n" + beat),
              HasSubstr("is no number, and no size"));
  EXPECT_THAT(error(beat + "run = \"rong\"\n"), StartsWith("lesson.toml:4: there is no run"));
  EXPECT_THAT(error(beat + "[beat.ask]\nkind = \"nmber\"\n"),
              HasSubstr("there is no kind \"nmber\"; did you mean number?"));
  EXPECT_THAT(error(beat + "[beat.ask]\nkind = \"number\"\n"), HasSubstr("answer is missing"));
  EXPECT_THAT(error(beat + "[beat.ask]\nkind = \"number\"\nanswer = \"1\"\nchoice = 3\n"),
              HasSubstr("there is no key \"choice\""));
  EXPECT_THAT(error(beat + beat), HasSubstr("the beat a is there twice"));
  std::string many;
  for (int i = 0; i < 41; ++i)
    many += "[[beat]]\nid = \"b" + std::to_string(i) + "\"\npart = \"hook\"\n";
  EXPECT_THAT(error(many), HasSubstr("a lesson has 1 to 40 [[beat]], not 41"));
}

}  // namespace
}  // namespace ringside::lessons
