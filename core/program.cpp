#include "core/program.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "core/program_run.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

/// Scratch that one rank may name: far more than any program needs, far less than memory.
constexpr std::uint64_t max_scratch = std::uint64_t{1} << 24;

constexpr std::array<std::string_view, 9> opcode_names{"wait",
                                                       "send",
                                                       "receive",
                                                       "receive_send",
                                                       "receive_reduce",
                                                       "receive_reduce_send",
                                                       "receive_reduce_copy_send",
                                                       "copy",
                                                       "reduce"};

bool reads_src(Opcode op) {
  return op == Opcode::send || op == Opcode::copy || op == Opcode::reduce;
}
bool has_operand(Opcode op) {
  return op == Opcode::reduce || op == Opcode::receive_reduce ||
         op == Opcode::receive_reduce_send || op == Opcode::receive_reduce_copy_send;
}
bool writes(Opcode op) {
  return op != Opcode::wait && op != Opcode::send && op != Opcode::receive_reduce_send;
}

std::string part(std::string_view word, std::uint32_t number) {
  return std::string(word) + " " + std::to_string(number);
}

/// Looks at each instruction alone, then at the two ends of each connection.
class WellFormedness {
 public:
  WellFormedness(const Program& program, std::size_t limit)
      : program_(program), words_(program.words), limit_(limit) {}

  std::vector<Fault> check() && {
    if (const auto spec = header(); !spec) {
      found_.push_back({FaultKind::malformed, {}, spec.error().message});
      return std::move(found_);
    }
    for (std::uint32_t r = 0; r < program_.ranks.size(); ++r)
      for (std::uint32_t l = 0; l < program_.ranks[r].size(); ++l) {
        const Lane& lane = program_.ranks[r][l];
        claim_ends(lane, {{r}, l, 0});
        for (std::uint32_t i = 0; i < lane.instructions.size(); ++i)
          instruction(lane.instructions[i], {{r}, l, i});
      }
    if (found_.empty())
      for (const auto& [connection, ends] : connections_) compare(connection, ends);
    if (found_.size() > limit_) found_.resize(limit_);
    return std::move(found_);
  }

 private:
  using Connection = std::tuple<Rank, Rank, ChannelId>;
  struct Ends {
    std::optional<Position> sender, receiver;
  };

  Result<void> header() const {
    RS_TRY(ringside::check(program_.spec));
    const auto participants = std::uint64_t{program_.spec.ranks} + program_.agents;
    if (participants > Transfer::max_ranks || program_.ranks.size() != participants)
      return bad_request("the program has lanes for " + counted(program_.ranks.size(), "rank") +
                         ", but " + std::to_string(participants) + " take part");
    const auto blocks = is_blocked(program_.spec.kind) ? program_.spec.ranks : 1;
    if (program_.chunks == 0 || program_.chunks % blocks != 0)
      return bad_request("the vector is cut into a positive multiple of " +
                         counted(blocks, "chunk") + ", not " + std::to_string(program_.chunks));
    if (program_.fifo_depth == 0) return bad_request("a queue holds at least one message");
    return {};
  }

  std::string name(const Position& at) const { return to_string(at, words_); }

  void report(FaultKind kind, const Position& at, const std::string& what) {
    if (found_.size() < limit_) found_.push_back({kind, at, name(at) + " " + what});
  }

  void claim_ends(const Lane& lane, const Position& at) {
    if (lane.channel.value >= Transfer::max_channels)
      report(FaultKind::malformed, at,
             "uses channel " + std::to_string(lane.channel.value) + "; there are " +
                 std::to_string(Transfer::max_channels));
    const auto claim = [&](bool (*does)(Opcode), std::optional<Rank> peer, auto end,
                           const char* verb) {
      const auto first = std::find_if(lane.instructions.begin(), lane.instructions.end(),
                                      [&](const Instruction& i) { return does(i.op); });
      if (first == lane.instructions.end()) return;
      const auto index = static_cast<std::uint32_t>(first - lane.instructions.begin());
      const Position here{at.rank, at.lane, index};
      if (!peer)
        return report(FaultKind::malformed, here,
                      std::string(verb) + "s, but its lane names no rank to do so with");
      if (peer->value >= program_.ranks.size())
        return report(FaultKind::malformed, here,
                      "names " + part(words_.rank, peer->value) + "; there are " +
                          counted(program_.ranks.size(), words_.rank));
      std::optional<Position>& owner = end(*peer);
      if (owner)
        return report(FaultKind::malformed, here,
                      std::string(verb) + "s on the connection that " +
                          part(words_.lane, owner->lane) + " " + verb + "s on too; one " +
                          std::string(words_.lane) + " owns one end");
      owner = here;
    };
    claim(
        sends, lane.to,
        [&](Rank to) -> auto& {
          return connections_[{at.rank, to, lane.channel}].sender;
        },
        "send");
    claim(
        receives, lane.from,
        [&](Rank from) -> auto& {
          return connections_[{from, at.rank, lane.channel}].receiver;
        },
        "receive");
  }

