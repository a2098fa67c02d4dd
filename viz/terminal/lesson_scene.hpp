#pragma once

#include <string>

#include "lessons/course/instance.hpp"
#include "viz/terminal/state_view.hpp"

namespace ringside::terminal {

/// What the stage of a beat shows, as text: what runs, also beside it, and what ranks hold at that
/// moment if the beat looks at values and they are few. Empty if the beat shows nothing new.
std::string draw_scene(const lessons::Instance& instance, std::size_t beat, const Style& style);
/// What then happens, up to the moment that the beat plays to, and how long the whole run takes.
/// Empty if it plays nothing.
std::string draw_play(const lessons::Instance& instance, std::size_t beat, const Style& style);
/// A card of a question to sort: every rank's chunks before and after.
std::string draw_card(const lessons::Card& card);

}  // namespace ringside::terminal
