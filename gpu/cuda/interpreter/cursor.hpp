#pragma once

#include <cstdint>

#include "gpu/cuda/interpreter/job.hpp"

namespace ringside::cuda::interpreter {

/// Where a thread block is in its program: which instruction, of which window; what that one waits
/// for, and where its operands lie.
class Cursor {
 public:
  /// `before`: windows that the block did in earlier runs.
  RS_HOST_DEVICE Cursor(const Job& job, const Task& task, std::uint64_t before)
      : job_(job), task_(task), before_(before) {
    windows_ = task.cta < job.windows ? (job.windows - task.cta - 1) / job.ctas + 1 : 0;
  }

  RS_HOST_DEVICE bool is_at_end() const { return window_ == windows_; }
  RS_HOST_DEVICE void advance() {
    if (++at_ == task_.count) at_ = 0, ++window_;
  }
  RS_HOST_DEVICE std::uint32_t at() const { return at_; }
  RS_HOST_DEVICE std::uint64_t window() const { return window_; }  ///< of this run
  RS_HOST_DEVICE std::uint64_t all_windows() const { return before_ + windows_; }

  RS_HOST_DEVICE const Instruction& instruction() const { return task_.instructions[at_]; }
  RS_HOST_DEVICE std::uint32_t operands() const {
    return instruction().sources + instruction().targets + instruction().offers;
  }
  /// Sources first, then targets, then offers.
  RS_HOST_DEVICE const Operand& operand(std::uint32_t n) const {
    return task_.operands[instruction().operands + n];
  }

  /// A flag, and what it must have reached. No flag: nothing to wait for.
  struct Requirement {
    const Flag* flag;
    Flag goal;
  };
  /// Waits for other blocks of the rank first, then operands.
  RS_HOST_DEVICE std::uint32_t requirements() const {
    return instruction().wait_count + operands();
  }
  RS_HOST_DEVICE Requirement requirement(std::uint32_t n) const {
    const Instruction& i = instruction();
    if (n < i.wait_count) {
      const Wait& wait = task_.waits[i.waits + n];
      if (wait.what == Wait::For::progress)
        return {progress_of(wait.index), round() * task_.lengths[wait.index] + wait.count};
      const Wire& wire = task_.wires[wait.index];
      return {wire.wait, round() * wire.messages + wait.count};
    }
    const Operand& o = operand(n - i.wait_count);
    if (o.site == Site::received || o.site == Site::peer)
      return {task_.wires[o.index].wait, message(o) + 1};
    if (o.site != Site::sent) return {nullptr, 0};
    const auto goal = message(o) + 1;  // with so many credits its slot is free
    return {task_.wires[o.index].wait, goal > job_.depth ? goal - job_.depth : 0};
  }

  /// What to tell the other end of a message's connection once the instruction is done.
  struct News {
    Flag* flag;
    Flag value;
  };
  RS_HOST_DEVICE News news(const Operand& o) const {
    if (o.site < Site::received) return {nullptr, 0};
    return {task_.wires[o.index].tell, message(o) + 1};
  }
  /// What to tell the rank's other blocks.
  RS_HOST_DEVICE News progress() const {
    if (!instruction().is_awaited) return {nullptr, 0};
    return {progress_of(task_.channel), round() * task_.count + at_ + 1};
  }

  /// Elements of a chunk of the instruction that this window has.
  RS_HOST_DEVICE std::uint64_t elements(std::uint32_t chunk) const {
    const auto sized_by = instruction().sized_by;
    const auto length = sized_by == Instruction::none ? job_.layout.longest()
                                                      : job_.layout.elements(sized_by + chunk);
    const auto left = first_element() < length ? length - first_element() : 0;
    return left < job_.window ? left : job_.window;
  }
  RS_HOST_DEVICE std::byte* address(const Operand& o, std::uint32_t chunk) const {
    if (o.site < Site::received)
      return task_.buffers[static_cast<std::uint32_t>(o.site)] + offset(o.site, o.index + chunk);
    const Wire& wire = task_.wires[o.index];
    if (o.site == Site::peer)  // only ever a source
      return const_cast<std::byte*>(wire.peer[static_cast<std::uint32_t>(o.of)]) +
             offset(o.of, o.chunk + chunk);
    const auto slot = message(o) & (job_.depth - 1);
    const auto past = o.chunk == Operand::none ? 0 : offset(Site::input, o.chunk + chunk);
    return wire.slots + slot * job_.slot_bytes + chunk * job_.part_bytes + past % sizeof(Vector);
  }

 private:
  RS_HOST_DEVICE std::uint64_t round() const { return before_ + window_; }
  RS_HOST_DEVICE std::uint64_t message(const Operand& o) const {
    return round() * task_.wires[o.index].messages + o.ordinal;
  }
  RS_HOST_DEVICE Flag* progress_of(std::uint32_t channel) const {
    return task_.progress + channel * (line_bytes / sizeof(Flag));
  }
  /// Of this window's part of a chunk, in a buffer.
  RS_HOST_DEVICE std::uint64_t offset(Site site, std::uint32_t chunk) const {
    const auto begin = site == Site::scratch ? chunk * job_.scratch_bytes
                                             : job_.layout.offset(chunk) * job_.element;
    return begin + first_element() * job_.element;
  }
  RS_HOST_DEVICE std::uint64_t first_element() const {
    return (task_.cta + window_ * job_.ctas) * job_.window;
  }

  const Job& job_;
  const Task& task_;
  std::uint64_t before_, windows_, window_ = 0;
  std::uint32_t at_ = 0;
};

}  // namespace ringside::cuda::interpreter
