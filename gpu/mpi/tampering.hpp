#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/local_plan.hpp"
#include "gpu/mpi/shared_slices.hpp"
#include "gpu/mpi/window_plan.hpp"

namespace ringside::mpi {

/// Mistakes that are made in what a rank has planned, before it runs: a check that cannot see them
/// is no check. For tests only; null makes none.
struct Tampering {
  void (*plan)(LocalPlan& plan, Rank rank) = nullptr;      ///< executor messages
  void (*window)(WindowPlan& plan, Rank rank) = nullptr;   ///< executor window
  void (*memory)(Memory& everyones, Rank rank) = nullptr;  ///< direct, sliced: before they plan
  void (*slices)(SliceJob& job, Rank rank) = nullptr;      ///< and after
};

/// As make_mpi_backend(), with the mistakes made in every plan.
Result<std::unique_ptr<Backend>> make_tampered_backend(const Tampering& tampering,
                                                       Duration timeout = RunOptions{}.timeout);

}  // namespace ringside::mpi
