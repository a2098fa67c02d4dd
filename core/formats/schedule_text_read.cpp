// The reader of schedule_text.hpp.

#include <array>
#include <charconv>
#include <optional>

#include "core/formats/schedule_size.hpp"
#include "core/formats/schedule_text.hpp"
#include "core/schedule_builder.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr Bytes max_text = 64_MiB;
constexpr std::string_view such_as = "`all_reduce 4 ranks 4 chunks`";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// One line being read, from left to right; a comment ends it.
class Line {
 public:
  Line(std::string_view text, std::string_view file, std::uint32_t number)
      : rest_(text.substr(0, text.find('#'))), file_(file), number_(number) {
    skip_blanks();
    while (!rest_.empty() && is_blank(rest_.back())) rest_.remove_suffix(1);
  }

  bool is_done() const { return rest_.empty(); }
  std::uint32_t number() const { return number_; }
  std::string_view rest() const { return rest_; }

  bool take(std::string_view symbol) {
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    skip_blanks();
    return true;
  }
  /// As take(), of a whole word.
  bool take_word(std::string_view word) {
    if (peek_word() != word) return false;
    return take(word);
  }
  std::string_view peek_word() const {
    std::size_t n = 0;
    while (n < rest_.size() && is_letter(rest_[n])) ++n;
    return rest_.substr(0, n);
  }
  bool starts_number() const { return !rest_.empty() && is_digit(rest_.front()); }

  struct Range {
    std::uint64_t least, most;
  };
  /// `what` the number is, for the error.
  Result<std::uint32_t> whole(std::string_view what, Range range) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (!starts_number() || error != std::errc{} || value < range.least || value > range.most)
      return expected(std::string(what) + ", " + span(range));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    skip_blanks();
    return static_cast<std::uint32_t>(value);
  }

  tl::unexpected<Error> expected(const std::string& what) const {
    return fail("expected " + what + ", found " +
                (rest_.empty() ? std::string("the end of the line") : in_quotes(rest_)));
  }
  tl::unexpected<Error> fail(const std::string& sentence) const {
    return bad_request(std::string(file_) + ":" + std::to_string(number_) + ": " + sentence);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static std::string span(Range range) {
    if (range.least == range.most) return std::to_string(range.least);
    return std::to_string(range.least) + " to " + std::to_string(range.most);
  }
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_, file_;
  std::uint32_t number_;
};

/// The first line: what is to be done, by how many, in how many chunks.
struct Header {
  CollectiveSpec spec;
  std::uint32_t chunks = 0, agents = 0;
};

Result<void> clause(Line& line, Header& header) {
  CollectiveSpec& spec = header.spec;
  if (line.take_word("root")) {
    if (!has_root(spec.kind)) return line.fail(std::string(name(spec.kind)) + " has no root");
    RS_ASSIGN(spec.root.value, line.whole("the root", {0, spec.ranks - 1}));
    return {};
  }
  if (line.starts_number()) {
    RS_ASSIGN(header.agents, line.whole("agents", {0, Transfer::max_ranks - spec.ranks}));
    if (line.take_word("agents") || line.take_word("agent")) return {};
    return line.expected("`agents`");
  }
  const bool is_outside = line.take_word("out");
  if (is_outside ? line.take_word("of") : line.take_word("in"))
    if (line.take_word("place")) {
      spec.in_place = !is_outside;
      return {};
    }
  return line.expected("`root 2`, `1 agent`, `in place` or `out of place`");
}

Result<Header> read_header(Line& line) {
  Header header;
  CollectiveSpec& spec = header.spec;
  const auto word = line.peek_word();
  if (word.empty())
    return line.expected("a header such as " + std::string(such_as) +
                         " (MSCCL XML starts with <, a schedule in JSON with {)");
  const auto kind = parse_collective(word);
  if (!kind) return line.fail(kind.error().message + " (a header is " + std::string(such_as) + ")");
  line.take(word);
  spec.kind = *kind;
  spec.in_place = may_be_in_place(spec.kind);
  RS_ASSIGN(spec.ranks, line.whole("the number of ranks", {1, Transfer::max_ranks}));
  if (!line.take_word("ranks") && !line.take_word("rank")) return line.expected("`ranks`");
  line.take(",");
  RS_ASSIGN(header.chunks, line.whole("the number of chunks", {1, ScheduleSize::most}));
  if (!line.take_word("chunks") && !line.take_word("chunk")) return line.expected("`chunks`");
  while (!line.is_done()) {
    if (line.take(",") && line.is_done()) break;
    RS_TRY(clause(line, header));
  }
  if (const auto possible = check(spec); !possible) return line.fail(possible.error().message);
  if (is_blocked(spec.kind) && header.chunks % spec.ranks != 0)
    return line.fail("the vector of " + std::string(name(spec.kind)) + " is " +
                     counted(spec.ranks, "equal block") +
                     ", one a rank: its chunks must be a "
                     "multiple of " +
                     std::to_string(spec.ranks) + ", not " + std::to_string(header.chunks));
  return header;
}

