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
    host::Execution how{options, crew_};
    auto& executor = how.options.executor;
    if (executor.empty()) executor = options.trace ? "ranks" : "sliced";
    const auto element = size_of(work.type).count;
    if (executor == "ranks") {
      RS_TRY(crew_->hire(work.schedule->participants()));
      auto plan = host::plan_ranks(work, memory);
      host::spoil(plan, fault_, element);
      return host::prepare_ranks(work, memory, std::move(plan), std::move(how));
    }
    if (options.trace)
      return bad_request("executor " + executor +
                         " of the host backend keeps no trace: only ranks does");
    if (executor != "sliced" && executor != "direct")
      return bad_request(unknown("executor of the host backend", executor, executors));
    RS_TRY(crew_->hire(work.schedule->spec().ranks));
    auto plan =
        executor == "sliced" ? host::plan_schedule(work, memory) : host::plan_direct(work, memory);
    host::spoil(plan, fault_, element);
    return host::prepare_slices(work, std::move(plan), std::move(how));
  }

 private:
  host::Fault fault_;
  std::shared_ptr<host::Crew> crew_ = std::make_shared<host::Crew>();
};

}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  return host::make_faulty_host_backend(host::Fault::none);
}

std::unique_ptr<Backend> host::make_faulty_host_backend(Fault fault) {
  return std::make_unique<HostBackend>(fault);
}

}  // namespace ringside
