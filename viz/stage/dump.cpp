#include "viz/stage/dump.hpp"

#include <nlohmann/json.hpp>

#include "core/report.hpp"
#include "viz/stage/dump_lesson.hpp"
#include "viz/stage/dump_run.hpp"
#include "viz/stage/dump_training.hpp"
#include "viz/stage/share.hpp"

namespace ringside::stage {
namespace {

using detail::Json;

Json json_of(const TimeWindow& window) {
  return {{"from_ps", window.from.picoseconds}, {"to_ps", window.to.picoseconds}};
}

/// The one thing that is picked: `{"rank": 3}`, or null.
Json json_of(const Pick& pick, const Run& run) {
  if (pick.transfer) return {{"transfer", pick.transfer->value}};
  if (pick.rank) return {{"rank", pick.rank->value}};
  if (pick.chunk) return {{"chunk", pick.chunk->value}};
  if (pick.slot) return {{"slot", detail::json_of(*pick.slot)}};
  if (pick.link && run && pick.link->value < run->topology->links.size())
    return {{"link", run->topology->link_name(*pick.link)}};
  return nullptr;
}

std::string_view name(Model::Layout layout) {
  switch (layout) {
    case Model::Layout::automatic:
      return "automatic";
    case Model::Layout::ring:
      return "ring";
    case Model::Layout::machine:
      break;
  }
  return "machine";
}

std::string_view name(Model::Side side) {
  static constexpr std::string_view names[] = {"curves", "busbw", "ranks", "addition_tree"};
  return names[static_cast<std::size_t>(side)];
}

std::string_view name(Model::View view) {
  static constexpr std::string_view names[] = {"run", "training_step", "scaling", "loss"};
  return names[static_cast<std::size_t>(view)];
}

void add_playback(detail::Fields& fields, const Model& model) {
  fields.add("now_ps", model.playback.now.picoseconds);
  fields.add("playing", model.playback.is_playing);
  fields.add("per_second_ps", model.playback.per_second.picoseconds);
  fields.add("window", json_of(model.window));
  fields.add("measure", model.measure ? json_of(*model.measure) : Json());
}

/// Backends by name, each with what it lacks here; null before anybody has been asked.
Json json_of(const std::optional<std::vector<Executor>>& executors) {
  if (!executors) return nullptr;
  Json all = Json::object();
  for (const Executor& executor : *executors) all[executor.backend] = executor.lacks;
  return all;
}

void add_looks(detail::Fields& fields, const Model& model) {
  fields.add("hover", json_of(model.hover, model.run));
  fields.add("selected", json_of(model.selected, model.run));
  fields.add("language", model.language == Language::chinese ? "zh" : "en");
  fields.add("theme", model.theme == Theme::projector ? "projector" : "dark");
  fields.add("scale", model.scale);
  fields.add("blank", model.is_blank);
  fields.add("full_screen", model.is_full_screen);
  fields.add("help", model.shows_help);
  fields.add("menu", model.shows_menu);
  fields.add("side", name(model.side));
  fields.add("layout", name(model.layout));
  fields.add("values", model.shows_values);
  fields.add("field", model.field);
  fields.add("edits_field", model.edits_field);
  fields.add("refusal", model.refusal.sentence);
  fields.add("executors", json_of(model.executors));
  fields.add("quit", model.has_quit);
}

Json summary_of(const Run& run) {
  if (!run) return nullptr;
  return {{"share", scenario::to_share_string({run->scenario, {}})},
          {"time_ps", run->time().picoseconds}};
}

/// What each point says beside its prediction.
Json points_of(const Curve& curve, const std::vector<scenario::Residual>& residuals) {
  Json points = Json::array();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    Json point{{"bytes", curve.points[i].x}, {"time_ps", curve.points[i].time.picoseconds}};
    if (i < residuals.size()) {
      point["badge"] = scenario::name(residuals[i].badge);
      point["off"] = residuals[i].off;
    }
    points.push_back(std::move(point));
  }
  return points;
}

Json json_of(const Measured* log) {
  if (log == nullptr) return nullptr;
  Json json{{"origin", log->origin},
            {"machine", log->machine},
            {"points", points_of(log->out_of_place, log->residuals)},
            {"points_in_place", points_of(log->in_place, log->residuals_in_place)}};
  if (log->fit)
    json["fit"] = {{"latency_ps", log->fit->latency.picoseconds},
                   {"bytes_per_second", log->fit->bandwidth.bytes_per_second},
                   {"half_size", log->limits.half_size}};
  return json;
}

}  // namespace

std::string dump_state(const Model& model) {
  const auto played = [&](const Run& run) {
    return run ? detail::dump_run(*run, model.playback.now) : std::string("null");
  };
  detail::Fields fields;
  fields.add("ringside", 1);
  fields.add("command", "view");
  fields.add("share", scenario::to_share_string(share_of(model)));
  add_playback(fields, model);
  add_looks(fields, model);
  fields.add("view", name(model.view));
  fields.add("log", json_of(model.measured.get()));
  fields.add("lessons", model.shows_lessons);
  fields.add("lesson", detail::dump_lesson(model));
  fields.add("training", detail::dump_training(model));
  fields.add("practice", detail::dump_practice(model));
  fields.add_text("run", played(model.run));
  fields.add_text("rival", played(model.rival));
  fields.add("ghost", summary_of(model.ghost));
  return fields.text() + "\n";
}

}  // namespace ringside::stage
