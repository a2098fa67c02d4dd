#include "sim/blocks.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "core/program_run.hpp"
#include "sim/router.hpp"

namespace ringside::sim {
namespace {

/// Loops over slices are simulated up to here, fewer of large programs; from then on a period
/// repeats.
constexpr std::uint64_t most_loops = 48, least_loops = 4, most_messages = std::uint64_t{1} << 24;
constexpr Bytes least_slice = 32_KiB;  // of a Simple message, which is cut in two

/// One slice of a message, by connection and number.
struct Slice {
  TimePoint begun, sent, taken{forever};
};

struct Connection {
  std::vector<LinkId> route;
  std::vector<Slice> slices;
  std::size_t taken = 0;
};

/// Where a block is.
struct Block {
  std::uint64_t loop = 0;
  std::uint32_t instruction = 0, message = 0, slice = 0;
  TimePoint ready{};
};

class Interpreter {
 public:
  Interpreter(const Program& program, const BlockWork& work, const BlockFigures& figures)
      : lanes_(program),
        work_(work),
        figures_(figures),
        own_(figures.of[static_cast<std::size_t>(work.protocol)]),
        loop_bytes_(fifo(work.protocol).slice),
        depth_(program.fifo_depth),
        blocks_(lanes_.size()),
        connections_(lanes_.size()),
        done_(lanes_.size()),
        waiting_(lanes_.size()),
        is_queued_(lanes_.size(), false) {
    const auto chunk = std::max<std::uint64_t>(work.chunk.count, 1);
    loops_ = (chunk + loop_bytes_.count - 1) / loop_bytes_.count;
    together_ = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(loop_bytes_.count / chunk, 1, UINT32_MAX));
    std::uint64_t a_loop = 1;
    for (std::uint32_t l = 0; l < lanes_.size(); ++l)
      for (const Instruction& i : lanes_[l].instructions) a_loop += messages(i);
    simulated_ = std::min(loops_, std::clamp(most_messages / a_loop, least_loops, most_loops));
  }

  Result<void> wire(const Topology& topology) {
    Router router(topology);
    link_free_.resize(topology.links.size());
    device_free_.resize(topology.ranks.size());
    for (const Link& link : topology.links)
      link_rate_.push_back({static_cast<std::uint64_t>(
          static_cast<double>(link.bandwidth.bytes_per_second) * figures_.link)});
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
      const auto receiver = lanes_.receiver(l);
      if (receiver == LaneTable::none) continue;
      RS_ASSIGN(const auto route,
                router.route(lanes_.rank(l), lanes_.rank(receiver), lanes_[l].channel));
      connections_[l].route.assign(route.begin(), route.end());
    }
    return {};
  }

