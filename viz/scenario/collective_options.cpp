#include "viz/scenario/collective_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/file.hpp"
#include "core/formats/schedule_file.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/flags.hpp"

namespace ringside::scenario {

void CollectiveOptions::add_to(CLI::App& command, bool with_root) {
  auto* what = command.add_option("--collective", collective, "What must become true")
                   ->capture_default_str();
  auto* how =
      command.add_option("--algorithm", algorithm, "How; 'ringside list algorithms' lists them")
          ->capture_default_str();
  auto* file = command
                   .add_option("--schedule", schedule,
                               "Instead of both, a file: MSCCL XML, schedule JSON or text")
                   ->check(not_empty())
                   ->excludes(what)
                   ->excludes(how);
  command.add_option("-d,--type", type, "Element type, as in nccl-tests")->capture_default_str();
  command.add_option("-o,--op", redop, "Reduction: sum prod min max avg mulsum")
      ->capture_default_str();
  if (with_root)
    command.add_option("-r,--root", root, "Root rank of rooted collectives")
        ->check(whole_number(0, Transfer::max_ranks - 1))
        ->capture_default_str();
  command.add_flag("--in-place", in_place, "Input and output are one buffer");
  const std::string group = "Algorithm options";
  command.add_option("--chunks", options.chunks, "Chunks of the whole vector")
      ->check(whole_number(1, 4 * Transfer::max_ranks))
      ->excludes(file)
      ->group(group);
  command.add_option("--channels", options.channels, "Parallel lanes")
      ->check(whole_number(1, Transfer::max_channels))
      ->excludes(file)
      ->group(group);
  command.add_option("--ranks-per-node", options.ranks_per_node, "For two-level algorithms")
      ->check(whole_number(1, Transfer::max_ranks))
      ->excludes(file)
      ->group(group);
}

void CollectiveOptions::add_sizes_to(CLI::App& command) {
  command.add_option("-b,--minbytes", min_bytes, "Smallest size")->capture_default_str();
  command.add_option("-e,--maxbytes", max_bytes, "Largest size")->capture_default_str();
  command.add_option("-f,--stepfactor", step_factor, "Each size is this many times the last")
      ->capture_default_str();
}

void CollectiveOptions::add_size_to(CLI::App& command, const std::string& fallback) {
  bytes = fallback;
  command.add_option("-b,--bytes", bytes, "Size of the vector")->capture_default_str();
}

Result<std::vector<std::uint32_t>> parse_dims(const std::string& text) {
  std::vector<std::uint32_t> dims;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t n = 0;
    const auto [next, error] = std::from_chars(at, end, n);
    const bool last = next == end;
    if (error != std::errc{} || n == 0 || (!last && *next != 'x') || (!last && next + 1 == end))
      return bad_request(in_quotes(text) + " is not a list of dimensions such as 4x8");
    dims.push_back(n);
    at = last ? end : next + 1;
  }
  return dims;
}

namespace {

Result<void> read_file_into(CollectiveRequest& request, const CollectiveOptions& given) {
  const std::string& called = given.schedule;
  if (called == "-")
    return bad_request("--schedule -: standard input can be read but once; name a file");
  RS_ASSIGN(const std::string text, read_file(called));
  const auto in_place = given.in_place ? std::optional(true) : std::nullopt;
  RS_ASSIGN(ScheduleFile file, schedule_from_text(text, called, in_place));
  request.spec = file.schedule.spec();
  if (given.root != 0 && given.root != request.spec.root.value)
    return bad_request(called + " is a schedule for root " +
                       std::to_string(request.spec.root.value) + ": leave out --root");
  if (const auto& name = file.name;
      name.empty() || name == "all" || name == "best" || name == "auto")
    file.name = called;
  request.algorithm = file.name;
  request.options = {};
  request.options.stored = std::make_shared<const ScheduleFile>(std::move(file));
  return {};
}

}  // namespace

Result<const Algorithm*> algorithm_of(const CollectiveRequest& request) {
  if (request.options.stored) return &retelling(request.spec.kind);
  return find_algorithm(request.spec.kind, request.algorithm);
}

Result<std::uint32_t> follow_file(CollectiveOptions& options) {
  if (options.schedule.empty()) return 0;
  auto any_type = options;
  if (options.type == "all") any_type.type = "double";
  if (options.redop == "all") any_type.redop = "sum";
  RS_ASSIGN(const auto request, read(any_type));
  const ScheduleFile& file = *request.options.stored;
  options.collective = name(request.spec.kind);
  options.algorithm = request.algorithm;
  options.in_place = request.spec.in_place;
  options.root = request.spec.root.value;
  if (options.least_is_open)
    options.min_bytes = std::to_string(least_size(file, request.type).count);
  return request.spec.ranks;
}

Result<CollectiveRequest> read(const CollectiveOptions& given) {
  CollectiveRequest request{};
  RS_ASSIGN(request.spec.kind, parse_collective(given.collective));
  RS_ASSIGN(request.type, parse_element_type(given.type));
  RS_ASSIGN(request.redop, parse_reduce_op(given.redop));
  request.spec.root = {given.root};
  request.spec.in_place = given.in_place;
  request.algorithm = given.algorithm;
  request.options = given.options;
  if (!given.schedule.empty()) RS_TRY(read_file_into(request, given));
  return request;
}

Result<std::vector<Bytes>> read_sizes(const CollectiveOptions& given) {
  RS_ASSIGN(const Bytes first, of_flag("-b", parse_bytes(given.min_bytes)));
  RS_ASSIGN(const Bytes last, of_flag("-e", parse_bytes(given.max_bytes)));
  double factor = 0;
  const auto& text = given.step_factor;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc{} || end != text.data() + text.size() || !(factor > 1 && factor < 1e9))
    return bad_request("-f: " + in_quotes(text) + " is not a factor: expected a number above 1");
  if (last < first)
    return bad_request("sizes from " + to_string(first) + " to " + to_string(last) +
                       " are none: -b must not exceed -e");
  if (last.count > (std::uint64_t{1} << 50))
    return bad_request("-e " + to_string(last) + " is more than the 1 PiB that can be simulated");
  std::vector<Bytes> sizes;
  for (Bytes size = first; size <= last;) {
    sizes.push_back(size);
    const auto next =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(size.count) * factor));
    size = {std::max(size.count + 1, next)};
    if (sizes.size() > 10'000)
      return bad_request("-f " + text + " gives more than 10,000 sizes; take a larger factor");
  }
  return sizes;
}

void keep_distinct(std::vector<Bytes>& sizes, const CollectiveSpec& spec, ElementType type) {
  const auto count = [&](Bytes size) {
    return spec.kind == CollectiveKind::barrier ? 0 : count_for(spec, size, type);
  };
  const auto alike = [&](Bytes a, Bytes b) { return count(a) == count(b); };
  sizes.erase(std::unique(sizes.begin(), sizes.end(), alike), sizes.end());
}

}  // namespace ringside::scenario
