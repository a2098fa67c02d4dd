#include "viz/stage/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "viz/stage/keys.hpp"

namespace ringside::stage {
namespace {

using namespace script;
using Deed = decltype(Line::deed);
using Words = std::span<const std::string_view>;

/// A line's words, and the rest of the line after the first and the second of them.
struct Spoken {
  std::vector<std::string_view> words;
  std::string_view after_first, after_second;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Spoken spoken(std::string_view line) {
  Spoken said;
  for (std::string_view rest = trimmed(line); !rest.empty();) {
    const auto end = std::min(rest.find_first_of(" \t"), rest.size());
    said.words.push_back(rest.substr(0, end));
    rest = trimmed(rest.substr(end));
    if (said.words.size() == 1) said.after_first = rest;
    if (said.words.size() == 2) said.after_second = rest;
  }
  return said;
}

template <typename Number>
Result<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool is_finite = true;
  if constexpr (std::is_floating_point_v<Number>) is_finite = std::isfinite(number);
  if (error != std::errc{} || end != text.data() + text.size() || !is_finite)
    return bad_request(in_quotes(text) + " is not a " +
                       (std::is_floating_point_v<Number> ? "number" : "whole number"));
  return number;
}

Result<Duration> parse_signed_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  RS_ASSIGN(const Duration d, parse_duration(text.substr(is_negative ? 1 : 0)));
  return is_negative ? -1 * d : d;
}

Result<Buffer> parse_buffer(std::string_view text) {
  static constexpr std::string_view names[] = {"input", "output", "scratch"};
  const auto found = std::ranges::find(names, text);
  if (found == std::end(names)) return bad_request(unknown("buffer", text, names));
  return static_cast<Buffer>(found - std::begin(names));
}

/// `rank 3`, `slot output 2 5`, `none`; links are looked up later.
Result<Pick> parse_pick(Words words) {
  static constexpr std::string_view kinds[] = {"rank", "chunk", "transfer", "link", "slot", "none"};
  const std::string_view kind = words.empty() ? "" : words[0];
  const std::size_t wanted = kind == "none" ? 1 : kind == "slot" ? 4 : 2;
  if (std::ranges::count(kinds, kind) == 0) return bad_request(unknown("thing", kind, kinds));
  if (words.size() != wanted)
    return bad_request(
        "expected rank 3, chunk 2, transfer 17, link gpu0->gpu1, "
        "slot output 2 5 or none");
  Pick pick;
  if (kind == "none") return pick;
  if (kind == "slot") {
    RS_ASSIGN(const auto buffer, parse_buffer(words[1]));
    RS_ASSIGN(const auto rank, parse_number<std::uint32_t>(words[2]));
    RS_ASSIGN(const auto chunk, parse_number<std::uint32_t>(words[3]));
    pick.slot = Slot{{rank}, buffer, {chunk}};
    return pick;
  }
  RS_ASSIGN(const auto id, parse_number<std::uint32_t>(words[1]));
  if (kind == "rank") pick.rank = Rank{id};
  if (kind == "chunk") pick.chunk = ChunkId{id};
  if (kind == "transfer") pick.transfer = TransferId{id};
  return pick;
}

Result<Deed> read_pick(const Spoken& said) {
  const bool selects = said.words[0] == "select";
  if (said.words.size() == 3 && said.words[1] == "link")
    return PickLink{std::string(said.words[2]), selects};
  RS_ASSIGN(const Pick pick, parse_pick(Words(said.words).subspan(1)));
  if (selects) return Action{Select{pick}};
  return Action{Hover{pick}};
}

Result<Deed> read_seek(const Spoken& said) {
  std::string_view text = said.words[1];
  if (!text.ends_with('%')) {
    RS_ASSIGN(const Duration to, parse_signed_duration(text));
    return Action{Seek{to}};
  }
  text.remove_suffix(1);
  RS_ASSIGN(const double percent, parse_number<double>(text));
  return SeekShare{percent / 100};
}

Result<Deed> read_key(const Spoken& said) {
  const std::string key(said.words[1]);
  const bool is_digit = key.size() == 1 && key[0] >= '0' && key[0] <= '9';
  std::vector<std::string_view> known;
  for (const Binding& binding : key_table())
    for (const auto name : binding.keys)
      if (!name.empty()) known.push_back(name);
  if (!is_digit && std::ranges::count(known, key) == 0)
    return bad_request(unknown("key", key, known));
  return Press{key};
}

Result<Deed> read_command(const Spoken& said) {
  RS_ASSIGN(const Command command, parse_command(said.words[1]));
  return Action{command};
}

Result<Deed> read_set(const Spoken& said) {
  return Action{Edit{std::string(said.words[1]), std::string(said.after_second)}};
}

Result<Deed> read_zoom(const Spoken& said) {
  RS_ASSIGN(const Duration at, parse_signed_duration(said.words[1]));
  RS_ASSIGN(const double factor, parse_number<double>(said.words[2]));
  return Action{Zoom{at, factor}};
}

Result<Deed> read_pan(const Spoken& said) {
  RS_ASSIGN(const Duration by, parse_signed_duration(said.words[1]));
  return Action{Pan{by}};
}

Result<Deed> read_measure(const Spoken& said) {
  RS_ASSIGN(const Duration from, parse_signed_duration(said.words[1]));
  RS_ASSIGN(const Duration to, parse_signed_duration(said.words[2]));
  return Action{Measure{from, to}};
}

Result<Deed> read_draw(const Spoken& said) {
  std::array<double, 4> numbers{};
  const std::size_t count = said.words.size() - 1;
  if (count == 3) return bad_request("expected draw GPUS SPEEDUP [GPUS SPEEDUP]");
  for (std::size_t i = 0; i < count; ++i) {
    RS_ASSIGN(numbers[i], parse_number<double>(said.words[i + 1]));
    if (!(numbers[i] > 0)) return bad_request(in_quotes(said.words[i + 1]) + " is not more than 0");
  }
  if (count == 2) return Action{Draw{numbers[0], numbers[1], numbers[0], numbers[1]}};
  return Action{Draw{numbers[0], numbers[1], numbers[2], numbers[3]}};
}

Result<Deed> read_lesson(const Spoken& said) {
  return Action{OpenLesson{std::string(said.words[1]), std::string(said.after_second)}};
}

/// A schedule has lines: `\n` is where one ends.
Result<Deed> read_answer(const Spoken& said) {
  std::string text(said.after_first);
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos;)
    text.replace(at, 2, "\n");
  return Action{Answer{text}};
}

