// What is wrong with a schedule, as one says it to somebody who wrote it.

#include <fmt/format.h>

#include "lessons/course/puzzle.hpp"

namespace ringside::lessons {
namespace {

/// `rank 2's chunk 3`, `rank 2's scratch chunk 3`.
std::string place(const Slot& slot, bool in_place, Language language) {
  const bool is_en = language == Language::en;
  std::string_view buffer;
  if (slot.buffer == Buffer::scratch)
    buffer = is_en ? "scratch " : "暂存（scratch）的";
  else if (!in_place && slot.buffer == Buffer::input)
    buffer = is_en ? "input " : "输入的";
  else if (!in_place)
    buffer = is_en ? "output " : "输出的";
  if (is_en) return fmt::format("rank {}'s {}chunk {}", slot.rank.value, buffer, slot.chunk.value);
  return fmt::format("rank {} 的{}数据块 {}", slot.rank.value, buffer, slot.chunk.value);
}

struct Words {
  const Violation& violation;
  const ScheduleText& told;
  Language language;

  bool is_told(TransferId id) const { return id.value < told.schedule.transfers().size(); }
  /// `line 7 (`2 -> 3: 1 +`)`.
  std::string line(TransferId id) const {
    const auto move = move_text(told.schedule[id], told.schedule.spec());
    if (id.value >= told.lines.size()) return fmt::format("`{}`", move);
    const bool is_en = language == Language::en;
    return is_en ? fmt::format("line {} (`{}`)", told.lines[id.value], move)
                 : fmt::format("第 {} 行（`{}`）", told.lines[id.value], move);
  }
  std::string slot() const {
    return place(violation.slot, told.schedule.spec().in_place, language);
  }
  /// Who wrote last what is wrong at the end.
  std::string writer() const {
    const bool is_en = language == Language::en;
    if (!is_told(violation.transfer)) return is_en ? "no line writes there" : "没有一行写到那里";
    return is_en ? line(violation.transfer) + " wrote it last"
                 : "最后写它的是" + line(violation.transfer);
  }
};

std::string in_english(const Words& w) {
  const Violation& v = w.violation;
  switch (v.kind) {
    case ViolationKind::missing:
      return fmt::format("At the end {} lacks rank {}'s part; {}.", w.slot(), v.contributor.value,
                         w.writer());
    case ViolationKind::repeated:
      return fmt::format("At the end {} holds rank {}'s part more than once; {}.", w.slot(),
                         v.contributor.value, w.writer());
    case ViolationKind::wrong:
      return fmt::format(
          "At the end {} holds chunk {} of rank {}, which does not belong there; {}.", w.slot(),
          v.contributor_chunk.value, v.contributor.value, w.writer());
    case ViolationKind::uninitialised:
      if (!w.is_told(v.transfer)) return fmt::format("At the end {} is still empty.", w.slot());
      return fmt::format("When {} needs it, nothing has been put into {} yet.", w.line(v.transfer),
                         w.slot());
    case ViolationKind::race:
      return fmt::format("Both {} and {} use {}, and nothing says which comes first.",
                         w.line(v.transfer), w.line(v.other), w.slot());
    case ViolationKind::outside:
      break;
  }
  return fmt::format("There is no such place as {}, which {} names.", w.slot(), w.line(v.transfer));
}

std::string in_chinese(const Words& w) {
  const Violation& v = w.violation;
  switch (v.kind) {
    case ViolationKind::missing:
      return fmt::format("结束时，{} 缺少 rank {} 的那一份；{}。", w.slot(), v.contributor.value,
                         w.writer());
    case ViolationKind::repeated:
      return fmt::format("结束时，{} 把 rank {} 的那一份加了不止一次；{}。", w.slot(),
                         v.contributor.value, w.writer());
    case ViolationKind::wrong:
      return fmt::format("结束时，{} 里有 rank {} 的数据块 {}，它不该在这里；{}。", w.slot(),
                         v.contributor.value, v.contributor_chunk.value, w.writer());
    case ViolationKind::uninitialised:
      if (!w.is_told(v.transfer)) return fmt::format("结束时，{} 仍然是空的。", w.slot());
      return fmt::format("{}要用 {}，而那里还没有任何数据。", w.line(v.transfer), w.slot());
    case ViolationKind::race:
      return fmt::format("{}和{}都要用 {}，却没有规定谁先谁后。", w.line(v.transfer),
                         w.line(v.other), w.slot());
    case ViolationKind::outside:
      break;
  }
  return fmt::format("{}写到的 {} 并不存在。", w.line(v.transfer), w.slot());
}

}  // namespace

std::string in_words(const Violation& violation, const ScheduleText& told, Language language) {
  const Words words{violation, told, language};
  return language == Language::zh ? in_chinese(words) : in_english(words);
}

}  // namespace ringside::lessons
