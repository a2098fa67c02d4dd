#include "viz/terminal/training_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/suggest.hpp"
#include "viz/terminal/line_chart.hpp"

namespace ringside::terminal {
namespace {

using training::Phase;
using training::TrainingRun;
using training::Way;
using Json = nlohmann::ordered_json;

std::string_view flag_of(Way way) {
  switch (way) {
    case Way::weighted:
      return "";
    case Way::no_sync:
      return "--no-sync";
    case Way::sum:
      return "--sum";
    case Way::average_losses:
      return "--average-losses";
  }
  return "";
}

/// `8 8 7 7`; of many workers, the first.
template <typename Items, typename Text>
std::string listed(const Items& items, Text text) {
  constexpr std::size_t most = 8;
  std::string all;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i)
    all += (i > 0 ? "  " : "") + text(items[i]);
  return items.size() > most ? all + "  ..." : all;
}

std::string line(Phase phase, const std::string& text) {
  return fmt::format("{:<12}{}\n", name(phase), text);
}

std::string more(const std::string& text) {
  return std::string(12, ' ') + text + "\n";
}

std::string five_digits(double value) {
  return fmt::format("{:.5g}", value);
}

bool has_equal_shards(const TrainingRun& run) {
  const auto& shards = run.asked.shards;
  return std::ranges::all_of(shards, [&](auto n) { return n == shards.front(); });
}

std::string exchange_text(const TrainingShown& shown) {
  const auto& run = shown.run;
  if (run.asked.way == Way::no_sync)
    return line(Phase::all_reduce, "left out, by --no-sync: everyone keeps their own gradient");
  std::string text =
      line(Phase::all_reduce,
           fmt::format("{} on {} adds up {} gradients over {}: {} each", run.asked.algorithm,
                       shown.backend, run.weights, counted(run.asked.workers, "worker"),
                       to_string(Bytes{sizeof(float) * run.weights})));
  if (shown.simulated)
    text += more(fmt::format("simulated on {}: {}", shown.system, to_string(*shown.simulated)));
  return text;
}

std::string average_text(const TrainingRun& run) {
  const auto& first = run.first;
  switch (run.asked.way) {
    case Way::weighted:
      return line(Phase::average,
                  fmt::format("divided by {}: {}", counted(run.asked.batch(), "sample"),
                              five_digits(first.averaged)));
    case Way::no_sync:
      return line(Phase::average, "left out, too");
    case Way::sum:
      return line(Phase::average, "left out, by --sum: " + five_digits(first.averaged));
    case Way::average_losses:
      return line(Phase::average,
                  fmt::format("divided by {}, whoever had how many samples: {}",
                              counted(run.asked.workers, "worker"), five_digits(first.averaged)));
  }
  return "";
}

std::string first_step(const TrainingShown& shown) {
  const TrainingRun& run = shown.run;
  const auto& first = run.first;
  const auto of_workers = [&](double training::FirstStep::OfWorker::*figure) {
    return listed(first.workers, [&](const auto& w) { return five_digits(w.*figure); });
  };
  std::string text =
      fmt::format("The first step, and what becomes of one weight in it: of {}.\n\n", first.place);
  text += line(
      Phase::broadcast,
      run.asked.broadcast
          ? fmt::format("worker 0 sends its {} weights to all: everyone starts equal", run.weights)
          : std::string("left out, by --no-broadcast: everyone starts from weights of "
                        "their own"));
  text += line(Phase::data, "samples of each worker: " +
                                listed(run.asked.shards, [](auto n) { return std::to_string(n); }));
  text += line(Phase::forward, fmt::format("each sample through {}", counted(run.stages, "stage")));
  text += line(Phase::loss, of_workers(&training::FirstStep::OfWorker::loss));
  text += line(Phase::backward, "slope of the loss by each weight, one stage after the other");
  text += line(Phase::gradient, of_workers(&training::FirstStep::OfWorker::gradient));
  text += more("each worker's mean over its own samples: they have seen different ones");
  text += exchange_text(shown) + average_text(run);
  text += more("one worker with the whole batch finds " + five_digits(first.whole_batch));
  text += line(Phase::optimizer,
               fmt::format("{}, learning rate {:g}: {:+.5g}", name(run.asked.optimizer),
                           run.asked.learning_rate, first.change));
  text += line(Phase::update, "from " + of_workers(&training::FirstStep::OfWorker::before));
  text += more("to   " + of_workers(&training::FirstStep::OfWorker::after));
  return text + "\n";
}

std::string curve(const TrainingRun& run) {
  std::vector<std::vector<double>> losses(2);
  for (const auto& step : run.steps) {
    losses[0].push_back(step.loss);
    if (step.compared) losses[1].push_back(step.compared->loss);
  }
  return fmt::format("Loss, step 1 to {}: the workers' and that of one worker alone.\n\n",
                     run.steps.size()) +
         line_chart(std::move(losses)) +
         fmt::format("\nloss {} to {}; of 512 samples that nobody trained on, {:.1f} % right\n\n",
                     five_digits(run.steps.front().loss), five_digits(run.steps.back().loss),
                     100 * run.answers_right);
}

std::string replicas_verdict(const TrainingRun& run) {
  const auto steps = counted(run.steps.size(), "step");
  if (run.replicas_identical())
    return fmt::format("replicas identical: yes, bit by bit, after each of {}\n", steps);
  std::string why = "though nothing was left out";
  if (!run.asked.broadcast) why = "as --no-broadcast leaves them";
  if (run.asked.way == Way::no_sync) why = "as --no-sync leaves them";
  return fmt::format(
      "replicas identical: no, {}: a weight differs by {} after the first step, by {} after {}\n",
      why, five_digits(run.steps.front().apart), five_digits(run.steps.back().apart), steps);
}

/// What the comparison with one worker comes to, over all steps.
struct Worst {
  explicit Worst(const TrainingRun& run) {
    for (const auto& step : run.steps) {
      if (!step.compared) continue;
      difference = std::max(difference, step.compared->difference);
      share_of_bound = std::max(share_of_bound, step.compared->share_of_bound);
    }
  }
  double difference = 0, share_of_bound = 0;
};

std::string why_unequal(const TrainingRun& run) {
  const auto& first = *run.steps.front().compared;
  std::string off = fmt::format("the first gradient is off by {:.3g} %", 100 * first.relative);
  switch (run.asked.way) {
    case Way::weighted:
      if (!run.asked.broadcast)
        return off + ", as --no-broadcast lets workers find their gradients from other weights";
      return off + ", though nothing was left out";
    case Way::no_sync:
      return off + ", as --no-sync lets each worker see its own samples only";
    case Way::sum:
      return fmt::format(
          "by --sum the gradient is {:.4g} times as long, as if the learning rate "
          "were {:.4g} and not {:g}{}",
          first.length, first.length * run.asked.learning_rate, run.asked.learning_rate,
          run.asked.optimizer == training::OptimizerKind::adam
              ? "; adam hides that: it divides by the gradient's size"
              : "");
    case Way::average_losses:
      return off + ", as --average-losses counts a worker with few samples like one with many";
  }
  return off;
}

std::string one_worker_verdict(const TrainingRun& run) {
  const Worst worst(run);
  constexpr std::string_view same = "equal to one worker with the whole batch: ";
  std::string text(same);
  if (!run.equals_one_worker()) {
    text += "no: " + why_unequal(run) + "\n";
  } else {
    text += fmt::format(
        "yes: gradients differ by at most {:.2g}, which is {:.2g} %\n  of what rounding explains, "
        "2hu/(1-hu) sum|g|/{}, h = {} additions and divisions, u = 2^-24\n",
        worst.difference, 100 * worst.share_of_bound, run.asked.batch(),
        run.asked.batch() + run.asked.workers);
    if (run.asked.way == Way::average_losses && has_equal_shards(run))
      text += "  Equal shards hide what --average-losses does: try --shards 3,1 --workers 2.\n";
  }
  return text + fmt::format("  After {} the weights are {:.2g} apart from that worker's own.\n",
                            counted(run.steps.size(), "step"), run.apart_from_one);
}

Json json_of(const training::StepResult& step) {
  Json json{{"loss", step.loss}, {"right", step.right}, {"apart", step.apart}};
  if (!step.compared) return json;
  json["one_worker_loss"] = step.compared->loss;
  json["gradient_difference"] = step.compared->difference;
  json["share_of_bound"] = step.compared->share_of_bound;
  json["gradient_relative_error"] = step.compared->relative;
  json["gradient_length"] = step.compared->length;
  return json;
}

Json json_of(const training::FirstStep& first) {
  Json json{{"weight", first.weight}, {"place", first.place}, {"workers", Json::array()}};
  for (const auto& worker : first.workers)
    json["workers"].push_back({{"loss", worker.loss},
                               {"gradient", worker.gradient},
                               {"before", worker.before},
                               {"after", worker.after}});
  json["averaged"] = first.averaged;
  json["whole_batch"] = first.whole_batch;
  json["change"] = first.change;
  return json;
}

}  // namespace

