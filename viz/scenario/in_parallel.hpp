#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ringside::scenario {

/// How many threads serve runs over so many ranks: as many as are asked for, 0 for one a core; one
/// alone where several schedules and their spans might not fit in memory at once.
unsigned threads_for(std::uint32_t ranks, unsigned asked);

/// Calls take(part) for all parts from 0 on, each once, on so many threads, the caller's among
/// them. What a call throws ends the others after theirs, and is thrown again. Threads that the
/// system does not give are done without.
void in_parallel(std::size_t parts, unsigned threads,
                 const std::function<void(std::size_t part)>& take);

}  // namespace ringside::scenario
