#pragma once

#include <memory>
#include <string_view>

#include "tests/cuda/interpreter_rig.hpp"

namespace ringside::cuda::interpreter {

/// The rig as a backend.
class RigBackend final : public Backend {
 public:
  explicit RigBackend(RigOptions given = {}) : options(given) {}
  std::string_view name() const override { return "rig"; }
  Capabilities capabilities() const override { return {.agents = true, .real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions&) override {
    RS_TRY(check_binding(work, memory));
    ++options.seed;
    return std::make_unique<Rig>(work, memory, options);
  }
  RigOptions options;
};

}  // namespace ringside::cuda::interpreter
