#include "viz/terminal/run_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/terminal/yardstick.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint64_t most_iterations = 1'000'000;

void add_measurement_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("-i,--stepbytes", flags.step_bytes, "Each size is this much more instead");
  command.add_option("-n,--iters", flags.manner.iterations, "Timed iterations of each row")
      ->check(scenario::whole_number(1, most_iterations))
      ->capture_default_str();
  command.add_option("-w,--warmup", flags.manner.warmup, "Iterations before them")
      ->check(scenario::whole_number(0, most_iterations))
      ->capture_default_str();
  command
      .add_option("-c,--check", flags.manner.checks,
                  "Compare all this often: exact, real, special data in turn; 0: never")
      ->check(scenario::whole_number(0, 1000))
      ->capture_default_str();
  command
      .add_option("-u,--unalign", flags.manner.misaligned, "Start buffers this many elements off")
      ->check(scenario::whole_number(0, 4096))
      ->capture_default_str();
  command.add_flag("-I,--spread", flags.spread, "Show min, max, p99 and variation of iterations");
  command.add_option("--executor", flags.manner.run.executor,
                     "One of the backend's ways, such as kernel or sliced (docs/executors.md)");
  command.add_flag("--graph", flags.graph, "As --executor graph");
  command.add_flag("--native", flags.native,
                   "Measure the library's own collective too: with mpi, MPI_Allreduce, ...");
  command
      .add_option("--compare", flags.compare,
                  "Measure that backend's own collective too: with cuda, nccl")
      ->check(scenario::not_empty());
  command.add_option("--timeout", flags.timeout, "No wait lasts longer")->capture_default_str();
}

}  // namespace

void RunFlags::add_to(CLI::App& command) {
  command.add_option("--backend", backend, "Where it runs; 'ringside list backends' lists them")
      ->check(scenario::not_empty())
      ->capture_default_str();
  command.add_option("--ranks", ranks, "Participants")
      ->check(scenario::whole_number(1, 1024))
      ->default_str("4");
  backend_options.add_to(command);
  collective.add_to(command, false);
  command.add_option("-r,--root", root, "Root rank of rooted collectives, or all in turn")
      ->capture_default_str();
  command.add_flag("--out-of-place", out_of_place,
                   "Input and output are two buffers; default: both ways");
  collective.add_sizes_to(command);
  add_measurement_flags(command, *this);
  command
      .add_option("--predict", predict,
                  "Lay beside each row what the simulator says of this system")
      ->check(scenario::not_empty());
  command.add_option("--trace", trace, "Record one more run of the last row, for view --trace")
      ->check(scenario::not_empty());
  command
      .add_option("--min-busbw", min_busbw,
                  "Fail if the average bus bandwidth is below this many GB/s")
      ->check(scenario::not_empty());
  output.add_to(command);
}

Result<void> RunFlags::read() {
  const bool only_out_of_place = out_of_place && !collective.in_place;
  RS_ASSIGN(const auto of_file, scenario::follow_file(collective));
  if (only_out_of_place && collective.in_place)
    return bad_request(collective.schedule + " is a schedule in place: leave out --out-of-place");
  if (ranks == 0) ranks = of_file;
  RS_ASSIGN(manner.run.timeout, parse_timeout(timeout));
  backend_options.timeout = manner.run.timeout;
  if (is_same_file(trace, output.out))
    return bad_request("--trace and --out name one file, " + trace +
                       ": what is written last would replace the other");
  auto& executor = manner.run.executor;
  if (graph && !executor.empty() && executor != "graph")
    return bad_request("--graph means --executor graph, not " + executor);
  if (graph) executor = "graph";
  if (has_all_roots()) return {};
  const auto [end, error] =
      std::from_chars(root.data(), root.data() + root.size(), collective.root);
  if (error != std::errc() || end != root.data() + root.size() ||
      collective.root >= Transfer::max_ranks)
    return bad_request("-r: " + in_quotes(root) + " is neither a rank nor all");
  return {};
}

Result<void> RunFlags::check_executor(const Backend& chosen) const {
  const std::string& executor = manner.run.executor;
  if (!is_unscheduled(chosen, executor)) return {};
  const std::string who = "executor " + executor + " of the " + std::string(chosen.name());
  if (!algorithm_is_open)
    return bad_request(who + " backend follows no algorithm: leave --algorithm away");
  if (!predict.empty())
    return bad_request(who + " backend follows no schedule that --predict could simulate");
  return {};
}

Result<void> RunFlags::choose_yardstick(const Backend& chosen) {
  const bool is_own = compare == backend;
  if (native) RS_TRY(check_has_own_collective(chosen, "--native"));
  if (is_own) RS_TRY(check_has_own_collective(chosen, "--compare"));
  if (is_own) compare.clear();
  native = (native || is_own || backend == "nccl") && manner.run.executor != "native";
  return {};
}

std::vector<Condition> RunFlags::conditions() const {
  std::vector<Condition> all;
  const auto add = [&](const char* flag, std::uint64_t value) {
    all.push_back({flag, {std::to_string(value)}});
  };
  add("iters", static_cast<std::uint64_t>(manner.iterations));
  add("warmup", static_cast<std::uint64_t>(manner.warmup));
  add("check", static_cast<std::uint64_t>(manner.checks));
  if (manner.misaligned > 0) add("unalign", manner.misaligned);
  if (backend_options.ctas > 0) add("ctas", backend_options.ctas);
  if (backend_options.threads > 0) add("threads", backend_options.threads);
  if (!predict.empty()) all.push_back({"predict", {predict}});
  return all;
}

Result<std::vector<Bytes>> RunFlags::stepped_sizes() const {
  RS_ASSIGN(const Bytes first, scenario::of_flag("-b", parse_bytes(collective.min_bytes)));
  RS_ASSIGN(const Bytes last, scenario::of_flag("-e", parse_bytes(collective.max_bytes)));
  RS_ASSIGN(const Bytes step, scenario::of_flag("-i", parse_bytes(step_bytes)));
  if (step.count == 0) return bad_request("-i: sizes that grow by 0 B never reach -e");
  if (last < first)
    return bad_request("sizes from " + to_string(first) + " to " + to_string(last) +
                       " are none: -b must not exceed -e");
  if ((last - first).count / step.count >= 10'000)
    return bad_request("-i " + step_bytes + " gives more than 10,000 sizes; take a larger step");
  std::vector<Bytes> sizes;
  for (Bytes size = first; size <= last; size += step) sizes.push_back(size);
  return sizes;
}

Result<Bytes> largest_that_fits(Bytes from, Bytes least,
                                const std::function<Result<void>(Bytes)>& fits) {
  for (Bytes size = from;; size = Bytes{size.count / 2}) {
    const Bytes tried = std::max(size, least);
    const auto fit = fits(tried);
    if (fit) return tried;
    if (fit.error().kind != ErrorKind::machine || tried == least)
      return tl::unexpected<Error>(fit.error());
  }
}

std::string usual_algorithm(const std::string& collective) {
  const auto kind = parse_collective(collective);
  std::string first = "ring";
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!kind || algorithm.collective != *kind) continue;
    if (algorithm.name == "ring") return "ring";
    if (first == "ring") first = algorithm.name;
  }
  return first;
}

}  // namespace ringside::terminal
