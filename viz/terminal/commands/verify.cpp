// `ringside verify`: proves every algorithm for every collective it serves, or runs it on real
// data.

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "core/suggest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/verification.hpp"

namespace ringside::terminal {
namespace {

struct VerifyOptions {
  std::string ranks;  ///< empty: as many as the backend has, or 1-16
  std::string collective = "all", algorithm = "all";
  std::string backend;  ///< empty: proofs
  BackendOptions backend_options;
  std::string timeout;  ///< empty: a minute
  bool all = false;
  OutputOptions output;
};

struct Range {
  std::uint32_t first, last;
};

Result<Range> parse_range(const std::string& text) {
  Range range{};
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, range.first);
  range.last = range.first;
  if (error == std::errc{} && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, range.last);
    at = second.ptr;
    error = second.ec;
  }
  if (error != std::errc{} || at != end || range.first == 0 || range.last < range.first)
    return bad_request(
        "\"" + text.substr(0, 64) +
        "\" is not a range of ranks: expected one number or FIRST-LAST, such as 1-16");
  if (range.last > Transfer::max_ranks)
    return bad_request("ranks up to " + std::to_string(range.last) + " are too many: at most " +
                       std::to_string(Transfer::max_ranks) + " are supported");
  return range;
}

Result<std::vector<const Algorithm*>> choose(const VerifyOptions& options) {
  std::vector<const Algorithm*> chosen;
  std::vector<std::string_view> names;
  if (options.collective != "all") {
    RS_ASSIGN(const CollectiveKind kind, parse_collective(options.collective));
    if (options.algorithm != "all") RS_TRY(find_algorithm(kind, options.algorithm));
  }
  for (const Algorithm& algorithm : all_algorithms()) {
    names.push_back(algorithm.name);
    if (options.collective != "all" && name(algorithm.collective) != options.collective) continue;
    if (options.algorithm != "all" && algorithm.name != options.algorithm) continue;
    chosen.push_back(&algorithm);
  }
  if (chosen.empty()) return bad_request(unknown("algorithm", options.algorithm, names));
  return chosen;
}

/// Of processes there is one number, of threads any.
Result<Range> choose_range(const VerifyOptions& options, const Backend* backend) {
  const bool is_free = backend == nullptr || backend->capabilities().ranks == 0;
  Range range{0, 0};
  if (is_free || !options.ranks.empty()) {
    RS_ASSIGN(range, parse_range(options.ranks.empty() ? "1-16" : options.ranks));
  }
  if (backend != nullptr && range.last > 1024)
    return bad_request("real data is tried on up to 1024 ranks, not " + std::to_string(range.last));
  if (is_free) return range;
  for (auto* ranks : {&range.first, &range.last}) {
    RS_ASSIGN(*ranks, choose_ranks(*backend, *ranks, 0));
  }
  return range;
}

Result<int> run_verify(const VerifyOptions& options) {
  RS_ASSIGN(const auto chosen, choose(options));
  std::unique_ptr<Backend> backend;
  if (options.all && options.backend.empty())
    return bad_request("--all is for real data, with --backend; proofs leave nothing out anyway");
  auto backend_options = options.backend_options;
  if (options.backend.empty() && (backend_options.are_given() || !options.timeout.empty()))
    return bad_request(
        "--devices, --id-file, --ctas, --threads and --timeout are for runs, with --backend: "
        "proofs take none");
  if (!options.timeout.empty()) {
    RS_ASSIGN(backend_options.timeout, parse_timeout(options.timeout));
  }
  if (!options.backend.empty()) {
    RS_ASSIGN(backend, make_backend(options.backend, backend_options));
  }
  RS_TRY(check_writable("--out", options.output.out));
  RS_ASSIGN(const Range range, choose_range(options, backend.get()));
  const auto how = options.all ? Thoroughness::product : Thoroughness::pairs;
  return verify_all({chosen, range.first, range.last, {how, backend_options.timeout}},
                    backend.get(), options.output);
}

}  // namespace

void add_verify(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand(
      "verify", "Prove every algorithm right, or run it on real data and compare");
  command->footer(
      "Without --backend every schedule is proven, whatever the data: exactly up to 1024 ranks, "
      "by\n"
      "random numbers beyond. With one, every algorithm, type and op moves real data in awkward\n"
      "sizes from odd starts, and every element is compared.\n"
      "Examples: ringside verify --ranks 1-33 --json\n"
      "          ringside verify --ranks 16384 --collective all_reduce --algorithm ring\n"
      "          ringside verify --backend reference --ranks 1-5 --collective all_reduce");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("--ranks", options->ranks, "One number, or FIRST-LAST")
      ->default_str("1-16")
      ->check(scenario::not_empty());
  command->add_option("--collective", options->collective, "One collective, or all")
      ->capture_default_str();
  command->add_option("--algorithm", options->algorithm, "One algorithm, or all")
      ->capture_default_str();
  command
      ->add_option("--backend", options->backend,
                   "Run on real data there; 'ringside list backends' lists them")
      ->check(scenario::not_empty());
  options->backend_options.add_to(*command);
  command->add_option("--timeout", options->timeout, "No wait of a run lasts longer")
      ->default_str("60s")
      ->check(scenario::not_empty());
  command->add_flag("--all", options->all,
                    "Not only every pair of type, op, count, data, start and executor: all with "
                    "all");
  options->output.add_to(*command);
  command->callback([options, &chosen] { chosen = [options] { return run_verify(*options); }; });
}

}  // namespace ringside::terminal
