#include "lessons/training/exchange.hpp"

#include <utility>

#include "core/agreement.hpp"
#include "core/assert.hpp"
#include "core/binding.hpp"

namespace ringside::training {

Exchange::Exchange(Backend& backend, Schedule schedule)
    : backend_(&backend),
      schedule_(std::make_shared<const Schedule>(std::move(schedule))),
      memory_(std::make_unique<Memory>()) {}

void Exchange::allocate(const CollectiveSpec& spec, std::uint64_t count,
                        std::pmr::memory_resource& from) {
  memory_->ranks.resize(spec.ranks);
  for (std::uint32_t r = 0; r < spec.ranks; ++r) {
    const bool owned = backend_->owns(Rank{r});
    const Needs need = needs(spec, Rank{r});
    inputs_.emplace_back(owned && need.input ? count : 0, &from);
    outputs_.emplace_back(owned && need.output ? count : 0, &from);
    memory_->ranks[r] = {std::as_bytes(std::span(inputs_.back())),
                         std::as_writable_bytes(std::span(outputs_.back()))};
  }
}

Result<Exchange> Exchange::make(Backend& backend, const Plan& plan, std::uint64_t count,
                                const RunOptions& options) {
  RS_ASSERT(!plan.spec.in_place, "an exchange keeps what went in");
  RS_ASSIGN(auto schedule, build_proven(plan));
  if (schedule.agents() > 0 && !backend.capabilities().agents)
    return bad_request("backend " + std::string(backend.name()) + " has no switch that computes; " +
                       ringside::name(plan) + " needs one");
  Exchange exchange(backend, std::move(schedule));
  const Work work{exchange.schedule_.get(), count, ElementType::float32, ReduceOp::sum};
  RS_TRY(agree(backend, check_room(backend, work)));
  exchange.allocate(plan.spec, count, backend.memory(options));
  RS_ASSIGN(exchange.prepared_, backend.prepare(work, *exchange.memory_, options));
  return exchange;
}

Result<Measurement> Exchange::run() {
  auto measurement = prepared_->run(1);
  RS_TRY(agree(*backend_, measurement.map([](const Measurement&) {})));
  return measurement;
}

}  // namespace ringside::training
