#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"

namespace ringside::host {

enum class Phase : std::uint8_t { whole, read, commit };

/// What happens to one transfer at one place of an order.
struct Event {
  TransferId transfer;
  Phase phase = Phase::whole;
};

/// All events of a schedule in one order that no dependency contradicts: done one after the other,
/// they do the schedule. Most transfers read and commit at once. One that must not commit before a
/// later transfer of its step has read (an exchange) is split: it reads into a landing area, and
/// commits when its step ends. So is one whose target overlaps its own source.
std::vector<Event> linear_order(const Schedule& schedule);

/// The chunks of a transfer in an order in which no operand is overwritten before it is used: true
/// if the last one comes first.
bool last_chunk_first(const Transfer& transfer);

}  // namespace ringside::host
