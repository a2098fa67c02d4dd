#include <algorithm>
#include <memory>
#include <string>

#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/peer_kernels.hpp"
#include "gpu/cuda/peers.hpp"
#include "gpu/cuda/status.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {
namespace {

constexpr std::uint32_t rounds = 1000;
constexpr Duration patience = microseconds(20'000'000);
const char* const doing = "pass numbers to a kernel of another device";

/// One device's side of the game.
struct Player {
  Stream stream;
  DeviceMemory mailbox;
  PinnedMemory outcome;

  std::uint64_t* mail() const { return reinterpret_cast<std::uint64_t*>(mailbox.data()); }
  volatile std::uint32_t& outcome_word() const {
    return *reinterpret_cast<std::uint32_t*>(outcome.data());
  }
};
using Players = std::vector<Player>;

Result<Player> make_player(int ordinal) {
  Player player;
  RS_ASSIGN(player.stream, make_stream(ordinal));
  RS_ASSIGN(player.mailbox, make_device_memory(ordinal, Bytes{mailbox_bytes}));
  RS_ASSIGN(player.outcome, make_pinned_memory(ordinal, Bytes{sizeof(std::uint32_t)}));
  return player;
}

Result<void> get_ready(const Player& player) {
  const int device = player.stream.device();
  player.outcome_word() = 0;
  RS_TRY(select(device));
  RS_TRY(check(cudaMemsetAsync(player.mailbox.data(), 0, mailbox_bytes, player.stream.get()),
               "clear its memory", device));
  return drain(player.stream, patience, "clear its memory");
}

Result<void> start(const Player& player, const Player& other, bool begins) {
  const int device = player.stream.device();
  RS_TRY(select(device));
  return check(
      launch_ping_pong({player.mail(), other.mail(),
                        const_cast<std::uint32_t*>(&player.outcome_word()), rounds, begins},
                       player.stream.get()),
      doing, device);
}

/// Whether every number of both came.
Result<bool> hear_each_other(const Player& a, const Player& b) {
  RS_TRY(get_ready(a));
  RS_TRY(get_ready(b));
  auto done = start(a, b, true);
  if (done) done = start(b, a, false);
  for (const Player* player : {&a, &b})
    if (done) done = drain(player->stream, patience, doing);
  if (!done) {  // who still plays does so in vain
    for (const Player* player : {&a, &b}) player->outcome_word() = PingPongTask::give_up;
    for (const Player* player : {&a, &b})
      static_cast<void>(poll([&] { return cudaStreamQuery(player->stream.get()); }, patience));
    return tl::unexpected<Error>(done.error());
  }
  return a.outcome_word() == PingPongTask::succeeded && b.outcome_word() == PingPongTask::succeeded;
}

Result<void> try_all(const Players& players, PeerReport& report) {
  std::string deaf;
  for (std::uint32_t a = 0; a < players.size(); ++a)
    for (std::uint32_t b = a + 1; b < players.size(); ++b) {
      if (!report.matrix.reaches(a, b) || !report.matrix.reaches(b, a)) continue;
      RS_ASSIGN(const bool hears, hear_each_other(players[a], players[b]));
      if (hears) continue;
      report.matrix.set(a, b, false);
      report.matrix.set(b, a, false);
      deaf += (deaf.empty() ? "" : ", ") + std::to_string(report.ordinals[a]) + "-" +
              std::to_string(report.ordinals[b]);
    }
  if (!deaf.empty())
    report.notes.push_back("copies between devices " + deaf +
                           " arrive, but running kernels do not hear each other: what goes there "
                           "is staged through pinned host memory");
  return {};
}

}  // namespace

Result<PeerReport> probe_running_kernels(std::span<const Device> devices, PeerReport report) {
  if (!std::ranges::all_of(devices, &Device::cooperative)) return report;  // none will run
  auto players = std::make_unique<Players>();
  for (const Device& device : devices) {
    RS_ASSIGN(auto player, make_player(device.ordinal));
    players->push_back(std::move(player));
  }
  if (auto tried = try_all(*players, report); !tried) {
    if (std::ranges::any_of(*players, seems_to_hang, &Player::stream))
      leave_behind(std::move(players));
    return tl::unexpected<Error>(tried.error());
  }
  note_far_memory(devices, report);
  return report;
}

}  // namespace ringside::cuda
