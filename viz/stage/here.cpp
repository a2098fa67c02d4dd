#include "viz/stage/here.hpp"

namespace ringside::stage {

std::string_view backend_of(Command command) {
  switch (command) {
    case Command::run_here:
      return "host";
    case Command::run_on_gpus:
      return "cuda";
    case Command::run_by_nccl:
      return "nccl";
    default:
      return {};
  }
}

Result<std::vector<std::string>> arguments_to_run_here(const StagedRun& run,
                                                       std::string_view backend,
                                                       const std::string& trace) {
  if (!run.mistake.empty()) return bad_request(say(Word::broken_is_not_run, Language::english));
  if (run.plan.algorithm == nullptr)
    return bad_request(run.row.algorithm + " is no algorithm of this version: it cannot be run");
  const CollectiveSpec& spec = run.plan.spec;
  const std::string size = std::to_string(run.row.size ? run.row.size->count : 0);
  std::vector<std::string> words{"run", "--backend", std::string(backend)};
  const auto add = [&](const char* flag, const std::string& value) {
    words.insert(words.end(), {flag, value});
  };
  add("--ranks", std::to_string(spec.ranks));
  if (run.plan.options.stored) {
    add("--schedule", run.scenario.collective.schedule);
  } else {
    add("--collective", std::string(name(spec.kind)));
    add("--algorithm", std::string(run.plan.algorithm->name));
  }
  add("--type", std::string(name(run.payload.type)));
  if (run.row.redop) add("--op", std::string(name(*run.row.redop)));
  if (has_root(spec.kind) && !run.plan.options.stored)
    add("--root", std::to_string(spec.root.value));
  const auto option = [&](const char* flag, std::uint32_t value) {
    if (value > 0 && !run.plan.options.stored) add(flag, std::to_string(value));
  };
  option("--chunks", run.plan.options.chunks);
  option("--channels", run.plan.options.channels);
  option("--ranks-per-node", run.plan.options.ranks_per_node);
  add("-b", size);
  add("-e", size);
  add("-n", "1");
  add("-w", "1");
  words.emplace_back(spec.in_place ? "--in-place" : "--out-of-place");
  add("--trace", trace);
  return words;
}

}  // namespace ringside::stage
