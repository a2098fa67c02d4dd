#include "core/schedule_builder.hpp"

#include <algorithm>
#include <string>

#include "core/slot_history.hpp"
#include "core/story.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr auto nobody = SlotHistory::nobody;

// What fits the memory of a laptop: a ring of 4,096 ranks needs all of the first.
constexpr std::uint64_t most_transfers = 1u << 25, most_visits = 1u << 27, most_slots = 1u << 26;

/// An algorithm cannot be asked to stop, and a story of 10^10 transfers takes minutes to tell: the
/// one way out is past it. Never leaves this file.
struct StoryTooLong {};

std::string sentence(std::uint32_t id, std::uint32_t step, const std::string& what) {
  return "transfer " + std::to_string(id) + " (step " + std::to_string(step) + ") " + what;
}

/// Derives dependencies, one step at a time: first every read of the step against the slots as they
/// were, then every write in told order.
class Deriver {
 public:
  struct Found {
    std::uint32_t id;
    Dependency dependency;
    friend constexpr auto operator<=>(const Found&, const Found&) = default;
  };

  Deriver(std::span<const Transfer> transfers, const SlotIndex& index)
      : transfers_(transfers), index_(index), history_(index.size()) {}

  /// What the transfers of a step depend on, sorted, without repeats.
  Result<std::span<const Found>> step(std::uint32_t begin, std::uint32_t end,
                                      std::uint32_t number) {
    of_reads_.clear();
    of_writes_.clear();
    for (auto id = begin; id < end; ++id) reads(id);
    for (auto id = begin; id < end; ++id) RS_TRY(writes(id, number));
    sort_by_id(of_reads_);
    sort_by_id(of_writes_);
    found_.resize(of_reads_.size() + of_writes_.size());
    std::merge(of_reads_.begin(), of_reads_.end(), of_writes_.begin(), of_writes_.end(),
               found_.begin());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return found_;
  }

 private:
  static void add(std::vector<Found>& to, const Found& found) {
    if (found.dependency.on.value == nobody || found.dependency.on.value == found.id) return;
    if (to.empty() || to.back() != found) to.push_back(found);  // once, not once a chunk
  }
  /// They come by id: only those of one transfer are out of order.
  static void sort_by_id(std::vector<Found>& found) {
    for (auto begin = found.begin(); begin != found.end();) {
      const auto end =
          std::find_if(begin, found.end(), [&](const Found& f) { return f.id != begin->id; });
      if (end - begin > 1) std::sort(begin, end);
      begin = end;
    }
  }

  void reads(std::uint32_t id) {
    const Transfer& t = transfers_[id];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto src = index_(t.src(), i);
      add(of_reads_, {id, {{history_.writer(src)}, DependencyKind::raw}});
      history_.used(src, id, false);
      if (!t.has_separate_operand()) continue;
      const auto with = index_(t.with(), i);
      add(of_reads_, {id, {{history_.writer(with)}, DependencyKind::waw}});
      history_.used(with, id, true);
    }
  }

  Result<void> writes(std::uint32_t id, std::uint32_t step) {
    const Transfer& t = transfers_[id];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto dst = index_(t.dst(), i);
      add(of_writes_, {id, {{history_.writer(dst)}, DependencyKind::waw}});
      std::uint32_t robbed = nobody;
      history_.for_each_use(dst, [&](const SlotHistory::Use& use) {
        if (use.as_operand && use.by > id) robbed = use.by;
        add(of_writes_,
            {id, {{use.by}, use.as_operand ? DependencyKind::waw : DependencyKind::war}});
      });
      if (robbed != nobody)
        return bad_request(sentence(id, step,
                                    "overwrites the operand that transfer " +
                                        std::to_string(robbed) +
                                        " of the same step still needs; tell that one first"));
    }
    for (std::uint32_t i = 0; i < t.chunks(); ++i) history_.written(index_(t.dst(), i), id);
    return {};
  }

  std::span<const Transfer> transfers_;
  const SlotIndex& index_;
  SlotHistory history_;
  std::vector<Found> of_reads_, of_writes_, found_;  // of one step
};

}  // namespace

ScheduleBuilder::ScheduleBuilder(const CollectiveSpec& spec, std::uint32_t chunks,
                                 std::uint32_t agents) {
  schedule_.spec_ = spec;
  schedule_.chunks_ = chunks;
  schedule_.agents_ = agents;
}

bool ScheduleBuilder::too_long() const {
  return told_ > most_transfers || visits_ > most_visits;
}

