// Model flow as a whole, to the picosecond, against one that works out every rate anew at every
// event and looks at every transfer to find the next.

#include <random>

#include "tests/sim/bench.hpp"
#include "tests/sim/filling.hpp"

namespace ringside::sim {
namespace {

using models::Wire;
using models::Work;

/// A message that goes from rank to rank; each hop begins when the last has arrived.
struct Hop {
  models::Route route;
  Duration latency;
  Work left;
  TimePoint not_before;
  int after;  // an earlier hop, or -1
  TimePoint begin = forever, end = forever;
  bool is_on(TimePoint now) const { return begin <= now && now < end; }
};

void end_and_begin(std::vector<Hop>& hops, TimePoint now) {
  for (Hop& hop : hops) {
    if (hop.is_on(now) && hop.left == 0) hop.end = now;
    if (hop.begin < forever) continue;
    if (hop.after < 0)
      hop.begin = hop.not_before;
    else if (const Hop& last = hops[hop.after]; last.end < forever)
      hop.begin = std::max(last.end + last.latency, hop.not_before);
  }
}

void solve_slowly(std::vector<Hop>& hops, const std::vector<Wire>& wires) {
  for (TimePoint now{};;) {
    end_and_begin(hops, now);
    std::map<int, models::Route> on;
    TimePoint next = forever;
    for (int h = 0; h < static_cast<int>(hops.size()); ++h) {
      if (hops[h].is_on(now)) on[h] = hops[h].route;
      if (hops[h].begin > now) next = std::min(next, hops[h].begin);
    }
    const auto shares = models::fill(wires, on);
    for (const auto& [h, share] : shares)
      next = std::min(next, now + models::time_of(hops[h].left, share.rate));
    if (next == forever) return;
    for (const auto& [h, share] : shares) {
      const auto carried = Work{share.rate} * static_cast<Work>((next - now).picoseconds);
      hops[h].left -= std::min(hops[h].left, carried);
    }
    now = next;
  }
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  std::mt19937_64 random_;
};

/// A ring, so that there is always a way, and wires across it; few different bandwidths, or many.
Topology random_wires(std::uint32_t ranks, Dice& dice) {
  auto t = gpus(ranks, true);
  const bool odd = dice.below(2) == 0;
  const auto join = [&](std::uint32_t from, std::uint32_t to) {
    const std::uint64_t bandwidth = odd ? 1'000'003 + dice.below(1'000'000'000)
                                        : (1 + dice.below(3)) * std::uint64_t{10'000'000'000};
    t.add(Link{{from}, {to}, LinkKind::generic, {bandwidth}, nanoseconds(dice.below(3) * 500)});
  };
  for (std::uint32_t r = 0; r < ranks; ++r) join(r, (r + 1) % ranks);
  for (auto across = dice.below(2 * ranks); across > 0; --across) {
    const auto from = dice.below(ranks);
    join(from, (from + 1 + dice.below(ranks - 1)) % ranks);
  }
  return t;
}

/// Messages of random sizes on random walks, told and as hops.
class Walks {
 public:
  Walks(const Topology& t, Dice& dice) : t_(t), dice_(dice), router_(t) {
    for (std::uint32_t r = 0; r < ranks(); ++r)
      late_.start.push_back(microseconds(dice.below(3) * 20));
    for (std::uint32_t m = 0; m < 14; ++m) walk(m);
  }
  Simulation simulated() { return told_.on(t_, NetworkModel::flow, late_); }
  std::vector<Hop> slow() const {
    std::vector<Wire> wires;
    for (const Link& link : t_.links) wires.push_back({link.bandwidth, link.latency});
    auto hops = hops_;
    solve_slowly(hops, wires);
    return hops;
  }

 private:
  static constexpr std::uint32_t chunk = 100'003, most_chunks = 8;

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(t_.ranks.size()); }

  void walk(std::uint32_t message) {
    auto at = dice_.below(ranks());
    const auto size = 1 + dice_.below(most_chunks), place = most_chunks * message;
    int after = -1;
    for (auto steps = 1 + dice_.below(4); steps > 0; --steps) {
      const auto to = (at + 1 + dice_.below(ranks() - 1)) % ranks();
      told_->copy(after < 0 ? input(at, 0) : scratch(at, place), scratch(to, place), size, message);
      told_->next_step();
      Hop hop{.route = {},
              .latency = {},
              .left = Work{size * chunk} * 1'000'000'000'000u << models::rate_bits,
              .not_before = late_.start[at],
              .after = after};
      for (const LinkId id : need(router_.route({at}, {to}, {message}))) {
        hop.route.push_back(id.value);
        hop.latency += t_[id].latency;
      }
      after = static_cast<int>(hops_.size());
      hops_.push_back(hop);
      at = to;
    }
  }

  const Topology& t_;
  Dice& dice_;
  Router router_;
  Told told_{ranks(), most_chunks, Bytes{chunk}};
  Disturbance late_;
  std::vector<Hop> hops_;
};

TEST(Flow, IsTheSlowModelToThePicosecond) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Dice dice(seed);
    const auto t = random_wires(3 + dice.below(6), dice);
    Walks walks(t, dice);
    const auto run = walks.simulated();
    const auto slow = walks.slow();
    for (std::size_t h = 0; h < slow.size(); ++h) {
      ASSERT_EQ(run.spans[h].begin, slow[h].begin) << "seed " << seed << " hop " << h;
      ASSERT_EQ(run.spans[h].read, slow[h].end) << "seed " << seed << " hop " << h;
    }
  }
}

}  // namespace
}  // namespace ringside::sim
