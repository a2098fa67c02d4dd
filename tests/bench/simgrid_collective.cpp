// What SimGrid's S4U makes of the work that tests/bench/peers.sh gives to both: one actor a rank, a
// mailbox a message's (source, destination), no computation. Prints the predicted time in
// microseconds. Not part of the build.
//
// usage: simgrid_collective NETWORK COLLECTIVE RANKS BYTES
//   NETWORK     ring, star, fat_tree (leaves of four hosts, two links' worth of uplink), uplink
//   (two
//               PCIe switches, a link each to the CPU); every link 25 GB/s and 1 us a direction
//   COLLECTIVE  all_reduce (the ring's), all_to_all, gather (to rank 0); BYTES as nccl-tests counts

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

constexpr double bandwidth = 25e9, latency = 1e-6;

class Network {
 public:
  Network(const std::string& kind, unsigned ranks) : kind_(kind), ranks_(ranks) {
    for (unsigned r = 0; r < ranks; ++r)
      hosts_.push_back(zone_->create_host("rank" + std::to_string(r), 1e9)->seal());
  }
  sg4::Host* host(unsigned rank) const { return hosts_[rank]; }
  void seal() { zone_->seal(); }

  void need_route(unsigned from, unsigned to) {
    if (!routed_.insert(std::uint64_t{from} << 32 | to).second) return;
    std::vector<sg4::LinkInRoute> way;
    for (const auto* link : route(from, to)) way.emplace_back(link);
    zone_->add_route(hosts_[from]->get_netpoint(), hosts_[to]->get_netpoint(), nullptr, nullptr,
                     way, false);
  }

 private:
  std::vector<const sg4::Link*> route(unsigned from, unsigned to) {
    if (kind_ == "ring") return {link("out", from)};
    if (kind_ == "star") return {link("out", from), link("in", to)};
    const unsigned group = kind_ == "fat_tree" ? 4 : ranks_ / 2, a = from / group, b = to / group;
    if (a == b) return {link("out", from), link("in", to)};
    const double width = kind_ == "fat_tree" ? 2 : 1;
    return {link("out", from), link("up", a, width), link("down", b, width), link("in", to)};
  }
  const sg4::Link* link(const std::string& kind, unsigned number, double width = 1) {
    const auto name = kind + std::to_string(number);
    auto*& known = links_[name];
    if (known == nullptr)
      known = zone_->create_link(name, bandwidth * width)->set_latency(latency)->seal();
    return known;
  }

  std::string kind_;
  unsigned ranks_;
  sg4::NetZone* zone_ = sg4::create_full_zone("network");
  std::vector<sg4::Host*> hosts_;
  std::map<std::string, sg4::Link*> links_;
  std::set<std::uint64_t> routed_;
};

sg4::Mailbox* mailbox(unsigned from, unsigned to) {
  return sg4::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to));
}

char payload;

/// Floats are cut into `ranks` chunks, the first ones an element longer.
std::uint64_t chunk_bytes(std::uint64_t bytes, unsigned ranks, unsigned chunk) {
  const std::uint64_t floats = bytes / 4;
  return 4 * (floats / ranks + (chunk < floats % ranks ? 1 : 0));
}

/// In step s rank r sends chunk r - 1 - s: N - 1 steps that reduce, as many that gather.
void ring_all_reduce(unsigned rank, unsigned ranks, std::uint64_t bytes) {
  auto* const out = mailbox(rank, (rank + 1) % ranks);
  auto* const in = mailbox((rank + ranks - 1) % ranks, rank);
  for (unsigned s = 0; s < 2 * (ranks - 1); ++s) {
    const unsigned chunk = (rank + 2 * ranks - 1 - s % ranks) % ranks;
    const auto sent = out->put_async(&payload, chunk_bytes(bytes, ranks, chunk));
    in->get<char>();
    sent->wait();
  }
}

/// All messages of `senders` to `takers` at once.
void exchange(unsigned rank, unsigned ranks, std::uint64_t bytes, bool only_to_root) {
  std::vector<sg4::CommPtr> all;
  char* nothing = nullptr;
  for (unsigned other = 0; other < ranks; ++other) {
    if (other == rank) continue;
    if (!only_to_root || other == 0)
      all.push_back(mailbox(rank, other)->put_async(&payload, bytes));
    if (!only_to_root || rank == 0) all.push_back(mailbox(other, rank)->get_async<char>(&nothing));
  }
  for (const auto& message : all) message->wait();
}

void start(Network& network, const std::string& collective, unsigned ranks, std::uint64_t bytes) {
  for (unsigned r = 0; r < ranks; ++r)
    for (unsigned other = 0; other < ranks; ++other)
      if (other != r && (collective == "all_to_all" || (collective == "gather" && other == 0) ||
                         (collective == "all_reduce" && other == (r + 1) % ranks)))
        network.need_route(r, other);
  network.seal();
  for (unsigned r = 0; r < ranks; ++r)
    sg4::Actor::create("rank" + std::to_string(r), network.host(r), [=] {
      if (collective == "all_reduce") return ring_all_reduce(r, ranks, bytes);
      exchange(r, ranks, bytes / ranks, collective == "gather");
    });
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  // The same max-min model as Ringside's flow: none of SimGrid's corrections for TCP.
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  if (argc != 5) {
    std::fprintf(stderr, "usage: simgrid_collective NETWORK COLLECTIVE RANKS BYTES\n");
    return 2;
  }
  const auto ranks = static_cast<unsigned>(std::atoi(argv[3]));
  Network network(argv[1], ranks);
  start(network, argv[2], ranks, std::strtoull(argv[4], nullptr, 10));
  engine.run();
  std::printf("%.6f\n", sg4::Engine::get_clock() * 1e6);
}