Result<Deed> read_enter(const Spoken& said) {
  RS_ASSIGN(const auto nth, parse_number<std::uint32_t>(said.words[1]));
  if (nth == 0) return bad_request("fields are counted from 1");
  return Action{Enter{nth - 1, std::string(said.after_second)}};
}

Result<Deed> read_frames(const Spoken& said) {
  constexpr std::uint32_t most = 1'000'000;
  RS_ASSIGN(const auto count, parse_number<std::uint32_t>(said.words[1]));
  if (count > most) return bad_request(fmt::format("at most {} frames at a time", most));
  return Frames{count};
}

/// X Y, X Y NOTCHES or X0 Y0 X1 Y1, and one word that may follow.
Result<std::array<float, 4>> read_pixels(const Spoken& said, std::size_t count,
                                         std::string_view option) {
  std::array<float, 4> numbers{};
  for (std::size_t i = 0; i < count; ++i) {
    RS_ASSIGN(numbers[i], parse_number<float>(said.words[i + 1]));
  }
  if (said.words.size() == count + 2 && said.words.back() != option)
    return bad_request(fmt::format("{} may be followed by {}, not {}", said.words[0], option,
                                   in_quotes(said.words.back())));
  return numbers;
}

Result<Deed> read_mouse(const Spoken& said) {
  const auto what = said.words[0];
  if (what == "click") {
    RS_ASSIGN(const auto at, read_pixels(said, 2, "right"));
    return OnScreen{Click{at[0], at[1], said.words.size() == 4}};
  }
  if (what == "drag") {
    RS_ASSIGN(const auto at, read_pixels(said, 4, "shift"));
    return OnScreen{Drag{at[0], at[1], at[2], at[3], said.words.size() == 6}};
  }
  RS_ASSIGN(const auto at, read_pixels(said, what == "wheel" ? 3 : 2, ""));
  if (what == "wheel") return OnScreen{Wheel{at[0], at[1], at[2]}};
  return OnScreen{Move{at[0], at[1]}};
}

Result<Deed> read_press(const Spoken& said) {
  PressThing press{std::string(said.after_first)};
  const std::string_view last = said.words.back();
  if (said.words.size() == 2) return OnScreen{press};
  press.right = last == "right";
  const auto at = parse_number<float>(last);
  if (!press.right && !at) return OnScreen{press};
  if (at && !(*at >= 0 && *at <= 1))
    return bad_request(in_quotes(last) + " is no place on a slider: expected 0 to 1");
  press.at = at.value_or(press.at);
  press.name = trimmed(said.after_first.substr(0, said.after_first.size() - last.size()));
  return OnScreen{press};
}

