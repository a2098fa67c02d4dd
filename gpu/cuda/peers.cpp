#include "gpu/cuda/peers.hpp"

#include <algorithm>
#include <memory>

#include "core/assert.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/numa.hpp"
#include "gpu/cuda/peer_kernels.hpp"
#include "gpu/cuda/status.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {
namespace {

constexpr std::uint32_t words = 16384;
constexpr Bytes pattern_bytes{words * sizeof(std::uint32_t)};
constexpr Duration patience = microseconds(10'000'000);

/// One device, with what it takes to be tried.
struct Bench {
  int ordinal = 0;
  Stream stream;
  DeviceMemory pattern;
  PinnedMemory is_wrong;

  std::uint32_t* at() const { return reinterpret_cast<std::uint32_t*>(pattern.data()); }
};

Result<Bench> make_bench(int ordinal) {
  Bench bench;
  bench.ordinal = ordinal;
  RS_ASSIGN(bench.stream, make_stream(ordinal));
  RS_ASSIGN(bench.pattern, make_device_memory(ordinal, pattern_bytes));
  RS_ASSIGN(bench.is_wrong, make_pinned_memory(ordinal, Bytes{sizeof(std::uint32_t)}));
  return bench;
}

/// Where peer access hangs, an IOMMU that translates or PCIe ACS is the usual reason.
Result<void> finish(const Bench& bench, const std::string& doing) {
  return drain(bench.stream, patience, doing);
}

Result<void> write(const Bench& by, const Bench& into, std::uint32_t seed) {
  const auto doing = "write to the memory of device " + std::to_string(into.ordinal);
  RS_TRY(select(by.ordinal));
  RS_TRY(check(launch_write_pattern({into.at(), words, seed}, by.stream.get()), doing, by.ordinal));
  return finish(by, doing);
}

/// Whether `by` finds the pattern there.
Result<bool> compare(const Bench& by, const Bench& in, std::uint32_t seed) {
  const auto doing = "read the memory of device " + std::to_string(in.ordinal);
  auto* is_wrong = reinterpret_cast<std::uint32_t*>(by.is_wrong.data());
  *is_wrong = 0;
  RS_TRY(select(by.ordinal));
  RS_TRY(check(launch_compare_pattern({in.at(), words, seed, is_wrong}, by.stream.get()), doing,
               by.ordinal));
  RS_TRY(finish(by, doing));
  return *is_wrong == 0;
}

Result<void> copy(const Bench& from, const Bench& to) {
  const auto doing = "copy to device " + std::to_string(to.ordinal);
  RS_TRY(check(cudaMemcpyPeerAsync(to.pattern.data(), to.ordinal, from.pattern.data(), from.ordinal,
                                   pattern_bytes.count, from.stream.get()),
               doing, from.ordinal));
  return finish(from, doing);
}

/// Whether the driver lets kernels of `from` use memory of `to` from now on.
Result<bool> enable(const Bench& from, const Bench& to) {
  int can = 0;
  RS_TRY(check(cudaDeviceCanAccessPeer(&can, from.ordinal, to.ordinal),
               "say whether it reaches device " + std::to_string(to.ordinal), from.ordinal));
  if (can == 0) return false;
  RS_TRY(select(from.ordinal));
  const auto code = cudaDeviceEnablePeerAccess(to.ordinal, 0);
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (code == cudaErrorPeerAccessUnsupported || code == cudaErrorTooManyPeers) return false;
  if (code == cudaErrorPeerAccessAlreadyEnabled) return true;
  RS_TRY(check(code, "enable access to device " + std::to_string(to.ordinal), from.ordinal));
  return true;
}

/// Whether data arrive: by stores, by loads, by a copy.
Result<bool> deliver(const Bench& from, const Bench& to, std::uint32_t seed) {
  RS_TRY(write(from, to, seed));
  RS_ASSIGN(const bool stored, compare(to, to, seed));
  RS_TRY(write(to, to, seed + 1));
  RS_ASSIGN(const bool loaded, compare(from, to, seed + 1));
  RS_TRY(write(from, from, seed + 2));
  RS_TRY(copy(from, to));
  RS_ASSIGN(const bool copied, compare(to, to, seed + 2));
  return stored && loaded && copied;
}

/// `0-1, 2->3`: pairs one way are written as such; empty if there are none.
std::string list_of(const std::vector<int>& ordinals, const PeerMatrix& pairs) {
  std::string text;
  for (std::uint32_t a = 0; a < pairs.devices(); ++a)
    for (std::uint32_t b = 0; b < pairs.devices(); ++b) {
      const bool both = pairs.reaches(b, a);
      if (a == b || !pairs.reaches(a, b) || (both && b < a)) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(ordinals[a]) + (both ? "-" : "->") +
              std::to_string(ordinals[b]);
    }
  return text;
}

void add_notes(PeerReport& report, const PeerMatrix& lacking, const PeerMatrix& broken) {
  const auto detour = ": what goes there is staged through pinned host memory";
  const auto none = list_of(report.ordinals, lacking);
  if (!none.empty()) report.notes.push_back("no peer access between devices " + none + detour);
  const auto wrong = list_of(report.ordinals, broken);
  if (!wrong.empty())
    report.notes.push_back("the driver promises peer access between devices " + wrong +
                           ", but data arrive wrong" + detour);
}

using Benches = std::vector<Bench>;

/// Tries every pair both ways.
Result<void> try_all(const Benches& benches, PeerReport& report) {
  PeerMatrix lacking = report.matrix, broken = report.matrix;
  std::uint32_t seed = 1;
  for (std::uint32_t a = 0; a < benches.size(); ++a)
    for (std::uint32_t b = 0; b < benches.size(); ++b) {
      if (a == b) continue;
      RS_ASSIGN(const bool enabled, enable(benches[a], benches[b]));
      lacking.set(a, b, !enabled);
      if (!enabled) continue;
      RS_ASSIGN(const bool delivers, deliver(benches[a], benches[b], seed += 7));
      report.matrix.set(a, b, delivers);
      broken.set(a, b, !delivers);
    }
  add_notes(report, lacking, broken);
  return {};
}

}  // namespace

