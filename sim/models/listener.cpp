#include "sim/models/listener.hpp"

#include <unordered_map>
#include <utility>

namespace ringside::sim::models {
namespace {

/// A slot is fetched from memory while this many others are looked at.
constexpr std::size_t ahead = 16;

/// With fewer hops than this, of less than this each, a message that starts by longest_run ends
/// where 64 bits still hold it.
constexpr std::uint32_t most_hops = 1u << 20;
constexpr std::int64_t most_a_hop = std::int64_t{1} << 40;  // picoseconds

/// A message on its way. Until it proves endless, no time is past longest_run, so that three of
/// them add up.
class Passage {
 public:
  explicit Passage(std::int64_t ready) : head_(static_cast<std::uint64_t>(ready)) {}
  /// Over a wire that is free at `free`; the time at which it is again.
  std::int64_t cross(std::int64_t free, std::int64_t busy, std::int64_t latency) {
    head_ = std::max(head_, static_cast<std::uint64_t>(free));
    const auto tail = std::max(head_ + static_cast<std::uint64_t>(busy), tail_);
    if (tail_ == 0) left = static_cast<std::int64_t>(tail);
    head_ += static_cast<std::uint64_t>(latency);
    tail_ = std::min(tail + static_cast<std::uint64_t>(latency), past_the_clock);
    head_ = std::min(head_, past_the_clock);
    return static_cast<std::int64_t>(tail);
  }
  bool is_endless() const { return tail_ == past_the_clock; }
  std::int64_t arrival() const { return static_cast<std::int64_t>(tail_); }
  std::int64_t left = 0;  ///< when the source had sent it all

