#include "sim/streamer.hpp"

#include <utility>

#include "core/suggest.hpp"
#include "sim/models/listener.hpp"

namespace ringside::sim {

struct Streamer::State {
  Story story;
  const Topology& topology;
  std::vector<models::Wire> wires;
  models::Connections connections;
  bool needs_full_words = false;  ///< or has no use for brief ones
};

namespace {

/// Full words where brief ones would be no faster: past the caches, and as long as there is room.
bool takes_full_words(const Story& story) {
  const Bytes needed{SlotTable<models::FullWord>::bytes(story)};
  return needed >= 64_MiB && needed < 1_GiB;
}

}  // namespace

Streamer::Streamer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Streamer::~Streamer() = default;
Streamer::Streamer(Streamer&&) noexcept = default;

Result<Streamer> Streamer::prepare(Story story, const Topology& topology, Router& router) {
  RS_TRY(models::check_places(topology, {story.spec, story.agents}));
  RS_ASSIGN(auto wires, models::wires_of(topology));
  models::Connections connections(topology, router, story.participants());
  const bool in_full = takes_full_words(story);
  return Streamer(std::unique_ptr<State>(
      new State{std::move(story), topology, std::move(wires), std::move(connections), in_full}));
}

namespace {

template <typename Word>
Result<Duration> listen(const models::Telling& telling, bool& is_ambiguous) {
  const Story& story = telling.story;
  RS_TRY(
      check_memory({SlotTable<Word>::bytes(story)}, std::string(name(story.spec.kind)) + " over " +
                                                        counted(story.spec.ranks, "rank") + " in " +
                                                        counted(story.chunks, "chunk")));
  models::Listener<Word> listener(telling);
  try {
    return listener.listen();
  } catch (const models::Stopped& stopped) {
    is_ambiguous = stopped.why == models::Stopped::Why::ambiguous;
    return tl::unexpected<Error>(listener.error());
  }
}

}  // namespace

Result<Simulation> Streamer::run(const Payload& payload, const Disturbance& disturbance) {
  State& s = *state_;
  RS_TRY(models::check_run({s.story.spec, s.story.agents}, payload, disturbance));
  const models::Telling telling{s.story, s.topology, s.wires, s.connections, payload, disturbance};
  Result<Duration> time = Duration{};
  if (!s.needs_full_words) time = listen<models::BriefWord>(telling, s.needs_full_words);
  if (s.needs_full_words) {
    bool never = false;
    time = listen<models::FullWord>(telling, never);
  }
  RS_TRY(time);
  models::Traffic traffic{s.topology, s.wires, {}};
  for (const auto& c : s.connections.all())
    traffic.connections.push_back({s.connections.route(c), c.latency, c.messages, c.bytes});
  RS_TRY(check_clock(traffic, disturbance));
  return Simulation{*time, {}, use_of(traffic)};
}

}  // namespace ringside::sim
