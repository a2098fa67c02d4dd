// The run on the stage, done for real by a process beside the window.

#include <SFML/System/Sleep.hpp>
#include <utility>

#include "core/file.hpp"
#include "viz/stage/here.hpp"
#include "viz/stage/keys.hpp"
#include "viz/window/shell.hpp"

namespace ringside::window {
namespace {

std::string share_of(const scenario::Scenario& scenario) {
  return scenario::to_share_string({scenario, {}});
}

}  // namespace

/// Starts it, or stops what runs.
void Shell::run_here(stage::Command command) {
  model_.runs_here = false;
  if (real_) return real_.reset();
  if (!model_.run) return;
  model_.wish = {.deed = stage::words_of(command)};
  if (!model_.run->mistake.empty()) return refuse(model_, stage::Word::broken_is_not_run);
  const auto start = [&]() -> Result<Real> {
    RS_ASSIGN(auto folder, PrivateFolder::make());
    RS_ASSIGN(const auto words,
              stage::arguments_to_run_here(*model_.run, stage::backend_of(command),
                                           folder.path() + "/run.json"));
    RS_ASSIGN(auto worker, Worker::start(words));
    return Real{std::move(folder), std::move(worker), share_of(model_.scenario), model_.wish};
  };
  auto real = start();
  if (!real) return refuse(model_, real.error().message);
  model_.refusal = {};
  model_.runs_here = true;
  real_.emplace(*std::move(real));
}

/// True if it has ended: what was measured takes the stage, unless something else has been asked
/// for since.
bool Shell::tend_worker() {
  if (!real_) return false;
  const auto ended = real_->worker.ended();
  if (!ended) return false;
  const bool is_wanted = share_of(model_.scenario) == real_->share;
  model_.runs_here = *ended && is_wanted;
  if (!*ended) {
    model_.refusal = {.sentence = ended->error().message, .of = real_->wish};
  } else if (is_wanted) {
    model_.staged = real_->wish;
    director_.open(stage::Director::Part::lead, real_->trace());
    recorded_.emplace(std::move(real_->folder));
  }
  real_.reset();
  return true;
}

/// What a GPU's driver takes to answer, another process waits for. Where nothing can be learnt,
/// everything is offered, and says itself what it lacks.
void Shell::ask_for_executors() {
  if (std::exchange(has_asked_, true)) return;
  auto folder = PrivateFolder::make();
  if (!folder) return;
  const std::string answer = folder->path() + "/backends.json";
  auto worker = Worker::start({"list", "backends", "--json", "--out", answer});
  if (worker) question_.emplace(Question{*std::move(folder), *std::move(worker)});
}

/// True if it has been answered.
bool Shell::tend_question() {
  if (!question_) return false;
  const auto ended = question_->worker.ended();
  if (!ended) return false;
  if (const auto text = read_file(question_->answer()); *ended && text)
    if (auto executors = stage::read_executors(*text)) model_.executors = *std::move(executors);
  question_.reset();
  return true;
}

void Shell::wait_for_worker() {
  constexpr int milliseconds = 5;
  while (question_ && !tend_question()) sf::sleep(sf::milliseconds(milliseconds));
  while (real_ && !tend_worker()) sf::sleep(sf::milliseconds(milliseconds));
}

}  // namespace ringside::window
