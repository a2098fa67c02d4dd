#include "gpu/host/host_backend.hpp"

#include <array>
#include <string>

#include "core/binding.hpp"
#include "core/suggest.hpp"
#include "gpu/host/arithmetic.hpp"
#include "gpu/host/prepared.hpp"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 3> executors{"direct", "sliced", "ranks"};

/// One thread a rank; and more could not be averaged.
Result<void> check_ranks(const Work& work) {
  constexpr auto most = host::Arithmetic::most_divisor - 1;
  if (work.schedule->participants() <= most) return {};
  return bad_request("the host backend runs at most " + std::to_string(most) +
                     " ranks, each a thread, not " + std::to_string(work.schedule->participants()));
}

class HostBackend final : public Backend {
 public:
  std::string_view name() const override { return "host"; }
  Capabilities capabilities() const override { return {.agents = true, .real_bytes = true}; }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    RS_TRY(check_binding(work, memory));
    RS_TRY(check_ranks(work));
    const std::string executor = !options.executor.empty() ? options.executor
                                 : options.trace           ? "ranks"
                                                           : "sliced";
    if (executor == "ranks") return host::prepare_ranks(work, memory, options);
    if (options.trace)
      return bad_request("executor " + executor +
                         " of the host backend keeps no trace: only ranks does");
    if (executor == "sliced")
      return host::prepare_slices(work, host::plan_schedule(work, memory), options, "host/sliced");
    if (executor == "direct")
      return host::prepare_slices(work, host::plan_direct(work, memory), options, "host/direct");
    return bad_request(unknown("executor of the host backend", executor, executors));
  }
};

}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  return std::make_unique<HostBackend>();
}

}  // namespace ringside