 private:
  static constexpr auto past_the_clock = static_cast<std::uint64_t>(longest_run.picoseconds) + 1;
  std::uint64_t head_, tail_ = 0;
};

}  // namespace

WireTimes::WireTimes(std::span<const Wire> wires, const Payload& payload)
    : element_bits_(static_cast<unsigned>(std::countr_zero(size_of(payload.type).count))) {
  std::unordered_map<Rate, std::uint32_t> known;  // looked up, never iterated
  kind_of_.reserve(wires.size());
  for (const Wire& wire : wires) {
    const auto rate = rate_of(wire.bandwidth);
    const auto [at, is_new] = known.try_emplace(rate, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back({rate});
    kind_of_.push_back(at->second);
  }
}

template <typename Word, NetworkModel model>
Listener<Word, model>::Listener(const Telling& telling)
    : TransferSink(telling.folding != nullptr ? telling.folding->orbit().ranks : UINT32_MAX),
      told_(telling),
      in_place_(telling.story.spec.in_place),
      jitters_(telling.disturbance.jitter > 0),
      slots_(telling.story, heard(telling.story.participants())),
      layout_(telling.story.spec, telling.story.chunks, telling.payload.count),
      element_(size_of(telling.payload.type).count),
      chunk_bytes_(layout_.elements(ChunkId{telling.story.chunks - 1}) == layout_.longest()
                       ? layout_.longest() * element_
                       : 0),
      is_even_(chunk_bytes_ != 0 && !jitters_ && hears_all()),
      times_(telling.wires, telling.payload),
      ranks_(telling.story.participants()) {
  wires_.reserve(telling.wires.size());
  for (const Wire& wire : telling.wires) {
    const auto kind = times_.kind_of(wires_.size());
    const auto one_chunk =
        is_even_ && wire.bandwidth > Bandwidth{} ? times_.time(kind, chunk_bytes_) : 0;
    wires_.push_back({0, wire.latency.picoseconds, one_chunk, kind});
    is_even_ = is_even_ && wire.latency.picoseconds < most_a_hop && one_chunk < most_a_hop;
  }
  if (telling.folding != nullptr) {
    crossings_.resize(wires_.size());
    rounds_.resize(heard(UINT32_MAX));
  }
  const auto& start = telling.disturbance.start;
  for (std::size_t r = 0; r < start.size(); ++r) ranks_[r].start = start[r].picoseconds;
}

template <typename Word, NetworkModel model>
Duration Listener<Word, model>::listen() {
  if (!slots_.has_room()) stop(machine_lacks("this machine has too little memory for the story"));
  told_.connections.forget_traffic();
  told_.story.tell(*this);
  finish();
  commit_all();
  return {last_commit_};
}

template <typename Word, NetworkModel model>
void Listener<Word, model>::stop(const Result<void>& why) {
  error_ = why.error();
  throw Stopped{Stopped::Why::error};
}

/// A step's reads see what was before it, so all of them come before its first commit.
template <typename Word, NetworkModel model>
void Listener<Word, model>::consume(std::span<const Transfer> block, Step step) {
  if (told_.patience != nullptr && *told_.patience && !(*told_.patience)(at_.transfer))
    stop(bad_request("too many transfers to follow each; fewer ranks or chunks take less"));
  if (step != at_.step) commit_all();
  at_.step = step;
  if (waiting_ + block.size() > pending_.size()) make_room(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i + ahead < block.size()) slots_.fetch(block[i + ahead].src());
    if (is_even_)
      inject_one_chunk(in_place_ ? block[i].in_place() : block[i]);
    else if (block[i].src().rank.value < heard(UINT32_MAX))
      inject(block[i]);
  }
}

template <typename Word, NetworkModel model>
void Listener<Word, model>::make_room(std::size_t more) {
  const auto enough = std::max(waiting_ + more, 2 * pending_.size());
  if (const auto room = check_memory({enough * sizeof(Pending)}, "a step of so many transfers");
      !room)
    stop(room);
  pending_.resize(enough);
}

/// What most stories are made of, in haste: one chunk of an output or input into an output, and no
/// operand whose time matters. To the same end as inject().
template <typename Word, NetworkModel model>
inline void Listener<Word, model>::inject_one_chunk(const Transfer& t) {
  const Slot src = t.src(), dst = t.dst();
  const auto chunks = told_.story.chunks;
  const bool is_plain = is_one_chunk_to_output(t) && src.buffer != Buffer::scratch &&
                        src.chunk.value < chunks && dst.chunk.value < chunks &&
                        t.with().chunk.value < chunks && src.rank.value < ranks_.size() &&
                        dst.rank.value < ranks_.size() && src.rank != dst.rank;
  if (!is_plain) return inject(t);
  ToldConnection* const c = told_.connections.of(t);
  if (c == nullptr) stop(tl::unexpected<Error>(told_.connections.error()));
  if (c->hop_count - 1 >= most_hops) return inject(t);  // or none
  RankState& from = ranks_[src.rank.value];
  auto head = std::max(from.start, c->injected.picoseconds);
  Word* const source = src.buffer == Buffer::input ? nullptr : slots_.at(src);
  if (source != nullptr) head = std::max(head, source->written());
  std::int64_t tail = 0, left = 0;
  if constexpr (is_flow) {
    for (const auto w : told_.connections.route(*c)) {
      if (wires_[w].free > head) throw Stopped{Stopped::Why::contended};
      left = std::max(left, head + wires_[w].one_chunk);
    }
    for (const auto w : told_.connections.route(*c)) wires_[w].free = left;
    tail = in_a_row({left}, c->latency).picoseconds;
  } else {
    for (const auto w : told_.connections.route(*c)) {
      WireState& wire = wires_[w];
      head = std::max(head, wire.free);
      tail = std::max(head + wire.one_chunk, tail);
      left = left == 0 ? tail : left;  // the source, once: no tail is 0
      wire.free = tail;
      head += wire.latency;
      tail += wire.latency;
    }
  }
  if (tail > longest_run.picoseconds) stop(longer_than_the_clock(told_.topology));
  c->injected = {left};
  c->bytes += chunk_bytes_;
  ++c->messages;
  ++at_.transfer;
  if (source != nullptr) {
    source->use(left);
    if constexpr (is_brief) from.last_use = std::max(from.last_use, left);
  }
  pending_[waiting_++] = {t, std::max(tail, ranks_[dst.rank.value].start)};
}

/// The transfer names what there is.
template <typename Word, NetworkModel model>
inline void Listener<Word, model>::check(const Transfer& t) {
  const Slot slots[] = {t.src(), t.with(), t.dst()};
  bool fits = t.dst().buffer != Buffer::input;
  for (const Slot& slot : slots) {
    const std::uint64_t most = slot.buffer == Buffer::scratch ? UINT32_MAX : told_.story.chunks;
    fits &= slot.rank.value < ranks_.size();
    fits &= std::uint64_t{slot.chunk.value} + t.chunks() <= most;
  }
  if (!fits) stop(check_transfer(told_.story, t, at_));
}

/// Scratch grows as it is named.
template <typename Word, NetworkModel model>
inline void Listener<Word, model>::reach_scratch(const Transfer& t) {
  for (const Slot& slot : {t.src(), t.with(), t.dst()})
    if (slot.buffer == Buffer::scratch && !slots_.reach(slot, t.chunks()))
      stop(machine_lacks("the story's scratch needs more memory than this machine has"));
}

template <typename Word, NetworkModel model>
inline std::uint64_t Listener<Word, model>::bytes_of(const Transfer& t) {
  if (chunk_bytes_ != 0) return t.chunks() * chunk_bytes_;
  if (const auto right = check_length(t, at_.transfer, layout_); !right) stop(right);
  return message_elements(t, layout_) * element_;
}

/// Sets read_; returns the arrival.
template <typename Word, NetworkModel model>
inline std::int64_t Listener<Word, model>::pass(ToldConnection& c, std::uint64_t bytes,
                                                std::int64_t ready) {
  if (bytes == 0 || c.hop_count == 0) {
    read_ = ready;
    const auto arrival = in_a_row({ready}, c.latency);
    if (arrival > longest_run) stop(longer_than_the_clock(told_.topology));
    return arrival.picoseconds;
  }
  if constexpr (is_flow) return flow(c, bytes, ready);
  const Work work = jitters_ ? work_of({bytes}, told_.disturbance, at_.transfer) : Work{};
  Passage passage(ready);
  for (const auto w : told_.connections.route(c)) {
    WireState& wire = wires_[w];
    const auto busy =
        jitters_ ? times_.time_of_work(wire.kind, work) : times_.time(wire.kind, bytes);
    wire.free = passage.cross(wire.free, busy, wire.latency);
  }
  if (passage.is_endless()) stop(longer_than_the_clock(told_.topology));
  read_ = passage.left;
  return passage.arrival();
}

/// The same of a transfer that has its wires to itself: all drain it at the rate of the narrowest.
/// One that is told later, and begins before an earlier one has left a wire, may have shared it.
template <typename Word, NetworkModel model>
inline std::int64_t Listener<Word, model>::flow(ToldConnection& c, std::uint64_t bytes,
                                                std::int64_t ready) {
  const Work work = jitters_ ? work_of({bytes}, told_.disturbance, at_.transfer) : Work{};
  std::int64_t busy = 0;
  for (const auto w : told_.connections.route(c)) {
    const WireState& wire = wires_[w];
    if (wire.free > ready) throw Stopped{Stopped::Why::contended};
    busy = std::max(
        busy, jitters_ ? times_.time_of_work(wire.kind, work) : times_.time(wire.kind, bytes));
  }
  read_ = in_a_row({ready}, {busy}).picoseconds;
  for (const auto w : told_.connections.route(c)) wires_[w].free = read_;
  const auto arrival = in_a_row({read_}, c.latency);
  if (arrival > longest_run) stop(longer_than_the_clock(told_.topology));
  return arrival.picoseconds;
}

/// Takes slots of other groups for those of group 0 that they are like.
template <typename Word, NetworkModel model>
void Listener<Word, model>::fold(const ToldConnection& c, Transfer& t) {
  const auto home = told_.folding->orbit().home(t);
  if (!home) stop(bad_request("its messages are of blocks that lie apart in other groups"));
  t = *home;
  if constexpr (is_flow) return;
  const auto route = told_.connections.route(c), groups = told_.connections.groups(c);
  const bool in_order = told_.folding->orbit().in_order;
  const auto rank = t.src().rank.value;
  Rounds& rounds = rounds_[rank];
  if (std::exchange(rounds.step, at_.step.value) != at_.step.value) rounds.told = 0;
  const auto round = told_.folding->orbit().in_rounds ? rounds.told++ : 0;
  for (std::size_t hop = 0; hop < route.size(); ++hop) {
    Crossing& last = crossings_[route[hop]];
    const Crossing now{at_.step.value, round, groups[hop], in_order ? 0 : rank};
    if (last.step == now.step && last.round == now.round &&
        (last.group != now.group || last.rank != now.rank))
      stop(bad_request(
          "several ranks ask for a wire in one step, in an order that groups need not share"));
    last = now;
  }
}

template <typename Word, NetworkModel model>
void Listener<Word, model>::inject(Transfer t) {
  if (in_place_ && !keep(told_.story.spec, t)) return;
  check(t);
  ToldConnection* const c = told_.connections.of(t);
  if (c == nullptr) stop(tl::unexpected<Error>(told_.connections.error()));
  if (told_.folding != nullptr) fold(*c, t);
  reach_scratch(t);
  const auto n = t.chunks();
  RankState& from = ranks_[t.src().rank.value];
  auto ready = from.start;
  Word* const source = t.src().buffer == Buffer::input ? nullptr : slots_.at(t.src());
  if (source != nullptr)
    for (std::uint32_t i = 0; i < n; ++i) ready = std::max(ready, source[i].written());
  if (!c->is_local) ready = std::max(ready, c->injected.picoseconds);
  const auto bytes = bytes_of(t);
  auto due = std::max(pass(*c, bytes, ready), ranks_[t.dst().rank.value].start);
  c->injected = {read_};
  c->bytes += bytes;
  ++c->messages;
  ++at_.transfer;
  if (source != nullptr) {
    for (std::uint32_t i = 0; i < n; ++i) source[i].use(read_);
    if constexpr (is_brief) from.last_use = std::max(from.last_use, read_);
  }
  if (t.has_separate_operand() && t.with().buffer != Buffer::input) {
    const Word* const operand = slots_.at(t.with());
    for (std::uint32_t i = 0; i < n; ++i) due = std::max(due, operand[i].written());
  }
  pending_[waiting_++] = {t, due};
}

template <typename Word, NetworkModel model>
inline void Listener<Word, model>::commit(const Pending& p) {
  const Transfer& t = p.transfer;
  const auto n = t.chunks();
  auto due = p.due;
  Word* const target = slots_.at(t.dst());
  RankState& at = ranks_[t.dst().rank.value];
  if constexpr (is_brief) {
    bool is_used = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      due = std::max(due, target[i].written());
      is_used |= target[i].is_used();
    }
    if (is_used && due < at.last_use) throw Stopped{Stopped::Why::ambiguous};
  } else {
    for (std::uint32_t i = 0; i < n; ++i) due = std::max(due, target[i].last_touched());
  }
  for (std::uint32_t i = 0; i < n; ++i) target[i].write(due);
  last_commit_ = std::max(last_commit_, due);
  if (!t.has_separate_operand() || t.with().buffer == Buffer::input) return;
  Word* const operand = slots_.at(t.with());
  for (std::uint32_t i = 0; i < n; ++i) operand[i].use(due);
  if constexpr (is_brief) at.last_use = std::max(at.last_use, due);
}

