// The reference: one transfer after the other in told order, one element at a time, the rule of the
// step to the letter. Every other backend is compared with it.

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/binding.hpp"
#include "core/message.hpp"
#include "core/reduce.hpp"

namespace ringside {
namespace {

using Bytespan = std::span<std::byte>;
using Clock = std::chrono::steady_clock;

/// Where every slot of every participant lies. Inputs are scaled copies for mulsum, so that a
/// source out of place stays as it was; scratch slots have room for the longest chunk.
class Buffers {
 public:
  Buffers(const Work& work, Memory& memory)
      : work_(work), memory_(memory), layout_(layout_of(work)), element_(size_of(work.type).count) {
    const Schedule& schedule = *work.schedule;
    scaled_.resize(schedule.spec().ranks);
    if (scales_copies())
      for (std::uint32_t r = 0; r < scaled_.size(); ++r)
        scaled_[r].resize(memory.ranks[r].input.size());
    const auto room = schedule.scratch_chunks() * layout_.longest() * element_;
    scratch_.assign(schedule.participants(), std::vector<std::byte>(room));
  }

  /// Before each run: mulsum scales its inputs, once.
  void begin() {
    if (work_.op != ReduceOp::mulsum || !reduces(spec().kind)) return;
    for (std::uint32_t r = 0; r < spec().ranks; ++r) {
      const auto& buffers = memory_.ranks[r];
      if (scales_copies())
        std::copy(buffers.input.begin(), buffers.input.end(), scaled_[r].begin());
      scale(scales_copies() ? Bytespan(scaled_[r]) : buffers.output, work_.type,
            work_.mulsum_scalar);
    }
  }

  /// After each run: avg divides what the collective promised, once.
  void end() {
    if (work_.op != ReduceOp::avg || !reduces(spec().kind)) return;
    for (const Expectation& e : postcondition(spec(), work_.schedule->chunks()))
      divide(target(e.slot, layout_.elements(e.slot.chunk)), work_.type, spec().ranks);
  }

  std::span<const std::byte> source(const Slot& slot, std::uint64_t elements) const {
    if (slot.buffer != Buffer::input) return target(slot, elements);
    const auto& input = memory_.ranks[slot.rank.value].input;
    const auto whole =
        scales_copies() ? std::span<const std::byte>(scaled_[slot.rank.value]) : input;
    return whole.subspan(layout_.offset(slot.chunk) * element_, elements * element_);
  }

  Bytespan target(const Slot& slot, std::uint64_t elements) const {
    const auto rank = slot.rank.value;
    if (slot.buffer == Buffer::output)
      return memory_.ranks[rank].output.subspan(layout_.offset(slot.chunk) * element_,
                                                elements * element_);
    auto& scratch = scratch_[rank];
    return Bytespan(scratch).subspan(slot.chunk.value * layout_.longest() * element_,
                                     elements * element_);
  }

  const ChunkLayout& layout() const { return layout_; }
  std::size_t bytes(const Transfer& t) const { return message_elements(t, layout_) * element_; }
  Reduction reduction() const { return {work_.type, work_.op}; }

 private:
  const CollectiveSpec& spec() const { return work_.schedule->spec(); }
  bool scales_copies() const {
    return work_.op == ReduceOp::mulsum && reduces(spec().kind) && !spec().in_place;
  }

  Work work_;
  Memory memory_;  // spans: the caller's buffers
  ChunkLayout layout_;
  std::size_t element_;
  std::vector<std::vector<std::byte>> scaled_;
  mutable std::vector<std::vector<std::byte>> scratch_;
};

class ReferencePrepared final : public Prepared {
 public:
  ReferencePrepared(const Work& work, Memory& memory)
      : schedule_(*work.schedule), buffers_(work, memory) {
    std::size_t most = 0;
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) most = std::max(most, read_bytes(s));
    before_.resize(most);
  }

  Result<Measurement> run(int iterations) override {
    Measurement measurement;
    for (int i = 0; i < iterations; ++i) {
      const auto start = Clock::now();
      buffers_.begin();
      for (std::uint32_t s = 0; s < schedule_.steps(); ++s) step(s);
      buffers_.end();
      const auto taken = std::chrono::nanoseconds(Clock::now() - start).count();
      measurement.iterations.push_back(nanoseconds(taken));
    }
    return measurement;
  }

 private:
  std::span<const Transfer> transfers_of(std::uint32_t step) const {
    const auto begin = schedule_.step_begin({step}).value, end = schedule_.step_end({step}).value;
    return schedule_.transfers().subspan(begin, end - begin);
  }

  std::size_t read_bytes(std::uint32_t step) const {
    std::size_t bytes = 0;
    for (const Transfer& t : transfers_of(step))
      bytes += buffers_.bytes(t) * (t.has_separate_operand() ? 2 : 1);
    return bytes;
  }

  /// All reads of the step first, then its writes in told order.
  void step(std::uint32_t number) {
    std::size_t filled = 0;
    for (const Transfer& t : transfers_of(number)) {
      filled = remember(t, t.src(), filled);
      if (t.has_separate_operand()) filled = remember(t, t.with(), filled);
    }
    std::size_t used = 0;
    for (const Transfer& t : transfers_of(number)) used = apply(t, used);
  }

  std::size_t remember(const Transfer& t, const Slot& first, std::size_t filled) {
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto slot = nth(first, i);
      const auto value = buffers_.source(slot, slot_elements(t, i, buffers_.layout()));
      std::copy(value.begin(), value.end(), before_.begin() + static_cast<std::ptrdiff_t>(filled));
      filled += value.size();
    }
    return filled;
  }

  std::size_t apply(const Transfer& t, std::size_t used) {
    const auto message = buffers_.bytes(t);
    std::size_t at = used;
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto dst = buffers_.target(nth(t.dst(), i), slot_elements(t, i, buffers_.layout()));
      const auto src = std::span(before_).subspan(at, dst.size());
      const auto with =
          t.has_separate_operand() ? std::span(before_).subspan(at + message, dst.size()) : dst;
      if (t.action() == Action::copy)
        std::copy(src.begin(), src.end(), dst.begin());
      else
        reduce_into(dst, with, src, buffers_.reduction());
      at += dst.size();
    }
    return used + message * (t.has_separate_operand() ? 2 : 1);
  }

  const Schedule& schedule_;
  Buffers buffers_;
  std::vector<std::byte> before_;  // every value the step reads, in told order
};

class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }
  Capabilities capabilities() const override { return {.agents = true, .real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    RS_TRY(check_binding(work, memory));
    if (options.trace)
      return bad_request("backend reference keeps no trace: host does, and the simulator");
    return std::make_unique<ReferencePrepared>(work, memory);
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace ringside
