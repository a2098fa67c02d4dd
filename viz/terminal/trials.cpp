#include "viz/terminal/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/data.hpp"
#include "core/suggest.hpp"
#include "core/variants.hpp"
#include "viz/terminal/pairwise.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint64_t usual_count = 67;  // a prime, and longer than any vector register
constexpr double mulsum_scalar = 2;
constexpr std::size_t starts[] = {0, 1, 3};  // elements off a 64-byte boundary

/// Everything that one row varies.
struct Try {
  std::uint64_t count = usual_count;
  DataKind data = DataKind::exact;
  std::size_t misaligned = 1;
  std::string_view executor{};
};

/// What all rows of one placement vary.
struct Factors {
  std::vector<ElementType> types;
  std::vector<ReduceOp> ops;
  std::vector<std::uint64_t> counts;  ///< but none
  std::vector<std::string_view> executors;
};

Factors factors_of(const CollectiveSpec& spec, const Backend& backend) {
  Factors factors{{}, {}, {}, {}};
  const bool barrier = spec.kind == CollectiveKind::barrier;
  for (std::size_t t = 0; t < (barrier ? 1 : element_type_count); ++t)
    factors.types.push_back(static_cast<ElementType>(t));
  for (std::size_t o = 0; o < (reduces(spec.kind) ? reduce_op_count : 1); ++o)
    factors.ops.push_back(static_cast<ReduceOp>(o));
  const std::uint64_t n = spec.ranks;
  for (const auto count : std::set<std::uint64_t>{1, n - 1, n, n + 1, usual_count, 1009})
    if (count > 0 && !barrier) factors.counts.push_back(count);
  const auto has = backend.capabilities().executors;
  // A library's own collective is a yardstick, not ours to be right: some MPIs' sums of 8-bit
  // integers saturate where vectors are long enough.
  std::copy_if(has.begin(), has.end(), std::back_inserter(factors.executors),
               [](std::string_view executor) { return executor != "native"; });
  if (factors.executors.empty()) factors.executors.push_back("");
  return factors;
}

/// The tries of each row, by type and op.
using Plans = std::vector<std::vector<std::vector<Try>>>;

void add_product(const Factors& factors, std::vector<Try>& tries) {
  for (const auto executor : factors.executors)
    for (const auto misaligned : starts) {
      for (const auto count : factors.counts)
        for (std::size_t k = 0; k < data_kind_count; ++k)
          tries.push_back({count, static_cast<DataKind>(k), misaligned, executor});
      tries.push_back({0, DataKind::exact, misaligned, executor});
    }
}

void add_pairs(const Factors& factors, Plans& plans) {
  std::size_t turn = 0;
  for (auto& of_type : plans)
    for (auto& tries : of_type) {
      const auto executor = factors.executors[turn % factors.executors.size()];
      if (&tries == &of_type.front()) tries.push_back({0, DataKind::exact, 1, executor});
      if (!factors.counts.empty())
        tries.push_back({usual_count, DataKind::exact, starts[turn % std::size(starts)], executor});
      ++turn;
    }
  if (factors.counts.empty()) return;
  const std::uint32_t levels[] = {static_cast<std::uint32_t>(factors.types.size()),
                                  static_cast<std::uint32_t>(factors.counts.size()),
                                  static_cast<std::uint32_t>(factors.ops.size()),
                                  static_cast<std::uint32_t>(data_kind_count),
                                  static_cast<std::uint32_t>(std::size(starts)),
                                  static_cast<std::uint32_t>(factors.executors.size())};
  for (const auto& v : pairwise(levels))
    plans[v[0]][v[2]].push_back(
        {factors.counts[v[1]], static_cast<DataKind>(v[3]), starts[v[4]], factors.executors[v[5]]});
}

