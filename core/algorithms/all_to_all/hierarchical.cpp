// Two levels, along rails: inside a node every rank collects the blocks of all its neighbours for
// the ranks of its own local number, then sends each node one message, to the rank of that number.
// N/G - 1 long messages leave a rank instead of N - G short ones, and every network card talks to
// its own rail only. As PXN in NCCL 2.12; Kumar, Mamidala & Panda, "Scaling alltoall collective on
// multi-core systems", IPDPS 2008.

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = complete_blocks(spec, given);
  options.ranks_per_node = node_size(given, spec.ranks);
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  RS_TRY(needs_equal_nodes(spec, options, "hierarchical all_to_all"));
  return supports_blocks(spec, options);
}

/// G ranks a node, M nodes; rank local + G * node. Each rank's scratch: what it sends, then what it
/// receives in its node.
class Story {
 public:
  Story(const CollectiveSpec& spec, const Options& options, TransferSink& sink)
      : blocks_(spec, options), g_(options.ranks_per_node), m_(spec.ranks / g_), sink_(sink) {}

  /// Packs the blocks for each neighbour's rail, ...
  void pack(std::uint32_t rank) const {
    for (std::uint32_t local = 0; local < g_; ++local)
      for (std::uint32_t node = 0; node < m_ && local != rank % g_; ++node)
        sink_.copy(blocks_.input(rank, local + g_ * node), blocks_.scratch(rank, local * m_ + node),
                   blocks_.chunks());
  }
  /// ... gives them to the neighbour, ...
  void send_in_node(std::uint32_t rank, std::uint32_t distance) const {
    const auto own = rank % g_, local = (own + distance) % g_;
    sink_.copy(blocks_.scratch(rank, local * m_),
               blocks_.scratch(rank - own + local, received(own, 0)), blocks_.chunks(m_));
  }
  /// ... sorts what it was given by the node that it is for, ...
  void sort(std::uint32_t rank) const {
    const auto own = rank % g_, here = rank / g_;
    for (std::uint32_t local = 0; local < g_; ++local)
      for (std::uint32_t node = 0; node < m_; ++node)
        sink_.copy(local == own ? blocks_.input(rank, own + g_ * node)
                                : blocks_.scratch(rank, received(local, node)),
                   node == here ? blocks_.output(rank, local + g_ * here)
                                : blocks_.scratch(rank, node * g_ + local),
                   blocks_.chunks());
  }
  /// ... and sends each node what is for it.
  void send_on_rail(std::uint32_t rank, std::uint32_t distance) const {
    const auto own = rank % g_, here = rank / g_, node = (here + distance) % m_;
    sink_.copy(blocks_.scratch(rank, node * g_), blocks_.output(own + g_ * node, g_ * here),
               blocks_.chunks(g_));
  }

 private:
  std::uint32_t received(std::uint32_t from, std::uint32_t node) const {
    return g_ * m_ + from * m_ + node;
  }

  Blocks blocks_;
  std::uint32_t g_, m_;
  TransferSink& sink_;
};

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Story story(spec, options, sink);
  const auto g = options.ranks_per_node, m = spec.ranks / g;
  const auto everyone = [&](auto tell_one) {
    for (std::uint32_t rank = 0; rank < spec.ranks; ++rank) tell_one(rank);
  };
  everyone([&](auto rank) { story.pack(rank); });
  sink.next_step();
  // By distance: no two meet at a port of a switch.
  for (std::uint32_t d = 1; d < g; ++d) everyone([&](auto rank) { story.send_in_node(rank, d); });
  sink.next_step();
  everyone([&](auto rank) { story.sort(rank); });
  sink.next_step();
  for (std::uint32_t d = 1; d < m; ++d) everyone([&](auto rank) { story.send_on_rail(rank, d); });
}

/// (alpha + S/(G B)) inside, unless G = 1; (alpha + S G/(N B)) across, unless N = G.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  const auto g = options.ranks_per_node, m = spec.ranks / g;
  const Bytes block = part(size, spec.ranks);
  Duration time{};
  if (g > 1) time += message(m * block, link);
  if (m > 1) time += message(g * block, link);
  return time;
}

}  // namespace

Algorithm all_to_all_hierarchical() {
  return {.name = "hierarchical",
          .collective = CollectiveKind::all_to_all,
          .summary =
              "gather what goes the same way in each node, then one message a node along each rail",
          .paper = "Kumar, Mamidala & Panda, IPDPS 2008; PXN in NCCL 2.12",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
