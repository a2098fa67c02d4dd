#include "core/story_proof.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "core/conditions.hpp"
#include "core/fingerprint.hpp"
#include "core/slot_table.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr std::size_t enough_faults = 1024;  // nobody reads more
constexpr std::size_t ahead = 16;            // slots fetched from memory before their turn

/// Thrown out of a story, which cannot be asked to stop.
struct Stopped {};

/// The chunks [first, end) of one buffer.
struct Extent {
  std::uint32_t first = UINT32_MAX, end = 0;
  bool contains(std::uint32_t chunk) const { return first <= chunk && chunk < end; }
  void include(std::uint32_t chunk, std::uint32_t count) {
    first = std::min(first, chunk);
    end = std::max(end, chunk + count);
  }
};

/// Hears a story on fingerprints, by the rule of the step: what a step reads is taken before its
/// first write.
class Audit final : public TransferSink {
 public:
  Audit(const Story& story, std::uint64_t seed)
      : story_(story), seed_(seed), values_(story), rooms_(story.participants()) {}

  Result<StoryProof> hear(std::size_t limit) {
    if (!values_.has_room())
      return machine_lacks("this machine has too little memory for the proof");
    give();
    try {
      story_.tell(*this);
      finish();
      apply_step();
    } catch (const Stopped&) {
      if (!error_.message.empty()) return tl::unexpected<Error>(error_);
    }
    std::stable_sort(faults_.begin(), faults_.end(), [](const StoryFault& a, const StoryFault& b) {
      return a.at->transfer < b.at->transfer;
    });
    if (faults_.size() < limit) judge(limit);
    if (faults_.size() > limit) faults_.resize(limit);
    const auto slots = std::uint64_t{story_.chunks} * story_.spec.ranks;
    return StoryProof{std::move(faults_), next_.transfer,
                      126 - static_cast<unsigned>(std::bit_width(slots))};
  }

 private:
  /// What a rank has: each a run of slots.
  struct Rooms {
    Extent inputs, outputs;
  };
  /// Read, not yet written.
  struct Pending {
    Transfer transfer;
    StoryPosition at;
  };

  void give() {
    for_each_given(story_.spec, story_.chunks, [&](const GivenRun& run) {
      Rooms& rooms = rooms_[run.slot.rank.value];
      const auto first = run.slot.chunk.value;
      (run.slot.buffer == Buffer::input ? rooms.inputs : rooms.outputs).include(first, run.count);
      if (run.slot.buffer != Buffer::output) return;
      auto* const held = values_.at(run.slot);
      for (std::uint32_t i = 0; i < run.count; ++i)
        held[i] = Fingerprint::one(run.slot.rank, {first + i}, seed_);
    });
    for_each_promised(story_.spec, story_.chunks, [&](const PromisedRun& run) {
      const Slot slot = run.first.slot;
      rooms_[slot.rank.value].outputs.include(slot.chunk.value, run.slots);
    });
  }

