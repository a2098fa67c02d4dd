#include "viz/terminal/nccl_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/suggest.hpp"
#include "viz/scenario/contest.hpp"

namespace ringside::terminal {
namespace {

/// What is changed about single links or ranks: NCCL's times have no such thing in them.
Result<void> refuse_faults(const scenario::Machine& machine) {
  for (const Condition& condition : machine.origin.conditions)
    for (const std::string_view fault : {"slow", "dead", "straggler", "jitter"})
      if (condition.name == fault)
        return bad_request(fmt::format(
            "--{} is for simulated links: what NCCL would show is predicted for machines that "
            "work, without --protocol and --algorithm auto it is simulated",
            fault));
  return {};
}

Result<void> check_name(const std::string& algorithm) {
  if (scenario::leaves_open(algorithm)) return {};
  std::vector<std::string_view> names;
  for (std::size_t m = 0; m < sim::method_count; ++m)
    names.push_back(name(static_cast<sim::Method>(m)));
  if (std::find(names.begin(), names.end(), algorithm) != names.end()) return {};
  return bad_request(fmt::format(
      "NCCL does not run {}, so that no protocol makes a difference: --protocol none simulates its "
      "links, NCCL has {}",
      algorithm, fmt::join(names, ", ")));
}

}  // namespace

NcclRows::NcclRows(scenario::CollectiveRequest request, const scenario::Machine& machine,
                   NcclChoice choice, sim::Tuner tuner)
    : request_(std::move(request)),
      machine_(&machine),
      choice_(std::move(choice)),
      tuner_(std::move(tuner)) {}

Result<NcclRows> NcclRows::make(const scenario::CollectiveRequest& request,
                                const scenario::Machine& machine, const NcclChoice& choice) {
  RS_TRY(refuse_faults(machine));
  RS_TRY(check_name(choice.algorithm));
  RS_ASSIGN(const sim::Platform platform, sim::platform_of(machine.topology(), machine.origin.net));
  RS_ASSIGN(auto tuner, sim::Tuner::make(platform));
  scenario::CollectiveRequest complete = request;
  complete.spec.ranks = platform.ranks();
  RS_TRY(check(complete.spec));
  return NcclRows(complete, machine, choice, std::move(tuner));
}

Result<std::vector<Row>> NcclRows::at(Bytes size) const {
  const auto payload = scenario::payload_for(request_.spec, size, request_.type);
  const Bytes exact = size_of(request_.spec, payload.count, payload.type);
  RS_ASSIGN(const auto estimates, tuner_.all({request_.spec.kind, exact, request_.spec.in_place}));
  std::vector<Row> rows;
  for (const sim::Estimate& estimate : estimates) {
    const bool is_asked =
        scenario::leaves_open(choice_.algorithm) || choice_.algorithm == name(estimate.method);
    if (!is_asked || (choice_.protocol && estimate.protocol != *choice_.protocol)) continue;
    Row row{.collective = request_.spec.kind,
            .algorithm = std::string(name(estimate.method)),
            .options = {.channels = estimate.channels},
            .protocol = std::string(name(estimate.protocol)),
            .backend = "sim/nccl",
            .system = machine_->origin.name,
            .nodes = machine_->origin.nodes,
            .net = machine_->origin.net,
            .ranks = request_.spec.ranks,
            .size = exact,
            .count = payload.count,
            .type = payload.type,
            .in_place = request_.spec.in_place,
            .time = estimate.time};
    if (reduces(request_.spec.kind)) row.redop = request_.redop;
    if (has_root(request_.spec.kind)) row.root = request_.spec.root;
    for (const sim::Cost& cost : estimate.terms)
      row.time_shares.push_back({name(cost.kind), cost.time});
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    return bad_request(
        fmt::format("NCCL does not run {} {} {}here: --algorithm all shows what it runs",
                    choice_.algorithm, name(request_.spec.kind),
                    choice_.protocol ? fmt::format("under {} ", name(*choice_.protocol)) : ""));
  if (choice_.algorithm == "all") return rows;
  return std::vector<Row>{*std::min_element(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time < b.time; })};
}

std::string picks(const std::vector<Row>& rows) {
  std::string text = "picked:", last;
  for (const Row& row : rows) {
    const std::string pick = row.algorithm + " " + row.protocol;
    if (pick == last) continue;
    text += last.empty() ? " " + pick : ", from " + to_string(*row.size) + " " + pick;
    last = pick;
  }
  return text;
}

std::string shares_for_people(const Row& row) {
  std::string text = fmt::format("#\n# {} {} under {}, {}: where the time goes\n", row.algorithm,
                                 name(row.collective), row.protocol, to_string(*row.size));
  for (const Row::Share& share : row.time_shares)
    text += fmt::format("#   {:>14.6f} us  {:5.1f} %  {}\n", share.time.microseconds(),
                        100 * share.time.seconds() / row.time->seconds(), share.kind);
  return text + fmt::format("#   {:>14.6f} us  in all\n", row.time->microseconds());
}

}  // namespace ringside::terminal
