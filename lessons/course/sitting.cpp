#include "lessons/course/sitting.hpp"

#include <algorithm>
#include <utility>

namespace ringside::lessons {

Sitting::Sitting(std::shared_ptr<const Instance> instance, const Record& record)
    : instance_(std::move(instance)), states_(instance_->size()) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Asked* const asked = instance_->asked(i);
    if (asked == nullptr) continue;
    states_[i].gate = Gate::asking;
    states_[i].votes.assign(asked->options.size(), 0);
  }
  for (const QuestionRecord& done : record.questions) {
    const auto i = instance_->find(done.beat);
    if (!i || states_[*i].gate == Gate::none || instance_->beat(*i).id != done.beat) continue;
    State& state = states_[*i];
    state.answers = done.answers;
    state.hints = std::min<std::size_t>(done.hints, hint_count);
    const bool is_right = !done.answers.empty() && done.answers.back().right;
    if (is_right) state.gate = Gate::right;
    if (done.skipped) state.gate = Gate::skipped;
    if (done.revealed) state.gate = Gate::revealed;
  }
  if (const auto left_at = instance_->find(record.beat)) beat_ = *left_at;
}

bool Sitting::is_finished() const {
  return std::all_of(states_.begin(), states_.end(),
                     [](const State& state) { return is_open(state.gate); });
}

bool Sitting::next() {
  if (is_at_end() || !is_open(gate())) return false;
  ++beat_;
  return true;
}

bool Sitting::back() {
  if (beat_ == 0) return false;
  --beat_;
  return true;
}

void Sitting::go(std::size_t beat) {
  beat_ = std::min(beat, states_.size() - 1);
}

Result<Verdict> Sitting::lock(std::string_view answer) {
  State& state = states_[beat_];
  if (state.gate == Gate::none) return bad_request("nothing is asked here");
  if (is_open(state.gate)) return bad_request("this question is done: go on");
  RS_ASSIGN(Verdict verdict, judge(*instance_->asked(beat_), answer, instance_->laboratory()));
  state.answers.push_back({std::string(answer), verdict.right, verdict.misconception});
  state.verdict = verdict;
  state.gate = verdict.right ? Gate::right : Gate::wrong;
  return verdict;
}

void Sitting::retry() {
  State& state = states_[beat_];
  if (state.gate != Gate::wrong) return;
  state.gate = Gate::asking;
  state.verdict.reset();
}

void Sitting::reveal() {
  State& state = states_[beat_];
  if (!is_open(state.gate)) state.gate = Gate::revealed;
}

void Sitting::skip() {
  State& state = states_[beat_];
  if (!is_open(state.gate)) state.gate = Gate::skipped;
}

bool Sitting::hint() {
  State& state = states_[beat_];
  if (state.gate == Gate::none || state.hints == hint_count) return false;
  ++state.hints;
  return true;
}

std::string Sitting::last_answer() const {
  const auto& answers = states_[beat_].answers;
  return answers.empty() ? "" : answers.back().answer;
}

bool Sitting::vote(std::size_t nth, int hands) {
  State& state = states_[beat_];
  if (is_open(state.gate) || nth == 0 || nth > state.votes.size()) return false;
  auto& count = state.votes[nth - 1];
  count = static_cast<std::uint32_t>(std::max<std::int64_t>(0, std::int64_t{count} + hands));
  if (state.gate == Gate::asking) state.gate = Gate::voting;
  return true;
}

bool Sitting::advance_class() {
  State& state = states_[beat_];
  if (is_open(state.gate)) return next();
  if (state.gate == Gate::asking && !state.votes.empty()) {
    state.gate = Gate::voting;
    return true;
  }
  const auto most = std::max_element(state.votes.begin(), state.votes.end());
  if (state.gate == Gate::voting && most != state.votes.end() && *most > 0) {
    const auto chosen = static_cast<std::size_t>(most - state.votes.begin());
    return lock(instance_->asked(beat_)->options[chosen].id).has_value();
  }
  reveal();
  return true;
}

Record Sitting::record() const {
  Record record{.lesson = instance_->lesson().name,
                .seed = instance_->seed(),
                .beat = instance_->beat(beat_).id,
                .finished = is_finished()};
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    const QuestionRecord done{.beat = instance_->beat(i).id,
                              .answers = state.answers,
                              .hints = static_cast<std::uint32_t>(state.hints),
                              .revealed = state.gate == Gate::revealed,
                              .skipped = state.gate == Gate::skipped};
    if (!done.answers.empty() || done.hints > 0 || done.revealed || done.skipped)
      record.questions.push_back(done);
  }
  return record;
}

}  // namespace ringside::lessons
