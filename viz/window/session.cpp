#include "viz/window/session.hpp"

#include <SFML/System/Sleep.hpp>
#include <SFML/System/Time.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>

#include "core/assert.hpp"
#include "core/file.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/settings.hpp"
#include "viz/stage/dump.hpp"
#include "viz/stage/script.hpp"
#include "viz/window/hands.hpp"
#include "viz/window/picture.hpp"
#include "viz/window/shell.hpp"
#include "viz/window/stopwatch.hpp"

namespace ringside::window {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double screen_frame = 1 / 60., film_frame = 1 / 30.;
constexpr int settling_frames = 3;  // widgets take two to know their sizes

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

/// 0 is none in particular. Errors (machine): there are not so many.
Result<std::optional<Monitor>> home_monitor(std::uint32_t number) {
  if (number == 0) return std::nullopt;
  const auto all = monitors();
  if (number <= all.size()) return all[number - 1];
  return machine_lacks("--monitor " + std::to_string(number) + ": this display has " +
                       counted(all.size(), "monitor"));
}

class Session {
 public:
  Session(const scenario::ViewOptions& options, stage::Opening opening)
      : options_(options), opening_(std::move(opening)), model_(opening_.model) {}

  Result<void> run();

 private:
  Result<void> stage_first();
  Result<void> perform();
  Result<void> play_to_the_end();
  Result<void> frame(double seconds);
  Result<void> perform_script();
  Result<void> act_on(const stage::script::OnScreen& deed, const std::function<void()>& frame);
  Result<void> deliver();
  void attend();
  Result<void> keep_settings() const;

  bool is_moving() {
    return model_.playback.is_playing || director_.is_busy() ||
           !stage::is_up_to_date(model_, director_);
  }
  /// What was asked for is staged, and widgets know their sizes.
  void settle() {
    director_.wait();
    for (int i = 0; i < settling_frames; ++i) shell_->frame(0);
  }
  /// All that is being computed is there: what is drawn does not depend on who was faster.
  void settle_for_picture() {
    director_.wait_for_curves();
    settle();
  }
  /// What a frame takes where nobody watches: pictures do not depend on how fast they are made.
  double frame_seconds() const {
    if (options_.frame_dt > 0) return options_.frame_dt;
    return options_.record.empty() ? screen_frame : film_frame;
  }

