#include "viz/terminal/step_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "core/suggest.hpp"

namespace ringside::terminal {
namespace {

using sim::Activity, sim::StreamKind;

constexpr std::uint32_t most_stages = 16;
constexpr std::string_view letters = "FRBUtegp><";  // by Activity
static_assert(letters.size() == sim::activity_count);

constexpr std::array<std::string_view, sim::stream_count> short_names{
    "compute", "tensor, expert", "replicas", "to next", "to previous"};

/// How much of each column each activity took, in parts of a picosecond: as many as columns.
class Lane {
 public:
  Lane(std::size_t columns, Duration step) : taken_(columns), step_(step.picoseconds) {}

  void add(const sim::StepSpan& span) {
    const auto columns = static_cast<std::int64_t>(taken_.size());
    const auto from = columns * span.begin.picoseconds, to = columns * span.end.picoseconds;
    for (auto c = from / step_; c < columns && c * step_ < to; ++c)
      taken_[static_cast<std::size_t>(c)][static_cast<std::size_t>(span.activity)] +=
          std::min(to, (c + 1) * step_) - std::max(from, c * step_);
  }
  std::string text() const {
    std::string row;
    for (const auto& column : taken_) {
      const auto most = std::ranges::max_element(column);
      row += *most > 0 ? letters[static_cast<std::size_t>(most - column.begin())] : ' ';
    }
    return row.substr(0, row.find_last_not_of(' ') + 1);
  }

 private:
  std::vector<std::array<std::int64_t, sim::activity_count>> taken_;
  std::int64_t step_;
};

std::string legend(const sim::TrainingStep& step, std::size_t columns) {
  std::array<bool, sim::activity_count> seen{};
  for (const auto& span : step.timeline) seen[static_cast<std::size_t>(span.activity)] = true;
  std::string text =
      fmt::format("a column is {}:",
                  to_string(Duration{step.time.picoseconds / static_cast<std::int64_t>(columns)}));
  for (std::size_t a = 0; a < sim::activity_count; ++a)
    if (seen[a]) text += fmt::format(" {} {},", letters[a], name(static_cast<Activity>(a)));
  text.back() = '\n';
  return text;
}

}  // namespace

std::string draw_step(const sim::TrainingStep& step, std::size_t columns) {
  if (step.time <= Duration{} || columns == 0) return "";
  std::map<std::tuple<std::uint32_t, StreamKind>, Lane> rows;
  for (const auto& span : step.timeline)
    if (span.stage < most_stages)
      rows.try_emplace({span.stage, span.stream}, columns, step.time).first->second.add(span);
  std::string text;
  std::uint32_t named = UINT32_MAX;
  for (const auto& [place, row] : rows) {
    const auto& [stage, stream] = place;
    text += fmt::format("{:9} {:14} |{}\n", stage == named ? "" : fmt::format("stage {}", stage),
                        short_names[static_cast<std::size_t>(stream)], row.text());
    named = stage;
  }
  if (step.stages.size() > most_stages)
    text += fmt::format("and {} more\n", counted(step.stages.size() - most_stages, "stage"));
  return text + legend(step, columns);
}

}  // namespace ringside::terminal