void ScheduleBuilder::consume(std::span<const Transfer> block, Step step) {
  told_ += block.size();
  for (const Transfer& t : block) visits_ += t.chunks();
  if (too_long() && interrupts_) throw StoryTooLong{};
  if (too_long()) return;  // build() says so
  for (const Transfer& told : block) {
    Transfer t = told;
    if (!keep(schedule_.spec_, t)) continue;
    schedule_.transfers_.push_back(t);
    step_of_.push_back(step.value);
  }
}

Result<Schedule> ScheduleBuilder::build() && {
  finish();
  RS_TRY(check_size());
  RS_TRY(check_slots());
  RS_TRY(derive());
  return std::move(schedule_);
}

Result<Schedule> ScheduleBuilder::build(const std::function<void(TransferSink&)>& tell) && {
  RS_TRY(check_size());
  // Every rank's input and output; scratch comes on top.
  const auto slots = 2 * std::uint64_t{schedule_.chunks_} * schedule_.participants();
  if (slots > most_slots) return too_many(std::to_string(slots), "slots", most_slots);
  interrupts_ = true;
  try {
    tell(*this);
    finish();
  } catch (const StoryTooLong&) {
    const bool many = told_ > most_transfers;
    const auto most = many ? most_transfers : most_visits;
    return too_many("more than " + std::to_string(most),
                    many ? "transfers" : "transfers of one chunk each", most);
  }
  return std::move(*this).build();
}

tl::unexpected<Error> ScheduleBuilder::too_many(const std::string& count, std::string_view what,
                                                std::uint64_t most) const {
  return bad_request(who() + " in " + counted(schedule_.chunks_, "chunk") + " takes " + count +
                     " " + std::string(what) + "; at most " + std::to_string(most) +
                     " are kept in memory: take fewer ranks or chunks");
}

std::string ScheduleBuilder::who() const {
  const auto& spec = schedule_.spec_;
  return std::string(name(spec.kind)) + " over " + counted(spec.ranks, "rank");
}

Result<void> ScheduleBuilder::check_size() const {
  const auto blocks = is_blocked(schedule_.spec_.kind) ? schedule_.spec_.ranks : 1;
  if (schedule_.chunks_ == 0 || schedule_.chunks_ % blocks != 0)
    return bad_request(who() + " cuts its vector into a positive multiple of " +
                       counted(blocks, "chunk") + ", not " + std::to_string(schedule_.chunks_));
  if (told_ > most_transfers) return too_many(std::to_string(told_), "transfers", most_transfers);
  if (visits_ > most_visits)
    return too_many(std::to_string(visits_), "transfers of one chunk each", most_visits);
  return {};
}

/// Every transfer names what there is.
Result<void> ScheduleBuilder::check_slots() {
  auto& s = schedule_;
  const Story story{s.spec_, s.chunks_, s.agents_, {}};
  for (std::uint32_t id = 0; id < s.transfers_.size(); ++id) {
    const Transfer& t = s.transfers_[id];
    RS_TRY(check_transfer(story, t, {id, {step_of_[id]}}));
    for (const Slot& slot : {t.src(), t.with(), t.dst()})
      if (slot.buffer == Buffer::scratch)
        s.scratch_chunks_ = std::max(s.scratch_chunks_, slot.chunk.value + t.chunks());
    s.channels_ = std::max(s.channels_, t.channel().value + 1);
  }
  return {};
}

Result<void> ScheduleBuilder::derive() {
  auto& s = schedule_;
  const auto count = static_cast<std::uint32_t>(s.transfers_.size());
  const SlotIndex index(s);
  if (index.size() > most_slots) return too_many(std::to_string(index.size()), "slots", most_slots);
  Deriver deriver(s.transfers_, index);
  s.step_begin_.assign(1, 0);
  s.dependency_begin_.reserve(s.transfers_.size() + 1);
  s.dependency_begin_.assign(1, 0);
  for (std::uint32_t begin = 0; begin < count;) {
    auto end = begin;
    while (end < count && step_of_[end] == step_of_[begin]) ++end;
    RS_ASSIGN(const auto found, deriver.step(begin, end, step_of_[begin]));
    auto next = found.begin();
    for (auto id = begin; id < end; ++id) {
      for (; next != found.end() && next->id == id; ++next)
        s.dependencies_.push_back(next->dependency);
      s.dependency_begin_.push_back(s.dependencies_.size());
    }
    s.step_begin_.push_back(end);
    begin = end;
  }
  return {};
}

}  // namespace ringside
