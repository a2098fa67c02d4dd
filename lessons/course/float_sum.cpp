#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/slot_history.hpp"
#include "lessons/course/step_figures.hpp"

namespace ringside::lessons {
namespace {

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

/// Tells a schedule in floats, by the rule of the step: all reads of a step come before its writes.
class Teller {
 public:
  Teller(const Schedule& schedule, std::span<const double> parts)
      : schedule_(schedule), index_(schedule), values_(index_.size(), nothing) {
    for (const Slot& slot : precondition(schedule.spec(), schedule.chunks()))
      values_[index_(slot)] = static_cast<float>(parts[slot.rank.value]);
  }

  void tell() {
    for (Step step{0}; step.value < schedule_.steps(); ++step.value) {
      const auto begin = schedule_.step_begin(step), end = schedule_.step_end(step);
      std::vector<std::pair<float, float>> reads;
      for (auto id = begin; id < end; ++id.value)
        for (std::uint32_t i = 0; i < schedule_[id].chunks(); ++i)
          reads.emplace_back(values_[index_(schedule_[id].src(), i)],
                             values_[index_(schedule_[id].with(), i)]);
      std::size_t at = 0;
      for (auto id = begin; id < end; ++id.value)
        for (std::uint32_t i = 0; i < schedule_[id].chunks(); ++i)
          write(schedule_[id], i, reads[at++]);
    }
  }
  float at(const Slot& slot) const { return values_[index_(slot)]; }

 private:
  void write(const Transfer& t, std::uint32_t i, std::pair<float, float> read) {
    const auto [came, with] = read;
    float& target = values_[index_(t.dst(), i)];
    const float held = t.has_separate_operand() ? with : target;
    const bool is_sum = t.action() == Action::reduce && !std::isnan(held) && !std::isnan(came);
    if (is_sum)
      target = held + came;
    else if (t.action() == Action::copy || std::isnan(held))
      target = came;
    else
      target = held;
  }

  const Schedule& schedule_;
  SlotIndex index_;
  std::vector<float> values_;  // by slot
};

}  // namespace

double float32(double value) {
  return static_cast<double>(static_cast<float>(value));
}

Result<double> float_sum(const Schedule& schedule, ChunkId chunk, std::span<const double> parts) {
  if (schedule.spec().kind != CollectiveKind::all_reduce || schedule.spec().ranks != parts.size() ||
      chunk.value >= schedule.chunks())
    return bad_request(fmt::format(
        "float_sum takes an all-reduce on {} ranks, as many as there are parts, and a chunk of it; "
        "found chunk {} of {} on {} ranks",
        parts.size(), chunk.value, schedule.chunks(), schedule.spec().ranks));
  Teller teller(schedule, parts);
  teller.tell();
  return static_cast<double>(teller.at({Rank{0}, Buffer::output, chunk}));
}

}  // namespace ringside::lessons
