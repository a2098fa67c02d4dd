#include "sim/workload/siblings.hpp"

#include <algorithm>
#include <vector>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

/// Tells one group's story of every group, block by block.
class Repeater final : public TransferSink {
 public:
  Repeater(const Groups& groups, TransferSink& out) : groups_(groups), out_(out) {}

 private:
  void consume(std::span<const Transfer> block, Step step) override {
    for (; told_ < step.value; ++told_) out_.next_step();
    for (std::uint32_t g = 0; g < groups_.count(); ++g)
      for (const Transfer& t : block) out_.add(moved(t, g));
  }

  Transfer moved(const Transfer& t, std::uint32_t group) const {
    const auto there = [&](Slot slot) {
      slot.rank = groups_.rank(group, slot.rank.value);
      return slot;
    };
    if (t.action() == Action::copy)
      return Transfer::copy(there(t.src()), there(t.dst()), t.chunks(), t.channel());
    return Transfer::reduce(there(t.src()), there(t.with()), there(t.dst()), t.chunks(),
                            t.channel());
  }

  const Groups& groups_;
  TransferSink& out_;
  std::uint32_t told_ = 0;
};

}  // namespace

Story siblings(const Plan& plan, const Groups& groups) {
  RS_ASSERT(plan.spec.ranks == groups.size && plan.options.agents == 0, "a plan of one group");
  RS_ASSERT(groups.extent % (groups.size * groups.stride) == 0, "no group lacks members");
  const CollectiveSpec spec{.ranks = groups.first + groups.extent, .in_place = plan.spec.in_place};
  return {spec, plan.options.chunks, 0, [plan, groups](TransferSink& sink) {
            Repeater repeater(groups, sink);
            plan.algorithm->tell(plan.spec, plan.options, repeater);
            repeater.finish();
            sink.finish();
          }};
}

Story all_send(const Shift& shift) {
  const auto last = shift.first + shift.count;
  const auto ranks = std::max<std::int64_t>(last, last + shift.distance);
  return {CollectiveSpec{.ranks = static_cast<std::uint32_t>(ranks)}, 1, 0,
          [shift, last](TransferSink& sink) {
            for (auto r = shift.first; r < last; ++r)
              sink.copy(input(r, 0), output(static_cast<std::uint32_t>(r + shift.distance), 0));
            sink.finish();
          }};
}

}  // namespace ringside::sim
