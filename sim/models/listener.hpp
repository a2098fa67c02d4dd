#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/message.hpp"
#include "core/slot_table.hpp"
#include "sim/models/connections.hpp"
#include "sim/models/slot_times.hpp"

// The two models, told to: the rules of stream.cpp and flow.cpp without a schedule. Internal to
// sim::Streamer.

namespace ringside::sim::models {

/// One run: what is told, and where.
struct Telling {
  const Story& story;
  const Topology& topology;
  std::span<const Wire> wires;
  Connections& connections;
  const Payload& payload;
  const Disturbance& disturbance;
  const Folding* folding = nullptr;    ///< that of `connections`; `wires` are its wires
  const Patience* patience = nullptr;  ///< none: no end of it
};

/// Thrown out of a story, which cannot be asked to stop. Ambiguous: a write may have to wait for a
/// use that brief words have not kept. Contended: model flow alone, and two transfers may share a
/// wire.
struct Stopped {
  enum class Why { error, ambiguous, contended } why;
};

/// How long wires are busy with a message. Messages of a story have few lengths, and wires few
/// bandwidths: the last times worked out are remembered.
class WireTimes {
 public:
  WireTimes(std::span<const Wire> wires, const Payload& payload);
  std::uint32_t kind_of(std::size_t wire) const { return kind_of_[wire]; }
  std::int64_t time(std::uint32_t kind, std::uint64_t bytes) {
    Kind& k = kinds_[kind];
    auto& known = k.known[bytes >> element_bits_ & 3];
    if (known.bytes != bytes)
      known = {bytes, time_of(Work{bytes} * 1'000'000'000'000u << rate_bits, k.rate).picoseconds};
    return known.time;
  }
  /// With jitter no two messages are alike.
  std::int64_t time_of_work(std::uint32_t kind, Work work) const {
    return time_of(work, kinds_[kind].rate).picoseconds;
  }

 private:
  struct Known {
    std::uint64_t bytes = 0;
    std::int64_t time = 0;
  };
  struct Kind {
    Rate rate;
    Known known[4]{};
  };
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  // by wire
  unsigned element_bits_;
};

/// Model flow is heard as long as no two transfers share a wire: then each has its narrowest wire's
/// whole bandwidth.
template <typename Word, NetworkModel model = NetworkModel::stream>
class Listener final : public TransferSink {
 public:
  explicit Listener(const Telling& telling);

  /// Time of the last commit, once the story has been told. Throws Stopped.
  Duration listen();
  /// Why it stopped.
  const Error& error() const { return error_; }

 private:
  static constexpr bool is_brief = sizeof(Word) == 8;
  static constexpr bool is_flow = model == NetworkModel::flow;
  struct WireState {
    std::int64_t free = 0, latency = 0, one_chunk = 0;
    std::uint32_t kind = 0;
  };
  struct RankState {
    std::int64_t start = 0, last_use = 0;
  };
  /// How many transfers a rank has told of a step.
  struct Rounds {
    std::uint32_t step = UINT32_MAX, told = 0;
  };
  /// In which step and round a wire was last crossed, from which group, and from which of its
  /// ranks. Without Orbit::in_rounds a step is one round.
  struct Crossing {
    std::uint32_t step = UINT32_MAX, round = 0, group = 0, rank = 0;
  };
  /// Read, and not yet committed: `due` when nobody uses the target any more.
  struct Pending {
    Transfer transfer;
    std::int64_t due;
  };

  void consume(std::span<const Transfer> block, Step step) override;
  void make_room(std::size_t more);
  [[noreturn, gnu::cold]] void stop(const Result<void>& why);
  void check(const Transfer& t);
  void reach_scratch(const Transfer& t);
  std::uint64_t bytes_of(const Transfer& t);
  /// And has no operand whose time matters.
  static bool is_one_chunk_to_output(const Transfer& t) {
    return t.chunks() == 1 && t.dst().buffer == Buffer::output &&
           (t.with() == t.dst() || t.with().buffer == Buffer::input);
  }
  void inject_one_chunk(const Transfer& t);
  void fold(const ToldConnection& c, Transfer& t);
  [[gnu::noinline]] void inject(Transfer t);
  std::int64_t pass(ToldConnection& c, std::uint64_t bytes, std::int64_t ready);
  std::int64_t flow(ToldConnection& c, std::uint64_t bytes, std::int64_t ready);
  void commit_one_chunk(const Pending& p);
  void commit(const Pending& p);
  void commit_all();

  Telling told_;
  const bool in_place_, jitters_;
  SlotTable<Word> slots_;
  ChunkLayout layout_;
  std::uint64_t element_, chunk_bytes_;  // the latter 0 if chunks are not equally long
  bool is_even_;  ///< one-chunk messages all take a wire equally long, and not too long
  WireTimes times_;
  std::vector<WireState> wires_;
  std::vector<Crossing> crossings_;  // by wire, where folded
  std::vector<Rounds> rounds_;       // by rank, where folded
  std::vector<RankState> ranks_;
  std::vector<Pending> pending_;  // of the step being told: the first `waiting_`
  std::size_t waiting_ = 0;
  StoryPosition at_;
  std::int64_t read_ = 0, last_commit_ = 0;
  Error error_;
};

extern template class Listener<BriefWord, NetworkModel::stream>;
extern template class Listener<FullWord, NetworkModel::stream>;
extern template class Listener<BriefWord, NetworkModel::flow>;
extern template class Listener<FullWord, NetworkModel::flow>;

}  // namespace ringside::sim::models
