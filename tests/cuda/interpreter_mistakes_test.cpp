// A test that cannot fail is a bug: mistakes in programs, tables and state must be seen, each.
// (Mistakes of memory order: interpreter_races_test.cpp.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/guarded_memory.hpp"
#include "tests/cuda/interpreter_backend.hpp"

namespace ringside::cuda::interpreter {
namespace {

Flag always = UINT64_MAX / 2, nowhere = 0;

/// The instructions of a program that a mistake can be made in; it is made in the middle one.
template <typename Fits, typename Spoil>
bool spoil_one(DeviceProgram& program, const Fits& fits, const Spoil& spoil) {
  std::vector<std::pair<BlockProgram*, Instruction*>> places;
  for (BlockProgram& block : program.blocks)
    for (Instruction& i : block.instructions)
      if (fits(block, i)) places.emplace_back(&block, &i);
  if (places.empty()) return false;
  const auto& [block, instruction] = places[places.size() / 2];
  spoil(*block, *instruction);
  return true;
}

bool reads_buffer(const BlockProgram& block, const Instruction& i) {
  return block.operands[i.operands].site < Site::given;
}
bool stores_and_sends(const BlockProgram& block, const Instruction& i) {
  return i.targets > 1 && block.operands[i.operands + i.sources].site < Site::given;
}
bool sends(const BlockProgram& block, const Instruction& i) {
  return block.operands[i.operands + i.sources].site == Site::sent;
}

// clang-format off
struct ProgramMistake { const char* name; bool (*make)(DeviceProgram&); };
const ProgramMistake program_mistakes[] = {
  {"dropped_wait", [](DeviceProgram& p) {
    return spoil_one(p, [](auto&, auto& i) { return i.wait_count > 0; },
                     [](auto&, auto& i) { i.wait_count = 0; }); }},
  {"awaited_in_vain", [](DeviceProgram& p) {
    return spoil_one(p, [](auto&, auto& i) { return i.is_awaited; },
                     [](auto&, auto& i) { i.is_awaited = false; }); }},
  {"early_wait", [](DeviceProgram& p) {
    for (BlockProgram& block : p.blocks)
      for (Instruction& i : block.instructions) i.is_awaited = true;
    return spoil_one(p, [](auto& b, auto& i) { return i.wait_count > 0 &&
                                                      b.waits[i.waits].count > 1; },
                     [](auto& b, auto& i) { --b.waits[i.waits].count; }); }},
  {"taken_for_granted", [](DeviceProgram& p) {
    const auto waits = [](auto& b, auto& i) {
      return i.wait_count > 0 && b.waits[i.waits].what == Wait::For::taken; };
    return spoil_one(p, waits, [](auto&, auto& i) { i.wait_count = 0; }); }},
  {"offered_in_vain", [](DeviceProgram& p) {
    return spoil_one(p, [](auto&, auto& i) { return i.offers > 0; },
                     [](auto&, auto& i) { --i.offers; }); }},
  {"taken_elsewhere", [](DeviceProgram& p) {
    const auto takes = [](auto& b, auto& i) {
      return i.sources > 0 && b.operands[i.operands + i.sources - 1].site == Site::peer; };
    return spoil_one(p, takes, [](auto& b, auto& i) {
      auto& chunk = b.operands[i.operands + i.sources - 1].chunk;
      chunk = chunk == 0 ? 1 : chunk - 1; }); }},
  {"lost_instruction", [](DeviceProgram& p) {
    return spoil_one(p, [](auto& b, auto& i) { return &i == &b.instructions.back(); },
                     [](auto& b, auto&) { b.instructions.pop_back(); }); }},
  {"swapped_instructions", [](DeviceProgram& p) {
    return spoil_one(p, [](auto& b, auto& i) { return &i != &b.instructions.back(); },
                     [](auto&, auto& i) { std::swap(i, *(&i + 1)); }); }},
  {"lost_store", [](DeviceProgram& p) {
    return spoil_one(p, stores_and_sends, [](auto& b, auto& i) {
      std::swap(b.operands[i.operands + i.sources], b.operands[i.operands + i.sources + 1]);
      b.operands[i.operands + i.sources + 1] = {Site::scratch, 0}; --i.targets; }); }},
  {"wrong_chunk", [](DeviceProgram& p) {
    return spoil_one(p, reads_buffer, [](auto& b, auto& i) {
      auto& index = b.operands[i.operands].index; index = index == 0 ? 1 : index - 1; }); }},
  {"copied_for_reduced", [](DeviceProgram& p) {
    return spoil_one(p, [](auto&, auto& i) { return i.sources > 1; }, [](auto& b, auto& i) {
      b.operands[i.operands + 1] = b.operands[i.operands]; }); }},
  {"wrong_message", [](DeviceProgram& p) {
    return spoil_one(p, sends, [](auto& b, auto& i) {
      b.operands[i.operands + i.sources].ordinal ^= 1u; }); }},
  {"too_few_slots", [](DeviceProgram& p) { p.depth = 1; return true; }},
};

struct TableMistake { const char* name; void (*make)(Job&, Task*); };
Wire& wire(const Task& task) { return const_cast<Wire&>(task.wires[0]); }
const TableMistake table_mistakes[] = {
  {"stale_flag", [](Job& job, Task* tasks) {
    for (auto t = 0u; t < job.task_count; ++t) wire(tasks[t]).wait = &always; }},
  {"untold_news", [](Job& job, Task* tasks) { wire(tasks[job.task_count / 2]).tell = &nowhere; }},
  {"wrong_slot", [](Job& job, Task* tasks) {
    wire(tasks[job.task_count / 2]).slots += job.slot_bytes; }},
  {"wrong_count_of_messages", [](Job& job, Task* tasks) {
    ++wire(tasks[job.task_count / 2]).messages; }},
  {"lost_window", [](Job& job, Task*) { --job.windows; }},
  {"same_share_twice", [](Job& job, Task* tasks) {
    for (auto t = 0u; t < job.task_count; ++t) tasks[t].cta = 0; }},
  {"parts_overlap", [](Job& job, Task*) { job.part_bytes /= 2; }},
  {"wrong_op", [](Job& job, Task*) { job.op = ElementOp::max; }},
  {"undivided", [](Job& job, Task*) { job.divisor = 1; }},
  {"unscaled", [](Job& job, Task*) { job.scalar = 0; }},
};
const TableMistake state_mistakes[] = {
  {"state_not_kept", [](Job& job, Task* tasks) {
    for (auto t = 0u; t < job.task_count; ++t) *tasks[t].windows_done = 0; }},
  {"state_too_far", [](Job& job, Task* tasks) { ++*tasks[job.task_count / 2].windows_done; }},
};
// clang-format on

/// Runs what makes mistakes show: channels that wait for each other, exchanges, deep queues,
/// messages of several chunks, twice on different data, in different orders. The first complaint.
std::string complaint(const RigOptions& given) {
  struct Scene {
    CollectiveKind kind;
    const char* algorithm;
    Options options;
    ReduceOp op = ReduceOp::sum;
  };
  const Scene scenes[] = {
      {CollectiveKind::all_reduce, "ring", {}},
      {CollectiveKind::all_reduce, "ring", {.chunks = 15}},
      {CollectiveKind::all_reduce, "recursive_doubling", {}},
      {CollectiveKind::all_reduce, "multi_ring", {.channels = 2}, ReduceOp::avg},
      {CollectiveKind::all_reduce, "multi_ring", {.channels = 2}, ReduceOp::mulsum},
      {CollectiveKind::all_gather, "bruck", {}},
      {CollectiveKind::all_to_all, "direct", {}},
      {CollectiveKind::all_reduce, "direct", {}, ReduceOp::avg},
      {CollectiveKind::all_reduce, "binomial_tree", {}},
  };
  for (const Scene& scene : scenes)
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Problem problem{.spec = {scene.kind, scene.options.chunks == 15 ? 3u : 5u},
                            .count = 203,
                            .op = scene.op,
                            .mulsum_scalar = 2};
      const auto* algorithm = *find_algorithm(scene.kind, scene.algorithm);
      const auto schedule =
          build_proven(*make_plan(*algorithm, problem.spec, scene.options)).value();
      RigOptions options = given;
      options.seed = seed;
      options.ranks_a_device = seed % 2 == 0 ? 3 : 1;
      RigBackend backend(options);
      GuardedMemory memory(problem, owned_ranks(backend, problem.spec.ranks));
      const auto prepared =
          backend.prepare({&schedule, 203, problem.type, scene.op, 2.0}, memory.memory(), {});
      for (std::uint64_t run = 1; run <= 3; ++run) {
        const DataSet data(problem, DataKind::exact, seed + 10 * run);
        memory.reset(data);
        if (const auto ran = (*prepared)->run(1); !ran) return ran.error().message;
        if (const auto found = memory.check(data); found.wrong > 0) return found.first;
      }
    }
  return "";
}

TEST(InterpreterMistakes, AreNotSeenWhereThereAreNone) {
  EXPECT_EQ(complaint({}), "");
}

TEST(InterpreterMistakes, OfProgramsAreSeen) {
  for (const ProgramMistake& mistake : program_mistakes) {
    std::size_t made = 0;
    RigOptions options;
    options.spoil_program = [&](DeviceProgram& program) { made += mistake.make(program) ? 1 : 0; };
    EXPECT_NE(complaint(options), "") << mistake.name;
    EXPECT_GT(made, 0u) << mistake.name;
  }
}

TEST(InterpreterMistakes, OfTablesAreSeen) {
  for (const TableMistake& mistake : table_mistakes) {
    RigOptions options;
    options.spoil_tables = mistake.make;
    EXPECT_NE(complaint(options), "") << mistake.name;
  }
}

TEST(InterpreterMistakes, OfStateAreSeen) {
  for (const TableMistake& mistake : state_mistakes) {
    RigOptions options;
    options.spoil_state = mistake.make;
    EXPECT_NE(complaint(options), "") << mistake.name;
  }
}

/// Who sends without a credit overwrites what nobody has read yet.
TEST(InterpreterMistakes, OfCreditsAreSeen) {
  for (const bool waits : {true, false}) {
    RigOptions options;
    options.spoil_tables = [waits](Job& job, Task* tasks) {
      for (auto t = 0u; t < job.task_count; ++t)
        for (auto i = 0u; i < tasks[t].count; ++i) {
          const Instruction& instruction = tasks[t].instructions[i];
          for (auto o = 0u; o < instruction.sources + instruction.targets; ++o) {
            const Operand& operand = tasks[t].operands[instruction.operands + o];
            auto& spoilt = const_cast<Wire&>(tasks[t].wires[operand.index]);
            if (operand.site == Site::sent && !waits) spoilt.wait = &always;
            if (operand.site == Site::received && waits) spoilt.tell = &nowhere;
          }
        }
    };
    EXPECT_NE(complaint(options), "") << (waits ? "no credit is given" : "none is waited for");
  }
}

}  // namespace
}  // namespace ringside::cuda::interpreter
