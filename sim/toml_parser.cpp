// TOML is read by toml++, behind a guard. Version 3.3, which Debian 12 has, trusts its input:
// - `[)` breaks an assertion, or, where those are compiled out, is undefined behaviour. Here they
//   are always on, and throw.
// - Outside strings and comments, letters from ranges such as U+00A0 to U+0499 reach code marked
//   unreachable. None may stand there, so letters beyond ASCII are disguised as private-use ones,
//   which it refuses politely.
// - It recurses once a dotted key: 500,000 of them overflow the stack. Dots are counted first.

#include <algorithm>

#include "sim/strict_toml.hpp"
#include "sim/utf8.hpp"

namespace ringside::sim {
namespace {

struct BrokenAssertion {};
[[noreturn]] void refuse() {
  throw BrokenAssertion{};
}

}  // namespace
}  // namespace ringside::sim

#undef NDEBUG  // it would switch the assertions off again
#define TOML_ASSERT(expression) ((expression) ? void() : ringside::sim::refuse())
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#define toml ringside_toml  // a program that has toml++ of its own must not link it with this one
#include <toml++/toml.h>

namespace ringside::sim {
namespace {

constexpr std::size_t most_text = 2u << 20;
constexpr std::ptrdiff_t most_dots = 512;  // a line

tl::unexpected<Error> bad_line(std::string_view file, std::ptrdiff_t line,
                               const std::string& sentence) {
  return bad_request(std::string(file) + ":" + std::to_string(line) + ": " + sentence);
}

std::ptrdiff_t line_of(std::string_view text, std::size_t at) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

/// Well-formed UTF-8, where what takes two or three bytes (U+0080 to U+FFFF) moves up by 0x100000.
std::string disguised(std::string_view text) {
  std::string moved;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >> 4 == 0xe) {
      moved += {'\xf4', static_cast<char>(0x80 | (byte & 0xf))};
    } else if (byte >> 5 == 0x6) {
      moved += {'\xf4', '\x80', static_cast<char>(0x80 | (byte & 0x1f))};
    } else {
      moved += c;
    }
  }
  return moved;
}

/// The way back, also from a message that was cut short within a letter.
std::string undisguised(std::string_view text) {
  std::string back;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\xf4') {
      back += text[i];
      continue;
    }
    if (i + 2 >= text.size()) break;
    const auto second = static_cast<unsigned char>(text[++i]);
    const auto third = static_cast<unsigned char>(text[i + 1]);
    if (second == 0x80 && third < 0xa0) {
      back += static_cast<char>(0xc0 | (third & 0x1f));
      ++i;
    } else {
      back += static_cast<char>(0xe0 | (second & 0xf));
    }
  }
  back.resize(first_not_utf8(back));
  return back;
}

/// What toml++ must not see.
Result<void> check_text(std::string_view text, std::string_view file) {
  if (text.size() > most_text)
    return bad_request(std::string(file) + ": more than 2 MiB is too large for a TOML file");
  const auto fail = [&](std::size_t at, const std::string& sentence) {
    return bad_line(file, line_of(text, at), sentence);
  };
  if (const auto wrong = first_not_utf8(text); wrong != text.size())
    return fail(wrong, "this is not UTF-8 text");
  if (const auto zero = text.find('\0'); zero != text.npos) return fail(zero, "this is not text");
  const auto hidden = std::min(text.find('\xf4'), text.find("\\U0010"));
  if (hidden != text.npos)
    return fail(hidden, "private-use characters from U+100000 have no place here");
  for (std::size_t begin = 0; begin < text.size();) {
    const auto line = text.substr(begin, text.find('\n', begin) - begin);
    if (std::count(line.begin(), line.end(), '.') > most_dots)
      return fail(begin, "this is nested too deep: a line has 512 dots at most");
    begin += line.size() + 1;
  }
  return {};
}

TomlValue converted(const toml::node& node);

TomlValue::Table converted(const toml::table& table) {
  struct Written {
    toml::source_position at;
    TomlEntry entry;
  };
  std::vector<Written> written;
  for (const auto& [key, value] : table)
    written.push_back({key.source().begin, {undisguised(key.str()), converted(value)}});
  std::sort(written.begin(), written.end(),
            [](const Written& a, const Written& b) { return a.at < b.at; });
  TomlValue::Table entries;
  for (auto& [at, entry] : written) entries.push_back(std::move(entry));
  return entries;
}

TomlValue converted(const toml::node& node) {
  TomlValue value{.line = node.source().begin.line, .value = {}};
  if (const auto* flag = node.as_boolean()) value.value = flag->get();
  if (const auto* number = node.as_integer()) value.value = number->get();
  if (const auto* number = node.as_floating_point()) value.value = number->get();
  if (const auto* text = node.as_string()) value.value = undisguised(text->get());
  if (const auto* table = node.as_table()) value.value = converted(*table);
  if (const auto* array = node.as_array()) {
    TomlValue::Array elements;
    for (const auto& element : *array) elements.push_back(converted(element));
    value.value = std::move(elements);
  }
  return value;
}

bool breaks_assertion(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
    return false;
  } catch (const BrokenAssertion&) {
    return true;
  }
  return false;
}

/// The line whose addition breaks an assertion.
std::ptrdiff_t broken_line(std::string_view text) {
  std::ptrdiff_t good = 0, broken = line_of(text, text.size());
  while (broken - good > 1) {
    const auto middle = good + (broken - good) / 2;
    std::size_t end = 0;
    for (std::ptrdiff_t i = 0; i < middle; ++i) end = text.find('\n', end) + 1;
    (breaks_assertion(text.substr(0, end)) ? broken : good) = middle;
  }
  return broken;
}

std::string sentence(const toml::parse_error& error) {
  auto text = undisguised(error.description());
  const auto says = [&text](std::string_view words) { return text.find(words) != text.npos; };
  if (says("TOML_MAX_NESTED_VALUES")) return "this is nested too deep: 32 values at most";
  if (text.starts_with('E')) text.front() = 'e';
  const bool is_bare =
      says(" value:") || says(" integer:") || says(" float:") || says(" boolean:") || says(" date");
  return "this is not TOML: " + text + (is_bare ? "; text goes in \"quotes\"" : "");
}

}  // namespace

Result<TomlValue> parse_toml(std::string_view text, std::string_view file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  RS_TRY(check_text(text, file));
  const auto safe = disguised(text);
  try {
    TomlValue root{.line = 1, .value = converted(toml::parse(safe))};
    return root;
  } catch (const toml::parse_error& error) {
    return bad_line(file, error.source().begin.line, sentence(error));
  } catch (const BrokenAssertion&) {
    return bad_line(file, broken_line(safe), "this is not TOML: a name or value here is malformed");
  }
}

}  // namespace ringside::sim
