#include "gpu/cuda/interpreter/device_side.hpp"

#include <cstring>
#include <utility>

#include "core/binding.hpp"
#include "gpu/cuda/status.hpp"

namespace ringside::cuda::interpreter {
namespace {

constexpr std::uint64_t alignment = 256;  // as cudaMalloc's

/// Takes pieces of one allocation, whose size is known when all are taken.
class Room {
 public:
  std::uint64_t take(std::uint64_t bytes) {
    const auto at = used_;
    used_ += (bytes + alignment - 1) / alignment * alignment;
    return at;
  }
  Bytes size() const { return {used_}; }

 private:
  std::uint64_t used_ = 0;
};

/// Where a rank's pieces begin in its device's room.
struct Offsets {
  std::uint64_t buffers[buffer_sites]{}, slots = 0, flags = 0;
};

class Maker {
 public:
  Maker(const Work& work, const Memory& memory, const Tables& tables, const DeviceMap& map)
      : work_(work), memory_(memory), tables_(tables), map_(map) {}

  Result<Sides> make() && {
    sides_.devices.resize(map_.devices.size());
    for (std::uint32_t r = 0; r < map_.ranks(); ++r)
      sides_.devices[map_.of_rank[r]].ranks.push_back({r});
    RS_TRY(make_shared());
    sides_.ranks.resize(map_.ranks());
    for (std::size_t d = 0; d < sides_.devices.size(); ++d) {
      sides_.devices[d].ordinal = map_.devices[d].ordinal;
      RS_TRY(make_room(sides_.devices[d]));
      RS_TRY(make_staged(sides_.devices[d], map_.devices[d]));
    }
    for (DeviceSide& side : sides_.devices) RS_TRY(write_tables(side));
    return std::move(sides_);
  }

 private:
  Result<void> make_shared() {
    const auto device = map_.devices.front().ordinal;
    RS_ASSIGN(sides_.abort, make_pinned_memory(device, Bytes{line_bytes}));
    std::memset(sides_.abort.data(), 0, line_bytes);
    return {};
  }

  Offsets offsets(Rank rank, Room& room) const {
    Offsets at;
    const bool has_buffers = rank.value < memory_.ranks.size();  // agents do not
    const auto input = has_buffers && !work_.schedule->spec().in_place
                           ? memory_.ranks[rank.value].input.size()
                           : 0;
    const auto output = has_buffers ? memory_.ranks[rank.value].output.size() : 0;
    const auto scratch = work_.schedule->scratch_chunks() * tables_.job().scratch_bytes;
    at.buffers[static_cast<int>(Site::input)] = room.take(input);
    at.buffers[static_cast<int>(Site::output)] = room.take(output);
    at.buffers[static_cast<int>(Site::scratch)] = room.take(scratch);
    at.buffers[static_cast<int>(Site::given)] = room.take(tables_.program().scales ? input : 0);
    at.slots = room.take(tables_.footprint().slots[rank.value]);
    at.flags = room.take(tables_.footprint().flags[rank.value]);
    return at;
  }

  Result<void> make_room(DeviceSide& side) {
    Room room;
    std::vector<Offsets> all;
    for (const Rank rank : side.ranks) all.push_back(offsets(rank, room));
    RS_ASSIGN(side.room, make_device_memory(side.ordinal, room.size()));
    RS_ASSIGN(side.stream, make_stream(side.ordinal));
    for (std::size_t i = 0; i < all.size(); ++i) {
      Bases& bases = sides_.ranks[side.ranks[i].value];
      for (std::size_t b = 0; b < buffer_sites; ++b)
        bases.buffers[b] = side.room.data() + all[i].buffers[b];
      bases.slots = side.room.data() + all[i].slots;
      bases.flags = side.room.data() + all[i].flags;
      const auto flags = tables_.footprint().flags[side.ranks[i].value];
      RS_TRY(check(cudaMemsetAsync(bases.flags, 0, flags, side.stream.get()), "clear flags",
                   side.ordinal));
    }
    return {};
  }

  /// What comes to these ranks through the host's memory waits near their device.
  Result<void> make_staged(DeviceSide& side, const Device& device) {
    const auto& needed = tables_.footprint();
    Room room;
    std::vector<std::uint64_t> slots, flags;
    for (const Rank rank : side.ranks) {
      flags.push_back(room.take(needed.staged_flags[rank.value]));
      slots.push_back(room.take(needed.staged_slots[rank.value]));
    }
    RS_ASSIGN(side.staged, make_near_memory(device, room.size()));
    for (std::size_t i = 0; i < side.ranks.size() && side.staged.data() != nullptr; ++i) {
      Bases& bases = sides_.ranks[side.ranks[i].value];
      bases.staged_flags = side.staged.data() + flags[i];
      bases.staged_slots = side.staged.data() + slots[i];
      std::memset(bases.staged_flags, 0, needed.staged_flags[side.ranks[i].value]);
    }
    return {};
  }

