// The run on the stage, done for real by a process beside the window.

#include <SFML/System/Sleep.hpp>

#include "viz/stage/here.hpp"
#include "viz/window/shell.hpp"

namespace ringside::window {
namespace {

std::string share_of(const scenario::Scenario& scenario) {
  return scenario::to_share_string({scenario, {}});
}

}  // namespace

/// Starts it, or stops what runs.
void Shell::run_here() {
  model_.runs_here = false;
  if (real_) return real_.reset();
  if (!model_.run) return;
  const auto start = [&]() -> Result<Real> {
    RS_ASSIGN(auto folder, PrivateFolder::make());
    RS_ASSIGN(const auto words,
              stage::arguments_to_run_here(*model_.run, folder.path() + "/run.json"));
    RS_ASSIGN(auto worker, Worker::start(words));
    return Real{std::move(folder), std::move(worker), share_of(model_.scenario)};
  };
  auto real = start();
  model_.refused = stage::Model::Refused::wish;
  model_.refusal = real ? "" : real.error().message;
  model_.runs_here = real.has_value();
  if (real) real_.emplace(*std::move(real));
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
    model_.refused = stage::Model::Refused::wish;
    model_.refusal = ended->error().message;
  } else if (is_wanted) {
    director_.open(stage::Director::Part::lead, real_->trace());
    recorded_.emplace(std::move(real_->folder));
  }
  real_.reset();
  return true;
}

void Shell::wait_for_worker() {
  constexpr int milliseconds = 5;
  while (real_ && !tend_worker()) sf::sleep(sf::milliseconds(milliseconds));
}

}  // namespace ringside::window
