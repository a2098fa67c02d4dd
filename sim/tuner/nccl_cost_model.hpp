#pragma once

#include "sim/tuner.hpp"

namespace ringside::sim {

/// Yardsticks: what others would say of the same platform.

/// NCCL 2.30's own cost model (src/graph/tuning.cc), by which it chooses: latency x operations +
/// bytes / bandwidth, the least over its methods and protocols. Channels and their speeds are those
/// that its search would find for the platform's rates, of its lists (search.cc). Same errors as
/// Tuner::all.
Result<Duration> nccl_cost_model(const Platform& platform, const Query& query);

/// A plain ring: steps x alpha + bytes / beta, with NCCL's LL latencies for alpha and the narrowest
/// of links and NICs for beta.
Result<Duration> alpha_beta_ring(const Platform& platform, const Query& query);

}  // namespace ringside::sim