std::string training_opening(const TrainingShown& shown) {
  const TrainingRun& run = shown.run;
  return fmt::format(
      "{} to learn {}:\neach has a replica of one {} of {} weights. A step's {} are shared "
      "out.\n\n",
      counted(run.asked.workers, "worker"), describe(run.asked.task), name(run.asked.model),
      run.weights, counted(run.asked.batch(), "sample"));
}

std::string training_text(const TrainingShown& shown) {
  const TrainingRun& run = shown.run;
  return training_opening(shown) + first_step(shown) + curve(run) + replicas_verdict(run) +
         one_worker_verdict(run);
}

std::string training_json(const TrainingShown& shown) {
  const TrainingRun& run = shown.run;
  const auto& asked = run.asked;
  Json row{{"task", name(asked.task)},
           {"model", name(asked.model)},
           {"weights", run.weights},
           {"optimizer", name(asked.optimizer)},
           {"learning_rate", asked.learning_rate},
           {"workers", asked.workers},
           {"shards", asked.shards},
           {"batch", asked.batch()},
           {"seed", asked.seed},
           {"broadcast", asked.broadcast},
           {"collective", "all_reduce"},
           {"algorithm", asked.algorithm},
           {"backend", shown.backend}};
  if (asked.way != Way::weighted) row["mistake"] = flag_of(asked.way).substr(2);
  if (!shown.system.empty()) row["system"] = shown.system;
  if (shown.simulated) row["predicted_us"] = shown.simulated->microseconds();
  row["replicas_identical"] = run.replicas_identical();
  row["equals_one_worker"] = run.equals_one_worker();
  row["apart_from_one_worker"] = run.apart_from_one;
  row["answers_right"] = run.answers_right;
  row["digest"] = fmt::format("{:016x}", run.steps.back().digest);
  row["first_step"] = json_of(run.first);
  row["steps"] = Json::array();
  for (const auto& step : run.steps) row["steps"].push_back(json_of(step));
  return Json{{"ringside", 1}, {"command", "train"}, {"results", {row}}}.dump(2) + "\n";
}

std::string training_csv(const TrainingRun& run) {
  std::string text =
      "step,loss,right,apart,one_worker_loss,gradient_difference,share_of_bound,"
      "gradient_relative_error,gradient_length\n";
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const auto& step = run.steps[i];
    text += fmt::format("{},{},{},{}", i + 1, step.loss, step.right, step.apart);
    if (const auto& one = step.compared)
      text += fmt::format(",{},{},{},{},{}", one->loss, one->difference, one->share_of_bound,
                          one->relative, one->length);
    text += "\n";
  }
  return text;
}

}  // namespace ringside::terminal
