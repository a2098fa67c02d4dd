#pragma once

#include "gpu/cuda/interpreter/cursor.hpp"
#include "gpu/cuda/interpreter/fold.hpp"

// How a thread block does its program, on a GPU and on CPU threads alike.
//
// Data cross between blocks in one way only: all threads store, the block meets at a barrier, one
// thread publishes a flag by a release at system scope; on the other side one thread acquires it,
// the block meets, all threads load. A flag counts and never goes back, so that nothing is reset
// between two runs. `Block` is what one thread has of its block:
//
//   thread(), threads()                 this thread, of how many
//   places()                            memory that the block's threads share
//   barrier(), any(bool)                all of the block meet; any: whether one of them said true
//   load(flag), load_acquire(flag), store(flag, value), store_release(flag, value)
//   is_set(abort word), set(abort word)
//   now()                               nanoseconds
//   pause(n)                            before the n-th look at a flag

#if defined(__CUDACC__)
#define RS_DEVICE __device__
#else
#define RS_DEVICE
#endif

namespace ringside::cuda::interpreter {

template <ElementType type, typename Block>
class Interpreter {
 public:
  RS_DEVICE Interpreter(const Job& job, const Task& task, Block& block)
      : job_(job), task_(task), block_(block), cursor_(job, task, block.load(task.windows_done)) {}

  /// All of it. False if this block or another one gave up.
  RS_DEVICE bool run() {
    while (!is_done()) {
      if (!await()) return false;
      act();
    }
    finish();
    return true;
  }

  // Piece by piece, for one thread that does several blocks in turn.
  RS_DEVICE bool is_done() const { return cursor_.is_at_end(); }
  /// Whether the next instruction may be done; if not, what is missing.
  RS_DEVICE bool is_ready() const { return first_unmet() == cursor_.requirements(); }
  RS_DEVICE std::uint32_t first_unmet() const {
    std::uint32_t n = 0;
    while (n < cursor_.requirements() && is_met(cursor_.requirement(n))) ++n;
    return n;
  }
  /// Does the next instruction, which is ready, and tells all whom it concerns.
  RS_DEVICE void act() {
    stamp(true);
    move_data();
    block_.barrier();
    stamp(false);  // before others are told: what they do begins later
    publish();
    cursor_.advance();
  }
  /// The next run goes on counting from here.
  RS_DEVICE void finish() {
    if (block_.thread() == 0) block_.store(task_.windows_done, cursor_.all_windows());
  }
  RS_DEVICE bool is_aborted() const { return block_.is_set(job_.abort); }
  /// Writes down what has been missing since when, and stops everybody.
  RS_DEVICE void give_up(std::uint32_t requirement, std::uint64_t since) {
    job_.distress[&task_ - job_.tasks] = {since, cursor_.window(), cursor_.at(), requirement};
    block_.set(job_.abort);
  }

 private:
  RS_DEVICE bool is_met(const Cursor::Requirement& r) const {
    return r.flag == nullptr || block_.load_acquire(r.flag) >= r.goal;
  }

  /// Each thread waits for some of the flags; the barrier passes on what it acquired.
  RS_DEVICE bool await() {
    bool failed = false;
    for (auto n = block_.thread(); n < cursor_.requirements() && !failed; n += block_.threads())
      failed = !await(n);
    return !block_.any(failed);
  }
  RS_DEVICE bool await(std::uint32_t n) {
    constexpr std::uint32_t between_checks = 1024;  // the abort word lies far away
    const auto required = cursor_.requirement(n);
    std::uint64_t since = 0;
    for (std::uint32_t looks = 1; !is_met(required); ++looks) {
      block_.pause(looks);
      if (looks % between_checks != 0) continue;
      if (since == 0) since = block_.now();
      if (block_.now() - since <= job_.timeout_ns && !is_aborted()) continue;
      give_up(n, since);  // who waited longest knows most
      return false;
    }
    return true;
  }

  RS_DEVICE void move_data() {
    const Instruction& i = cursor_.instruction();
    if (i.targets == 0) return;  // only told to others
    Fold fold{&block_.places(), i.sources, i.targets, 0, 0, job_.op};
    if (i.deed == Deed::scale) fold.op = ElementOp::scale, fold.scalar = job_.scalar;
    if (i.deed == Deed::divide) fold.op = ElementOp::divide, fold.scalar = job_.divisor;
    for (std::uint32_t n = 0; n < i.chunks; ++n) {
      const auto chunk = i.order == ChunkOrder::last_to_first ? i.chunks - 1 - n : n;
      fold.elements = cursor_.elements(chunk);
      if (fold.elements == 0) continue;
      find_places(chunk);
      block_.barrier();
      fold_share<type>(fold, {block_.thread(), block_.threads()});
      if (n + 1 < i.chunks) block_.barrier();
    }
  }
  RS_DEVICE void find_places(std::uint32_t chunk) {
    const Instruction& i = cursor_.instruction();
    Places& places = block_.places();
    for (auto n = block_.thread(); n < i.sources + i.targets; n += block_.threads()) {
      auto* const at = cursor_.address(cursor_.operand(n), chunk);
      (n < i.sources ? places.sources[n] : places.targets[n - i.sources]) = at;
    }
  }

  /// Messages are there, slots are free, and others of the rank may go on.
  RS_DEVICE void publish() {
    for (auto n = block_.thread(); n < cursor_.operands(); n += block_.threads())
      tell(cursor_.news(cursor_.operand(n)));
    if (block_.thread() == 0) tell(cursor_.progress());
  }
  RS_DEVICE void tell(const Cursor::News& news) {
    if (news.flag != nullptr) block_.store_release(news.flag, news.value);
  }

  /// From the first window to the last.
  RS_DEVICE void stamp(bool begins) {
    if (job_.stamps == nullptr || block_.thread() != 0) return;
    Stamp& stamp = job_.stamps[task_.first_stamp + cursor_.at()];
    if (!begins || cursor_.window() == 0) (begins ? stamp.begin : stamp.end) = block_.now();
  }

  const Job& job_;
  const Task& task_;
  Block& block_;
  Cursor cursor_;
};

}  // namespace ringside::cuda::interpreter
