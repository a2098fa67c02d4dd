#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside::stage {

/// A backend, as `ringside list backends --json` speaks of it. Who asks is another program: this
/// one is linked to none of them, and what they take of the machine it need not wait for.
struct Executor {
  std::string backend;
  bool is_built = false;
  std::string lacks;  ///< one sentence; empty: it can be used on this machine
};

/// All of a listing's, in its order. Errors: it is no such listing.
Result<std::vector<Executor>> read_executors(std::string_view json);

}  // namespace ringside::stage
