#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/collective.hpp"
#include "gpu/cuda/interpreter/device_program.hpp"

namespace ringside::cuda::interpreter {

/// An instruction while it grows.
struct Draft {
  Deed deed = Deed::combine;
  ChunkOrder order = ChunkOrder::any;
  std::uint32_t chunks = 1, sized_by = 0;
  std::uint64_t position = 0;  ///< in the one order of all instructions
  std::vector<Operand> sources{}, targets{}, offers{};
  std::vector<Wait> waits{};  ///< of `taken`: for a connection, not yet for an end
  std::vector<Event> events{};
};

/// Which message of which connection a transfer is.
struct Message {
  std::uint32_t connection = Instruction::none, ordinal = 0;
  bool is_direct = false;  ///< taken from where it lies
};

bool overlap(const Slot& a, const Slot& b, std::uint32_t chunks);

/// Takes a schedule's events one by one, in an order that respects all dependencies, and makes
/// instructions of them. An event joins an instruction that is already there if the values allow it
/// and all that the event must wait for stands before that instruction: so every instruction still
/// waits for earlier ones only.
class Fuser {
 public:
  Fuser(const Work& work, const Fusing& fusing, std::uint32_t depth,
        std::span<const Message> messages);

  void read(TransferId id);    ///< a message is sent
  void commit(TransferId id);  ///< it is received
  void move(TransferId id);    ///< a local transfer

  /// An instruction on the rank's first channel that no event is part of.
  struct Places {
    Operand source, target;
  };
  void alone(Rank rank, Deed deed, const Places& places, std::uint32_t chunks);
  /// What comes later on a rank waits for all that the rank's other channels have done so far.
  void everybody_waits();
  /// And its next instruction on the first channel, for all that others take from the rank.
  void owner_waits_for_takers();

  /// A value that other targets take along and nobody looks up where it is stored need not be
  /// stored there. After the last event.
  void drop_dead_stores();

  std::vector<Draft>& drafts(std::uint32_t block) { return drafts_[block]; }

 private:
  /// An event's instruction.
  struct Home {
    std::uint32_t block = Instruction::none, instruction = 0;
    friend bool operator==(const Home&, const Home&) = default;
  };
  /// Something that must have happened; `is_value`: in the same instruction will do, since what it
  /// gives is at hand there.
  struct Earlier {
    Home home;
    bool is_value = false;
    const Message* taken = nullptr;  ///< known by its receiver's having taken it
  };
  using Before = std::vector<Earlier>;

  std::uint32_t block_of(Rank rank, const Transfer& t) const {
    return rank.value * channels_ + t.channel().value;
  }
  Draft& draft(const Home& home) { return drafts_[home.block][home.instruction]; }
  std::uint32_t sized_by(const Transfer& t) const;
  bool same_lengths(const Draft& draft, TransferId id) const;

  Before before_read(TransferId id) const;
  Before before_commit(TransferId id) const;
  Earlier after_reader(TransferId reader) const;
  bool may_join(const Home& into, const Before& before) const;
  /// Where the value of these slots is at hand: in an instruction that stores or sends it.
  std::optional<Home> with_value(const Slot& first, TransferId id, std::uint32_t block,
                                 const Before& before);
  std::optional<Home> join_as_target(TransferId id, const Operand& target, const Before& before);
  std::optional<Home> join_offers(TransferId id, const Operand& offer, const Before& before);
  std::optional<Home> join_as_source(TransferId id, const Operand& source, const Before& before);
  Home append(std::uint32_t block, Draft fresh, const Before& before);
  void add_waits(const Home& home, const Before& before);

  const Schedule& schedule_;
  ChunkLayout layout_;
  Fusing fusing_;
  std::uint32_t depth_, channels_;
  std::span<const Message> messages_;
  std::vector<std::vector<Draft>> drafts_;              // by block
  std::vector<Home> read_, commit_;                     // by transfer
  std::vector<std::vector<TransferId>> of_connection_;  // by connection: its messages so far
  std::vector<std::vector<Wait>> owed_;                 // by block: to be waited for next
  /// By block, place and chunks: the instruction that last took its one value from there.
  std::map<std::tuple<std::uint32_t, Site, std::uint32_t, std::uint32_t>, std::uint32_t> takers_;
  std::vector<std::uint32_t> last_offers_;  // by block: the last instruction that only offers
  std::uint64_t next_position_ = 0;
};

}  // namespace ringside::cuda::interpreter