/// Moves, told to a sink as they are read.
class Moves {
 public:
  Moves(const Header& header, TransferSink& sink)
      : header_(header),
        size_{.participants = std::uint64_t{header.spec.ranks} + header.agents,
              .chunks = header.chunks},
        sink_(&sink) {}

  Result<void> check_size(const Line& line) const {
    if (!size_.fits()) return line.fail(ScheduleSize::refusal());
    return {};
  }
  /// `0 -> 1: 2 +; 1 -> 2: 3`, to the end of the line.
  Result<void> read(Line& line) {
    while (!line.is_done()) {
      RS_TRY(move(line));
      if (!line.is_done() && !line.take(";"))
        return line.expected("`;` and another move, or the end of the line");
    }
    return {};
  }
  /// The line of each transfer told so far.
  std::vector<std::uint32_t> take_lines() { return std::move(lines_); }

 private:
  struct Chunks {
    std::uint32_t first = 0, count = 1;
  };
  struct Place {
    Rank rank;
    Buffer buffer = Buffer::output;
    std::optional<Chunks> chunks{};  ///< in brackets
    Slot at(const Chunks& these) const { return {rank, buffer, {these.first}}; }
  };
  struct Message {
    Chunks from, to;
  };
  /// What follows a move's chunks.
  struct Tail {
    bool adds = false;
    std::optional<Buffer> operand{};
    std::optional<Chunks> operand_chunks{};
    std::uint32_t channel = 0;
  };

  Result<Buffer> buffer(Line& line) const {
    if (line.take_word("scratch")) return Buffer::scratch;
    if (line.take_word("out")) return Buffer::output;
    if (line.peek_word() != "in")
      return line.expected(header_.spec.in_place ? "`scratch`" : "`in`, `out` or `scratch`");
    if (header_.spec.in_place)
      return line.fail("in place, a rank's input and output are one buffer: leave out the `in`");
    line.take_word("in");
    return Buffer::input;
  }

  /// `3` or `3-5`.
  Result<Chunks> chunks(Line& line, Buffer of) const {
    const auto end = of == Buffer::scratch ? ScheduleSize::most : size_.chunks;
    Chunks found;
    RS_ASSIGN(found.first, line.whole("a chunk", {0, end - 1}));
    if (line.rest().starts_with("->") || !line.take("-")) return found;
    RS_ASSIGN(const auto last, line.whole("the last of these chunks", {found.first, end - 1}));
    found.count = last - found.first + 1;
    return found;
  }
  Result<std::optional<Chunks>> in_brackets(Line& line, Buffer of) const {
    if (!line.take("[")) return std::optional<Chunks>{};
    RS_ASSIGN(const auto found, chunks(line, of));
    if (!line.take("]")) return line.expected("`]`");
    return std::optional(found);
  }

  /// `0`, `0.in`, `0.scratch[3]`.
  Result<Place> place(Line& line) const {
    Place place;
    RS_ASSIGN(place.rank.value, line.whole("a rank", {0, size_.participants - 1}));
    if (line.take(".")) {
      RS_ASSIGN(place.buffer, buffer(line));
    } else if (!header_.spec.in_place) {
      return line.fail("out of place, rank " + std::to_string(place.rank.value) +
                       " has an input and an output: say which, as in `0.in -> 1.out: 3`");
    }
    RS_ASSIGN(place.chunks, in_brackets(line, place.buffer));
    return place;
  }

  /// `: 0, 2-3`, each a message of its own.
  Result<std::vector<Message>> listed(Line& line, Buffer of) const {
    std::vector<Message> messages;
    if (!line.take(":")) return line.expected("`:` and chunks, as in `0 -> 1: 2`");
    do {
      RS_ASSIGN(const auto each, chunks(line, of));
      messages.push_back({each, each});
      if (messages.size() > ScheduleSize::most) return line.fail(ScheduleSize::refusal());
    } while (line.take(","));
    return messages;
  }

  Result<std::vector<Message>> messages(Line& line, const Place& from, const Place& to) const {
    if (from.chunks.has_value() != to.chunks.has_value())
      return line.fail("brackets stand on both sides of `->`, as in `0[3] -> 1[2]`");
    if (!from.chunks) return listed(line, from.buffer == Buffer::scratch ? to.buffer : from.buffer);
    if (from.chunks->count != to.chunks->count)
      return line.fail("as many chunks arrive as leave: " + std::to_string(from.chunks->count) +
                       " leave, and there is room for " + std::to_string(to.chunks->count));
    return std::vector<Message>{{*from.chunks, *to.chunks}};
  }

