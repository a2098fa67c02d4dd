#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/local_plan.hpp"

namespace ringside::mpi {

/// Makes a mistake in a rank's plan: a check that cannot see it is no check. For tests only.
using Tamper = void (*)(LocalPlan& plan, Rank rank);

/// As make_mpi_backend(), with the mistake made in every plan; null makes none.
Result<std::unique_ptr<Backend>> make_tampered_backend(Tamper tamper);

}  // namespace ringside::mpi
