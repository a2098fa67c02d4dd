#pragma once

#include <optional>
#include <string>

#include "viz/stage/words.hpp"

namespace ringside::stage {

struct Model;

/// What somebody asked for: what a command is for, or a value for a control.
struct Wish {
  std::optional<Word> deed{};
  std::string field{}, value{};
};

/// Why it is not done.
struct Refusal {
  std::string sentence{};      ///< in English, as the terminal says it; empty: nothing is refused
  std::optional<Word> word{};  ///< the same in every language, where the window itself says it
  Wish of{};
  /// It stays until that is put right.
  enum class Until : std::uint8_t { next_wish, lead, rival } until = Until::next_wish;
};

/// What was asked for last (model.wish) is not done.
void refuse(Model& model, std::string sentence);
void refuse(Model& model, Word sentence);

}  // namespace ringside::stage