Result<PeerReport> probe_peers(std::span<const Device> devices) {
  PeerReport report{{}, PeerMatrix(static_cast<std::uint32_t>(devices.size()), false)};
  for (const Device& device : devices) report.ordinals.push_back(device.ordinal);
  if (devices.size() < 2) return report;
  auto benches = std::make_unique<Benches>();
  for (const int ordinal : report.ordinals) {
    RS_ASSIGN(auto bench, make_bench(ordinal));
    benches->push_back(std::move(bench));
  }
  if (auto tried = try_all(*benches, report); !tried) {
    if (std::ranges::any_of(*benches, seems_to_hang, &Bench::stream))
      leave_behind(std::move(benches));
    return tl::unexpected<Error>(tried.error());
  }
  note_far_memory(devices, report);
  return report;
}

void note_far_memory(std::span<const Device> devices, PeerReport& report) {
  std::vector<int> nodes;
  for (const Device& device : devices) nodes.push_back(device.node);
  const auto far = refusal(nodes);
  const bool is_staged = !report.notes.empty();
  if (is_staged && !far.empty() && std::ranges::find(report.notes, far) == report.notes.end())
    report.notes.push_back(far);
}

Placement placement_of(const DeviceMap& map, const PeerReport& report) {
  const auto index = [&](const Device& device) {
    const auto at = std::ranges::find(report.ordinals, device.ordinal);
    RS_ASSERT(at != report.ordinals.end(), "every device was probed");
    return static_cast<std::uint32_t>(at - report.ordinals.begin());
  };
  const auto n = static_cast<std::uint32_t>(map.devices.size());
  Placement placement{map.of_rank, PeerMatrix(n)};
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = 0; b < n; ++b)
      placement.peers.set(a, b,
                          report.matrix.reaches(index(map.devices[a]), index(map.devices[b])));
  return placement;
}

}  // namespace ringside::cuda
