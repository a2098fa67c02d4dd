#include "gpu/nccl/common_time.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <type_traits>
#include <utility>

#include "gpu/cuda/device_clocks.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::nccl {
namespace {

TimePoint clock_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

/// Of a machine, since it was started: the same for all its processes, and no other's.
std::string running_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  return file >> id ? id : std::to_string(gethostid());
}

template <typename Data>
std::string words_of(std::span<const Data> data) {
  static_assert(std::is_trivially_copyable_v<Data>);
  return {reinterpret_cast<const char*>(data.data()), data.size_bytes()};
}
template <typename Data>
std::vector<Data> data_of(const std::string& words) {
  std::vector<Data> data(words.size() / sizeof(Data));
  if (!data.empty()) std::memcpy(data.data(), words.data(), data.size() * sizeof(Data));
  return data;
}

}  // namespace

ClockOffset offset_between(std::span<const Exchange> first, std::span<const Exchange> mine) {
  Duration least{-forever.picoseconds}, most = forever;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    least = std::max(least, first[i].said - mine[i].heard);
    most = std::min(most, first[i].heard - mine[i].said);
  }
  const Duration half{(most - least).picoseconds / 2};
  return {least + half, half};
}

Result<ClockOffset> clock_offset(const Share& share) {
  const auto kernel = running_kernel();
  RS_ASSIGN(const auto kernels, share(kernel));
  const auto is_mine = [&](const std::string& other) { return other == kernel; };
  if (std::ranges::all_of(kernels, is_mine)) return ClockOffset{};
  constexpr int exchanges = 20;
  std::vector<Exchange> mine;
  for (int i = 0; i < exchanges; ++i) {
    const auto said = clock_now();
    RS_TRY(share(""));
    mine.push_back({said, clock_now()});
  }
  RS_ASSIGN(const auto told, share(words_of(std::span<const Exchange>(mine))));
  if (is_mine(kernels.front())) return ClockOffset{};
  return offset_between(data_of<Exchange>(told.front()), mine);
}

Result<CommonTime> CommonTime::make(int device) {
  CommonTime made;
  RS_ASSIGN(made.anchor_, cuda::make_event(device, cuda::EventUse::timing));
  RS_ASSIGN(made.spare_, cuda::make_event(device, cuda::EventUse::timing));
  return made;
}

Result<void> CommonTime::align(const cuda::Stream& stream, const Share& share, Duration timeout) {
  constexpr int tries = 10;
  half_ = forever;
  for (int i = 0; i < tries; ++i) {
    const auto before = clock_now();
    RS_TRY(cuda::check(cudaEventRecord(spare_.get(), stream.get()), "record an event",
                       stream.device()));
    RS_TRY(cuda::drain(stream, timeout, "record an event"));
    const Duration half{(clock_now() - before).picoseconds / 2};
    if (half >= half_) continue;
    half_ = half;
    anchored_ = before + half;
    std::swap(anchor_, spare_);
  }
  RS_ASSIGN(offset_, clock_offset(share));
  return {};
}

Result<TimePoint> CommonTime::of(const cuda::Event& event) const {
  RS_ASSIGN(const auto since, cuda::between(anchor_, event));
  return anchored_ + since + offset_.offset;
}

Result<Reports> report_to_all(const Report& mine, const Share& share) {
  std::vector<TimePoint> said{mine.begin, mine.error};
  said.insert(said.end(), mine.moments.begin(), mine.moments.end());
  RS_ASSIGN(const auto told, share(words_of(std::span<const TimePoint>(said))));
  Reports all;
  TimePoint first = forever;
  std::vector<Duration> errors;
  for (const std::string& words : told) {
    auto& moments = all.moments.emplace_back(data_of<TimePoint>(words));
    first = std::min(first, moments[0]);
    errors.push_back(moments[1]);
  }
  for (auto& moments : all.moments) {
    const Duration late = moments[0] - first;
    moments.erase(moments.begin(), moments.begin() + 2);
    for (TimePoint& moment : moments) moment += late;
  }
  std::ranges::sort(errors, std::greater());
  for (std::size_t i = 0; i < std::min<std::size_t>(2, errors.size()); ++i) all.error += errors[i];
  return all;
}

}  // namespace ringside::nccl
