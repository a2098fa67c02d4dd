#pragma once

#include <memory>

#include "core/backend.hpp"

namespace ringside {

/// Every rank is a thread of this process, and real bytes move. RunOptions::executor chooses among
///   sliced  the schedule, done whole on one cache-sized slice after another, slices shared out
///   direct  no schedule: what the collective defines, computed straight from everybody's buffers
///   ranks   the schedule as it was told: each rank fetches what transfers bring it, and waits for
///           what they depend on; the only one that keeps a trace, and the choice if one is wanted
/// By default sliced. A thread that finds no other one in time fails the run, which then names rank
/// and transfer; a run that failed once is not tried again.
std::unique_ptr<Backend> make_host_backend();

}  // namespace ringside
