#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/instance.hpp"
#include "lessons/course/ledger.hpp"

namespace ringside::lessons {

/// Where a beat's question stands.
enum class Gate : std::uint8_t {
  none,      ///< it asks nothing: open
  asking,    ///< shut
  voting,    ///< shut; a class is counting hands (advance_class)
  wrong,     ///< an answer is locked, and wrong: try again, or reveal
  right,     ///< open
  revealed,  ///< open: the answer was shown
  skipped,   ///< open: the lecturer's way
};
constexpr bool is_open(Gate gate) {
  return gate == Gate::none || gate >= Gate::right;
}

/// One person, or one class, going through a lesson. Nothing here knows of time, files or a screen:
/// terminal and window drive the same one.
class Sitting {
 public:
  /// Starts at the first beat; what `record` (of this lesson and seed) says was done stays done.
  explicit Sitting(std::shared_ptr<const Instance> instance, const Record& record = {});

  const Instance& instance() const { return *instance_; }
  std::size_t beat() const { return beat_; }
  Gate gate() const { return gate(beat_); }
  Gate gate(std::size_t beat) const { return states_[beat].gate; }
  bool is_at_end() const { return beat_ + 1 == states_.size(); }
  bool is_finished() const;  ///< every gate is open

  /// Onwards: false (and nothing changes) at a shut gate, or at the end.
  bool next();
  bool back();  ///< always, but from the first
  /// To any beat, gates or none: the lecturer's, and a link's.
  void go(std::size_t beat);

  /// Locks an answer in: an attempt. Error: it cannot be read (no attempt), or nothing is asked
  /// (any more).
  Result<Verdict> lock(std::string_view answer);
  void retry();   ///< a wrong answer is taken back: asking again
  void reveal();  ///< the right answer is shown, and the gate opens
  void skip();    ///< opens the gate without either
  /// One more hint, of three. False: no more, or nothing to hint at.
  bool hint();
  std::size_t hints() const { return states_[beat_].hints; }  ///< shown so far
  std::size_t attempts() const { return states_[beat_].answers.size(); }
  const std::optional<Verdict>& verdict() const { return states_[beat_].verdict; }
  std::string last_answer() const;  ///< as it was typed; empty: none

  /// A class raises hands for the nth option (from 1): false where there is no such.
  bool vote(std::size_t nth, int hands = 1);
  const std::vector<std::uint32_t>& votes() const { return states_[beat_].votes; }  ///< by option
  /// The clicker's one button. At a gate: count hands, then lock what most want, then reveal, then
  /// onwards; without options or hands: reveal, then onwards. Never stuck. False: at the end.
  bool advance_class();

  /// What to remember of this sitting.
  Record record() const;

 private:
  struct State {
    Gate gate = Gate::none;
    std::size_t hints = 0;
    std::vector<GivenAnswer> answers{};
    std::optional<Verdict> verdict{};
    std::vector<std::uint32_t> votes{};
  };
  std::shared_ptr<const Instance> instance_;
  std::size_t beat_ = 0;
  std::vector<State> states_;
};

}  // namespace ringside::lessons
