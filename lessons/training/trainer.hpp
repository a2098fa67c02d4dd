#pragma once

#include <cstdint>
#include <functional>

#include "core/backend.hpp"
#include "lessons/training/training_run.hpp"

namespace ringside::training {

/// Called after each step, with how many are done.
using Watch = std::function<void(std::uint32_t done)>;

/// Trains: `options.workers` replicas, rank by rank on `backend`, which moves real bytes. Where
/// ranks are processes, each calls this and trains its own. What goes wrong on purpose
/// (Way, broadcast) is in the result; an error is a training that could not be.
Result<TrainingRun> train(const TrainingOptions& options, Backend& backend, const Watch& watch);

}  // namespace ringside::training
