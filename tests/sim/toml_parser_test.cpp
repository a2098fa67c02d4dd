#include <gmock/gmock.h>

#include "sim/strict_toml.hpp"
#include "sim/utf8.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

/// The parsed text in one line: tables in {}, arrays in [], strings quoted, what is none of ours ?.
std::string shown(const TomlValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value.value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value.value)) return toml_quoted(*text);
  std::string all;
  if (const auto* array = std::get_if<TomlValue::Array>(&value.value)) {
    for (const auto& element : *array) all += (all.empty() ? "" : " ") + shown(element);
    return "[" + all + "]";
  }
  if (const auto* table = std::get_if<TomlValue::Table>(&value.value)) {
    for (const auto& [key, entry] : *table)
      all += (all.empty() ? "" : " ") + key + "=" + shown(entry);
    return "{" + all + "}";
  }
  return "?";
}

std::string parsed(std::string_view text) {
  const auto root = parse_toml(text, "t");
  return root ? shown(*root) : root.error().message;
}

TEST(TomlParser, ReadsWhatTomlHas) {
  EXPECT_EQ(parsed(""), "{}");
  EXPECT_EQ(parsed("# nothing"), "{}");
  EXPECT_EQ(parsed("\xef\xbb\xbfx = 1"), "{x=1}");
  EXPECT_EQ(parsed("x = 1 # one\r\ny = -2\r\n"), "{x=1 y=-2}");
  EXPECT_EQ(parsed("a = true\nb = +1_000\nc-_9 = false"), "{a=true b=1000 c-_9=false}");
  EXPECT_EQ(parsed("a = 1.5\nb = 1979-05-27T07:32:00Z\nc = inf\nd = 0xff"), "{a=? b=? c=? d=255}");
  EXPECT_EQ(parsed("a = 'C:\\x'\nb = \"\\\"\\\\\\u00e9\\U0001F600\\b\""),
            "{a=\"C:\\\\x\" b=\"\\\"\\\\\xc3\xa9\xf0\x9f\x98\x80\\u0008\"}");
  EXPECT_EQ(parsed("a = [1, [2], # two\n\n {b = 3},\n]"), "{a=[1 [2] {b=3}]}");
  EXPECT_EQ(parsed("a.b.c = 1\na.'d e' = 2\n\"f\" . g = 3"), "{a={b={c=1} d e=2} f={g=3}}");
  EXPECT_EQ(parsed("[a.b]\nx = 1\n[a]\ny = 2\n[ a . c ]"), "{a={b={x=1} y=2 c={}}}");
  EXPECT_EQ(parsed("[[a]]\nx = 1\n[a.b]\ny = 2\n[[a]]\n[[a.c]]\n[[a.c]]"),
            "{a=[{x=1 b={y=2}} {c=[{} {}]}]}");
}

TEST(TomlParser, RefusesWhatTomlDoesNotAllow) {
  for (const auto* text : {"x",
                           "x =",
                           "x = ",
                           "= 1",
                           "x = 1 y = 2",
                           "x = 25GB/s",
                           "x = hello",
                           "[",
                           "[]",
                           "[a",
                           "[[a]",
                           "[a]]",
                           "[a] b = 1",
                           "[\r",
                           "[\x01",
                           "x = [1",
                           "x = [1 2]",
                           "x = [}]",
                           "x = {a = 1",
                           "x = {,}",
                           "x = {a = 1\n}",
                           "x = \"a",
                           "x = \"a\nb\"",
                           "x = \"\\q\"",
                           "x = \"\\ud800\"",
                           "x = \"\\u12\"",
                           "x = \"\x01\"",
                           "x = 99999999999999999999",
                           "a.b",
                           "[)",
                           "[[+]]",
                           "x = \"\\U0010ffff\"",
                           "x = 1\nx = 2",
                           "[a]\nx = 1\n[a]",
                           "a = 1\n[a]",
                           "a = 1\na.b = 2",
                           "a = {}\n[a.b]",
                           "a = {}\na.b = 1",
                           "a = [{}]\n[[a]]",
                           "a = [{}]\n[a.b]",
                           "[a]\n[[a]]",
                           "[[a]]\n[a]\nx = 1",
                           "x. = 1",
                           ".x = 1",
                           "\xff",
                           "x = \"\xc0\x80\"",
                           "\xc2\xa0x = 1",
                           "x = 1\ry = 2"})
    EXPECT_THAT(parsed(text), HasSubstr("t:")) << text;
}

