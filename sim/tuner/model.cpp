#include "sim/tuner/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringside::sim {
namespace {

constexpr double endless = 1e18;

double log2_up(std::uint32_t n) {
  return n <= 1 ? 0 : std::bit_width(n - 1);
}

/// A platform with its figures, in us and bytes a us (1 GB/s is 1000).
class Model {
 public:
  Model(const Platform& platform, const Figures& figures, const Query& query);
  std::vector<Candidate> run();

 private:
  void ring(Protocol protocol);
  void tree(Protocol protocol);
  void nvls();
  void nvls_tree();
  void pat();
  void collnet();
  void rounds();
  bool may(Protocol protocol) const;
  double both_ways() const;
  double intra_rate() const;
  double spared() const;
  double ll_cap() const;
  double net_rate(Protocol protocol) const;
  double switch_rate() const;
  std::uint32_t channels() const;
  double wire_hop(Protocol protocol) const {
    return wire_->hop[static_cast<std::size_t>(protocol)];
  }
  double levels() const { return log2_up(platform_.domains()); }  ///< of a tree across domains
  double net_hop(Protocol protocol) const {
    return network_ == nullptr ? 0 : network_->hop[static_cast<std::size_t>(protocol)].value;
  }
  struct Hops {
    double within, across;
    double deep = 1;  ///< levels that a piece climbs before its way is full
  };
  double fill(double wire, Protocol protocol, double deep) const;
  void add(Method method, Protocol protocol, const Hops& hops, double wire);

