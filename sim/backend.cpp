#include "sim/backend.hpp"

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

class SimPrepared final : public Prepared {
 public:
  explicit SimPrepared(Simulation simulation, bool trace)
      : simulation_(std::move(simulation)), trace_(trace) {}

  Result<Measurement> run(int iterations) override {
    if (iterations < 1)
      return bad_request("a measurement needs at least one iteration, not " +
                         std::to_string(iterations));
    Measurement measurement;
    measurement.iterations.assign(static_cast<std::size_t>(iterations), simulation_.time);
    if (trace_) measurement.trace = simulation_.spans;
    return measurement;
  }

 private:
  Simulation simulation_;
  bool trace_;
};

class SimBackend final : public Backend {
 public:
  SimBackend(const Topology& topology, NetworkModel model, const Disturbance& disturbance)
      : topology_(topology), model_(model), disturbance_(disturbance) {}

  std::string_view name() const override { return "sim"; }
  Capabilities capabilities() const override { return {.agents = true, .real_bytes = false}; }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory&,
                                            const RunOptions& options) override {
    RS_ASSERT(work.schedule, "the simulator runs schedules only");
    RS_ASSIGN(auto simulation,
              simulate(*work.schedule, {work.count, work.type}, topology_, model_, disturbance_));
    return std::make_unique<SimPrepared>(std::move(simulation), options.trace);
  }

 private:
  const Topology& topology_;
  NetworkModel model_;
  Disturbance disturbance_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(const Topology& topology, NetworkModel model,
                                      const Disturbance& disturbance) {
  return std::make_unique<SimBackend>(topology, model, disturbance);
}

}  // namespace ringside::sim
