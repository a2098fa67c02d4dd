#include "viz/stage/lesson_stage.hpp"

#include <algorithm>
#include <charconv>

#include "viz/scenario/scenario.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/clock.hpp"
#include "viz/stage/lesson.hpp"

namespace ringside::stage {
namespace {

std::string text_of(const scenario::Scenario& scenario) {
  return scenario::to_share_string({scenario, {}});
}

bool is_staged(const scenario::Scenario& wanted, const Run& run) {
  return run != nullptr && text_of(run->scenario) == text_of(wanted);
}

/// What a lesson needs to know of a run that is on the stage.
lessons::Experiment experiment_of(const StagedRun& run) {
  return {run.row, run.schedule, run.topology, run.payload, run.spans, run.links, run.time()};
}

std::optional<TimePoint> moment_of(const Model& model, const std::string& at) {
  if (at.empty() || !model.run) return std::nullopt;
  const auto moment = lessons::moment(experiment_of(*model.run), at);
  return moment ? std::optional(*moment) : std::nullopt;
}

const lessons::Scene& scene_of(const Model& model) {
  const auto& sitting = model.lesson->sitting;
  return sitting.instance().scene(sitting.beat());
}

void set_looks(Model& model) {
  using View = Model::View;
  model.shows_values = looks(model, "values");
  model.layout = looks(model, "machine") ? Model::Layout::machine
                 : looks(model, "ring")  ? Model::Layout::ring
                                         : Model::Layout::automatic;
  model.side = looks(model, "addition_tree") ? Model::Side::addition_tree
               : looks(model, "busbw")       ? Model::Side::busbw
                                             : Model::Side::curves;
  model.view = looks(model, "training")  ? View::training_step
               : looks(model, "scaling") ? View::scaling
                                         : View::run;
  model.drawing = {};
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<LinkId> link_of(const StagedRun& run, std::string_view text) {
  const auto arrow = text.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  const auto from = number_of(text.substr(0, arrow)), to = number_of(text.substr(arrow + 2));
  const auto& topology = *run.topology;
  if (!from || !to || *from >= topology.ranks.size() || *to >= topology.ranks.size()) return {};
  for (LinkId id{0}; id.value < topology.links.size(); ++id.value)
    if (topology[id].from == topology.ranks[*from] && topology[id].to == topology.ranks[*to])
      return id;
  return std::nullopt;
}

std::optional<std::uint32_t> rank_of(const sim::Topology& topology, DeviceId device) {
  const auto found = std::ranges::find(topology.ranks, device);
  if (found == topology.ranks.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - topology.ranks.begin());
}

std::optional<TransferId> transfer_of(const StagedRun& run, const lessons::Arrow& arrow) {
  const Schedule& schedule = *run.schedule;
  for (TransferId id{0}; id.value < schedule.transfers().size(); ++id.value)
    if (schedule.step(id) == arrow.step && schedule[id].src().rank == arrow.rank &&
        schedule[id].dst().rank != arrow.rank)
      return id;
  return std::nullopt;
}

}  // namespace

void set_stage(Model& model, Director& director) {
  const lessons::Scene& scene = scene_of(model);
  set_looks(model);
  model.hover = model.selected = {};
  model.field.clear();
  model.edits_field = model.shows_menu = false;
  model.ghost = nullptr;
  model.measure.reset();
  model.playback.is_playing = false;
  model.playback.stop.reset();
  model.playback.gate = model.playback.now;  // until it is known where it stands
  model.lesson->is_placed = false;
  if (auto share = scenario::parse_share_string(scene.run); !scene.run.empty() && share) {
    const bool is_new = text_of(share->scenario) != text_of(model.scenario);
    model.scenario = std::move(share->scenario);
    if (is_new || !is_staged(model.scenario, model.run))
      director.request(Director::Part::lead, model.scenario, model.run);
  }
  model.rival_scenario.reset();
  if (auto share = scenario::parse_share_string(scene.rival); !scene.rival.empty() && share) {
    model.rival_scenario = std::move(share->scenario);
    if (!is_staged(*model.rival_scenario, model.rival)) {
      model.rival = nullptr;
      director.request(Director::Part::rival, *model.rival_scenario, nullptr);
    }
  } else {
    model.rival = nullptr;
  }
  place(model);
}

void place(Model& model) {
  if (!model.lesson || model.lesson->is_placed || !is_staged(model.scenario, model.run)) return;
  if (model.rival_scenario && !is_staged(*model.rival_scenario, model.rival)) return;
  Playback& playback = model.playback;
  playback.gate.reset();
  if (const auto at = moment_of(model, scene_of(model).at)) seek(model, *at);
  if (!playback.chosen) playback.per_second = usual_speed(*model.run);
  model.window = whole(model);
  model.lesson->is_placed = true;
  if (model.lesson->is_shut())
    playback.gate = playback.now;
  else
    let_play(model);
}

void let_play(Model& model) {
  Playback& playback = model.playback;
  playback.gate.reset();
  const auto until = moment_of(model, scene_of(model).play);
  if (!model.lesson->is_placed || !until || *until <= playback.now) return;
  playback.stop = until;
  playback.is_playing = true;
}

bool hides_future(const Model& model) {
  return model.lesson && model.lesson->is_shut();
}

bool is_to_come(const Model& model, const StagedRun& run, TransferId id) {
  return hides_future(model) && run.spans[id.value].begin >= model.playback.now;
}

bool looks(const Model& model, std::string_view name) {
  return model.lesson && std::ranges::count(model.lesson->beat().look, name) > 0;
}

bool lets_edit(const Model& model, std::string_view field) {
  constexpr std::string_view of_rival = "rival.";
  if (!model.lesson) return true;
  if (field.starts_with(of_rival)) field.remove_prefix(of_rival.size());
  if (field.starts_with("link.") && lets_edit(model, field.substr(5))) return true;  // of a shape
  return std::ranges::count(model.lesson->beat().controls, field) > 0;
}

bool lets(const Model& model, Command command) {
  if (!model.lesson) return true;
  switch (command) {
    case Command::slow_down:
      return lets_edit(model, "slow");
    case Command::kill:
      return lets_edit(model, "dead");
    case Command::straggle:
      return lets_edit(model, "straggler");
    case Command::break_it:
      return lets_edit(model, "mistake");
    case Command::repair:
      return !model.lesson->beat().controls.empty();
    case Command::race:
    case Command::fork:
    case Command::training_step:
    case Command::scaling:
    case Command::run_here:
    case Command::run_on_gpus:
    case Command::run_by_nccl:
      return false;
    case Command::compare:
    case Command::side_panel:
      return !hides_future(model);
    default:
      return true;
  }
}

std::optional<std::string> answer_of(const StagedRun& run, lessons::Picked what, const Pick& pick) {
  using lessons::Picked;
  const auto& topology = *run.topology;
  if (what == Picked::rank && pick.rank && pick.rank->value < run.ranks())
    return std::to_string(pick.rank->value);
  if (what == Picked::chunk && pick.chunk) return std::to_string(pick.chunk->value);
  if (what == Picked::chunk && pick.slot) return std::to_string(pick.slot->chunk.value);
  if (what == Picked::chunk && pick.transfer)
    return std::to_string(run.story->chunk(run.story->cargo(*pick.transfer).parts).value);
  if (what != Picked::link || !pick.link) return std::nullopt;
  const auto from = rank_of(topology, topology[*pick.link].from),
             to = rank_of(topology, topology[*pick.link].to);
  if (!from || !to) return std::nullopt;
  return std::to_string(*from) + "->" + std::to_string(*to);
}

std::optional<AnswerMark> answer_mark(const Model& model) {
  if (!model.lesson || model.lesson->is_shut() || model.lesson->is_covered || !model.run)
    return std::nullopt;
  const auto* asked = model.lesson->asked();
  if (asked == nullptr || asked->kind != lessons::QuestionKind::pick) return std::nullopt;
  AnswerMark mark;
  const std::string said = model.lesson->sitting.last_answer(),
                    truth = lessons::right_answer(*asked);
  const auto said_number = number_of(said), true_number = number_of(truth);
  switch (asked->what) {
    case lessons::Picked::rank:
      if (said_number && *said_number < model.run->ranks()) mark.said_rank = Rank{*said_number};
      if (true_number && *true_number < model.run->ranks()) mark.true_rank = Rank{*true_number};
      break;
    case lessons::Picked::chunk:
      if (said_number) mark.said_chunk = ChunkId{*said_number};
      if (true_number) mark.true_chunk = ChunkId{*true_number};
      break;
    case lessons::Picked::link:
      mark.said_link = link_of(*model.run, said);
      mark.true_link = link_of(*model.run, truth);
      break;
  }
  if (asked->arrow) mark.transfer = transfer_of(*model.run, *asked->arrow);
  return mark;
}

}  // namespace ringside::stage
