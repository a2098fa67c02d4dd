#include "gpu/cuda/interpreter/tables.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/binding.hpp"

namespace ringside::cuda::interpreter {
namespace {

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}

Layout layout_for(const Work& work) {
  const CollectiveSpec& spec = work.schedule->spec();
  const auto blocks = is_blocked(spec.kind) ? spec.ranks : 1;
  const auto per_block = work.schedule->chunks() / blocks;
  return {work.count, work.count / per_block, per_block,
          static_cast<std::uint32_t>(work.count % per_block)};
}

}  // namespace

Tables::Tables(const Work& work, DeviceProgram program, const Cutting& cutting,
               std::vector<bool> is_staged)
    : program_(std::move(program)), is_staged_(std::move(is_staged)) {
  job_.layout = layout_for(work);
  job_.element = static_cast<std::uint32_t>(size_of(work.type).count);
  job_.op = element_op(work.op);
  job_.scalar = convert_scalar(work.mulsum_scalar, work.type);
  job_.divisor = work.schedule->spec().ranks;
  job_.depth = program_.depth;
  job_.ctas = cutting.ctas;
  cut(work, cutting);
  place_connections();
}

/// Windows as long as a message fits its slot and all thread blocks get some.
void Tables::cut(const Work& work, const Cutting& cutting) {
  std::vector<std::uint64_t> incoming(work.schedule->participants(), 0);
  for (const Connection& c : program_.connections)
    if (!c.is_direct) ++incoming[c.to.value];
  const auto most_fifos =
      std::max<std::uint64_t>(1, *std::ranges::max_element(incoming) * job_.ctas * job_.depth);
  const auto slot = std::min(cutting.longest_message.count, cutting.most_slots.count / most_fifos);
  const auto vector = sizeof(Vector) / std::gcd<std::uint64_t>(sizeof(Vector), job_.element);
  const auto longest = job_.layout.longest();
  const auto share = (longest + job_.ctas - 1) / job_.ctas;
  const auto room = slot / program_.most_chunks / job_.element;
  const auto most = std::max(room / vector, std::uint64_t{1}) * vector;
  job_.window = std::clamp(round_up(share, vector), vector, most);
  job_.windows = std::max<std::uint64_t>(1, (longest + job_.window - 1) / job_.window);
  // A message may lie up to one vector off, as its buffers do.
  job_.part_bytes = round_up(job_.window * job_.element, sizeof(Vector)) + sizeof(Vector);
  job_.slot_bytes = round_up(job_.part_bytes * program_.most_chunks, line_bytes);
  job_.scratch_bytes = round_up(longest * job_.element, sizeof(Vector));
}

void Tables::place_connections() {
  const auto ranks = program_.blocks.size() / program_.channels;
  auto& [own_slots, own_flags, staged_slots, staged_flags] = footprint_;
  for (auto* const bytes : {&own_slots, &own_flags, &staged_slots, &staged_flags})
    bytes->assign(ranks, 0);
  const auto fifo_bytes = job_.slot_bytes * job_.depth * job_.ctas;
  const auto take = [](std::uint64_t& used, std::uint64_t bytes) {
    return std::exchange(used, used + bytes);
  };
  for (std::uint32_t c = 0; c < program_.connections.size(); ++c) {
    const Connection& connection = program_.connections[c];
    const auto from = connection.from.value, to = connection.to.value;
    auto& slots = is_staged_[c] ? staged_slots : own_slots;
    auto& flags = is_staged_[c] ? staged_flags : own_flags;
    Place place{take(slots[to], connection.is_direct ? 0 : fifo_bytes),
                take(flags[to], job_.ctas * line_bytes), 0};
    place.returned = take(flags[from], job_.ctas * line_bytes);
    places_.push_back(place);
  }
  // Each block: how many windows it has done, and how many instructions.
  for (auto& flags : own_flags)
    own_flags_.push_back(
        take(flags, std::uint64_t{2} * program_.channels * job_.ctas * line_bytes));
}

