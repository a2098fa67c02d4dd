#include "gpu/cuda/interpreter/device_program.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "core/binding.hpp"
#include "core/message.hpp"
#include "gpu/cuda/interpreter/fusing.hpp"

namespace ringside::cuda::interpreter {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

/// Tells the events of a schedule to a Fuser in one order that no dependency contradicts: step by
/// step, first the reads, then the commits as told.
class Compiler {
 public:
  Compiler(const Work& work, const CompileOptions& options)
      : work_(work),
        schedule_(*work.schedule),
        messages_(schedule_.transfers().size()),
        is_torn_(schedule_.transfers().size()) {
    program_.channels = schedule_.channels();
    program_.blocks.resize(std::size_t{schedule_.participants()} * program_.channels);
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      program_.blocks[b].rank = {b / program_.channels};
      program_.blocks[b].channel = {b % program_.channels};
    }
    find_torn();
    number_messages(options.least_depth);
    if (options.neighbours) find_direct(options.neighbours);
    fuser_.emplace(work, options.fusing, program_.depth, messages_);
  }

  DeviceProgram run() && {
    scale_inputs();
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) {
      const auto begin = schedule_.step_begin({s}).value, end = schedule_.step_end({s}).value;
      for (auto id = begin; id < end; ++id)
        if (is_message({id})) fuser_->read({id});
      for (auto id = begin; id < end; ++id)
        is_message({id}) ? fuser_->commit({id}) : fuser_->move({id});
    }
    divide_outputs();
    fuser_->drop_dead_stores();
    write();
    return std::move(program_);
  }

 private:
  bool is_message(TransferId id) const { return !schedule_[id].is_local() || is_torn_[id.value]; }

  /// A local transfer reads and commits at once, unless one told before it in its step overwrites
  /// what it reads, or it does so itself: then it is a message from a rank to itself.
  void find_torn() {
    for (std::uint32_t id = 0; id < is_torn_.size(); ++id) {
      const Transfer& t = schedule_[{id}];
      if (t.src() != t.dst() && overlap(t.src(), t.dst(), t.chunks())) is_torn_[id] = true;
      for (const Dependency& d : schedule_.dependencies({id}))
        if (d.kind == DependencyKind::war && d.on.value > id) is_torn_[d.on.value] = true;
    }
  }

  void number_messages(std::uint32_t least_depth) {
    std::map<std::tuple<Rank, Rank, ChannelId>, std::uint32_t> number;
    std::vector<std::uint32_t> in_step, step_of;  // by connection
    std::uint32_t depth = least_depth;
    for (std::uint32_t id = 0; id < is_torn_.size(); ++id) {
      if (!is_message({id})) continue;
      const Transfer& t = schedule_[{id}];
      const auto [at, is_new] =
          number.try_emplace({t.src().rank, t.dst().rank, t.channel()},
                             static_cast<std::uint32_t>(program_.connections.size()));
      if (is_new) {
        program_.connections.push_back({t.src().rank, t.dst().rank, t.channel(), {}});
        in_step.push_back(0);
        step_of.push_back(nobody);
      }
      const auto c = at->second;
      const auto step = schedule_.step({id}).value;
      in_step[c] = step_of[c] == step ? in_step[c] + 1 : 1;
      step_of[c] = step;
      depth = std::max(depth, in_step[c]);
      auto& messages = program_.connections[c].messages;
      messages_[id] = {c, static_cast<std::uint32_t>(messages.size())};
      messages.push_back({id});
      program_.most_chunks = std::max(program_.most_chunks, t.chunks());
    }
    program_.depth = std::bit_ceil(depth);
  }

  /// Between neighbours a message is taken from where it lies, if nothing is told to overwrite it
  /// there before it is told to be received: in an exchange it must get out of the way.
  void find_direct(const Neighbours& neighbours) {
    for (Connection& c : program_.connections)
      c.is_direct = c.from != c.to && neighbours(c.from, c.to);
    for (std::uint32_t id = 0; id < messages_.size(); ++id)
      for (const Dependency& d : schedule_.dependencies({id})) {
        const auto connection = messages_[d.on.value].connection;
        if (d.kind == DependencyKind::war && d.on.value > id && connection != Instruction::none)
          program_.connections[connection].is_direct = false;
      }
    for (Message& m : messages_)
      m.is_direct =
          m.connection != Instruction::none && program_.connections[m.connection].is_direct;
  }

  /// mulsum scales inputs once, before anything reads them.
  void scale_inputs() {
    const CollectiveSpec& spec = schedule_.spec();
    if (work_.op != ReduceOp::mulsum || !reduces(spec.kind)) return;
    program_.scales = !spec.in_place;
    const auto from = spec.in_place ? Site::output : Site::given;
    const auto to = spec.in_place ? Site::output : Site::input;
    for_each_run(precondition(spec, schedule_.chunks()), [&](const Slot& first, std::uint32_t n) {
      fuser_->alone(first.rank, Deed::scale, {{from, first.chunk.value}, {to, first.chunk.value}},
                    n);
    });
    fuser_->everybody_waits();
  }

  /// avg divides once, after the last add; what leaves a rank has left by then.
  void divide_outputs() {
    const CollectiveSpec& spec = schedule_.spec();
    if (work_.op != ReduceOp::avg || !reduces(spec.kind) || spec.ranks == 1) return;
    std::vector<Slot> slots;
    for (const Expectation& e : postcondition(spec, schedule_.chunks())) slots.push_back(e.slot);
    fuser_->everybody_waits();
    fuser_->owner_waits_for_takers();
    for_each_run(slots, [&](const Slot& first, std::uint32_t n) {
      const Operand place{Site::output, first.chunk.value};
      fuser_->alone(first.rank, Deed::divide, {place, place}, n);
    });
  }

  /// Calls `told` for each run of consecutive slots.
  template <typename Told>
  static void for_each_run(const std::vector<Slot>& slots, const Told& told) {
    for (std::size_t i = 0; i < slots.size();) {
      std::uint32_t n = 1;
      while (i + n < slots.size() && slots[i + n] == nth(slots[i], n)) ++n;
      told(slots[i], n);
      i += n;
    }
  }

  /// Drafts become plain data.
  void write() {
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      BlockProgram& block = program_.blocks[b];
      Written written;
      for (Draft& draft : fuser_->drafts(b)) write(draft, block, written);
    }
    for (const BlockProgram& block : program_.blocks)
      for (const Wait& wait : block.waits)
        if (wait.what == Wait::For::progress)
          program_.blocks[block.rank.value * program_.channels + wait.index]
              .instructions[wait.count - 1]
              .is_awaited = true;
  }

  /// Of a block, while its drafts are written down.
  struct Written {
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> ends;
    std::map<std::pair<Wait::For, std::uint32_t>, std::uint32_t> waited;  // for so much
  };

  static std::uint32_t end_of(std::uint32_t connection, bool sends, BlockProgram& block,
                              Written& written) {
    const auto [at, is_new] = written.ends.try_emplace(
        {connection, sends}, static_cast<std::uint32_t>(written.ends.size()));
    if (is_new) block.ends.push_back({connection, sends});
    return at->second;
  }

  static void write(Draft& draft, BlockProgram& block, Written& written) {
    if (draft.targets.empty()) draft.sources.clear();
    Instruction i{draft.deed, draft.order, false, draft.chunks, draft.sized_by};
    i.operands = static_cast<std::uint32_t>(block.operands.size());
    i.sources = static_cast<std::uint32_t>(draft.sources.size());
    i.targets = static_cast<std::uint32_t>(draft.targets.size());
    i.offers = static_cast<std::uint32_t>(draft.offers.size());
    i.waits = static_cast<std::uint32_t>(block.waits.size());
    for (const auto* operands : {&draft.sources, &draft.targets, &draft.offers})
      for (Operand operand : *operands) {
        const bool sends = operand.site == Site::sent || operand.site == Site::offered;
        if (operand.site >= Site::received)
          operand.index = end_of(operand.index, sends, block, written);
        block.operands.push_back(operand);
      }
    write_waits(draft, block, written);
    i.wait_count = static_cast<std::uint32_t>(block.waits.size()) - i.waits;
    block.instructions.push_back(i);
    block.events.push_back(std::move(draft.events));
  }

  /// Only for more than the block has waited for already; the longest wait for each thing.
  static void write_waits(Draft& draft, BlockProgram& block, Written& written) {
    std::sort(draft.waits.begin(), draft.waits.end(), [](const Wait& a, const Wait& b) {
      return std::tuple(a.what, a.index, b.count) < std::tuple(b.what, b.index, a.count);
    });
    for (Wait wait : draft.waits) {
      auto& waited = written.waited[{wait.what, wait.index}];
      if (wait.count <= waited) continue;
      waited = wait.count;
      if (wait.what == Wait::For::taken) wait.index = end_of(wait.index, true, block, written);
      block.waits.push_back(wait);
    }
  }

  const Work& work_;
  const Schedule& schedule_;
  DeviceProgram program_;
  std::vector<Message> messages_;  // by transfer
  std::vector<bool> is_torn_;
  std::optional<Fuser> fuser_;
};

}  // namespace

DeviceProgram compile(const Work& work, const CompileOptions& options) {
  return Compiler(work, options).run();
}

std::string describe(const Instruction& instruction, const BlockProgram& block) {
  if (instruction.deed == Deed::scale) return "scale";
  if (instruction.deed == Deed::divide) return "divide";
  std::uint32_t received = 0, sent = 0;
  for (auto i = instruction.operands; i < instruction.operands + instruction.sources; ++i)
    received += block.operands[i].site == Site::received ? 1 : 0;
  const auto targets = instruction.operands + instruction.sources;
  for (auto i = targets; i < targets + instruction.targets; ++i)
    sent += block.operands[i].site == Site::sent ? 1 : 0;
  const bool stores = instruction.targets > sent, reduces = instruction.sources > 1;
  std::string text = received > 0 ? "receive" : "";
  const auto add = [&](const char* word) { text += text.empty() ? word : std::string("_") + word; };
  if (reduces) add("reduce");
  if (stores && (received == 0 ? !reduces : reduces && sent > 0)) add("copy");
  if (sent > 0) {
    if (received == 0 && !reduces && !stores) return "send";
    add("send");
  }
  return text;
}

}  // namespace ringside::cuda::interpreter