  void consume(std::span<const Transfer> block, Step step) override {
    if (step != next_.step) apply_step();
    next_.step = step;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i + ahead < block.size()) values_.fetch(block[i + ahead].src());
      Transfer t = block[i];
      if (keep(story_.spec, t)) read(t);
    }
  }

  [[noreturn]] void stop(const Result<void>& why) {
    if (!why) error_ = why.error();
    throw Stopped{};
  }
  void report(ViolationKind kind, StoryPosition at, Slot slot) {
    const bool known = !faults_.empty() && faults_.back().kind == kind &&
                       faults_.back().at->transfer == at.transfer;
    if (!known) faults_.push_back({kind, slot, at});  // once a transfer, not once a chunk
  }

  void make_room(const Transfer& t) {
    if (const auto right = check_transfer(story_, t, next_); !right) stop(right);
    for (const Slot& slot : {t.src(), t.with(), t.dst()})
      if (slot.buffer == Buffer::scratch && !values_.reach(slot, t.chunks()))
        stop(machine_lacks("the story's scratch needs more memory than this machine has"));
    if (pending_.size() == pending_.capacity()) {
      const auto enough = 2 * pending_.size() * sizeof(Pending) +
                          2 * (sources_.size() + operands_.size()) * sizeof(Fingerprint);
      if (const auto room = check_memory({enough}, "a step of so many transfers"); !room)
        stop(room);
    }
  }

  bool exists(Slot slot) const {
    const Rooms& rooms = rooms_[slot.rank.value];
    return slot.buffer == Buffer::scratch ||
           (slot.buffer == Buffer::input ? rooms.inputs : rooms.outputs).contains(slot.chunk.value);
  }
  Fingerprint value(Slot slot) {
    if (slot.buffer != Buffer::input) return *values_.at(slot);
    return exists(slot) ? Fingerprint::one(slot.rank, slot.chunk, seed_) : Fingerprint{};
  }
  Fingerprint use(Slot slot) {
    if (!exists(slot)) report(ViolationKind::outside, next_, slot);
    const auto held = value(slot);
    if (held.empty()) report(ViolationKind::uninitialised, next_, slot);
    return held;
  }

  void read(const Transfer& t) {
    make_room(t);
    const bool has_operand = t.has_separate_operand();
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      sources_.push_back(use(nth(t.src(), i)));
      if (has_operand) {
        operands_.push_back(use(nth(t.with(), i)));
        if (t.with().buffer != Buffer::input) ++awaited_[key_of(nth(t.with(), i))];
      }
      if (!exists(nth(t.dst(), i))) report(ViolationKind::outside, next_, nth(t.dst(), i));
    }
    pending_.push_back({t, next_});
    ++next_.transfer;
  }

  void apply_step() {
    next_source_ = next_operand_ = 0;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (i + ahead < pending_.size()) values_.fetch(pending_[i + ahead].transfer.dst());
      write(pending_[i].transfer, pending_[i].at);
    }
    pending_.clear();
    sources_.clear();
    operands_.clear();
    if (faults_.size() > enough_faults) stop({});
  }

  void write(const Transfer& t, StoryPosition at) {
    const bool has_operand = t.has_separate_operand();
    if (has_operand && t.with().buffer != Buffer::input) release(t, at);
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const Slot slot = nth(t.dst(), i);
      Fingerprint& target = *values_.at(slot);
      const Fingerprint source = sources_[next_source_++];
      if (!awaited_.empty() && awaited_.contains(key_of(slot)))
        report(ViolationKind::race, at, slot);
      if (t.action() == Action::copy) {
        target = source;
      } else if (has_operand) {
        target = operands_[next_operand_++] + source;
      } else {
        if (target.empty()) report(ViolationKind::uninitialised, at, slot);
        target = target + source;
      }
    }
  }

  /// The operand is used now, and nobody must wait for it any more; only its own transfer may have
  /// begun to overwrite it.
  void release(const Transfer& t, StoryPosition at) {
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto waiting = awaited_.find(key_of(nth(t.with(), i)));
      if (--waiting->second == 0) awaited_.erase(waiting);
    }
    const std::uint64_t with = t.with().chunk.value, dst = t.dst().chunk.value;
    if (t.with().buffer == t.dst().buffer && with < dst + t.chunks() && dst < with + t.chunks())
      report(ViolationKind::race, at, t.dst());
  }
  static std::uint64_t key_of(Slot slot) {
    return std::uint64_t{slot.rank.value} << 34 | static_cast<std::uint64_t>(slot.buffer) << 32 |
           slot.chunk.value;
  }

  /// The sum of one chunk of the ranks [first, first + count).
  Fingerprint sum(ChunkId chunk, Rank first, std::uint32_t count) const {
    Fingerprint all;
    for (std::uint32_t r = 0; r < count; ++r)
      all = all + Fingerprint::one({first.value + r}, chunk, seed_);
    return all;
  }

  void judge(std::size_t limit) {
    std::vector<Fingerprint> sums(reduces(story_.spec.kind) ? story_.chunks : 0);
    for_each_promised(story_.spec, story_.chunks, [&](const PromisedRun& run) {
      const Expectation& first = run.first;
      for (std::uint32_t i = 0; i < run.slots && faults_.size() < limit; ++i) {
        const ChunkId chunk{first.from_chunk.value + i};
        Fingerprint promised;
        if (sums.empty()) {
          promised = sum(chunk, first.first, first.count);
        } else {  // of all ranks, and the same on many
          auto& known = sums[chunk.value];
          if (known.empty()) known = sum(chunk, first.first, first.count);
          promised = known;
        }
        const Slot slot = nth(first.slot, i);
        if (value(slot) != promised) name_fault(slot, chunk, first, value(slot) - promised);
      }
    });
  }

  /// One part too few or too many is told by its number; anything else is just wrong.
  void name_fault(Slot slot, ChunkId chunk, const Expectation& promised, Fingerprint excess) {
    if (value(slot).empty())
      return faults_.push_back({ViolationKind::uninitialised, slot, std::nullopt});
    for (std::uint32_t r = 0; r < promised.count; ++r) {
      const Rank rank{promised.first.value + r};
      const auto part = Fingerprint::one(rank, chunk, seed_);
      if (excess == part)
        return faults_.push_back(
            {ViolationKind::repeated, slot, std::nullopt, Contribution{rank, chunk}});
      if (excess == Fingerprint{} - part)
        return faults_.push_back(
            {ViolationKind::missing, slot, std::nullopt, Contribution{rank, chunk}});
    }
    faults_.push_back({ViolationKind::wrong, slot, std::nullopt});
  }

  const Story& story_;
  std::uint64_t seed_;
  SlotTable<Fingerprint> values_;
  std::vector<Rooms> rooms_;
  std::vector<Pending> pending_;  // of the step being told
  std::vector<Fingerprint> sources_, operands_;
  std::size_t next_source_ = 0, next_operand_ = 0;
  /// Operands that transfers of this step still need, and how many do. Looked up only.
  std::unordered_map<std::uint64_t, std::uint32_t> awaited_;
  StoryPosition next_;
  std::vector<StoryFault> faults_;
  Error error_;
};

}  // namespace