  Result<void> write_tables(DeviceSide& side) {
    side.tasks = tables_.tasks(side.ranks);
    const auto size = tables_.image(side.tasks, sides_.ranks, nullptr).bytes.size();
    RS_ASSIGN(side.tables, make_device_memory(side.ordinal, Bytes{size}));
    const auto image = tables_.image(side.tasks, sides_.ranks, side.tables.data());
    if (size > 0)
      RS_TRY(check(cudaMemcpy(side.tables.data(), image.bytes.data(), size, cudaMemcpyHostToDevice),
                   "take its program", side.ordinal));
    RS_TRY(check(cudaStreamSynchronize(side.stream.get()), "clear flags", side.ordinal));
    const Bytes told{side.tasks.size() * sizeof(Distress)};
    RS_ASSIGN(side.distress, make_pinned_memory(side.ordinal, told));
    if (told.count > 0) std::memset(side.distress.data(), 0, told.count);
    side.stamp_count = image.stamps;
    side.job = tables_.job();
    side.job.tasks = reinterpret_cast<const Task*>(side.tables.data() + image.tasks);
    side.job.task_count = static_cast<std::uint32_t>(side.tasks.size());
    side.job.abort = sides_.abort_word();
    side.job.distress = reinterpret_cast<Distress*>(side.distress.data());
    return {};
  }

  const Work& work_;
  const Memory& memory_;
  const Tables& tables_;
  const DeviceMap& map_;
  Sides sides_;
};

Result<void> wait_for_all(const Sides& sides, std::string_view doing) {
  for (const DeviceSide& side : sides.devices)
    RS_TRY(check(cudaStreamSynchronize(side.stream.get()), doing, side.ordinal));
  return {};
}

}  // namespace

Result<Sides> make_sides(const Work& work, const Memory& memory, const Tables& tables,
                         const DeviceMap& map) {
  return Maker(work, memory, tables, map).make();
}

Result<void> add_stamps(Sides& sides) {
  for (DeviceSide& side : sides.devices) {
    const Bytes size{side.stamp_count * sizeof(Stamp)};
    RS_ASSIGN(side.stamps, make_device_memory(side.ordinal, size));
    if (size.count > 0)
      RS_TRY(check(cudaMemsetAsync(side.stamps.data(), 0, size.count, side.stream.get()),
                   "clear stamps", side.ordinal));
    side.job.stamps = reinterpret_cast<Stamp*>(side.stamps.data());
  }
  return wait_for_all(sides, "clear stamps");
}

Result<std::vector<std::vector<Stamp>>> download_stamps(const Sides& sides) {
  std::vector<std::vector<Stamp>> all;
  for (const DeviceSide& side : sides.devices) {
    auto& stamps = all.emplace_back(side.stamp_count);
    if (stamps.empty()) continue;
    RS_TRY(select(side.ordinal));
    RS_TRY(check(cudaMemcpy(stamps.data(), side.stamps.data(), side.stamps.size().count,
                            cudaMemcpyDeviceToHost),
                 "give back stamps", side.ordinal));
  }
  return all;
}

Result<void> upload(const Memory& memory, const Sides& sides, bool scales) {
  constexpr auto doing = "take the inputs";
  for (const DeviceSide& side : sides.devices) {
    RS_TRY(select(side.ordinal));
    for (const Rank rank : side.ranks) {
      if (rank.value >= memory.ranks.size()) continue;
      const auto& [input, output] = memory.ranks[rank.value];
      const auto copy = [&](Site site, std::span<const std::byte> from) {
        if (from.empty()) return check(cudaSuccess, doing);
        return check(
            cudaMemcpyAsync(sides.ranks[rank.value].buffers[static_cast<int>(site)], from.data(),
                            from.size(), cudaMemcpyHostToDevice, side.stream.get()),
            doing, side.ordinal);
      };
      if (input.data() != output.data()) RS_TRY(copy(scales ? Site::given : Site::input, input));
      RS_TRY(copy(Site::output, output));
    }
  }
  return wait_for_all(sides, doing);
}

Result<void> download(const Memory& memory, const Sides& sides) {
  constexpr auto doing = "give back the outputs";
  for (const DeviceSide& side : sides.devices) {
    RS_TRY(select(side.ordinal));
    for (const Rank rank : side.ranks) {
      if (rank.value >= memory.ranks.size() || memory.ranks[rank.value].output.empty()) continue;
      const auto output = memory.ranks[rank.value].output;
      RS_TRY(check(cudaMemcpyAsync(output.data(),
                                   sides.ranks[rank.value].buffers[static_cast<int>(Site::output)],
                                   output.size(), cudaMemcpyDeviceToHost, side.stream.get()),
                   doing, side.ordinal));
    }
  }
  return wait_for_all(sides, doing);
}

}  // namespace ringside::cuda::interpreter
