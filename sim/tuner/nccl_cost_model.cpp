#include "sim/tuner/nccl_cost_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace ringside::sim {
namespace {

// All of this: NCCL 2.30 src/graph/tuning.cc, in us and GB/s; triples are Simple, LL, LL128.
using Triple = std::array<double, protocol_count>;
constexpr Triple tree_base{8.4, 6.8, 14.0}, ring_base{8.4, 6.6, 14.0};
constexpr Triple tree_hop[] = {{4.0, 0.6, 1.25}, {4.0, 1.0, 1.9}, {14, 5.0, 8.5}};
constexpr Triple ring_hop[] = {{3.4, 0.6, 1.9}, {5.7, 1.0, 2.5}, {14, 2.7, 4.0}};
enum Row { on_nvlink, on_pci, on_net };
constexpr double nvls_hop = 25, nvls_tree_net_hop = 20.9, collnet_net_hop = 31;

struct Caps {
  double ll, ring_ll128, nvls;
  std::array<double, 3> tree, tree_ll128, nvls_tree;  // on 1, 2, more nodes
};
constexpr Caps volta{39, 20, 0, {26.5, 18.5, 10}, {20, 20, 20}, {26.5, 18.5, 10}};
constexpr Caps ampere{87.7, 20, 0, {24, 23.6, 17.8}, {20, 20, 20}, {24, 23.6, 17.8}};
constexpr Caps hopper{141, 36.7, 0.85, {38.7, 41.4, 36}, {36.7, 36.7, 29}, {0, 57.7, 45.5}};
constexpr Caps blackwell{282, 40, 0.74, {70, 42.8, 24}, {55.6, 31.67, 20}, {0, 96, 80}};
constexpr std::array<double, 2> ll_caps_across{39, 20.4};  // Intel; 2, more nodes

constexpr double before_hopper[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2};
constexpr double on_hopper[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3, 2.4, 1.2};
constexpr double on_blackwell[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18, 12, 6, 3};

// How much of its bandwidth a tree gets, for each power of two from 64 B.
using Curve = std::array<double, 24>;
constexpr std::array<Curve, protocol_count> tree_curves{
    {{.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
     {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1}}};

const Caps& caps_of(const std::string& generation) {
  if (generation == "blackwell") return blackwell;
  if (generation == "hopper" || generation == "cdna3") return hopper;
  return generation == "ampere" || generation == "ada" ? ampere : volta;
}

std::span<const double> speeds_of(const std::string& generation) {
  if (generation == "blackwell") return on_blackwell;
  if (generation == "hopper" || generation == "cdna3") return on_hopper;
  return before_hopper;
}

struct Channels {
  double count, speed;
};

/// The channels that carry most of `rate`, 16 at most, and of those the fastest.
Channels search(double rate, std::span<const double> speeds) {
  Channels best{1, std::min(rate, speeds.back())};
  for (const double speed : speeds) {
    const double count = std::min(std::floor(rate / speed), 16.0);
    if (count >= 1 && count * speed > best.count * best.speed) best = {count, speed};
  }
  return best;
}

class CostModel {
 public:
  CostModel(const Platform& platform, const Query& query);
  double least() const;

 private:
  double steps() const;
  double ring(std::size_t protocol) const;
  double tree(std::size_t protocol) const;
  double nvls() const;
  double collnet() const;
  bool is(CollectiveKind kind) const { return query_.collective == kind; }
  bool chain() const { return is(CollectiveKind::broadcast) || is(CollectiveKind::reduce); }

  const Platform& platform_;
  Query query_;
  const Caps& caps_;
  double n_, p_, domains_, bytes_;
  Row within_;
  Channels channels_;
  double inter_ = 0;
  std::size_t nodes_row_;
};

CostModel::CostModel(const Platform& platform, const Query& query)
    : platform_(platform),
      query_(query),
      caps_(caps_of(platform.generation)),
      n_(platform.ranks()),
      p_(platform.domain_size()),
      domains_(platform.domains()),
      bytes_(static_cast<double>(query.size.count)),
      within_(platform.wire == Wire::nvlink || platform.wire == Wire::xgmi ? on_nvlink : on_pci),
      nodes_row_(std::min<std::size_t>(platform.domains(), 3) - 1) {
  const auto speeds = speeds_of(platform.generation);
  const double inside = p_ > 1 ? platform.gpu_bandwidth.gigabytes_per_second() : 1e6;
  const double nics = platform.nics * std::min(platform.nodes_per_domain, platform.nodes);
  const double across = nics * platform.nic_bandwidth.gigabytes_per_second();
  channels_ = search(domains_ > 1 ? std::min(inside, across) : inside, speeds);
  inter_ = channels_.speed;
}

double CostModel::steps() const {
  if (is(CollectiveKind::all_reduce)) return 2 * (n_ - 1);
  return chain() ? n_ : n_ - 1;
}

double CostModel::ring(std::size_t protocol) const {
  double bus = channels_.count * channels_.speed;
  const double ll_cap = domains_ == 1 ? caps_.ll : ll_caps_across[domains_ > 2];
  if (protocol == 1) bus = std::min(ll_cap, bus / 2);
  if (protocol == 2) bus = std::min(0.92 * bus, channels_.count * caps_.ring_ll128);
  const double factor = chain() ? 1 : n_ / steps();
  const double across = is(CollectiveKind::all_reduce) ? 2 * (domains_ - 1)
                        : chain()                      ? 0
                                                       : domains_ - 1;
  const Triple& net = p_ == 1 ? tree_hop[on_net] : ring_hop[on_net];
  double latency = ring_base[protocol];
  if (chain()) {
    latency += ring_hop[domains_ > 1 ? on_net : within_][protocol];
  } else {
    const double post = domains_ == 1 ? 0 : protocol == 0 ? 3 : 1;
    latency += (steps() - across) * std::max(ring_hop[within_][protocol], post);
    latency += across * net[protocol];
  }
  const bool is_long = protocol == 0 && domains_ > 1 && is(CollectiveKind::all_reduce) &&
                       bytes_ / (channels_.count * n_) >= 64;
  if (is_long) latency *= &caps_ == &volta ? 1.9 : 1.4;
  return latency + bytes_ / (1e3 * bus * factor);
}

double CostModel::tree(std::size_t protocol) const {
  const double all = channels_.count * channels_.speed;
  double bus = std::min(0.92 * all, channels_.count * caps_.tree[nodes_row_]);
  const double ll_cap = domains_ == 1 ? caps_.ll : ll_caps_across[domains_ > 2];
  if (protocol == 1) bus = std::min(all / 3.8, ll_cap);
  if (protocol == 2)
    bus = std::min(bus * (domains_ == 1 ? 7.0 / 9 : 120.0 / 128),
                   channels_.count * caps_.tree_ll128[nodes_row_]);
  const auto index = bytes_ < 64 ? -1.0 : std::floor(std::log2(bytes_ / 64));
  if (index >= 0 && index < 23) bus *= tree_curves[protocol][static_cast<std::size_t>(index)];
  const double latency =
      tree_base[protocol] + 2 * ((p_ - 1) * tree_hop[within_][protocol] +
                                 std::log2(domains_) * tree_hop[on_net][protocol]);
  return latency + bytes_ / (1e3 * bus / 2);
}

double CostModel::nvls() const {
  const double intra = 2 * channels_.speed * caps_.nvls * (channels_.count - 1) / channels_.count;
  const double inter = domains_ == 1 ? 1e6 : inter_ * (domains_ <= 2 ? 2 : 1);
  const double cap = domains_ == 1 ? 1e6 : caps_.nvls_tree[nodes_row_];
  const double bus = channels_.count * std::min({intra, inter, cap});
  const double latency = nvls_hop + 2 * std::ceil(std::log2(domains_)) * nvls_tree_net_hop;
  return latency + bytes_ / (1e3 * bus * n_ / steps());
}

double CostModel::collnet() const {
  const double bus = channels_.count * inter_ * 0.85;
  return collnet_net_hop + (p_ - 1) * 0.8 + bytes_ / (1e3 * bus / 2);
}

double CostModel::least() const {
  double best = ring(0);
  const bool has_ll128 = within_ == on_nvlink && p_ > 1;
  for (std::size_t protocol = 0; protocol < protocol_count; ++protocol) {
    if (protocol == 2 && !has_ll128) continue;
    best = std::min(best, ring(protocol));
    if (is(CollectiveKind::all_reduce)) best = std::min(best, tree(protocol));
  }
  if (!is(CollectiveKind::all_reduce) || channels_.count < 2) return best;
  if (platform_.in_switch && p_ > 2) best = std::min(best, nvls());
  if (platform_.in_network && domains_ > 1) best = std::min(best, collnet());
  return best;
}

Duration duration(double microseconds) {
  return {std::llround(microseconds * 1e6)};
}

}  // namespace

Result<Duration> nccl_cost_model(const Platform& platform, const Query& query) {
  RS_ASSIGN(const Tuner tuner, Tuner::make(platform));
  RS_TRY(tuner.all(query));
  if (platform.ranks() < 2) return duration(ring_base[1]);
  return duration(CostModel(platform, query).least());
}

Result<Duration> alpha_beta_ring(const Platform& platform, const Query& query) {
  RS_ASSIGN(const Tuner tuner, Tuner::make(platform));
  RS_TRY(tuner.all(query));
  const double n = platform.ranks();
  if (n < 2) return duration(ring_base[1]);
  const bool all_reduce = query.collective == CollectiveKind::all_reduce;
  const double steps = all_reduce ? 2 * (n - 1) : n - 1;
  double rate = platform.gpu_bandwidth.gigabytes_per_second();
  const double nics = platform.nics * platform.nic_bandwidth.gigabytes_per_second() *
                      std::min(platform.nodes_per_domain, platform.nodes);
  if (platform.domains() > 1) rate = platform.domain_size() > 1 ? std::min(rate, nics) : nics;
  const double share = all_reduce || is_blocked(query.collective) ? steps / n : 1;
  const double across = all_reduce ? 2 * (platform.domains() - 1.0) : platform.domains() - 1.0;
  const double alpha = platform.wire == Wire::nvlink || platform.wire == Wire::xgmi
                           ? ring_hop[on_nvlink][1]
                           : ring_hop[on_pci][1];
  return duration(ring_base[1] + (steps - across) * alpha + across * ring_hop[on_net][1] +
                  static_cast<double>(query.size.count) * share / (1e3 * rate));
}

}  // namespace ringside::sim
