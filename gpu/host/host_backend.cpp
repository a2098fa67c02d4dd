#include "gpu/host/host_backend.hpp"

#include <array>
#include <string>

#include "core/binding.hpp"
#include "core/suggest.hpp"
#include "gpu/host/arithmetic.hpp"
#include "gpu/host/faults.hpp"
#include "gpu/host/prepared.hpp"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 3> executors{"direct", "sliced", "ranks"};
constexpr std::array<std::string_view, 1> unscheduled{"direct"};

/// One thread a rank; and more could not be averaged.
Result<void> check_ranks(const Work& work) {
  constexpr auto most = host::Arithmetic::most_divisor - 1;
  if (work.schedule->participants() <= most) return {};
  return bad_request("the host backend runs at most " + std::to_string(most) +
                     " ranks, each a thread, not " + std::to_string(work.schedule->participants()));
}

class HostBackend final : public Backend {
 public:
  explicit HostBackend(host::Fault fault) : fault_(fault) {}
  std::string_view name() const override { return "host"; }
  Capabilities capabilities() const override {
    return {.agents = true, .real_bytes = true, .executors = executors, .unscheduled = unscheduled};
  }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    RS_TRY(check_binding(work, memory));
    RS_TRY(check_ranks(work));
    const std::string executor = !options.executor.empty() ? options.executor
                                 : options.trace           ? "ranks"
                                                           : "sliced";
    if (executor == "ranks") {
      auto plan = host::plan_ranks(work, memory);
      host::spoil(plan, fault_, size_of(work.type).count);
      return host::prepare_ranks(work, memory, std::move(plan), options);
    }
    if (options.trace)
      return bad_request("executor " + executor +
                         " of the host backend keeps no trace: only ranks does");
    if (executor != "sliced" && executor != "direct")
      return bad_request(unknown("executor of the host backend", executor, executors));
    auto plan =
        executor == "sliced" ? host::plan_schedule(work, memory) : host::plan_direct(work, memory);
    host::spoil(plan, fault_, size_of(work.type).count);
    return host::prepare_slices(work, std::move(plan), options, "host/" + executor);
  }

 private:
  host::Fault fault_;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  return host::make_faulty_host_backend(host::Fault::none);
}

std::unique_ptr<Backend> host::make_faulty_host_backend(Fault fault) {
  return std::make_unique<HostBackend>(fault);
}

}  // namespace ringside