  Result<Tail> tail(Line& line) const {
    Tail tail;
    tail.adds = line.take("+");
    const auto word = line.peek_word();
    if (tail.adds && !word.empty() && word != "channel") {
      RS_ASSIGN(tail.operand, buffer(line));
      RS_ASSIGN(tail.operand_chunks, in_brackets(line, *tail.operand));
    }
    if (!line.take_word("channel")) return tail;
    RS_ASSIGN(tail.channel, line.whole("a channel", {0, Transfer::max_channels - 1}));
    return tail;
  }

  Result<void> move(Line& line) {
    RS_ASSIGN(const Place from, place(line));
    if (!line.take("->") && !line.take("→")) return line.expected("`->`");
    RS_ASSIGN(const Place to, place(line));
    if (to.buffer == Buffer::input)
      return line.fail("an input is never written out of place: write to `out` or `scratch`");
    RS_ASSIGN(const auto all, messages(line, from, to));
    RS_ASSIGN(const Tail how, tail(line));
    for (const Message& each : all) {
      const Slot src = from.at(each.from), dst = to.at(each.to);
      if (!how.adds && src == dst)
        return line.fail("that chunk is there already: a copy from a place to itself");
      RS_ASSIGN(const Slot with, operand(line, {to.rank, to.buffer, each.to}, how));
      tell(line, how.adds ? Transfer::reduce(src, with, dst, each.to.count, {how.channel})
                          : Transfer::copy(src, dst, each.to.count, {how.channel}));
      RS_TRY(check_size(line));
    }
    return {};
  }

  /// Of a reduce: its target, unless told otherwise.
  Result<Slot> operand(const Line& line, Place target, const Tail& how) const {
    if (how.operand) target.buffer = *how.operand;
    if (how.operand_chunks && how.operand_chunks->count != target.chunks->count)
      return line.fail(
          "as many chunks are added to as arrive: " + std::to_string(target.chunks->count) +
          ", not " + std::to_string(how.operand_chunks->count));
    const Chunks chunks = how.operand_chunks.value_or(*target.chunks);
    if (target.buffer != Buffer::scratch && chunks.first + chunks.count > size_.chunks)
      return line.fail("what is added to is no chunk: there are " + counted(size_.chunks, "chunk"));
    return target.at(chunks);
  }

  void tell(const Line& line, const Transfer& transfer) {
    size_.add(transfer);
    lines_.push_back(line.number());
    sink_->add(transfer);
  }

  Header header_;
  ScheduleSize size_;
  TransferSink* sink_;
  std::vector<std::uint32_t> lines_;
};

/// `step`, and its number if it says one.
Result<void> read_step(Line& line, std::uint32_t number) {
  line.take(":");
  Line ahead = line;
  while (ahead.starts_number()) ahead.take(ahead.rest().substr(0, 1));
  if (!line.starts_number() || !(ahead.is_done() || ahead.take(":"))) return {};
  RS_TRY(line.whole("the number of this step, counted from 0", {number, number}));
  line.take(":");
  return {};
}

/// The next line that says something.
class Lines {
 public:
  Lines(std::string_view text, std::string_view file) : text_(text), file_(file) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }
  std::optional<Line> next() {
    while (!text_.empty()) {
      const auto end = text_.find('\n');
      const Line line(text_.substr(0, end), file_, ++number_);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      if (!line.is_done()) return line;
    }
    return {};
  }

 private:
  std::string_view text_, file_;
  std::uint32_t number_ = 0;
};

}  // namespace

Result<ScheduleText> schedule_from_text_lines(std::string_view text, std::string_view name) {
  if (text.size() > max_text.count)
    return bad_request(std::string(name) + " is larger than " + to_string(max_text) +
                       "; no schedule that a file can hold is");
  Lines lines(text, name);
  auto line = lines.next();
  if (!line)
    return bad_request(std::string(name) + " is empty: a schedule starts with a header such as " +
                       std::string(such_as));
  RS_ASSIGN(const Header header, read_header(*line));
  ScheduleBuilder builder(header.spec, header.chunks, header.agents);
  Moves moves(header, builder);
  RS_TRY(moves.check_size(*line));
  std::uint32_t steps = 0;
  while ((line = lines.next())) {
    if (line->take_word("step")) {
      if (steps > 0) builder.next_step();
      RS_TRY(read_step(*line, steps++));
    } else if (steps == 0) {
      return line->expected("`step` before the first move");
    }
    RS_TRY(moves.read(*line));
  }
  auto schedule = std::move(builder).build();
  if (!schedule) return bad_request(std::string(name) + ": " + schedule.error().message);
  return ScheduleText{*std::move(schedule), moves.take_lines()};
}

}  // namespace ringside
