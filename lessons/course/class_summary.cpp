// What a class got wrong, in one paragraph.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/suggest.hpp"
#include "lessons/course/grading.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t most_named = 3;

/// One question over all who were asked it.
struct Tally {
  std::string lesson, beat;
  std::size_t asked = 0, right = 0, at_first = 0;
  std::map<std::string, std::size_t> believed{};  ///< by misconception

  bool is_missed_by_most() const { return 2 * at_first < asked; }
  double share_at_first() const {
    return static_cast<double>(at_first) / static_cast<double>(asked);
  }
};

std::vector<Tally> tallies_of(const std::vector<HandIn>& hand_ins) {
  std::vector<Tally> tallies;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const HandIn& one : hand_ins)
    for (const GradedItem& item : one.items) {
      const auto [place, is_new] = places.try_emplace({one.lesson, item.beat}, tallies.size());
      if (is_new) tallies.push_back({.lesson = one.lesson, .beat = item.beat});
      Tally& tally = tallies[place->second];
      ++tally.asked;
      tally.right += item.right;
      tally.at_first += item.right_at_first;
      for (const auto& misconception : item.misconceptions) ++tally.believed[misconception];
    }
  std::stable_sort(tallies.begin(), tallies.end(), [](const Tally& a, const Tally& b) {
    return a.share_at_first() < b.share_at_first();
  });
  return tallies;
}

/// ` 9 believed: "Fewer steps are faster." (fewer-steps)`
std::string belief(const Tally& tally, const Course& course) {
  const auto most =
      std::max_element(tally.believed.begin(), tally.believed.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == tally.believed.end()) return "";
  const Misconception* known = course.misconception(most->first);
  const auto words = known ? known->words[static_cast<std::size_t>(Language::en)] : most->first;
  return fmt::format("; {} of them believed: \"{}\"", most->second, words);
}

std::string question(const Tally& tally) {
  return fmt::format("{} of lesson {}", tally.beat, tally.lesson);
}

std::string figures(const Tally& tally) {
  return fmt::format("{} of {} right at the first try, {} in the end", tally.at_first, tally.asked,
                     tally.right);
}

}  // namespace

std::string class_summary(const std::vector<HandIn>& hand_ins, const Course& course) {
  const auto graded = static_cast<std::size_t>(std::count_if(
      hand_ins.begin(), hand_ins.end(), [](const auto& one) { return one.problem.empty(); }));
  std::string text =
      fmt::format("{} of {} could be graded.", graded, counted(hand_ins.size(), "file"));
  const auto tallies = tallies_of(hand_ins);
  if (tallies.empty()) return text;
  std::size_t named = 0;
  for (; named < std::min(most_named, tallies.size()) && tallies[named].is_missed_by_most();
       ++named)
    text += fmt::format("{} {} ({}{}).", named == 0 ? " Most of the class went wrong at" : " Then",
                        question(tallies[named]), figures(tallies[named]),
                        belief(tallies[named], course));
  if (named == 0)
    text += fmt::format(" No question was missed by most; the hardest was {} ({}{}).",
                        question(tallies[0]), figures(tallies[0]), belief(tallies[0], course));
  const Tally& easiest = tallies.back();
  if (easiest.right == easiest.asked)
    text += fmt::format(" Everybody got {} right in the end.", question(easiest));
  return text;
}

}  // namespace ringside::lessons
