#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/schedule.hpp"

namespace ringside::cuda {

/// Which device copies straight to which.
class PeerMatrix {
 public:
  explicit PeerMatrix(std::uint32_t devices = 1, bool all = true)
      : devices_(devices), reaches_(std::size_t{devices} * devices, all) {}
  std::uint32_t devices() const { return devices_; }
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    return from == to || reaches_[std::size_t{from} * devices_ + to];
  }
  void set(std::uint32_t from, std::uint32_t to, bool reaches) {
    reaches_[std::size_t{from} * devices_ + to] = reaches;
  }

 private:
  std::uint32_t devices_;
  std::vector<bool> reaches_;
};

/// Where ranks are: agents of switches follow the ranks.
struct Placement {
  std::vector<std::uint32_t> device_of;  ///< by participant: a device of `peers`
  PeerMatrix peers;
};

/// A participant's memories. The first three are the schedule's. What is in the vector's layout:
/// input, output, and scaled, the inputs times mulsum's scalar. All are on the participant's device
/// but for staging, host memory that data pass through where devices do not reach each other.
enum class Area : std::uint8_t { input, output, scratch, scaled, landing, staging };

struct Place {
  Area area = Area::input;
  std::uint32_t owner = 0;   ///< participant
  std::uint64_t offset = 0;  ///< bytes
};

/// Consecutive bytes; `with` is used by reduces only.
struct Piece {
  Place dst, with, src;
  std::uint64_t bytes = 0;
};

enum class OperationKind : std::uint8_t {
  copy,          ///< within one device
  peer_copy,     ///< from device to device
  to_staging,    ///< from device to host
  from_staging,  ///< from host to device
  reduce,        ///< dst = with (op) src, within one device
  scale,         ///< dst = src * mulsum's scalar
  divide,        ///< dst = src / ranks
};

inline constexpr std::uint32_t no_transfer = UINT32_MAX;

/// What one stream does next, after all it did before.
struct Operation {
  OperationKind kind = OperationKind::copy;
  std::uint32_t stream = 0;
  std::uint32_t transfer = no_transfer;
  std::uint32_t waits_end = 0, pieces_end = 0;  ///< begin where those of the operation before end
  bool is_awaited = false;                      ///< another stream waits for it: record an event
};

/// By transfer: it begins with operation `first`, and the ends of the others are its events.
struct Milestones {
  std::uint32_t first = 0, read = 0, arrival = 0, commit = 0;
};

/// Long messages go in slices, so that one is on its way while the one before is added, and little
/// memory holds them in between. In bytes; slices are multiples of 16.
struct SliceLimits {
  std::uint64_t landing = 8 << 20;   ///< between two devices, to be added
  std::uint64_t staging = 2 << 20;   ///< through the host
  std::uint64_t duplex = 256 << 10;  ///< longer ones between devices: two streams
};

/// A participant has one for each channel; where messages are long, one to send and one to receive,
/// so that both go on at the same time.
struct StreamId {
  std::uint32_t participant = 0;
  ChannelId channel;
  bool receives = false;  ///< and adds
};

/// A schedule as operations to enqueue, all up front, in this order: each waits only for such as
/// were enqueued before it, so nothing can hang, and whatever order streams take gives the same.
struct StreamPlan {
  struct Bytes {
    std::uint64_t scratch = 0, scaled = 0, landing = 0, staging = 0;
  };
  std::vector<StreamId> streams;  ///< those with work to do
  std::vector<Operation> operations;
  std::vector<std::uint32_t> waits;  ///< operations of other streams
  std::vector<Piece> pieces;
  std::vector<Milestones> milestones;  ///< by transfer
  std::vector<Bytes> bytes;            ///< by participant

  std::span<const std::uint32_t> waits_of(std::uint32_t operation) const;
  std::span<const Piece> pieces_of(std::uint32_t operation) const;
};

/// The binding has been checked (core/binding.hpp).
StreamPlan plan_streams(const Work& work, const Placement& placement,
                        const SliceLimits& limits = {});

}  // namespace ringside::cuda