  Result<Duration> run() && {
    for (std::uint32_t l = 0; l < lanes_.size(); ++l)
      done_[l].resize(lanes_[l].instructions.size());
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) consider(l);
    while (!queue_.empty()) {
      const auto [time, lane] = queue_.top();
      queue_.pop();
      is_queued_[lane] = false;
      step(lane, time);
    }
    for (std::uint32_t l = 0; l < lanes_.size(); ++l)
      if (!ended(l)) return stuck();
    const auto launch = figures_.launch + own_.start;
    if (loops_ == simulated_) return launch + end_of(simulated_);
    const auto half = simulated_ / 2;
    const auto rest = end_of(simulated_) - end_of(half);
    const double loops = static_cast<double>(loops_ - simulated_) - last_loop_lacks();
    return launch + end_of(simulated_) +
           Duration{static_cast<std::int64_t>(static_cast<double>(rest.picoseconds) * loops /
                                              static_cast<double>(simulated_ - half))};
  }

 private:
  using Turn = std::pair<TimePoint, std::uint32_t>;

  const Instruction& current(std::uint32_t lane) const {
    return lanes_[lane].instructions[blocks_[lane].instruction];
  }
  bool ended(std::uint32_t lane) const {
    return lanes_[lane].instructions.empty() || blocks_[lane].loop == simulated_;
  }
  TimePoint end_of(std::uint64_t loops) const { return loop_end_[loops - 1]; }
  /// The part of a slice that the last loop does not move.
  double last_loop_lacks() const {
    const auto last = work_.chunk.count - (loops_ - 1) * loop_bytes_.count;
    return 1 - static_cast<double>(last) / static_cast<double>(loop_bytes_.count);
  }
  /// Of one chunk, in this loop.
  std::uint64_t piece(std::uint64_t loop) const {
    return std::min(loop_bytes_.count, work_.chunk.count - loop * loop_bytes_.count);
  }

  std::uint64_t message_bytes(std::uint32_t lane) const {
    const Block& block = blocks_[lane];
    const auto left = current(lane).chunks - block.message * together_;
    return piece(block.loop) * std::min(left, together_);
  }
  std::uint32_t messages(const Instruction& i) const {
    return (i.chunks + together_ - 1) / together_;
  }
  std::uint32_t slices(std::uint64_t bytes) const {
    return work_.protocol == Protocol::simple && bytes > least_slice.count ? 2 : 1;
  }
  Bytes slice_bytes(std::uint64_t message, std::uint32_t slice) const {
    const auto n = slices(message);
    return {slice + 1 < n ? (message + n - 1) / n : message - (n - 1) * ((message + n - 1) / n)};
  }

  /// When the block's next act can begin; forever: something must happen first.
  TimePoint earliest(std::uint32_t lane) const {
    const Block& block = blocks_[lane];
    const Instruction& i = current(lane);
    TimePoint time = block.ready;
    if (i.after && block.message == 0 && block.slice == 0) {
      const auto& done = done_[lanes_.awaited(lane, *i.after)][i.after->instruction];
      if (done.size() <= block.loop) return forever;
      time = std::max(time, done[block.loop]) + figures_.wait;
    }
    if (receives(i.op)) {
      const Connection& from = connections_[lanes_.sender(lane)];
      if (from.taken == from.slices.size()) return forever;
      const Slice& slice = from.slices[from.taken];
      time = std::max(time, (streams() ? slice.begun : slice.sent) + own_.hop);
    }
    if (sends(i.op)) {
      const auto& slices = connections_[lane].slices;
      const auto held = depth_ * (streams() ? 1 : 2);
      if (slices.size() >= held) {
        const auto& before = slices[slices.size() - held];
        if (before.taken == forever) return forever;
        time = std::max(time, before.taken);
      }
    }
    return time;
  }
  /// The receiver reads along as the sender writes: data carry their own flags.
  bool streams() const { return work_.protocol != Protocol::simple; }

  void consider(std::uint32_t lane) {
    if (is_queued_[lane] || ended(lane)) return;
    const auto time = earliest(lane);
    if (time == forever) {
      if (const auto& after = current(lane).after)
        waiting_[lanes_.awaited(lane, *after)].push_back(lane);
      return;
    }
    is_queued_[lane] = true;
    queue_.emplace(time, lane);
  }

  void step(std::uint32_t lane, TimePoint begin) {
    Block& block = blocks_[lane];
    const Instruction& i = current(lane);
    if (!sends(i.op) && !receives(i.op)) {
      block.ready = begin + local_time(i, block.loop);
      finish(lane);
      return;
    }
    const auto message = message_bytes(lane);
    const Bytes bytes = slice_bytes(message, block.slice);
    auto end = begin + wire_time(bytes, own_.copy);
    if (block.slice == 0) end += own_.step;
    if (receives(i.op)) end = std::max(end, take(lane, end));
    if (sends(i.op)) end = put(lane, bytes, begin, end);
    block.ready = end;
    if (++block.slice == slices(message)) {
      block.slice = 0;
      if (++block.message == messages(i)) return finish(lane);
    }
    consider(lane);
  }

  Duration local_time(const Instruction& i, std::uint64_t loop) const {
    if (i.op == Opcode::wait) return {};
    return figures_.wait + wire_time(Bytes{piece(loop) * i.chunks}, figures_.local);
  }

  /// Takes the next slice out of the FIFO by `end`, or when all of it is there.
  TimePoint take(std::uint32_t lane, TimePoint end) {
    Connection& from = connections_[lanes_.sender(lane)];
    Slice& slice = from.slices[from.taken++];
    slice.taken = std::max(end, slice.sent + own_.hop);
    const auto taken = slice.taken;
    consider(lanes_.sender(lane));
    return taken;
  }

  /// Over its links, and out of its GPU, in turn.
  TimePoint put(std::uint32_t lane, Bytes bytes, TimePoint begin, TimePoint end) {
    const auto share = [&](TimePoint& free, Bandwidth rate) {
      free = std::max(free, begin) + protocol_time(bytes, rate, work_.protocol);
      end = std::max(end, free);
    };
    share(device_free_[lanes_.rank(lane).value], figures_.device);
    for (const LinkId link : connections_[lane].route)
      share(link_free_[link.value], link_rate_[link.value]);
    connections_[lane].slices.push_back({begin, end});
    consider(lanes_.receiver(lane));
    return end;
  }

  void finish(std::uint32_t lane) {
    Block& block = blocks_[lane];
    done_[lane][block.instruction].push_back(block.ready);
    block.message = 0;
    if (++block.instruction == lanes_[lane].instructions.size()) {
      block.instruction = 0;
      if (loop_end_.size() <= block.loop) loop_end_.resize(block.loop + 1);
      auto& end = loop_end_[block.loop];
      end = std::max(end, block.ready);
      ++block.loop;
    }
    for (const auto waiting : std::exchange(waiting_[lane], {})) consider(waiting);
    consider(lane);
  }

  /// Blames the first block whose step is more messages than its FIFO holds.
  tl::unexpected<Error> stuck() const {
    std::uint32_t lane = 0;
    while (lane + 1 < lanes_.size() &&
           (ended(lane) || !sends(current(lane).op) || messages(current(lane)) <= depth_))
      ++lane;
    const auto at = lanes_.position(lane, blocks_[lane].instruction);
    return gone_wrong("with chunks of " + to_string(work_.chunk) + ", " +
                      to_string(at, lanes_.words()) + " waits for ever: a step is " +
                      std::to_string(messages(current(lane))) +
                      " messages, and a connection holds " + std::to_string(depth_));
  }

  LaneTable lanes_;
  BlockWork work_;
  const BlockFigures& figures_;
  const BlockFigures::Of& own_;
  Bytes loop_bytes_;
  std::uint32_t depth_, together_ = 1;
  std::uint64_t loops_ = 1, simulated_ = 1;
  std::vector<Block> blocks_;
  std::vector<Connection> connections_;                    // by sending lane
  std::vector<std::vector<std::vector<TimePoint>>> done_;  // by lane, instruction, loop
  std::vector<std::vector<std::uint32_t>> waiting_;        // by lane
  std::vector<bool> is_queued_;
  std::vector<TimePoint> link_free_, device_free_, loop_end_;
  std::vector<Bandwidth> link_rate_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> queue_;
};

}  // namespace

Result<Duration> run_blocks(const Program& program, const BlockWork& work, const Topology& topology,
                            const BlockFigures& figures) {
  Interpreter interpreter(program, work, figures);
  RS_TRY(interpreter.wire(topology));
  return std::move(interpreter).run();
}

}  // namespace ringside::sim