std::vector<TaskName> Tables::tasks(std::span<const Rank> ranks) const {
  std::vector<TaskName> tasks;
  for (const Rank rank : ranks)
    for (std::uint32_t c = 0; c < program_.channels; ++c) {
      const auto program = rank.value * program_.channels + c;
      if (program_.blocks[program].instructions.empty()) continue;
      for (std::uint32_t cta = 0; cta < job_.ctas; ++cta) tasks.push_back({program, cta});
    }
  return tasks;
}

Wire Tables::wire(const End& end, std::uint32_t cta, std::span<const Bases> ranks) const {
  const Connection& c = program_.connections[end.connection];
  const Place& place = places_[end.connection];
  const bool is_staged = is_staged_[end.connection];
  const auto flag = [&](Rank at, std::uint64_t offset) {
    auto* const flags = is_staged ? ranks[at.value].staged_flags : ranks[at.value].flags;
    return reinterpret_cast<Flag*>(flags + offset + cta * line_bytes);
  };
  auto* const slots = is_staged ? ranks[c.to.value].staged_slots : ranks[c.to.value].slots;
  auto* const arrived = flag(c.to, place.arrived);
  auto* const returned = flag(c.from, place.returned);
  Wire wire{slots + place.slots + cta * job_.depth * job_.slot_bytes,
            end.sends ? returned : arrived, end.sends ? arrived : returned, c.messages.size()};
  std::ranges::copy(ranks[c.from.value].buffers, wire.peer);
  return wire;
}

/// Appends arrays of plain data, and knows where they will lie.
class Tables::Writer {
 public:
  explicit Writer(const std::byte* base) : base_(base) {}

  template <typename Data>
  std::size_t append(std::span<const Data> data) {
    static_assert(std::is_trivially_copyable_v<Data>);
    bytes_.resize(round_up(bytes_.size(), sizeof(Vector)));
    const auto at = bytes_.size();
    bytes_.resize(at + data.size_bytes());
    if (!data.empty()) std::memcpy(bytes_.data() + at, data.data(), data.size_bytes());
    return at;
  }
  template <typename Data>
  const Data* add(const std::vector<Data>& data) {
    return reinterpret_cast<const Data*>(base_ + append(std::span(data)));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  const std::byte* base_;
  std::vector<std::byte> bytes_;
};

Tables::Image Tables::image(std::span<const TaskName> tasks, std::span<const Bases> ranks,
                            const std::byte* base) const {
  Writer writer(base);
  std::vector<Task> written;
  Task program_task;
  std::uint32_t of_program = Instruction::none, stamps = 0;
  for (const TaskName& name : tasks) {
    const BlockProgram& block = program_.blocks[name.program];
    const auto rank = block.rank.value;
    if (std::exchange(of_program, name.program) != name.program) {
      std::vector<std::uint32_t> lengths;
      for (std::uint32_t c = 0; c < program_.channels; ++c)
        lengths.push_back(static_cast<std::uint32_t>(
            program_.blocks[rank * program_.channels + c].instructions.size()));
      program_task = {};
      program_task.instructions = writer.add(block.instructions);
      program_task.operands = writer.add(block.operands);
      program_task.waits = writer.add(block.waits);
      program_task.lengths = writer.add(lengths);
    }
    Task task = program_task;
    std::vector<Wire> wires;
    for (const End& end : block.ends) wires.push_back(wire(end, name.cta, ranks));
    task.wires = writer.add(wires);
    std::copy(std::begin(ranks[rank].buffers), std::end(ranks[rank].buffers), task.buffers);
    auto* const own = ranks[rank].flags + own_flags_[rank];
    const auto line = [&](std::uint64_t n) {
      return reinterpret_cast<Flag*>(own + n * line_bytes);
    };
    const auto half = std::uint64_t{program_.channels} * job_.ctas;
    task.progress = line(std::uint64_t{name.cta} * program_.channels);
    task.windows_done = line(half + name.cta * program_.channels + block.channel.value);
    task.channel = block.channel.value;
    task.count = static_cast<std::uint32_t>(block.instructions.size());
    task.cta = name.cta;
    task.first_stamp = std::exchange(stamps, stamps + task.count);
    written.push_back(task);
  }
  Image image;
  image.tasks = writer.append(std::span<const Task>(written));
  image.bytes = writer.take();
  image.stamps = stamps;
  return image;
}

}  // namespace ringside::cuda::interpreter
