#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::mpi {

/// Mistakes that an executor of messages could make.
std::string_view mistake(std::size_t number);
std::size_t mistakes();

/// Under mpirun: runs every algorithm of every collective with the mistake made in every plan.
/// Says on rank 0 what was first found to be wrong. Exit status 1 if it was found, as in `verify`.
int report_mistake(std::size_t number);

}  // namespace ringside::mpi
