#include "sim/shapes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

constexpr std::array<std::string_view, 6> names{"ring",  "star",      "mesh",
                                                "torus", "hypercube", "fattree"};
constexpr std::uint64_t most_ranks = std::uint64_t{1} << 20, most_links = std::uint64_t{1} << 24;

std::string_view name(ShapeKind kind) {
  return names[static_cast<std::size_t>(kind)];
}

/// The smallest divisor of n that is at least its square root.
std::uint32_t squarish(std::uint64_t n) {
  std::uint64_t low = 1;
  for (std::uint64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) low = d;
  return static_cast<std::uint32_t>(n / low);
}

Result<void> check_size(const ShapeRequest& r) {
  const std::string what = std::string(name(r.kind));
  if (r.ranks == 0) return bad_request("a " + what + " needs at least one rank: --ranks N");
  if (r.ranks > most_ranks)
    return bad_request("a " + what + " of " + std::to_string(r.ranks) +
                       " ranks is too large: the simulator holds up to " +
                       std::to_string(most_ranks));
  if (r.kind == ShapeKind::mesh && r.ranks * (r.ranks - 1) > most_links)
    return bad_request("a mesh of " + std::to_string(r.ranks) +
                       " ranks has too many links: 4096 ranks at most");
  if (r.kind == ShapeKind::hypercube && !std::has_single_bit(r.ranks))
    return bad_request("a hypercube needs a power of two ranks, not " + std::to_string(r.ranks));
  if (r.bandwidth.bytes_per_second == 0 || r.latency < Duration{})
    return bad_request("a " + what +
                       "'s links need a bandwidth above zero and a latency of zero or more");
  if (r.oversubscription == 0)
    return bad_request("oversubscription is a ratio of 1 (non-blocking) or more, not 0");
  return {};
}

/// The sides asked for, or the default ones; their product is N.
Result<std::vector<std::uint32_t>> sides_of(const ShapeRequest& r) {
  const bool torus = r.kind == ShapeKind::torus, tree = r.kind == ShapeKind::fattree;
  if (!torus && !tree) {
    if (!r.dims.empty())
      return bad_request("a " + std::string(name(r.kind)) + " has no dims; torus and fattree do");
    return r.dims;
  }
  if (r.dims.empty()) {
    const auto side = squarish(r.ranks);
    if (tree) return std::vector{side};
    return std::vector{static_cast<std::uint32_t>(r.ranks / side), side};
  }
  if (tree) {
    if (r.dims.size() != 1 || r.dims[0] == 0 || r.ranks % r.dims[0] != 0)
      return bad_request("a fattree's dims is one number, the ranks a leaf, and divides its " +
                         counted(r.ranks, "rank"));
    return r.dims;
  }
  std::uint64_t product = 1;
  for (const auto side : r.dims) product = std::min(product * side, most_ranks + 1);
  if (product != r.ranks)
    return bad_request("the torus's dims must multiply to its " + counted(r.ranks, "rank"));
  return r.dims;
}

void add_torus(Topology& t, const ShapeRequest& r, const std::vector<std::uint32_t>& sides) {
  std::uint64_t stride = r.ranks;
  for (const auto side : sides) {
    stride /= side;
    if (side == 1) continue;
    for (std::uint64_t a = 0; a < r.ranks; ++a) {
      const auto at = a / stride % side;
      if (side == 2 && at == 1) continue;  // its one neighbour has joined it already
      const auto b = at + 1 < side ? a + stride : a - (side - 1) * stride;
      t.join(t.ranks[a], t.ranks[b], LinkKind::generic, r.bandwidth, r.latency);
    }
  }
}

void add_mesh(Topology& t, const ShapeRequest& r) {
  t.links.reserve(r.ranks * (r.ranks - 1));
  for (const auto a : t.ranks)
    for (const auto b : t.ranks)
      if (a != b) t.add(Link{a, b, LinkKind::generic, r.bandwidth, r.latency});
}

void add_hypercube(Topology& t, const ShapeRequest& r) {
  for (std::uint64_t bit = 1; bit < r.ranks; bit *= 2)
    for (std::uint64_t a = 0; a < r.ranks; ++a)
      if ((a & bit) == 0)
        t.join(t.ranks[a], t.ranks[a | bit], LinkKind::generic, r.bandwidth, r.latency);
}

DeviceId add_switch(Topology& t, std::string switch_name) {
  return t.add(Device{.name = std::move(switch_name),
                      .kind = DeviceKind::network_switch,
                      .forwards = true,
                      .nvls = true,
                      .sharp = true});
}

void add_star(Topology& t, const ShapeRequest& r) {
  const auto centre = add_switch(t, "sw0");
  for (const auto rank : t.ranks) t.join(rank, centre, LinkKind::generic, r.bandwidth, r.latency);
}

Result<void> add_fattree(Topology& t, const ShapeRequest& r, std::uint32_t per_leaf) {
  const auto fat =
      static_cast<unsigned __int128>(r.bandwidth.bytes_per_second) * per_leaf / r.oversubscription;
  if (fat == 0 || fat >= std::uint64_t{1} << 62)
    return bad_request("the fattree's uplinks of " + std::to_string(per_leaf) + " x " +
                       to_string(r.bandwidth) + " / " + std::to_string(r.oversubscription) +
                       " are out of range");
  const Bandwidth uplink{static_cast<std::uint64_t>(fat)};
  const auto leaves = r.ranks / per_leaf;
  std::vector<DeviceId> leaf;
  for (std::uint64_t i = 0; i < leaves; ++i)
    leaf.push_back(add_switch(t, "leaf" + std::to_string(i)));
  for (std::uint64_t i = 0; i < r.ranks; ++i)
    t.join(t.ranks[i], leaf[i / per_leaf], LinkKind::generic, r.bandwidth, r.latency);
  if (leaves == 1) return {};
  const auto spine = add_switch(t, "spine0");
  for (const auto l : leaf) t.join(l, spine, LinkKind::generic, uplink, r.latency);
  return {};
}

}  // namespace

std::span<const std::string_view> shape_names() {
  return names;
}

bool is_shape(std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<ShapeKind> parse_shape(std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return bad_request(unknown("shape", text, names));
  return static_cast<ShapeKind>(found - names.begin());
}

Result<Topology> make_shape(const ShapeRequest& request) {
  RS_TRY(check_size(request));
  RS_ASSIGN(const auto sides, sides_of(request));
  Topology t;
  t.name = name(request.kind);
  const bool through_ranks = request.kind != ShapeKind::star && request.kind != ShapeKind::fattree;
  for (std::uint64_t i = 0; i < request.ranks; ++i)
    t.ranks.push_back(t.add(Device{.name = "gpu" + std::to_string(i), .forwards = through_ranks}));
  switch (request.kind) {
    case ShapeKind::ring:
      add_torus(t, request, {static_cast<std::uint32_t>(request.ranks)});
      break;
    case ShapeKind::star:
      add_star(t, request);
      break;
    case ShapeKind::mesh:
      add_mesh(t, request);
      break;
    case ShapeKind::torus:
      add_torus(t, request, sides);
      break;
    case ShapeKind::hypercube:
      add_hypercube(t, request);
      break;
    case ShapeKind::fattree:
      RS_TRY(add_fattree(t, request, sides[0]));
      break;
  }
  return t;
}

}  // namespace ringside::sim