  void instruction(const Instruction& i, const Position& at) {
    const auto place = [&](const Place& p) {
      const auto end = std::uint64_t{p.chunk.value} + i.chunks;
      const auto most = p.buffer == Buffer::scratch ? max_scratch : program_.chunks;
      if (end > most)
        report(FaultKind::malformed, at,
               "reaches past the " + counted(most, "chunk") + " of " +
                   to_string(Slot{at.rank, p.buffer, p.chunk}));
    };
    if (i.op != Opcode::wait) {
      if (i.chunks == 0) report(FaultKind::malformed, at, "moves no chunk");
      if (reads_src(i.op)) place(i.src);
      if (has_operand(i.op)) place(i.operand);
      if (writes(i.op)) place(i.dst);
    }
    if (writes(i.op) && i.dst.buffer == Buffer::input && !program_.spec.in_place)
      report(FaultKind::malformed, at, "writes to the input, which stays as it is out of place");
    if (!i.after) return;
    const auto& lanes = program_.ranks[at.rank.value];
    if (i.after->lane >= lanes.size() ||
        i.after->instruction >= lanes[i.after->lane].instructions.size())
      report(FaultKind::malformed, at,
             "waits for " + part(words_.lane, i.after->lane) + ", " +
                 part(words_.instruction, i.after->instruction) + ", which does not exist");
  }

  /// Instructions of one end of a connection, in order.
  std::vector<Position> messages(const std::optional<Position>& end, bool (*does)(Opcode)) const {
    std::vector<Position> at;
    if (!end) return at;
    const auto& all = program_.ranks[end->rank.value][end->lane].instructions;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (does(all[i].op)) at.push_back({end->rank, end->lane, i});
    return at;
  }
  std::uint32_t chunks_at(const Position& at) const {
    return program_.ranks[at.rank.value][at.lane].instructions[at.instruction].chunks;
  }

  void compare(const Connection& connection, const Ends& ends) {
    const auto sent = messages(ends.sender, sends), received = messages(ends.receiver, receives);
    const auto both = std::min(sent.size(), received.size());
    const auto counts = part(words_.rank, std::get<0>(connection).value) + " sends " +
                        std::to_string(sent.size()) + " and " +
                        part(words_.rank, std::get<1>(connection).value) + " receives " +
                        std::to_string(received.size()) + " on channel " +
                        std::to_string(std::get<2>(connection).value);
    if (sent.size() > both)
      report(FaultKind::mismatch, sent[both], "sends a message that nobody receives: " + counts);
    if (received.size() > both)
      report(FaultKind::mismatch, received[both],
             "receives a message that nobody sends: " + counts);
    for (std::size_t m = 0; m < both; ++m)
      if (chunks_at(sent[m]) != chunks_at(received[m]))
        return report(FaultKind::mismatch, received[m],
                      "receives " + counted(chunks_at(received[m]), "chunk") + " where " +
                          name(sent[m]) + " sends " + std::to_string(chunks_at(sent[m])));
  }

  const Program& program_;
  const Words& words_;
  std::size_t limit_;
  std::map<Connection, Ends> connections_;
  std::vector<Fault> found_;
};

}  // namespace

std::string_view name(Opcode op) {
  return opcode_names[static_cast<std::size_t>(op)];
}
bool receives(Opcode op) {
  return op >= Opcode::receive && op <= Opcode::receive_reduce_copy_send;
}
bool sends(Opcode op) {
  return op == Opcode::send || op == Opcode::receive_send || op == Opcode::receive_reduce_send ||
         op == Opcode::receive_reduce_copy_send;
}

std::string_view name(FaultKind kind) {
  constexpr std::array<std::string_view, 6> names{"malformed", "mismatch",  "deadlock",
                                                  "race",      "undefined", "result"};
  return names[static_cast<std::size_t>(kind)];
}

std::string to_string(const Position& at, const Words& words) {
  return part(words.rank, at.rank.value) + ", " + part(words.lane, at.lane) + ", " +
         part(words.instruction, at.instruction);
}

std::vector<Fault> well_formedness(const Program& program, std::size_t limit) {
  return WellFormedness(program, limit).check();
}

Result<std::uint32_t> needed_fifo_depth(const Program& program) {
  if (const auto faults = well_formedness(program, 1); !faults.empty())
    return gone_wrong(faults[0].what);
  const LaneTable lanes(program);
  std::size_t longest = 1;  // a queue this deep is never full
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane)
    longest = std::max(longest, lanes[lane].instructions.size());
  auto least = std::uint32_t{1}, enough = static_cast<std::uint32_t>(longest);
  if (const auto unlimited = run(lanes, enough); !unlimited.circle.empty())
    return gone_wrong(describe_circle(lanes, unlimited.circle));
  if (run(lanes, least).circle.empty()) return least;
  while (least + 1 < enough) {  // deadlocks with `least`, ends with `enough`
    const auto middle = least + (enough - least) / 2;
    (run(lanes, middle).circle.empty() ? enough : least) = middle;
  }
  return enough;
}

}  // namespace ringside
