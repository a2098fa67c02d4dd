#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// What one instruction does. Those that receive take the next message of the lane's `from`; those
/// that send put one on the lane's `to`.
enum class Opcode : std::uint8_t {
  wait,                      ///< nothing; carries a further `after`
  send,                      ///< src is sent
  receive,                   ///< dst = message
  receive_send,              ///< dst = message, which is sent on
  receive_reduce,            ///< dst = operand (op) message
  receive_reduce_send,       ///< operand (op) message is sent on, and stored nowhere
  receive_reduce_copy_send,  ///< dst = operand (op) message, which is sent on
  copy,                      ///< dst = src, on this rank
  reduce,                    ///< dst = operand (op) src, on this rank
};
std::string_view name(Opcode op);
bool receives(Opcode op);
bool sends(Opcode op);

/// A chunk-sized place on the rank that runs the instruction.
struct Place {
  Buffer buffer = Buffer::input;
  ChunkId chunk;
  friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

/// An instruction of the same rank that must have finished.
struct After {
  std::uint32_t lane, instruction;
  friend constexpr auto operator<=>(const After&, const After&) = default;
};

/// `chunks` consecutive places each; places that the opcode does not name mean nothing.
struct Instruction {
  Opcode op = Opcode::wait;
  Place src{}, operand{}, dst{};
  std::uint32_t chunks = 1;
  std::optional<After> after{};
};

/// Instructions in order, on one rank. One connection (sender, receiver, channel) has one lane at
/// each end.
struct Lane {
  std::optional<Rank> to, from;
  ChannelId channel;
  std::vector<Instruction> instructions;
};

/// What a program's source calls its parts: sentences on a file use the file's own words.
struct Words {
  std::string_view rank = "rank", lane = "lane", instruction = "instruction";
  std::span<const std::string_view> opcodes{};  ///< by Opcode; empty: name(Opcode)
};

/// What each rank does, knowing nothing of the others: what MSCCL runs, what a GPU kernel
/// interprets, what MPI ranks execute. A connection is a first-in first-out queue of `fifo_depth`
/// messages; who sends into a full one waits. Unlike a Schedule, a Program can deadlock.
struct Program {
  CollectiveSpec spec;
  std::uint32_t chunks = 1;  ///< of the whole vector
  std::uint32_t agents = 0;
  std::uint32_t fifo_depth = 1;
  std::vector<std::vector<Lane>> ranks;  ///< spec.ranks + agents
  Words words{};
};

struct Position {
  Rank rank;
  std::uint32_t lane = 0, instruction = 0;
  friend constexpr auto operator<=>(const Position&, const Position&) = default;
};
/// `rank 2, lane 3, instruction 5`
std::string to_string(const Position& position, const Words& words = {});

/// The program of a schedule, one lane for each end of a connection and one a channel for what
/// stays on a rank, with the least fifo_depth that cannot deadlock: 1, unless a step sends several
/// messages on one connection. A local transfer whose source an earlier one of the same step
/// overwrites becomes a message from a rank to itself.
Program lower(const Schedule& schedule);

/// The story that a program tells, in the order in which ranks that take turns would run it; or why
/// it tells none (malformed, mismatched, deadlocked). A message that waits in its queue while both
/// its source and its target change is kept in scratch on its way.
Result<Schedule> lift(const Program& program);

/// The least depth with which a program ends, or gone_wrong() that says what waits for what: then
/// it deadlocks with any.
Result<std::uint32_t> needed_fifo_depth(const Program& program);

enum class FaultKind : std::uint8_t {
  malformed,  ///< names a rank, lane, instruction or slot that does not exist or is not its own
  mismatch,   ///< a connection's sends and receives differ in number or size
  deadlock,   ///< instructions wait for each other in a circle
  race,       ///< two accesses of a slot whose order lanes, waits and messages do not force
  undefined,  ///< data is used, or left in an output, that nothing ever gave a value
  result,     ///< an output lacks, repeats or holds a wrong contribution
};
std::string_view name(FaultKind kind);

/// Plain data the window can point at; `what` is one sentence, position and all.
struct Fault {
  FaultKind kind;
  Position at;
  std::string what;
};

/// Proves that a program ends, with its fifo_depth, and that every way of running it turns the
/// collective's precondition into its postcondition. Empty = proven. Malformed or mismatched
/// programs are not run; those that deadlock are not judged further. At most `limit` faults.
std::vector<Fault> check(const Program& program, std::size_t limit = 16);

}  // namespace ringside
