#include "core/data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/assert.hpp"
#include "core/data_inputs.hpp"
#include "core/data_pattern.hpp"
#include "core/mix.hpp"
#include "core/reduce.hpp"

namespace ringside {
namespace {

__extension__ using Wide = __int128;

/// An integer element's value.
Wide integer(std::uint64_t bits, ElementType type) {
  const auto width = 8 * size_of(type).count;
  const Wide value = bits;
  return is_signed(type) && bits >> (width - 1) ? value - (Wide{1} << width) : value;
}

/// The element that a value wraps to.
std::uint64_t wrapped(std::uint64_t value, ElementType type) {
  const auto unused = 64 - 8 * size_of(type).count;
  return value << unused >> unused;
}

/// What the total is made of, as the collective's definition says: each rank once.
template <typename Value>
Value total(const std::vector<Value>& values, ReduceOp op) {
  Value result = values.front();
  for (std::size_t r = 1; r < values.size(); ++r) {
    const Value& x = values[r];
    if (op == ReduceOp::prod)
      result *= x;
    else if (op == ReduceOp::min)
      result = std::min(result, x);
    else if (op == ReduceOp::max)
      result = std::max(result, x);
    else
      result += x;
  }
  return result;
}

std::uint64_t reduced_integers(const std::vector<std::uint64_t>& inputs, const Problem& problem) {
  const auto value_of = [&](std::uint64_t bits) { return integer(bits, problem.type); };
  if (problem.op == ReduceOp::min || problem.op == ReduceOp::max) {
    std::vector<Wide> values;
    std::transform(inputs.begin(), inputs.end(), std::back_inserter(values), value_of);
    return wrapped(static_cast<std::uint64_t>(total(values, problem.op)), problem.type);
  }
  // Sums and products modulo 2^64 are right modulo any smaller power too, whatever the sign.
  auto values = inputs;
  if (problem.op == ReduceOp::mulsum)
    for (auto& x : values) x *= convert_scalar(problem.mulsum_scalar, problem.type);
  const auto bits = wrapped(total(values, problem.op), problem.type);
  if (problem.op != ReduceOp::avg) return bits;
  const Wide mean = value_of(bits) / Wide{problem.spec.ranks};
  return wrapped(static_cast<std::uint64_t>(mean), problem.type);
}

/// All numbers if there is one, else one NaN: min and max drop NaN.
std::vector<double> without_nan(const std::vector<double>& values) {
  std::vector<double> numbers;
  for (const double x : values)
    if (!std::isnan(x)) numbers.push_back(x);
  return numbers.empty() ? std::vector<double>{values.front()} : numbers;
}

/// Where every partial result is exact, or only the last step rounds.
std::uint64_t reduced_floats(const std::vector<double>& values, const Problem& problem) {
  if (problem.op == ReduceOp::min || problem.op == ReduceOp::max)
    return encode_float(total(without_nan(values), problem.op), problem.type);
  const auto bits = encode_float(total(values, problem.op), problem.type);
  if (problem.op != ReduceOp::avg) return bits;
  return encode_float(decode_float(bits, problem.type) / problem.spec.ranks, problem.type);
}

/// The exact result and how far roundings may lead from it.
DataSet::Expected bounded(const std::vector<double>& values, const Problem& problem) {
  const FloatFormat format = float_format(problem.type);
  const std::vector<long double> exact(values.begin(), values.end());
  long double magnitude = 0;
  for (const auto x : exact) magnitude += std::abs(x);
  DataSet::Expected expected{.value = total(exact, problem.op)};
  // Roundings on the longest chain: N - 1 operations; and scaling by a scalar, or by 1/N and then
  // to the type, wherever a backend does it.
  const auto chain = static_cast<long double>(problem.spec.ranks) + 1;
  const auto growth = std::expm1(chain * std::log1p(std::ldexp(1.0L, -format.precision())));
  if (problem.op == ReduceOp::prod) magnitude = std::abs(expected.value);
  if (problem.op == ReduceOp::avg) {
    magnitude /= problem.spec.ranks;
    expected.value /= problem.spec.ranks;
  }
  const auto smallest = std::ldexp(1.0L, format.smallest_exponent() - format.fraction_bits);
  // A per mille for the roundings of this very computation.
  expected.tolerance = 1.001L * growth * magnitude + chain * smallest;
  return expected;
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

}  // namespace

Problem problem_of(const Work& work) {
  return {work.schedule->spec(), work.count, work.type, work.op, work.mulsum_scalar};
}

std::string_view name(DataKind kind) {
  static constexpr std::array<std::string_view, data_kind_count> names{"exact", "real", "special"};
  return names[static_cast<std::size_t>(kind)];
}

Comparison& Comparison::operator+=(const Comparison& other) {
  checked += other.checked;
  wrong += other.wrong;
  if (first.empty()) first = other.first;
  return *this;
}

DataSet::DataSet(const Problem& problem, DataKind kind, std::uint64_t seed)
    : problem_(problem), kind_(kind), seed_(seed) {}

std::uint64_t DataSet::input(Rank rank, std::uint64_t index) const {
  return input_at(rank, data::position(seed_, index));
}

std::uint64_t DataSet::input_at(Rank rank, std::uint64_t position) const {
  const auto element_hash = mix(seed_, position);
  if (!reduces(problem_.spec.kind) && kind_ != DataKind::special)
    return data::copied_element(problem_, element_hash, rank);
  const std::uint64_t n = problem_.spec.ranks;
  const std::uint64_t stride = data::capacity(problem_) < n ? data::capacity(problem_) : 1;
  const auto shift = (seed_ % n + position % n * stride) % n;  // the next ranks' turn
  const data::Place place{static_cast<std::uint32_t>((rank.value + n - shift) % n),
                          problem_.spec.ranks, element_hash, mix(element_hash, rank.value)};
  switch (kind_) {
    case DataKind::real:
      return data::real_element(problem_, place);
    case DataKind::special:
      return data::special_element(problem_, place, position);
    default:
      return data::exact_element(problem_, place);
  }
}

DataSet::Range DataSet::given(Rank rank) const {
  const Range block{rank.value * problem_.count, (rank.value + std::uint64_t{1}) * problem_.count};
  const Range whole{0, problem_.count * (is_blocked(problem_.spec.kind) ? problem_.spec.ranks : 1)};
  switch (problem_.spec.kind) {
    case CollectiveKind::all_gather:
    case CollectiveKind::gather:
      return block;
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return rank == problem_.spec.root ? whole : Range{};
    default:
      return whole;
  }
}

DataSet::Range DataSet::promised(Rank rank) const {
  const Range block{rank.value * problem_.count, (rank.value + std::uint64_t{1}) * problem_.count};
  const Range whole{0, problem_.count * (is_blocked(problem_.spec.kind) ? problem_.spec.ranks : 1)};
  switch (problem_.spec.kind) {
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::scatter:
      return block;
    case CollectiveKind::reduce:
    case CollectiveKind::gather:
      return rank == problem_.spec.root ? whole : Range{};
    case CollectiveKind::barrier:
      return {};  // who leaves it is all that counts
    default:
      return whole;
  }
}

bool DataSet::within_bound() const {
  if (!is_floating(problem_.type) || !reduces(problem_.spec.kind)) return false;
  if (kind_ == DataKind::real) return problem_.adds() || problem_.op == ReduceOp::prod;
  return kind_ == DataKind::exact && problem_.op == ReduceOp::mulsum &&
         !is_power_of_two(problem_.mulsum_scalar);
}

DataSet::Expected DataSet::reduced_at(std::uint64_t position) const {
  std::vector<std::uint64_t> inputs;
  for (std::uint32_t r = 0; r < problem_.spec.ranks; ++r) inputs.push_back(input_at({r}, position));
  return reduction_of(inputs);
}

std::optional<Rank> DataSet::rank_without_effect() const {
  const auto n = problem_.spec.ranks;
  if (!reduces(problem_.spec.kind) || n == 1) return std::nullopt;
  const auto whole = problem_.count * (is_blocked(problem_.spec.kind) ? n : 1);
  const auto alters = [&](std::uint32_t left_out) {
    for (std::uint64_t p = 0; p < std::min(whole, data::tile); ++p) {
      std::vector<std::uint64_t> others;
      for (std::uint32_t r = 0; r < n; ++r)
        if (r != left_out) others.push_back(input_at({r}, p));
      const Expected without = reduction_of(others);
      const auto bits = within_bound()
                            ? encode_float(static_cast<double>(without.value), problem_.type)
                            : without.bits;
      if (!matches(bits, reduced_at(p))) return true;
    }
    return false;
  };
  for (std::uint32_t r = 0; r < n; ++r)
    if (!alters(r)) return Rank{r};
  return std::nullopt;
}

DataSet::Expected DataSet::reduction_of(const std::vector<std::uint64_t>& inputs) const {
  if (!is_floating(problem_.type)) return {.bits = reduced_integers(inputs, problem_)};

  const auto scalar =
      decode_float(encode_float(problem_.mulsum_scalar, problem_.type), problem_.type);
  std::vector<double> values;
  for (const auto bits : inputs) {
    const double x = decode_float(bits, problem_.type);
    if (problem_.op != ReduceOp::mulsum)
      values.push_back(x);
    else if (within_bound())
      values.push_back(x * scalar);
    else
      values.push_back(decode_float(encode_float(x * scalar, problem_.type), problem_.type));
  }
  if (within_bound()) return bounded(values, problem_);
  if (inputs.size() == 1 && problem_.op != ReduceOp::mulsum) return {.bits = inputs.front()};
  return {.bits = reduced_floats(values, problem_)};
}

DataSet::Expected DataSet::expected(Rank rank, std::uint64_t index) const {
  switch (problem_.spec.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce:
    case CollectiveKind::reduce_scatter:
      return reduced_at(data::position(seed_, index));
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return {.bits = input(problem_.spec.root, index)};
    case CollectiveKind::send_recv: {
      const auto n = problem_.spec.ranks;
      return {.bits = input({(rank.value + n - 1) % n}, index)};
    }
    case CollectiveKind::barrier:
      return {};
    default:
      break;
  }
  const Rank source{static_cast<std::uint32_t>(index / problem_.count)};
  if (problem_.spec.kind == CollectiveKind::all_to_all)
    return {.bits = input(source, rank.value * problem_.count + index % problem_.count)};
  return {.bits = input(source, index)};
}

bool DataSet::matches(std::uint64_t bits, const Expected& expected) const {
  if (within_bound()) {
    const long double got = decode_float(bits, problem_.type);
    return std::abs(got - expected.value) <= expected.tolerance;  // false for NaN
  }
  if (bits == expected.bits) return true;
  if (!reduces(problem_.spec.kind) || !is_floating(problem_.type)) return false;
  const double got = decode_float(bits, problem_.type),
               wanted = decode_float(expected.bits, problem_.type);
  if (std::isnan(wanted)) return std::isnan(got);  // a NaN's payload means nothing
  const bool extreme = problem_.op == ReduceOp::min || problem_.op == ReduceOp::max;
  return extreme && got == 0 && wanted == 0;  // whose zero wins is free
}

void DataSet::compare(const Place& at, const Expected& wanted, Comparison& found) const {
  const auto size = size_of(problem_.type).count;
  RS_ASSERT(at.vector.size() >= (at.index + 1) * size, "an output is the whole vector");
  const auto bits = load_bits(&at.vector[at.index * size], problem_.type);
  ++found.checked;
  if (matches(bits, wanted) || found.wrong++ > 0) return;
  const auto real = [](long double x) { return std::to_string(static_cast<double>(x)); };
  found.first = "element " + std::to_string(at.index) + " of rank " +
                std::to_string(at.rank.value) + " is " + element_to_string(bits, problem_.type) +
                ", not " +
                (within_bound() ? real(wanted.value) + " +- " + real(wanted.tolerance)
                                : element_to_string(wanted.bits, problem_.type));
}

}  // namespace ringside