template <typename Word, NetworkModel model>
inline void Listener<Word, model>::commit_one_chunk(const Pending& p) {
  const Slot dst = p.transfer.dst();
  Word& target = *slots_.at(dst);
  auto due = p.due;
  if constexpr (is_brief) {
    due = std::max(due, target.written());
    if (target.is_used() && due < ranks_[dst.rank.value].last_use)
      throw Stopped{Stopped::Why::ambiguous};
  } else {
    due = std::max(due, target.last_touched());
  }
  target.write(due);
  last_commit_ = std::max(last_commit_, due);
}

template <typename Word, NetworkModel model>
void Listener<Word, model>::commit_all() {
  for (std::size_t i = 0; i < waiting_; ++i) {
    if (i + ahead < waiting_) slots_.fetch(pending_[i + ahead].transfer.dst());
    const Pending& p = pending_[i];
    if (is_one_chunk_to_output(p.transfer))
      commit_one_chunk(p);
    else
      commit(p);
  }
  waiting_ = 0;
}

template class Listener<BriefWord, NetworkModel::stream>;
template class Listener<FullWord, NetworkModel::stream>;
template class Listener<BriefWord, NetworkModel::flow>;
template class Listener<FullWord, NetworkModel::flow>;

}  // namespace ringside::sim::models