Plans plans_of(const Factors& factors, Thoroughness how) {
  Plans plans(factors.types.size(), std::vector<std::vector<Try>>(factors.ops.size()));
  if (how == Thoroughness::pairs) {
    add_pairs(factors, plans);
    return plans;
  }
  for (auto& of_type : plans)
    for (auto& tries : of_type) add_product(factors, tries);
  return plans;
}

/// One plan on one backend: built and proven once, then run with whatever data.
class Bench {
 public:
  Bench(Backend& backend, const Plan& plan, Duration timeout, Tried& tried)
      : backend_(backend),
        plan_(plan),
        schedule_(build_proven(plan)),
        timeout_(timeout),
        tried_(tried) {}

  Row row(ElementType type, ReduceOp op, const std::vector<Try>& tries) {
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
    if (!spec.in_place && spec.root == Rank{0}) test_data(type, op, row);
    for (const Try& one : tries)
      if (schedule_ && !tried_.has_stopped)
        run({&*schedule_, one.count, type, op, mulsum_scalar}, one, row);
    row.pass = row.violation.empty();
    return row;
  }

 private:
  /// Data that a rank could be left out of unseen prove nothing.
  void test_data(ElementType type, ReduceOp op, Row& row) const {
    const auto n = plan_.spec.ranks;
    if (op == ReduceOp::avg && size_of(type) == 1_B && n > 127) return;  // such averages are all 0
    const auto count = std::max<std::uint64_t>(usual_count, n);
    const DataSet data({plan_.spec, count, type, op, mulsum_scalar}, DataKind::exact, 1);
    if (const auto blind = data.rank_without_effect(); blind && row.violation.empty())
      row.violation =
          fmt::format("the test data would not show that rank {} was left out", blind->value);
  }

  void run(const Work& work, const Try& one, Row& row) {
    ++tried_.runs;
    Trial trial{.data = one.data,
                .seed = tried_.runs,
                .repeat = one.data == DataKind::real,
                .misaligned = one.misaligned};
    trial.run.executor = one.executor;
    trial.run.timeout = timeout_;
    const auto outcome = execute(backend_, work, trial);
    if (outcome) tried_.elements += outcome->comparison.checked;
    if (outcome && outcome->comparison.wrong == 0) return;
    if (outcome) *row.wrong += outcome->comparison.wrong;
    if (!outcome && outcome.error().kind != ErrorKind::wrong && one.executor != "") {
      ++tried_.refused;  // it says so: nothing ran in its place
      return;
    }
    tried_.has_stopped = !outcome && outcome.error().kind == ErrorKind::wrong;
    if (!row.violation.empty()) return;
    std::string how = fmt::format("count {}, {} data", work.count, name(one.data));
    if (one.misaligned > 0) how += ", " + counted(one.misaligned, "element") + " off";
    if (one.executor != "") how += fmt::format(", executor {}", one.executor);
    row.violation = how + ": " + (outcome ? outcome->comparison.first : outcome.error().message);
  }

  Backend& backend_;
  const Plan& plan_;
  Result<Schedule> schedule_;
  Duration timeout_;
  Tried& tried_;
};

}  // namespace

std::vector<Row> try_out(Backend& backend, const Algorithm& algorithm, std::uint32_t ranks,
                         const Trying& trying, Tried& tried) {
  std::vector<Row> rows;
  for (const CollectiveSpec& spec : specs_that_matter(algorithm.collective, ranks)) {
    const auto plan = make_plan(algorithm, spec, {});
    if (!plan || (plan->options.agents > 0 && !backend.capabilities().agents)) continue;
    const Factors factors = factors_of(spec, backend);
    const Plans plans = plans_of(factors, trying.how);
    Bench bench(backend, *plan, trying.timeout, tried);
    for (std::size_t t = 0; t < factors.types.size(); ++t)
      for (std::size_t o = 0; o < factors.ops.size() && !tried.has_stopped; ++o)
        rows.push_back(bench.row(factors.types[t], factors.ops[o], plans[t][o]));
  }
  return rows;
}

}  // namespace ringside::terminal
