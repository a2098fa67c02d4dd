#include "gpu/cuda/stream_memory.hpp"

#include <string>

#include "gpu/cuda/status.hpp"

namespace ringside::cuda {

Result<StreamMemory> StreamMemory::make(const Work& work, const Memory& host,
                                        const DeviceMap& devices, const StreamPlan& plan) {
  StreamMemory memory;
  memory.host_ = host;
  memory.devices_ = devices;
  memory.in_place_ = work.schedule->spec().in_place;
  memory.areas_.resize(plan.bytes.size());
  for (std::uint32_t p = 0; p < plan.bytes.size(); ++p) {
    const auto& bytes = plan.bytes[p];
    if (p < host.ranks.size()) {
      const auto& [input, output] = host.ranks[p];
      if (!memory.in_place_) RS_TRY(memory.add(Area::input, p, input.size()));
      RS_TRY(memory.add(Area::output, p, output.size()));
    }
    RS_TRY(memory.add(Area::scratch, p, bytes.scratch));
    RS_TRY(memory.add(Area::scaled, p, bytes.scaled));
    RS_TRY(memory.add(Area::landing, p, bytes.landing));
    RS_TRY(memory.add(Area::staging, p, bytes.staging));
  }
  return memory;
}

Result<void> StreamMemory::add(Area area, std::uint32_t owner, std::uint64_t bytes) {
  Room& room = areas_[owner][static_cast<std::size_t>(area)];
  room.bytes = bytes;
  if (area == Area::staging) {
    RS_ASSIGN(auto pinned, make_pinned_memory(devices_.ordinal(Rank{owner}), {bytes}));
    room.data = pinned.data();
    pinned_.push_back(std::move(pinned));
    return {};
  }
  RS_ASSIGN(auto memory, make_device_memory(devices_.ordinal(Rank{owner}), {bytes}));
  room.data = memory.data();
  device_.push_back(std::move(memory));
  return {};
}

Result<void> StreamMemory::copy(bool up, std::span<const Stream> streams) const {
  for (std::uint32_t r = 0; r < host_.ranks.size(); ++r) {
    const auto move = [&](Area area, const std::byte* host) -> Result<void> {
      const Room& room = areas_[r][static_cast<std::size_t>(area)];
      if (room.bytes == 0) return {};
      auto* const there = const_cast<std::byte*>(host);  // written to on the way down only
      const int device = devices_.ordinal(Rank{r});
      RS_TRY(check(
          cudaMemcpyAsync(up ? room.data : there, up ? there : room.data, room.bytes,
                          up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                          streams[devices_.of_rank[r]].get()),
          std::string(up ? "take in" : "give back") + " the data of rank " + std::to_string(r),
          device));
      return {};
    };
    if (up) RS_TRY(move(Area::input, host_.ranks[r].input.data()));
    RS_TRY(move(Area::output, host_.ranks[r].output.data()));
  }
  for (const Stream& stream : streams)
    RS_TRY(check(cudaStreamSynchronize(stream.get()),
                 up ? "take in the ranks' data" : "give back the ranks' data", stream.device()));
  return {};
}

Result<void> StreamMemory::upload(std::span<const Stream> streams) const {
  return copy(true, streams);
}

Result<void> StreamMemory::download(std::span<const Stream> streams) const {
  return copy(false, streams);
}

}  // namespace ringside::cuda
