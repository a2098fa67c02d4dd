#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/collective.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "sim/platform.hpp"
#include "sim/protocol.hpp"

namespace ringside::sim {

struct Figures;  // sim/tuner/figures.hpp

/// What NCCL and RCCL choose between. Tree is a chain within each node and two binary trees across
/// nodes; nvls reduces in the NVSwitch, nvls_tree joins switches by trees; pat is Bruck's, with one
/// GPU a node; collnet reduces in the network (SHARP), after the NVSwitch where that can; rounds is
/// grouped sends and receives, one peer after another.
enum class Method : std::uint8_t { ring, tree, nvls, nvls_tree, pat, collnet, rounds };
inline constexpr std::size_t method_count = 7;
std::string_view name(Method method);  ///< `ring` ... as in the rows' algorithm column

/// One collective, as nccl-tests measures it.
struct Query {
  CollectiveKind collective = CollectiveKind::all_reduce;
  Bytes size;  ///< nccl-tests' size column
  bool in_place = false;
};

/// What part of a time stands for; the parts add up to it exactly.
enum class CostKind : std::uint8_t {
  launch,    ///< the call, the kernel's start, and what the network's software adds to every call
  hops,      ///< latency within nodes, of every hop on the longest way
  net_hops,  ///< the same between nodes
  wire,      ///< bytes over what the protocol gets out of the narrowest link
  fill,      ///< filling and draining the pipeline, at the best size of its pieces
  copy,      ///< a rank's own block, out of place
};
inline constexpr std::size_t cost_kind_count = 6;
std::string_view name(CostKind kind);  ///< `launch` `hops` `network hops` `wire` `fill` `copy`

struct Cost {
  CostKind kind;
  Duration time;
};

struct Estimate {
  Method method;
  Protocol protocol;
  std::uint32_t channels = 1;
  Duration time;            ///< exactly the sum of the terms
  std::vector<Cost> terms;  ///< by kind; those of zero left out
};

/// Predicts what nccl-tests would show on a platform. Pure and fast (microseconds a query): an
/// analytic model, not a simulation; docs/fidelity.md says how far to trust it.
class Tuner {
 public:
  /// Errors: what check(platform) refuses, a generation or network without figures.
  static Result<Tuner> make(const Platform& platform);
  /// With other figures; they must outlive the tuner.
  static Result<Tuner> make(const Platform& platform, const Figures& figures);

  /// Every method and protocol that can run this, with its time; by method, then protocol. In place
  /// means that a rank's own block lies where it belongs: nccl-tests times all_to_all so, too.
  /// Errors: a collective that NCCL has not (barrier), more than 2^50 B.
  Result<std::vector<Estimate>> all(const Query& query) const;
  /// The one that is fastest, among those of `protocol` if given. Errors: none can run.
  Result<Estimate> choose(const Query& query, std::optional<Protocol> protocol = {}) const;

  const Platform& platform() const { return platform_; }

 private:
  Tuner(const Platform& platform, const Figures& figures)
      : platform_(platform), figures_(&figures) {}
  Platform platform_;
  const Figures* figures_;
};

}  // namespace ringside::sim
