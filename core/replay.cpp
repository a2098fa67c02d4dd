#include "core/replay.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"

namespace ringside {
namespace {

void accumulate(std::optional<Content>& into, const std::optional<Content>& part) {
  if (!part) return;
  if (!into) {
    into = part;
    return;
  }
  for (std::size_t r = 0; r < into->contributions.size(); ++r)
    into->contributions[r] =
        static_cast<std::uint16_t>(into->contributions[r] + part->contributions[r]);
  into->value += part->value;
}

}  // namespace

std::uint32_t Content::contributors() const {
  return static_cast<std::uint32_t>(std::count_if(contributions.begin(), contributions.end(),
                                                  [](auto times) { return times > 0; }));
}

double demonstration_value(Rank rank, ChunkId chunk) {
  return (rank.value + 2) * std::pow(10.0, chunk.value % 5);
}

Replay::Replay(const Schedule& schedule)
    : schedule_(schedule), index_(schedule), now_(index_.size()) {
  for (const Slot& slot : precondition(schedule.spec(), schedule.chunks())) {
    Content content{std::vector<std::uint16_t>(schedule.spec().ranks, 0),
                    demonstration_value(slot.rank, slot.chunk)};
    content.contributions[slot.rank.value] = 1;
    now_[index_(slot)] = std::move(content);
  }
  for (std::uint32_t s = 0; s < schedule.steps(); ++s) {
    before_step_.push_back(now_);
    apply_step(now_, schedule.step_begin({s}).value, schedule.step_end({s}).value);
  }
  before_step_.push_back(now_);
  seek(0);
}

void Replay::apply_step(State& state, std::uint32_t begin, std::uint32_t end) const {
  const State before = state;
  for (std::uint32_t id = begin; id < end; ++id) {
    const Transfer& t = schedule_[TransferId{id}];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      auto& dst = state[index_(t.dst()) + i];
      if (t.action() == Action::copy)
        dst.reset();
      else if (t.has_separate_operand())
        dst = before[index_(t.with()) + i];
      accumulate(dst, before[index_(t.src()) + i]);
    }
  }
}

std::uint32_t Replay::length() const {
  return static_cast<std::uint32_t>(schedule_.transfers().size());
}

void Replay::seek(std::uint32_t position) {
  RS_ASSERT(position <= length(), "a replay has as many positions as transfers, and the end");
  position_ = position;
  std::uint32_t step = 0;
  while (step < schedule_.steps() && schedule_.step_end({step}).value <= position) ++step;
  now_ = before_step_[step];
  if (step < schedule_.steps()) apply_step(now_, schedule_.step_begin({step}).value, position);
}

const std::optional<Content>& Replay::at(const Slot& slot) const {
  static const std::optional<Content> nothing;
  return index_.contains(slot) ? now_[index_(slot)] : nothing;
}

}  // namespace ringside