  const scenario::ViewOptions& options_;
  stage::Opening opening_;
  stage::Model model_;
  stage::Director director_;
  std::optional<Shell> shell_;
  std::optional<Recorder> recorder_;
  Stopwatch stopwatch_;
  stage::Script script_;
};

/// The first run is there before the window is, so that a request that makes no sense ends here.
Result<void> Session::stage_first() {
  if (!opening_.trace.empty()) {
    RS_ASSIGN(stage::Run run, stage::stage_trace(opening_.trace));
    model_.scenario = run->scenario;
    if (opening_.beside) {
      RS_ASSIGN(model_.rival_scenario, stage::simulation_beside(opening_, *run));
    }
    director_.show(stage::Director::Part::lead, std::move(run));
  } else {
    director_.request(stage::Director::Part::lead, model_.scenario, nullptr);
  }
  if (model_.rival_scenario)
    director_.request(stage::Director::Part::rival, *model_.rival_scenario, nullptr);
  if (!opening_.lesson.empty())
    RS_TRY(stage::open_lesson(model_, opening_.lesson, opening_.beat, director_));
  director_.wait();
  stage::receive(model_, director_);
  if (!model_.refusal.sentence.empty()) return bad_request(model_.refusal.sentence);
  RS_ASSERT(model_.run, "what is not refused is staged");
  if (!model_.lesson)
    stage::apply(model_, stage::Seek{starts_at(opening_, *model_.run)}, director_);
  return {};
}

/// One frame that nobody paces: timed, filmed.
Result<void> Session::frame(double seconds) {
  const auto begin = Clock::now();
  shell_->frame(seconds);
  stopwatch_.add(seconds_since(begin) * 1e3);
  if (recorder_) RS_TRY(recorder_->add(shell_->pixels()));
  return {};
}

/// What is filmed or measured when no script says: playback from here to its end, and a scrub.
Result<void> Session::play_to_the_end() {
  constexpr int most_frames = 60 * 60 * 10, bench_frames = 300, bench_scrub = 75;
  const int frames = options_.bench ? bench_frames : most_frames;
  shell_->do_later(stage::Command::play_pause);
  for (int i = 0; i < frames && !model_.has_quit; ++i) {
    if (const int nth = i - bench_frames / 2; options_.bench && nth >= 0 && nth < bench_scrub)
      shell_->do_later(stage::Seek{{model_.run->time().picoseconds / bench_scrub * nth}});
    RS_TRY(frame(frame_seconds()));
    if (!options_.bench && !model_.playback.is_playing) break;
  }
  return {};
}

Result<void> Session::act_on(const stage::script::OnScreen& deed,
                             const std::function<void()>& frame) {
  const auto* press = std::get_if<stage::script::PressThing>(&deed);
  if (press == nullptr) {
    act(deed, frame);
    return {};
  }
  for (int i = 0; i < settling_frames; ++i) frame();  // what was done before is drawn
  RS_ASSIGN(const ImVec2 at, shell_->place_of(press->name, press->at));
  act(stage::script::Click{at.x, at.y, press->right}, frame);
  return {};
}

/// The script's lines in order; the first frame that cannot be filmed is the error.
Result<void> Session::perform_script() {
  Result<void> filmed;
  const auto draw = [&](double seconds) {
    if (filmed) filmed = frame(seconds);
  };
  const stage::Screen screen{
      .frame = [&] { draw(frame_seconds()); },
      .act = [&](const stage::script::OnScreen& deed) -> Result<void> {
        if (const auto* shot = std::get_if<stage::script::Shot>(&deed)) {
          settle_for_picture();
          return save_png(shot->file, shell_->pixels());
        }
        if (const auto* read = std::get_if<stage::script::Read>(&deed)) {
          settle_for_picture();
          return write_file(read->file, shell_->texts());
        }
        return act_on(deed, [&] { draw(0); });
      },
      .dump = [&](const std::string& file) { return write_file(file, stage::dump_state(model_)); },
      .apply = [&](const stage::Action& action) { shell_->carry_out(action); },
      .wait = [&] { shell_->wait_for_worker(); }};
  shell_->be_deaf();
  RS_TRY(stage::perform(script_, model_, director_, screen));
  if (!options_.is_unattended()) shell_->hear_again();
  return filmed;
}

Result<void> Session::perform() {
  options_.record.empty() && !options_.bench ? settle() : settle_for_picture();
  if (!options_.script.empty())
    RS_TRY(perform_script());
  else if (!options_.record.empty() || options_.bench)
    RS_TRY(play_to_the_end());
  settle();
  return {};
}

/// A user at it: frames as time passes, and none while nothing moves.
void Session::attend() {
  constexpr double longest_tick = 0.1;  // a pause of ours is none of the playback's
  constexpr int linger = 30;            // frames after the last event: what eases comes to rest
  constexpr auto nap = 12;              // milliseconds
  shell_->pace();
  auto last = Clock::now();
  int lively = linger;
  while (!model_.has_quit) {
    if (shell_->listen() || is_moving() || !shell_->is_at_rest()) lively = linger;
    const double passed = std::min(seconds_since(last), longest_tick);
    last = Clock::now();
    if (lively-- > 0)
      shell_->frame(options_.frame_dt > 0 ? options_.frame_dt : passed);
    else
      sf::sleep(sf::milliseconds(nap));
  }
}

Result<void> Session::deliver() {
  if (recorder_) RS_TRY(recorder_->finish());
  if (!options_.shot.empty()) {
    settle_for_picture();
    RS_TRY(save_png(options_.shot, shell_->pixels()));
  }
  if (!options_.dump_state.empty())
    RS_TRY(write_file(options_.dump_state, stage::dump_state(model_)));
  if (options_.bench && !stopwatch_.empty())
    std::fputs((options_.json ? stopwatch_.as_json() : stopwatch_.as_table()).c_str(), stdout);
  return {};
}

Result<void> Session::keep_settings() const {
  const auto path = scenario::settings_path();
  if (path.empty()) return {};
  auto settings = stage::settings_of(model_);
  settings.width = shell_->usual_size().x;
  settings.height = shell_->usual_size().y;
  return scenario::save_settings(path, settings);
}

Result<void> Session::run() {
  if (!options_.script.empty()) {
    RS_ASSIGN(script_, stage::read_script(options_.script));
  }
  RS_TRY(stage_first());
  RS_ASSIGN(const auto home, home_monitor(options_.monitor));
  shell_.emplace(model_, director_, sf::Vector2u(opening_.width, opening_.height), home,
                 opening_.ledger);
  if (!options_.is_unattended()) {
    if (!options_.script.empty()) RS_TRY(perform_script());
    attend();
    return keep_settings();
  }
  shell_->be_deaf();
  if (!options_.record.empty()) {
    RS_ASSIGN(auto recorder, Recorder::start(options_.record, shell_->size(), frame_seconds()));
    recorder_.emplace(std::move(recorder));
  }
  RS_TRY(perform());
  return deliver();
}

}  // namespace

Result<int> run_session(const scenario::ViewOptions& options, stage::Opening opening) {
  Session session(options, std::move(opening));
  RS_TRY(session.run());
  return 0;
}

}  // namespace ringside::window
