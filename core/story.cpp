#include "core/story.hpp"

#include <string>

#include "core/suggest.hpp"

namespace ringside {

Story story_of(const Plan& plan) {
  return {plan.spec, plan.options.chunks, plan.options.agents, [plan](TransferSink& sink) {
            plan.algorithm->tell(plan.spec, plan.options, sink);
            sink.finish();
          }};
}

Story story_of(const Schedule& schedule) {
  return {schedule.spec(), schedule.chunks(), schedule.agents(), [&schedule](TransferSink& sink) {
            for (std::uint32_t s = 0; s < schedule.steps(); ++s, sink.next_step())
              for (auto id = schedule.step_begin({s}); id < schedule.step_end({s}); ++id.value)
                sink.add(schedule[id]);
          }};
}

Result<void> check_transfer(const Story& story, const Transfer& t, StoryPosition at) {
  const auto sentence = [&](const std::string& what) {
    return bad_request("transfer " + std::to_string(at.transfer) + " (step " +
                       std::to_string(at.step.value) + ") " + what);
  };
  for (const Slot& slot : {t.src(), t.with(), t.dst()}) {
    const auto end = std::uint64_t{slot.chunk.value} + t.chunks();
    if (slot.rank.value >= story.participants())
      return sentence("names " + to_string(slot) + ", but there are " +
                      counted(story.participants(), "rank"));
    const auto most = slot.buffer == Buffer::scratch ? UINT32_MAX : story.chunks;
    if (end > most)
      return sentence("reaches past the " + counted(most, "chunk") + " of " + to_string(slot));
  }
  if (t.dst().buffer == Buffer::input)
    return sentence("writes to " + to_string(t.dst()) + "; an out-of-place input is never written");
  return {};
}

}  // namespace ringside