/// How each line is read: its first word, how many follow, and how it is said right.
struct Verb {
  std::string_view name;
  std::size_t least, most;
  std::string_view usage;
  Result<Deed> (*read)(const Spoken&);
};
constexpr std::size_t any = 1000;
constexpr Verb verbs[] = {
    {"key", 1, 1, "key NAME, such as key Right", read_key},
    {"do", 1, 1, "do COMMAND, such as do fork", read_command},
    {"set", 1, any, "set FIELD VALUE, such as set ranks 16", read_set},
    {"open", 1, any, "open SHARE, such as open ring?ranks=8",
     [](const Spoken& s) -> Result<Deed> { return Action{Open{std::string(s.after_first)}}; }},
    {"seek", 1, 1, "seek TIME, such as seek 12us or seek 35%", read_seek},
    {"hover", 1, 4, "hover THING, such as hover rank 3", read_pick},
    {"select", 1, 4, "select THING, such as select link gpu0->gpu1", read_pick},
    {"zoom", 2, 2, "zoom TIME FACTOR, such as zoom 12us 2", read_zoom},
    {"pan", 1, 1, "pan DURATION, such as pan -3us", read_pan},
    {"measure", 2, 2, "measure FROM TO, such as measure 2us 5us", read_measure},
    {"draw", 2, 4, "draw GPUS SPEEDUP [GPUS SPEEDUP], such as draw 1 1 8 6.5", read_draw},
    {"lesson", 1, 2, "lesson NUMBER [BEAT], such as lesson 3 which-chunk", read_lesson},
    {"answer", 1, any, "answer TEXT, such as answer 179.2 MB", read_answer},
    {"enter", 1, any, "enter NTH TEXT, such as enter 2 7 GiB", read_enter},
    {"frames", 1, 1, "frames COUNT, such as frames 30", read_frames},
    {"wait", 0, 0, "wait", [](const Spoken&) -> Result<Deed> { return Wait{}; }},
    {"dump", 1, any, "dump FILE",
     [](const Spoken& s) -> Result<Deed> { return Dump{std::string(s.after_first)}; }},
    {"shot", 1, any, "shot FILE",
     [](const Spoken& s) -> Result<Deed> { return OnScreen{Shot{std::string(s.after_first)}}; }},
    {"read", 1, any, "read FILE",
     [](const Spoken& s) -> Result<Deed> { return OnScreen{Read{std::string(s.after_first)}}; }},
    {"move", 2, 2, "move X Y", read_mouse},
    {"click", 2, 3, "click X Y [right]", read_mouse},
    {"wheel", 3, 3, "wheel X Y NOTCHES", read_mouse},
    {"drag", 4, 5, "drag X0 Y0 X1 Y1 [shift]", read_mouse},
    {"press", 1, any, "press NAME, such as press play", read_press},
    {"type", 1, any, "type TEXT",
     [](const Spoken& s) -> Result<Deed> { return OnScreen{Type{std::string(s.after_first)}}; }},
};

Result<Deed> read_line(const Spoken& said) {
  std::vector<std::string_view> names;
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
    if (verb.name != said.words[0]) continue;
    const std::size_t following = said.words.size() - 1;
    if (following < verb.least || following > verb.most)
      return bad_request(fmt::format("expected {}", verb.usage));
    return verb.read(said);
  }
  return bad_request(unknown("line of a script", said.words[0], names));
}

/// A comment begins where a word does: a link's name may hold a #.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = 0; (at = line.find('#', at)) != std::string_view::npos; ++at)
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

tl::unexpected<Error> at_line(Error error, const std::string& file, std::uint32_t line) {
  error.message = fmt::format("{}:{}: {}", file, line, error.message);
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<Script> parse_script(std::string_view text, const std::string& file) {
  Script script{file, {}};
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const Spoken said = spoken(without_comment(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (said.words.empty()) continue;
    auto deed = read_line(said);
    if (!deed) return at_line(deed.error(), file, number);
    script.lines.push_back({number, *std::move(deed)});
  }
  return script;
}

Result<Script> read_script(const std::string& path) {
  RS_ASSIGN(const std::string text, read_file(path, 16_MiB));
  return parse_script(text, path);
}

}  // namespace ringside::stage
