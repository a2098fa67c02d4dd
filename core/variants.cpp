#include "core/variants.hpp"

#include <algorithm>

namespace ringside {
namespace {

std::vector<Options> requests(const CollectiveSpec& spec) {
  const auto n = spec.ranks;
  std::vector<Options> all{{}};
  for (const std::uint32_t chunks : {1u, 2u, 3u, 7u}) {
    all.push_back({.chunks = chunks});
    all.push_back({.chunks = chunks * n});
  }
  for (const std::uint32_t channels : {2u, 3u}) all.push_back({.channels = channels});
  for (std::uint32_t g = 1; g <= n; ++g)
    if (n % g == 0) all.push_back({.ranks_per_node = g});
  for (std::uint32_t rows = 1; rows <= n; ++rows)
    if (n % rows == 0) all.push_back({.dims = {rows, n / rows}});
  Options reversed;
  reversed.rank_order.emplace_back();
  for (std::uint32_t r = n; r-- > 0;) reversed.rank_order[0].push_back({r});
  all.push_back(std::move(reversed));
  return all;
}

}  // namespace

std::vector<Rank> roots_that_matter(CollectiveKind kind, std::uint32_t ranks) {
  if (!has_root(kind)) return {{0}};
  std::vector<Rank> roots{{0}, {1}, {ranks / 2}, {ranks - 1}};
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  std::erase_if(roots, [&](Rank root) { return root.value >= ranks; });
  return roots;
}

std::vector<CollectiveSpec> specs_that_matter(CollectiveKind kind, std::uint32_t ranks) {
  std::vector<CollectiveSpec> specs;
  for (const Rank root : roots_that_matter(kind, ranks))
    for (const bool in_place : {false, true})
      if (!in_place || may_be_in_place(kind))
        specs.push_back({.kind = kind, .ranks = ranks, .root = root, .in_place = in_place});
  return specs;
}

std::vector<Plan> plans_that_matter(const Algorithm& algorithm, const CollectiveSpec& spec) {
  std::vector<Plan> plans;
  for (const Options& request : requests(spec)) {
    auto plan = make_plan(algorithm, spec, request);
    if (!plan) continue;
    const bool known = std::any_of(plans.begin(), plans.end(), [&](const Plan& other) {
      return other.options == plan->options;
    });
    if (!known) plans.push_back(*std::move(plan));
  }
  return plans;
}

}  // namespace ringside