  const Platform& platform_;
  const GenerationFigures* generation_;
  const WireFigures* wire_;
  const NetworkFigures* network_;
  const CommonFigures* common_;
  Query query_;
  double n_, p_, domains_, bytes_;
  std::vector<Candidate> found_;
};

Model::Model(const Platform& platform, const Figures& figures, const Query& query)
    : platform_(platform),
      generation_(figures.generation(platform.generation)),
      wire_(&figures.wires[static_cast<std::size_t>(platform.wire)]),
      network_(platform.domains() > 1 ? figures.network(platform.network) : nullptr),
      common_(&figures.common),
      query_(query),
      n_(platform.ranks()),
      p_(platform.domain_size()),
      domains_(platform.domains()),
      bytes_(static_cast<double>(query.size.count)) {}

/// LL needs stores of 8 bytes that arrive whole, LL128 of 128: NVLink's do.
bool Model::may(Protocol protocol) const {
  if (network_ != nullptr && std::find(network_->protocols.begin(), network_->protocols.end(),
                                       protocol) == network_->protocols.end())
    return false;
  if (protocol != Protocol::ll128) return true;
  return p_ == 1 ? false : platform_.wire == Wire::nvlink;
}

/// What a GPU sends while it receives as much.
double Model::both_ways() const {
  const double all = wire_->both_ways * 1e3;
  switch (platform_.path) {
    case HostPath::one_switch:
      return all;
    case HostPath::one_socket:
      return all * wire_->same_root;
    case HostPath::sockets:
      break;
  }
  return all * wire_->sockets;
}

/// What a ring gets out of a GPU's links.
double Model::intra_rate() const {
  if (p_ <= 1) return endless;
  const bool one_way = n_ == 2 && (query_.collective == CollectiveKind::broadcast ||
                                   query_.collective == CollectiveKind::reduce);
  const double all = platform_.gpu_bandwidth.gigabytes_per_second() * 1e3 * generation_->ring_share;
  return one_way ? all : std::min(all, both_ways());
}

/// How much more rings get through a GPU's links where each GPU has a NIC: one ring of p leaves by
/// that, so that links to its neighbours carry the others alone.
double Model::spared() const {
  const bool has_nic_each = domains_ > 1 && p_ > 1 && platform_.nodes_per_domain == 1 &&
                            platform_.nics >= platform_.per_node;
  return has_nic_each ? p_ / (p_ - 1) : 1;
}

/// The bus bandwidth that LL ever reaches.
double Model::ll_cap() const {
  if (domains_ == 1) return generation_->ll_cap * 1e3;
  return (domains_ == 2 ? common_->ll_two : common_->ll_many) * 1e3;
}

/// What a domain sends through its NICs.
double Model::net_rate(Protocol protocol) const {
  if (network_ == nullptr) return endless;
  double nics =
      static_cast<double>(platform_.nics) * std::min(platform_.nodes_per_domain, platform_.nodes);
  if (platform_.nodes_per_domain > 1) nics = std::min<double>(nics, common_->rings);
  double rate = nics * platform_.nic_bandwidth.gigabytes_per_second() * 1e3 *
                network_->share[static_cast<std::size_t>(protocol)];
  if (!platform_.gpu_direct) rate *= network_->staged;
  return rate * payload_share(protocol);
}

/// Bytes a us that the switch reduces: the same bus bandwidth for any number of GPUs.
double Model::switch_rate() const {
  const double bus = 2 * platform_.gpu_bandwidth.gigabytes_per_second() * 1e3 *
                     generation_->switch_share * common_->switch_share;
  return bus * n_ / (2 * (n_ - 1));
}

std::uint32_t Model::channels() const {
  if (network_ != nullptr) {
    const auto nics = platform_.nics * std::min(platform_.nodes_per_domain, platform_.nodes);
    return std::min(generation_->channels, 2 * nics);
  }
  return platform_.wire == Wire::host || platform_.wire == Wire::pcie ? 2 : generation_->channels;
}

/// A pipeline of pieces that each cost k beyond their bytes: small ones cost often, large ones fill
/// it slowly, once for each level of a tree. The best size costs 2 sqrt(h k T) where there are many
/// pieces, h times the bytes where there is one; until the buffers allow no larger piece.
double Model::fill(double wire, Protocol protocol, double deep) const {
  double k = p_ > 1 ? wire_->fill * wire_hop(protocol) / wire_hop(Protocol::simple) : 0;
  if (network_ != nullptr) k = std::max(k, network_->fill * net_hop(protocol) / network_->hop[0]);
  if (k <= 0) return 0;
  const double most = common_->depth * k * deep;
  const double t = std::min(wire * deep, most * most / k - k);
  return 2 * (std::sqrt(k * (t + k)) - k) - k * t / most;
}

void Model::add(Method method, Protocol protocol, const Hops& hops, double wire) {
  Candidate one{.method = method, .protocol = protocol, .channels = channels()};
  const auto set = [&](CostKind kind, double us) {
    one.microseconds[static_cast<std::size_t>(kind)] = us;
  };
  double launch = common_->launch * generation_->launch;
  if (platform_.one_process)
    launch += platform_.per_node * common_->launch_each * generation_->launch_each;
  set(CostKind::launch, launch);
  set(CostKind::hops, hops.within);
  set(CostKind::net_hops, hops.across);
  // A chain's first piece still runs along it while its last ones are sent: the longer of the two
  // hides most of the shorter.
  const bool is_chain =
      query_.collective == CollectiveKind::broadcast || query_.collective == CollectiveKind::reduce;
  const double all_hops = hops.within + hops.across;
  set(CostKind::wire, is_chain ? std::hypot(all_hops, wire) - all_hops : wire);
  set(CostKind::fill, fill(wire, protocol, hops.deep));
  const bool copies = query_.collective == CollectiveKind::all_gather ||
                      query_.collective == CollectiveKind::all_to_all;
  if (copies && !query_.in_place)
    set(CostKind::copy, bytes_ / n_ / (generation_->copy * 1e3 * one.channels));
  found_.push_back(one);
}

void Model::ring(Protocol protocol) {
  const bool all_reduce = query_.collective == CollectiveKind::all_reduce;
  const bool blocks = is_blocked(query_.collective);
  const double steps = all_reduce ? 2 * (n_ - 1) : n_ - 1;
  const double across = all_reduce ? 2 * (domains_ - 1) : domains_ - 1;
  double within_rate = intra_rate() * payload_share(protocol) * spared();
  if (protocol == Protocol::ll) within_rate = std::min(within_rate, ll_cap());
  double across_rate = net_rate(protocol);
  if (domains_ > 2) across_rate *= network_->many;
  const double factor = all_reduce ? 2 * (n_ - 1) / n_ : blocks ? (n_ - 1) / n_ : 1;
  add(Method::ring, protocol, {(steps - across) * wire_hop(protocol), across * net_hop(protocol)},
      bytes_ * factor / std::min(within_rate, across_rate));
}

void Model::tree(Protocol protocol) {
  double rate = intra_rate() * payload_share(protocol) * generation_->tree_share / 2;
  if (protocol == Protocol::ll) rate = std::min(rate, ll_cap() / 2);
  const double across = domains_ > 2 ? net_rate(protocol) * network_->many / 2 : net_rate(protocol);
  add(Method::tree, protocol,
      {2 * (p_ - 1) * wire_hop(protocol) * common_->tree_hop, 2 * levels() * net_hop(protocol),
       std::max(1., levels())},
      bytes_ / std::min(rate, across));
}

void Model::nvls() {
  add(Method::nvls, Protocol::simple, {common_->switch_hop, 0}, bytes_ / switch_rate());
}

void Model::nvls_tree() {
  double across = net_rate(Protocol::simple);
  if (domains_ > 2) across *= network_->many / 2;
  add(Method::nvls_tree, Protocol::simple,
      {common_->switch_hop, 2 * levels() * net_hop(Protocol::simple) * common_->switch_tree_hop,
       levels()},
      bytes_ / std::min(switch_rate(), across));
}

void Model::pat() {
  double rate = net_rate(Protocol::simple);
  if (domains_ > 2) rate *= network_->many;
  add(Method::pat, Protocol::simple,
      {0, log2_up(platform_.ranks()) * net_hop(Protocol::simple) / 3.5 + 2.8 * n_},
      bytes_ * (n_ - 1) / n_ / (0.75 * rate));
}

void Model::collnet() {
  const double within = platform_.in_switch ? switch_rate() : intra_rate() / 2;
  add(Method::collnet, Protocol::simple, {common_->switch_hop, 2 * net_hop(Protocol::simple)},
      bytes_ / std::min(within, net_rate(Protocol::simple) / 2));
}

void Model::rounds() {
  const double peers = query_.collective == CollectiveKind::send_recv ? 1 : n_ - 1;
  const bool blocks = is_blocked(query_.collective);
  const double each = blocks ? bytes_ / n_ : bytes_;
  const double inside = std::min(peers, p_ - 1), outside = peers - inside;
  const double within = std::min(
      platform_.gpu_bandwidth.gigabytes_per_second() * 1e3 * generation_->peer_share, both_ways());
  double time = inside * each / within;
  if (outside > 0) time = std::max(time, outside * each * p_ / net_rate(Protocol::simple));
  add(Method::rounds, Protocol::simple,
      {peers * common_->peer + (inside > 0 ? wire_hop(Protocol::simple) : 0),
       outside > 0 ? net_hop(Protocol::simple) : 0},
      time);
}

std::vector<Candidate> Model::run() {
  const auto kind = query_.collective;
  const bool all_reduce = kind == CollectiveKind::all_reduce;
  found_.reserve(8);
  if (n_ < 2) {
    add(Method::ring, Protocol::simple, {0, 0}, 0);
    return std::move(found_);
  }
  if (kind == CollectiveKind::all_to_all || kind == CollectiveKind::gather ||
      kind == CollectiveKind::scatter || kind == CollectiveKind::send_recv) {
    rounds();
    return std::move(found_);
  }
  for (std::size_t p = 0; p < protocol_count; ++p)
    if (may(static_cast<Protocol>(p))) ring(static_cast<Protocol>(p));
  for (std::size_t p = 0; all_reduce && p < protocol_count; ++p)
    if (may(static_cast<Protocol>(p))) tree(static_cast<Protocol>(p));
  const bool has_switch = platform_.in_switch && p_ > 2;
  if (all_reduce && has_switch && domains_ == 1) nvls();
  if (all_reduce && has_switch && domains_ > 1) nvls_tree();
  if (all_reduce && platform_.in_network && domains_ > 1) collnet();
  const bool gathers = kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
  if (gathers && p_ == 1 && domains_ > 1) pat();
  return std::move(found_);
}

}  // namespace

std::vector<Candidate> candidates(const Platform& platform, const Figures& figures,
                                  const Query& query) {
  return Model(platform, figures, query).run();
}

}  // namespace ringside::sim
