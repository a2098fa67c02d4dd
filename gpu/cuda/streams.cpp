#include "gpu/cuda/streams.hpp"

#include <string>
#include <utility>

#include "gpu/cuda/stream_run.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {
namespace {

/// What divides an average (element.hpp).
constexpr std::uint32_t most_ranks = (1u << 12) - 1;

class StreamsPrepared final : public Prepared {
 public:
  StreamsPrepared(std::unique_ptr<StreamRun> run, const RunOptions& options, bool graph)
      : run_(std::move(run)), traced_(options.trace), graph_(graph) {}

  Result<Measurement> run(int iterations) override {
    if (!run_) return tl::unexpected<Error>(*failure_);
    auto measurement = go(static_cast<std::size_t>(iterations));
    if (!measurement) give_up(measurement.error());
    return measurement;
  }

 private:
  /// The host stays one iteration ahead, so that devices need not wait for it.
  Result<Measurement> go(std::size_t iterations) {
    Measurement measurement;
    measurement.executor = graph_ ? "cuda/graph" : "cuda/streams";
    measurement.notes = run_->notes();
    RS_TRY(run_->upload());
    if (traced_) RS_TRY(run_->align_clocks());
    const auto finish = [&](std::size_t iteration) -> Result<void> {
      RS_ASSIGN(const auto time, run_->finish(iteration));
      measurement.iterations.push_back(time);
      return {};
    };
    constexpr auto ahead = StreamRun::most_under_way;
    for (std::size_t i = 0; i < iterations; ++i) {
      if (i >= ahead) RS_TRY(finish(i - ahead));
      RS_TRY(run_->enqueue(i));
    }
    for (std::size_t i = iterations - std::min(iterations, ahead); i < iterations; ++i)
      RS_TRY(finish(i));
    if (traced_ && iterations > 0) {
      RS_ASSIGN(measurement.trace, run_->spans(iterations - 1));
      measurement.clock_error = run_->clock_error();
    }
    RS_TRY(run_->download());
    return measurement;
  }

  void give_up(const Error& error) {
    failure_ = error;
    if (run_->hangs()) leave_behind(std::move(run_));
    run_.reset();
  }

  std::unique_ptr<StreamRun> run_;
  bool traced_, graph_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare_streams(const Work& work, Memory& memory,
                                                  const RunOptions& options,
                                                  const StreamsSetup& setup) {
  if (setup.graph && options.trace)
    return bad_request("executor graph of the cuda backend keeps no trace: streams does");
  if (setup.devices.ranks() > most_ranks)
    return bad_request("the cuda backend runs at most " + std::to_string(most_ranks) +
                       " ranks, not " + std::to_string(setup.devices.ranks()));
  RS_ASSIGN(auto run, StreamRun::make(work, memory, options, setup));
  return std::make_unique<StreamsPrepared>(std::move(run), options, setup.graph);
}

}  // namespace ringside::cuda
