// Torus: reduce-scatter along the rows, all-reduce along the columns, all-gather along the rows; as
// few bytes as one long ring and far fewer latencies. Mikami, Suganuma, U-chupala, Tanaka &
// Kageyama, "Massively distributed SGD: ImageNet/ResNet-50 training in a flash" (2018). More than
// two sides work alike.

#include "core/algorithms/grid_walk.hpp"
#include "core/algorithms/options.hpp"
#include "core/suggest.hpp"

namespace ringside::algorithms {
namespace {

/// Rows x columns, as near to a square as N allows, the longer side last.
std::vector<std::uint32_t> nearly_square(std::uint32_t ranks) {
  std::uint32_t rows = 1;
  for (std::uint32_t d = 1; std::uint64_t{d} * d <= ranks; ++d)
    if (ranks % d == 0) rows = d;
  return {rows, ranks / rows};
}

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = chunks_only(given, spec.ranks);
  options.dims = given.dims.empty() ? nearly_square(spec.ranks) : given.dims;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  std::uint64_t product = 1;
  std::string shown;
  for (const auto side : options.dims) {
    if (product <= spec.ranks) product *= side;
    shown += (shown.empty() ? "" : "x") + std::to_string(side);
  }
  if (product != spec.ranks)
    return bad_request("torus all_reduce needs sides that multiply to " +
                       counted(spec.ranks, "rank") + ", not " + shown);
  return needs_chunks(options, spec.ranks, "torus all_reduce");
}

void tell(const CollectiveSpec&, const Options& options, TransferSink& sink) {
  tell_grid_all_reduce(options.dims, sink);
}

Orbit symmetry(const CollectiveSpec&, const Options& options) {
  return grid_orbit(options.dims);
}

/// 2(X-1) (alpha + S/(X B)) + 2(Y-1) (alpha + S/(N B)), Y rows of X ranks.
Duration predict(const CollectiveSpec&, const Options& options, Bytes size, const LinkCost& link) {
  return predict_grid_all_reduce(options.dims, size, link);
}

}  // namespace

Algorithm all_reduce_torus() {
  return {.name = "torus",
          .collective = CollectiveKind::all_reduce,
          .summary = "rings along the rows, then along the columns on what is left, and back",
          .paper = "Mikami, Suganuma, U-chupala, Tanaka & Kageyama (2018)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::torus,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
