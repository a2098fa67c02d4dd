#include "sim/streamer.hpp"

#include <algorithm>
#include <utility>

#include "core/suggest.hpp"
#include "sim/models/listener.hpp"

namespace ringside::sim {

struct Streamer::State {
  Story story;
  const Topology& topology;
  Hearing hearing;
  std::vector<models::Wire> wires;
  models::Connections connections;
  bool needs_full_words = false;  ///< or has no use for brief ones
  bool is_contended = false;

  const Folding* folding() const { return hearing.folding.get(); }
  /// Those whose slots are kept.
  std::uint32_t ranks() const {
    return folding() != nullptr ? folding()->orbit().ranks : story.participants();
  }
};

namespace {

/// Full words where brief ones would be no faster: past the caches, and as long as there is room.
bool takes_full_words(const Story& story, std::uint32_t ranks) {
  const Bytes needed{SlotTable<models::FullWord>::bytes(story, ranks)};
  return needed >= 64_MiB && needed < 1_GiB;
}

}  // namespace

Streamer::Streamer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Streamer::~Streamer() = default;
Streamer::Streamer(Streamer&&) noexcept = default;

Result<Streamer> Streamer::prepare(Story story, const Topology& topology, Router& router,
                                   const Hearing& hearing) {
  RS_TRY(models::check_places(topology, {story.spec, story.agents}));
  std::vector<models::Wire> wires;
  if (hearing.folding) {
    wires.assign(hearing.folding->wires().begin(), hearing.folding->wires().end());
  } else {
    RS_ASSIGN(wires, models::wires_of(topology));
  }
  models::Connections connections(topology, router, story.participants(), hearing.folding.get());
  auto state = std::make_unique<State>(
      State{std::move(story), topology, hearing, std::move(wires), std::move(connections)});
  state->needs_full_words = takes_full_words(state->story, state->ranks());
  return Streamer(std::move(state));
}

namespace {

/// What a listener with words of this kind comes to; `stopped` says why it came to nothing.
template <typename Word, NetworkModel model>
Result<Duration> listen_to(const models::Telling& telling, std::uint32_t ranks,
                           models::Stopped& stopped) {
  const Story& story = telling.story;
  RS_TRY(check_memory({SlotTable<Word>::bytes(story, ranks)},
                      std::string(name(story.spec.kind)) + " over " +
                          counted(story.spec.ranks, "rank") + " in " +
                          counted(story.chunks, "chunk")));
  models::Listener<Word, model> listener(telling);
  try {
    return listener.listen();
  } catch (const models::Stopped& why) {
    stopped = why;
    if (why.why == models::Stopped::Why::contended)
      return bad_request("transfers may share wires, which model flow must see whole");
    return tl::unexpected<Error>(listener.error());
  }
}

template <typename Word>
Result<Duration> listen(NetworkModel model, const models::Telling& telling, std::uint32_t ranks,
                        models::Stopped& stopped) {
  return model == NetworkModel::stream
             ? listen_to<Word, NetworkModel::stream>(telling, ranks, stopped)
             : listen_to<Word, NetworkModel::flow>(telling, ranks, stopped);
}

/// One group stands for all only where nothing befalls one and not the others.
Result<void> check_alike(const Folding& folding, const Story& story, const Payload& payload,
                         const Disturbance& disturbance) {
  if (disturbance.jitter > 0) return bad_request("jitter makes groups of ranks unlike");
  const auto& start = disturbance.start;
  if (std::any_of(start.begin(), start.end(), [](Duration t) { return t > Duration{}; }))
    return bad_request("a straggler makes its group of ranks unlike the others");
  const ChunkLayout layout(story.spec, story.chunks, payload.count);
  if (!folding.has_alike_chunks(layout)) return bad_request("its chunks are not equally long");
  return {};
}

/// What every link carries, where one group of ranks stands for all.
std::vector<LinkUse> use_of_all(const Folding& folding, const Topology& topology,
                                const models::Connections& connections) {
  const auto wires = folding.wires();
  std::vector<LinkUse> use(wires.size());
  for (const auto& c : connections.all())
    for (const auto w : connections.route(c))
      use[w].bytes += Bytes{static_cast<std::uint64_t>(c.bytes)};
  for (std::size_t w = 0; w < use.size(); ++w)
    if (use[w].bytes.count > 0) use[w].busy = wire_time(use[w].bytes, wires[w].bandwidth);
  return folding.use_of_all(use, topology);
}

}  // namespace

bool Streamer::is_contended() const {
  return state_->is_contended;
}

Result<Simulation> Streamer::run(const Payload& payload, const Disturbance& disturbance,
                                 const Patience& patience) {
  State& s = *state_;
  using Why = models::Stopped::Why;
  RS_TRY(models::check_run({s.story.spec, s.story.agents}, payload, disturbance));
  if (s.folding()) RS_TRY(check_alike(*s.folding(), s.story, payload, disturbance));
  const models::Telling telling{s.story, s.topology,  s.wires,     s.connections,
                                payload, disturbance, s.folding(), &patience};
  models::Stopped stopped{Why::error};
  Result<Duration> time = Duration{};
  if (!s.needs_full_words) {
    time = listen<models::BriefWord>(s.hearing.model, telling, s.ranks(), stopped);
    s.needs_full_words = stopped.why == Why::ambiguous;
  }
  if (s.needs_full_words)
    time = listen<models::FullWord>(s.hearing.model, telling, s.ranks(), stopped);
  s.is_contended = stopped.why == Why::contended;
  if (!time) return tl::unexpected<Error>(time.error());
  const std::uint32_t times = s.folding() ? s.folding()->orbit().groups : 1;
  models::Traffic traffic{s.topology, s.wires, {}};
  for (const auto& c : s.connections.all())
    traffic.connections.push_back(
        {s.connections.route(c), c.latency, c.messages * times, c.bytes * times});
  RS_TRY(check_clock(traffic, disturbance));
  return Simulation{
      *time,
      {},
      s.folding() ? use_of_all(*s.folding(), s.topology, s.connections) : use_of(traffic)};
}

}  // namespace ringside::sim
