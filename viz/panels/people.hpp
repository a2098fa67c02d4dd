#pragma once

#include <string>

#include "core/units.hpp"
#include "viz/panels/panel.hpp"

namespace ringside::panels {

/// A unit for people: `593.56 µs`.
std::string people(Duration time);
/// Three digits and a unit: `110 MiB`, `0 B`.
std::string people(Bytes size);

/// A fixed window without frame at the panel's place; what is drawn goes to its draw list.
void begin_panel(const char* id, const Panel& panel);
/// The same over all others.
void begin_overlay(const char* id, const Panel& panel);
void end_panel();
/// A line of text beside the mouse.
void draw_tip(const Look& look, const std::string& text);

}  // namespace ringside::panels