std::string to_string(const StoryFault& fault) {
  const auto where = to_string(fault.slot);
  const auto who = fault.at ? "transfer " + std::to_string(fault.at->transfer) + " (step " +
                                  std::to_string(fault.at->step.value) + ")"
                            : std::string();
  const auto part = !fault.part ? std::string()
                                : "rank " + std::to_string(fault.part->rank.value) + "'s chunk " +
                                      std::to_string(fault.part->chunk.value);
  const auto sentence = std::string(name(fault.kind)) + ": ";
  switch (fault.kind) {
    case ViolationKind::missing:
      return sentence + where + " lacks " + part;
    case ViolationKind::repeated:
      return sentence + where + " holds " + part + " more than once";
    case ViolationKind::wrong:
      return sentence + where + " does not hold what it should";
    case ViolationKind::uninitialised:
      return sentence + where + " holds no value " +
             (fault.at ? "when " + who + " needs or leaves it" : "at the end");
    case ViolationKind::race:
      return sentence + who + " overwrites the operand on " + where + " that is still needed";
    case ViolationKind::outside:
      break;
  }
  return sentence + who + " names " + where + ", which this collective does not give that rank";
}

Result<StoryProof> audit(const Story& story, std::uint64_t seed, std::size_t limit) {
  if (story.spec.kind == CollectiveKind::barrier)
    return bad_request("a barrier's signals may come twice, which a sum of numbers cannot tell");
  RS_TRY(check_memory({SlotTable<Fingerprint>::bytes(story)},
                      "proving " + std::string(name(story.spec.kind)) + " over " +
                          counted(story.spec.ranks, "rank") + " in " +
                          counted(story.chunks, "chunk")));
  return Audit(story, seed).hear(limit);
}

}  // namespace ringside
