#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "viz/stage/action.hpp"
#include "viz/stage/words.hpp"

namespace ringside::stage {

enum class KeyGroup : std::uint8_t { time, run, select, diagram, training, lesson, look, lecture };
inline constexpr std::size_t key_group_count = 8;
Word heading(KeyGroup group);

/// What keys do: this table is all that knows. Keys are named as `Space`, `Right`, `PageDown`,
/// `F5`, `L`, `?`, `Ctrl+=`, `Shift+Down`: letters by the letter, signs by what the keyboard
/// writes.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order in which the table reads
struct Binding {
  Command command;
  std::array<std::string_view, 3> keys;  ///< unused ones are empty
  Word what;  ///< of two that are each other's way back: the same, and they follow each other
  KeyGroup group;
};
std::span<const Binding> key_table();
/// The first key of a command, for buttons and menus; empty if it has none.
/// What it is for, as the key table says.
Word words_of(Command command);
std::string_view key_of(Command command);

/// The name of every command, as scripts say it: `play_pause`.
std::span<const std::string_view> command_names();
Result<Command> parse_command(std::string_view name);

/// What a key means now, if anything. On a blank screen every key brings the picture back and does
/// nothing else; with the help or a menu open, so do the keys of a clicker.
std::optional<Action> meaning(const Model& model, std::string_view key);

}  // namespace ringside::stage
