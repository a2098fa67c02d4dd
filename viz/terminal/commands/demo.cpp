// `ringside demo`: ring all-reduce on four ranks with real numbers: every step, the proof, the
// time, the bytes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/engine.hpp"
#include "core/replay.hpp"
#include "core/report.hpp"
#include "core/verifier.hpp"
#include "sim/shapes.hpp"
#include "sim/simulate.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/state_view.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint32_t ranks = 4;
constexpr Bytes vector_size = 1_MiB;
constexpr LinkCost wire{1_us, 25_GBps};
constexpr ElementType type = ElementType::float32;

std::string opening(const Schedule& schedule, const Replay& replay, const Style& style) {
  return "Ring all-reduce on 4 ranks. A rank is one participant: a GPU, a process or a thread.\n\n"
         "Every rank starts with a vector of its own, cut into chunks c0 to c3. In the end every\n"
         "rank must hold the sum of all four vectors. Rank r starts with (r+2) x 10^c in chunk c.\n"
         "The marks beside a number say whose parts are in it, rank by rank: # in, . not yet.\n\n" +
         draw_state(schedule, replay, {0}, {0}, style);
}

std::string all_steps(const Schedule& schedule, Replay& replay, const Style& style) {
  std::string text;
  for (Step s{0}; s.value < schedule.steps(); ++s.value) {
    if (s.value == 0)
      text +=
          "\nFirst half, reduce-scatter: everyone sends one chunk to the right neighbour, which\n"
          "adds it to its own. After 3 steps each rank holds one finished sum.\n";
    if (s.value == ranks - 1)
      text += "\nSecond half, all-gather: the finished sums go round once more, as copies.\n";
    const auto first = schedule.step_begin(s), last = schedule.step_end(s);
    text += fmt::format("\n{}\n", describe_step(s, schedule.steps()));
    for (auto id = first; id < last; ++id.value)
      text += "  " + describe(schedule, id, replay) + "\n";
    replay.seek(last.value);
    text += draw_state(schedule, replay, first, last, style);
  }
  return text;
}

std::string bytes_and_time(const Plan& plan, Duration simulated) {
  const Bytes chunk{vector_size.count / ranks};
  const auto steps = 2 * (ranks - 1);
  const auto sending = wire_time(chunk, wire.bandwidth);
  const auto predicted = plan.algorithm->predict(plan.spec, plan.options, vector_size, wire);
  return fmt::format(
             "bytes   A vector of {} is 4 chunks of {}. Each rank sends {} of them, {}: that is\n"
             "        2(N-1)/N of the vector, and no algorithm can send less without help from a "
             "switch.\n",
             to_string(vector_size), to_string(chunk), steps, to_string(steps * chunk)) +
         fmt::format(
             "time    Links carry {} after {}: a step takes {:.2f} + {:.2f} us, {} steps take "
             "{:.2f} us.\n"
             "        Simulated transfer by transfer: {:.2f} us.\n",
             to_string(wire.bandwidth), to_string(wire.latency), wire.latency.microseconds(),
             sending.microseconds(), steps, predicted.microseconds(), simulated.microseconds());
}

Result<int> run_demo(const OutputOptions& output) {
  RS_ASSIGN(const Algorithm* ring, find_algorithm(CollectiveKind::all_reduce, "ring"));
  RS_ASSIGN(const Plan plan, make_plan(*ring, {.ranks = ranks}, {}));
  RS_ASSIGN(const Schedule schedule, build_schedule(plan));
  const auto violations = verify(schedule);

  const auto count = count_for(plan.spec, vector_size, type);
  RS_ASSIGN(const auto topology, sim::make_shape({.kind = sim::ShapeKind::ring,
                                                  .ranks = ranks,
                                                  .bandwidth = wire.bandwidth,
                                                  .latency = wire.latency}));
  RS_ASSIGN(const auto run,
            sim::simulate(schedule, {count, type}, topology, sim::NetworkModel::flow));
  const auto busiest = sim::busiest(run);

  Row row{.collective = plan.spec.kind,
          .algorithm = std::string(ring->name),
          .options = plan.options,
          .protocol = "none",
          .backend = "sim/flow",
          .system = "ring",
          .conditions = {{"model", {"flow"}}, {"bandwidth", {"25GB/s"}}, {"latency", {"1us"}}},
          .ranks = ranks,
          .size = vector_size,
          .count = count,
          .type = type,
          .redop = ReduceOp::sum,
          .time = run.time,
          .pass = violations.empty()};
  row.busiest_link = topology.link_name(busiest.links.front());
  row.busiest_link_ties = busiest.links.size() - 1;
  row.busiest_link_share = busiest.share;
  if (!output.for_people()) {
    RS_TRY(write(output, Report{.command = "demo", .rows = {row}}));
    return violations.empty() ? 0 : 1;
  }

  Replay replay(schedule);
  const auto style = Style::for_stdout();
  std::string text = opening(schedule, replay, style);
  text += all_steps(schedule, replay, style);
  text += violations.empty()
              ? fmt::format(
                    "\nproof   Every rank holds every part exactly once, whatever the timing: {} "
                    "transfers checked.\n",
                    schedule.transfers().size())
              : "\nproof   " + to_string(violations.front(), schedule) + "\n";
  text += bytes_and_time(plan, run.time);
  text +=
      "\nNext    ringside simulate --system dgx-h100 --algorithm all     every algorithm on a real "
      "machine\n"
      "        ringside step --algorithm halving_doubling --ranks 8   another algorithm, step by "
      "step\n"
      "        ringside --help                                        everything else\n";
  RS_TRY(write(output, text));
  return violations.empty() ? 0 : 1;
}

}  // namespace

Result<int> demo() {
  return run_demo({});
}

void add_demo(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand(
      "demo", "Ring all-reduce on four ranks: every step, the proof, the time and the bytes");
  command->footer("Example: ringside demo");
  const auto output = std::make_shared<OutputOptions>();
  output->add_to(*command);
  command->callback([output, &chosen] { chosen = [output] { return run_demo(*output); }; });
}

}  // namespace ringside::terminal