TEST(TomlParser, NamesTheLine) {
  EXPECT_THAT(parsed("a = 1\n\n# x\nb = [\n1,\n?]"), HasSubstr("t:6: "));
  EXPECT_THAT(parsed("a = 25GB/s"), HasSubstr("text goes in \"quotes\""));
  EXPECT_THAT(parsed("a = 1\n\xff"), HasSubstr("t:2: this is not UTF-8"));
  EXPECT_THAT(parsed(std::string("a = 1\n\n\0", 8)), HasSubstr("t:3: this is not text"));
  for (std::size_t line = 1; line < 20; ++line) {  // toml++ itself does not say where
    std::string text;
    for (std::size_t i = 1; i < 20; ++i)
      text += i == line ? "[)\n" : "[a" + std::to_string(i) + "]\n";
    EXPECT_THAT(parsed(text), HasSubstr("t:" + std::to_string(line) + ": "));
  }
}

/// Letters beyond ASCII go to toml++ in disguise: all come back, and none is welcome outside
/// quotes.
TEST(TomlParser, LettersBeyondAsciiComeBackAndAreRefusedOutsideQuotes) {
  for (const std::string letter :
       {"\xc2\x80", "\xc2\xa0", "\xc3\xa9", "\xd0\x86", "\xdf\xbf", "\xe0\xa0\x80", "\xe2\x80\x94",
        "\xe3\x80\x80", "\xe4\xb8\xad", "\xef\xbb\xbf", "\xef\xbb\x9d", "\xef\xbf\xbf",
        "\xf0\x9f\x98\x80", "\xf3\xb0\x80\x80"}) {
    EXPECT_EQ(parsed("x = \"a" + letter + "b\"  # " + letter), "{x=\"a" + letter + "b\"}");
    EXPECT_EQ(parsed("'" + letter + "' = 1"), "{" + letter + "=1}");
    for (const auto& text : {letter + " = 1", "x = " + letter, "[" + letter + "]", "x " + letter,
                             "x = 1 " + letter, "x = 1\n " + letter})
      EXPECT_THAT(parsed(text), testing::StartsWith("t:")) << text;
  }
}

TEST(TomlParser, DoesNotRunOutOfStack) {
  std::string keys = "a";
  for (int i = 0; i < 512; ++i) keys += ".a";
  EXPECT_THAT(parsed("[" + keys + "]\n" + keys + " = 1"), HasSubstr("1}}}"));
  EXPECT_THAT(parsed(keys + ".a = 1"), HasSubstr("t:1: this is nested too deep"));
  EXPECT_THAT(parsed("x = " + std::string(1'000'000, '[')), HasSubstr("t:1: "));
  EXPECT_THAT(parsed(std::string(3u << 20, ' ')), HasSubstr("2 MiB"));
}

TEST(TomlParser, QuotedTextReadsBack) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  const auto root = parse_toml("x = " + toml_quoted(all), "t");
  ASSERT_TRUE(root);
  EXPECT_EQ(std::get<std::string>(std::get<TomlValue::Table>(root->value)[0].value.value), all);
}

TEST(Utf8, IsToldFromWhatIsNot) {
  for (const std::string_view good :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(first_not_utf8(good), good.size());
    const auto cut = good.substr(0, good.size() - (good.size() > 1));
    EXPECT_EQ(first_not_utf8(cut), good.size() > 1 ? 0u : good.size());
  }
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"})
    EXPECT_EQ(first_not_utf8("ab" + std::string(bad)), 2u);
}

}  // namespace
}  // namespace ringside::sim
