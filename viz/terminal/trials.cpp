#include "viz/terminal/trials.hpp"

#include <fmt/format.h>

#include <set>

#include "core/variants.hpp"

namespace ringside::terminal {
namespace {

/// None, one, about the number of ranks, and a prime.
std::set<std::uint64_t> awkward_counts(const CollectiveSpec& spec) {
  if (spec.kind == CollectiveKind::barrier) return {0};
  const std::uint64_t n = spec.ranks;
  return {0, 1, n - 1, n + 1, 67};
}

/// One plan on one backend: built and proven once, then run with whatever data.
class Bench {
 public:
  Bench(Backend& backend, const Plan& plan, Tried& tried)
      : backend_(backend), plan_(plan), schedule_(build_proven(plan)), tried_(tried) {}

  Row row(ElementType type, ReduceOp op) {
    const CollectiveSpec& spec = plan_.spec;
    Row row{.collective = spec.kind,
            .algorithm = std::string(plan_.algorithm->name),
            .options = plan_.options,
            .backend = std::string(backend_.name()),
            .ranks = spec.ranks,
            .in_place = spec.in_place,
            .wrong = 0};
    if (spec.kind != CollectiveKind::barrier) row.type = type;
    if (reduces(spec.kind)) row.redop = op;
    if (has_root(spec.kind)) row.root = spec.root;
    if (!schedule_) row.violation = schedule_.error().message;
    for (const std::uint64_t count : awkward_counts(spec))
      for (std::size_t k = 0; k < data_kind_count && schedule_; ++k)
        run({&*schedule_, count, type, op, 2}, static_cast<DataKind>(k), row);
    row.pass = row.violation.empty();
    return row;
  }

 private:
  void run(const Work& work, DataKind data, Row& row) {
    ++tried_.runs;
    const auto outcome = execute(backend_, work, {.data = data, .seed = tried_.runs});
    if (outcome) tried_.elements += outcome->comparison.checked;
    if (outcome && outcome->comparison.wrong == 0) return;
    if (outcome) *row.wrong += outcome->comparison.wrong;
    if (row.violation.empty())
      row.violation = fmt::format("count {}, {} data: {}", work.count, name(data),
                                  outcome ? outcome->comparison.first : outcome.error().message);
  }

  Backend& backend_;
  const Plan& plan_;
  Result<Schedule> schedule_;
  Tried& tried_;
};

}  // namespace

std::vector<Row> try_out(Backend& backend, const Algorithm& algorithm, std::uint32_t ranks,
                         Tried& tried) {
  std::vector<Row> rows;
  const auto kind = algorithm.collective;
  const auto types = kind == CollectiveKind::barrier ? 1 : element_type_count;
  const auto ops = reduces(kind) ? reduce_op_count : 1;
  for (const CollectiveSpec& spec : specs_that_matter(kind, ranks)) {
    const auto plan = make_plan(algorithm, spec, {});
    if (!plan || (plan->options.agents > 0 && !backend.capabilities().agents)) continue;
    Bench bench(backend, *plan, tried);
    for (std::size_t type = 0; type < types; ++type)
      for (std::size_t op = 0; op < ops; ++op)
        rows.push_back(bench.row(static_cast<ElementType>(type), static_cast<ReduceOp>(op)));
  }
  return rows;
}

}  // namespace ringside::terminal
