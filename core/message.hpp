#pragma once

#include <cstdint>

#include "core/collective.hpp"
#include "core/result.hpp"
#include "core/schedule.hpp"

namespace ringside {

// How long a message is once a count is known. Input and output slots are as long as ChunkLayout
// says; a scratch slot has room for the longest chunk. A transfer is as long as the first of its
// source, operand and target that is no scratch; between scratch slots alone the whole room travels
// (at most one element of padding a chunk), so that a length never depends on what happened before.

/// Elements that the `nth` slot of a transfer carries, 0 <= nth < transfer.chunks().
std::uint64_t slot_elements(const Transfer& transfer, std::uint32_t nth, const ChunkLayout& layout);
/// Elements of the whole message.
std::uint64_t message_elements(const Transfer& transfer, const ChunkLayout& layout);

/// Fails where a transfer joins slots of different lengths, as chunks 0 and 5 of a vector that its
/// chunks do not divide: one sentence that names the transfer.
Result<void> check_length(const Transfer& transfer, std::uint64_t id, const ChunkLayout& layout);
/// The same of all.
Result<void> check_lengths(const Schedule& schedule, const ChunkLayout& layout);

}  // namespace ringside
