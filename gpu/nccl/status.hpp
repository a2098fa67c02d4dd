#pragma once

#include <nccl.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside::nccl {

/// The sentence for what a call of NCCL returned: what could not be done, and why. `doing`
/// completes "could not ...". What NCCL refuses is ErrorKind::machine, what broke is wrong.
Result<void> check(ncclResult_t code, std::string_view doing);

/// `2.28.9`, of the library that is loaded.
std::string version();

/// What whoever reads figures must know: NCCL's version, and the variables that steer it.
std::vector<std::string> notes();

}  // namespace ringside::nccl
