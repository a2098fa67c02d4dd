#include "gpu/cuda/stream_memory.hpp"

#include <string>

#include "gpu/cuda/status.hpp"
#include "gpu/cuda/waiting.hpp"

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
    RS_ASSIGN(auto pinned, make_near_memory(devices_.device(Rank{owner}), {bytes}));
    room.data = pinned.data();
    pinned_.push_back(std::move(pinned));
    return {};
  }
  RS_ASSIGN(auto memory, make_device_memory(devices_.ordinal(Rank{owner}), {bytes}));
  room.data = memory.data();
  device_.push_back(std::move(memory));
  return {};
}

/// All of an area, if there is any.
Result<void> StreamMemory::enqueue_copy(bool up, const Place& place, const std::byte* host,
                                        const Stream& stream) const {
  const auto bytes = areas_[place.owner][static_cast<std::size_t>(place.area)].bytes;
  if (bytes == 0) return {};
  auto* const there = const_cast<std::byte*>(host);  // written to on the way down only
  const auto code =
      up ? cudaMemcpyAsync(at(place), there, bytes, cudaMemcpyHostToDevice, stream.get())
         : cudaMemcpyAsync(there, at(place), bytes, cudaMemcpyDeviceToHost, stream.get());
  return check(code,
               std::string(up ? "take in" : "give back") + " the data of rank " +
                   std::to_string(place.owner),
               stream.device());
}

Result<void> StreamMemory::upload(std::span<const Stream> streams, Duration timeout) const {
  for (std::uint32_t r = 0; r < host_.ranks.size(); ++r) {
    const Stream& stream = streams[devices_.of_rank[r]];
    RS_TRY(enqueue_copy(true, {Area::input, r}, host_.ranks[r].input.data(), stream));
    RS_TRY(enqueue_copy(true, {Area::output, r}, host_.ranks[r].output.data(), stream));
  }
  for (const Stream& stream : streams) RS_TRY(drain(stream, timeout, "take in the ranks' data"));
  return {};
}

Result<void> StreamMemory::download(std::span<const Stream> streams, Duration timeout) const {
  for (std::uint32_t r = 0; r < host_.ranks.size(); ++r)
    RS_TRY(enqueue_copy(false, {Area::output, r}, host_.ranks[r].output.data(),
                        streams[devices_.of_rank[r]]));
  for (const Stream& stream : streams) RS_TRY(drain(stream, timeout, "give back the ranks' data"));
  return {};
}

}  // namespace ringside::cuda
