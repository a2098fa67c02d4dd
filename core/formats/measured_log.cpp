#include "core/formats/measured_log.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "core/formats/nccl_tests.hpp"

namespace ringside {
namespace {

constexpr double over_larger = 1.5, over_expected = 2;

/// The least time of each size.
using Curve = std::map<Bytes, double>;

/// What rows of one curve have in common.
auto curve_of(const Row& row, bool in_place) {
  return std::tuple(row.collective, row.ranks, row.type, row.redop, row.root, row.algorithm,
                    in_place);
}

double seconds(const Row& row) {
  return row.time->seconds();
}

/// Whether it took that much longer than each of the next two larger sizes.
bool is_over_larger(const Row& row, const Curve& curve) {
  auto next = curve.upper_bound(*row.size);
  const bool is_last = next == curve.end();
  for (int i = 0; i < 2 && next != curve.end(); ++i, ++next)
    if (seconds(row) <= over_larger * next->second) return false;
  return !is_last;
}

/// Whether it took that much longer than the sizes beside it let expect: the mean of both in the
/// log-log picture; of the largest size, as much longer as there is more. The smallest, which is
/// the first to use anything, takes at most what the next does.
bool is_over_neighbours(const Row& row, const Curve& curve) {
  const auto here = curve.find(*row.size), next = std::next(here);
  double expected = 0;
  if (here == curve.begin() && next == curve.end()) return false;
  if (here == curve.begin()) return seconds(row) > next->second;
  if (next == curve.end())
    expected = std::prev(here)->second * static_cast<double>(here->first.count) /
               static_cast<double>(std::prev(here)->first.count);
  else
    expected = std::sqrt(std::prev(here)->second * next->second);
  return seconds(row) > over_expected * expected;
}

}  // namespace

Result<MeasuredLog> read_measured(std::string_view text, std::string_view name,
                                  const LogOptions& options) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return nccl_tests::read_json(text, name, options);
  return nccl_tests::read_text(text, name, options);
}

bool ran_by_name(const Row& row) {
  return !row.algorithm.empty() && (row.protocol.empty() || row.protocol == "none");
}

std::vector<bool> outliers(const std::vector<Row>& rows) {
  std::map<decltype(curve_of(rows.front(), false)), Curve> curves;
  for (const Row& row : rows) {
    Curve& curve = curves[curve_of(row, row.in_place)];
    auto& least = curve.try_emplace(*row.size, seconds(row)).first->second;
    least = std::min(least, seconds(row));
  }
  std::vector<bool> stand_out;
  for (const Row& row : rows) {
    const Curve &own = curves[curve_of(row, row.in_place)],
                &twins = curves[curve_of(row, !row.in_place)];
    const auto twin = twins.find(*row.size);
    const bool over = twin != twins.end() && seconds(row) > over_expected * twin->second;
    stand_out.push_back(is_over_larger(row, own) || (over && is_over_neighbours(row, own)));
  }
  return stand_out;
}

}  // namespace ringside
