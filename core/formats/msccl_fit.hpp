#pragma once

#include "core/program.hpp"

namespace ringside {

/// The same program in the steps that MSCCL knows: no step moves more than 71 chunks, no local
/// reduce has a separate operand, and no rank sends to itself (such messages wait in scratch).
/// Dependencies stay as they are.
Program fit_to_msccl(const Program& program);

}  // namespace ringside
