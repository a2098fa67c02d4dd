#include "viz/stage/opening.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/algorithm.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/stage/classroom.hpp"
#include "viz/stage/experiments.hpp"
#include "viz/stage/lesson_files.hpp"

namespace ringside::stage {
namespace {

struct Name {
  std::string_view text;
  int value;
};
constexpr Name themes[] = {{"dark", static_cast<int>(Theme::dark)},
                           {"projector", static_cast<int>(Theme::projector)},
                           {"light", static_cast<int>(Theme::projector)}};
constexpr Name languages[] = {{"en", static_cast<int>(Language::english)},
                              {"zh", static_cast<int>(Language::chinese)}};
constexpr Name layouts[] = {{"automatic", static_cast<int>(Model::Layout::automatic)},
                            {"ring", static_cast<int>(Model::Layout::ring)},
                            {"machine", static_cast<int>(Model::Layout::machine)}};
constexpr Name sides[] = {{"curves", static_cast<int>(Model::Side::curves)},
                          {"busbw", static_cast<int>(Model::Side::busbw)},
                          {"ranks", static_cast<int>(Model::Side::ranks)},
                          {"addition_tree", static_cast<int>(Model::Side::addition_tree)}};

template <typename Enum>
Result<Enum> parse(const char* what, std::span<const Name> names, std::string_view text) {
  std::vector<std::string_view> known;
  for (const Name& name : names) {
    if (name.text == text) return static_cast<Enum>(name.value);
    known.push_back(name.text);
  }
  return bad_request(unknown(what, text, known));
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

Result<void> read_size(std::string_view text, Opening& opening) {
  constexpr unsigned narrowest = 640, lowest = 360, largest = 8192;
  const auto x = text.find('x');
  unsigned width = 0, height = 0;
  if (x == std::string_view::npos || !parse_whole(text.substr(0, x), width) ||
      !parse_whole(text.substr(x + 1), height) || width < narrowest || height < lowest ||
      width > largest || height > largest)
    return bad_request("--size: " + in_quotes(text) +
                       " is not the size of a window: expected such as 1280x720, from 640x360 to "
                       "8192x8192");
  opening.width = width;
  opening.height = height;
  return {};
}

/// `40us`, `35%`, or a share from 0 to 1.
Result<void> read_moment(std::string_view text, Opening& opening) {
  const bool percent = text.ends_with('%');
  double number = 0;
  if (parse_whole(percent ? text.substr(0, text.size() - 1) : text, number)) {
    if (percent) number /= 100;
    if (!(number >= 0 && number <= 1))
      return bad_request("--t: " + in_quotes(text) +
                         " is outside the run: expected a time such as 40us, or a share of the "
                         "run from 0 to 1");
    opening.at_share = number;
    return {};
  }
  RS_ASSIGN(opening.at, scenario::of_flag("--t", parse_duration(text)));
  return {};
}

Result<void> read_looks(const scenario::ViewOptions& options, const scenario::Settings& kept,
                        Opening& opening) {
  Model& model = opening.model;
  model.theme = parse<Theme>("theme", themes, kept.theme).value_or(model.theme);
  model.language = parse<Language>("language", languages, kept.language).value_or(model.language);
  if (kept.scale > 0) model.scale = kept.scale;
  if (kept.width > 0 && kept.height > 0) {
    opening.width = kept.width;
    opening.height = kept.height;
  }
  if (!options.theme.empty()) {
    RS_ASSIGN(model.theme, parse<Theme>("theme", themes, options.theme));
  }
  if (!options.language.empty()) {
    RS_ASSIGN(model.language, parse<Language>("language", languages, options.language));
  }
  if (options.scale > 0) model.scale = options.scale;
  if (!options.size.empty()) RS_TRY(read_size(options.size, opening));
  return {};
}

/// What a share string says about the window; flags have had their say before.
Result<void> read_extra(const scenario::ViewOptions& options, Opening& opening) {
  Model& model = opening.model;
  for (const auto& [key, value] : options.extra) {
    if (key == "t" && options.t.empty()) RS_TRY(read_moment(value, opening));
    if (key == "theme" && options.theme.empty()) {
      RS_ASSIGN(model.theme, parse<Theme>("theme", themes, value));
    }
    if (key == "lang" && options.language.empty()) {
      RS_ASSIGN(model.language, parse<Language>("language", languages, value));
    }
    if (key == "lesson" && options.lesson.empty()) opening.lesson = value;
    if (key == "beat" && options.beat.empty()) opening.beat = value;
    if (key == "seed" && !parse_whole(value, model.classroom.seed))
      return bad_request("seed: " + in_quotes(value) + " is not a whole number");
    if (key == "layout") {
      RS_ASSIGN(model.layout, parse<Model::Layout>("layout", layouts, value));
    }
    if (key == "side") {
      RS_ASSIGN(model.side, parse<Model::Side>("side panel", sides, value));
    }
    if (key == "rival") {
      RS_ASSIGN(auto rival, scenario::parse_share_string(value));
      model.rival_scenario = std::move(rival.scenario);
    }
  }
  return {};
}

/// Lessons, whatever else is looked at: N opens their list. Which one, share strings may say.
Result<void> read_lessons(const scenario::ViewOptions& options, Opening& opening) {
  opening.ledger = options.ledger;
  if (opening.ledger.empty() && !options.is_unattended())
    opening.ledger = ledger_file().value_or("");
  RS_ASSIGN(opening.model.classroom, open_classroom(options.lessons, opening.ledger));
  opening.model.classroom.seed = options.seed;
  opening.model.classroom.is_class = options.present;
  opening.lesson = options.lesson;
  opening.beat = options.beat;
  return {};
}

/// Known to be there before a window is opened.
Result<void> check_lesson(const Opening& opening) {
  const Classroom& room = opening.model.classroom;
  if (opening.lesson.empty()) {
    if (!opening.beat.empty()) return bad_request("--beat is of a lesson: add --lesson 3");
    return {};
  }
  if (!room.course) return bad_request("--lesson: " + room.no_course);
  return scenario::of_flag("--lesson", lessons::find_lesson(*room.course, opening.lesson))
      .map([](const lessons::Lesson*) {});
}

/// What is wished of a trace, and cannot be.
Result<void> check_trace(const scenario::ViewOptions& options) {
  if (options.beside && options.trace.empty())
    return bad_request("--beside shows the simulation of a recorded run: add --trace FILE");
  if (options.trace.empty()) return {};
  if (!options.share.empty())
    return bad_request("--trace and a share string are two runs: give one of them");
  if (options.beside || options.given.empty()) return {};
  return bad_request("--" + options.given.front().first +
                     " cannot change what --trace recorded; with --beside, it is of the "
                     "simulation beside it");
}

/// What flags say of the machine that a log is from.
std::optional<scenario::SystemOptions> machine_said(const scenario::ViewOptions& options) {
  static constexpr std::string_view machine[] = {"system", "nodes",  "net",
                                                 "nvlink", "no-p2p", "set"};
  const auto is_given = [&](std::string_view name) {
    return std::ranges::any_of(options.given, [&](const auto& one) { return one.first == name; });
  };
  if (std::ranges::none_of(machine, is_given)) return {};
  auto said = options.scenario.system;
  if (!is_given("system")) said.system.clear();
  return said;
}

/// The log, and a scenario like it where nothing else was asked for.
Result<void> lay_log(const scenario::ViewOptions& options, Model& model) {
  if (options.log.empty()) return {};
  if (options.log == "-" || options.scenario.system.system == "-")
    return bad_request("--log is read twice, and so is its machine: give files, not -");
  LogOptions known;
  for (const auto& [field, value] : options.given)
    if (field == "collective") {
      RS_ASSIGN(known.collective, parse_collective(value));
    }
  RS_ASSIGN(auto measured, read_log(options.log, known, machine_said(options)));
  if (options.share.empty() && options.trace.empty())
    adapt(model.scenario, measured, options.given);
  model.measured = std::make_shared<const Measured>(std::move(measured));
  return {};
}

/// What can be known to be wrong without staging it.
Result<void> check(const scenario::Scenario& scenario, bool reads_system) {
  RS_ASSIGN(const auto request, scenario::read(scenario.collective));
  RS_TRY(scenario::algorithm_of(request));
  RS_TRY(scenario::of_flag("-b", parse_bytes(scenario.collective.bytes)));
  if (reads_system && scenario.system.system != "-") {
    RS_ASSIGN(const auto machine, scenario::read(scenario.system));
    if (const auto ranks = machine.topology().ranks.size(); ranks > most_ranks)
      return bad_request(std::to_string(ranks) +
                         " ranks are too many for a picture; take --ranks " +
                         std::to_string(most_ranks) + " or fewer");
  }
  return {};
}

}  // namespace

Result<Opening> read(const scenario::ViewOptions& options, const scenario::Settings& kept,
                     bool reads_system) {
  Opening opening;
  opening.model.scenario = options.scenario;
  opening.trace = options.trace;
  opening.beside = options.beside;
  opening.given = options.given;
  RS_TRY(check_trace(options));
  RS_TRY(lay_log(options, opening.model));
  RS_TRY(read_looks(options, kept, opening));
  RS_TRY(read_lessons(options, opening));
  RS_TRY(read_extra(options, opening));
  RS_TRY(check_lesson(opening));
  RS_ASSIGN(const auto ranks, scenario::follow_file(opening.model.scenario.collective));
  if (opening.model.scenario.system.ranks == 0) opening.model.scenario.system.ranks = ranks;
  RS_TRY(check(opening.model.scenario, reads_system));
  if (opening.model.rival_scenario) RS_TRY(check(*opening.model.rival_scenario, reads_system));
  if (!options.t.empty()) RS_TRY(read_moment(options.t, opening));
  return opening;
}

namespace {

/// Two runs of different work say nothing about each other.
Result<void> check_same_work(const scenario::Scenario& asked, const StagedRun& recorded) {
  const auto refuse = [](const std::string& flag, const std::string& was) {
    return bad_request(flag + ": the recorded run is of " + was +
                       ", and so is the simulation beside it: leave the flag away");
  };
  if (asked.system.ranks != recorded.ranks())
    return refuse("--ranks", counted(recorded.ranks(), "rank"));
  if (asked.collective.collective != recorded.scenario.collective.collective)
    return refuse("--collective", recorded.scenario.collective.collective);
  RS_ASSIGN(const Bytes bytes, parse_bytes(asked.collective.bytes));
  if (recorded.row.size && bytes != *recorded.row.size)
    return refuse("-b", to_string(*recorded.row.size));
  return {};
}

}  // namespace

Result<scenario::Scenario> simulation_beside(const Opening& opening, const StagedRun& recorded) {
  scenario::Scenario asked = recorded.scenario;
  asked.mistake.clear();
  // Another machine first: it takes all with it that was said of the one before.
  for (const bool is_machine : {true, false}) {
    for (const auto& [field, value] : opening.given)
      if ((field == "system") == is_machine) {
        RS_ASSIGN(asked, edited(asked, field, value, nullptr));
      }
    if (is_machine) asked.system.ranks = recorded.ranks();
  }
  RS_TRY(check_same_work(asked, recorded));
  return asked;
}

TimePoint starts_at(const Opening& opening, const StagedRun& run) {
  const TimePoint end = run.time();
  if (opening.at) return std::min(*opening.at, end);
  return {std::llround(static_cast<double>(end.picoseconds) * opening.at_share)};
}

scenario::Settings settings_of(const Model& model) {
  return {.theme = std::string(themes[static_cast<std::size_t>(model.theme)].text),
          .language = std::string(languages[static_cast<std::size_t>(model.language)].text),
          .scale = model.scale};
}

}  // namespace ringside::stage
