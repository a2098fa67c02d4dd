#include "core/formats/msccl_xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <pugixml.hpp>

#include "core/suggest.hpp"

namespace ringside {
namespace {

using Node = pugi::xml_node;

constexpr std::size_t max_text = std::size_t{64} << 20;
/// Slots on all ranks, and slots moved by all steps: far beyond any real file.
constexpr std::uint64_t max_slots = std::uint64_t{1} << 22;

struct StepType {
  std::string_view name;
  Opcode op;
};
constexpr std::array<StepType, 9> step_types{{{"nop", Opcode::wait},
                                              {"s", Opcode::send},
                                              {"r", Opcode::receive},
                                              {"rcs", Opcode::receive_send},
                                              {"rrc", Opcode::receive_reduce},
                                              {"rrs", Opcode::receive_reduce_send},
                                              {"rrcs", Opcode::receive_reduce_copy_send},
                                              {"cpy", Opcode::copy},
                                              {"re", Opcode::reduce}}};

struct CollType {
  std::string_view name;
  CollectiveKind kind;
};
constexpr std::array<CollType, 7> coll_types{{{"allreduce", CollectiveKind::all_reduce},
                                              {"allgather", CollectiveKind::all_gather},
                                              {"reduce_scatter", CollectiveKind::reduce_scatter},
                                              {"alltoall", CollectiveKind::all_to_all},
                                              {"broadcast", CollectiveKind::broadcast},
                                              {"reduce", CollectiveKind::reduce},
                                              {"custom", CollectiveKind::barrier}}};

template <typename Types>
auto find_type(const Types& types, std::string_view name) {
  return std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.name == name; });
}
template <typename Types>
std::string unknown_type(std::string_view what, std::string_view name, const Types& types) {
  std::vector<std::string_view> known;
  for (const auto& type : types) known.push_back(type.name);
  return unknown(what, name, known);
}

/// Chunks of one gpu's buffers, in the file's own (coarse) chunks; 0 = as the collective has it.
struct Sizes {
  std::uint32_t input, output, scratch;
};

class Reader {
 public:
  explicit Reader(std::string_view name) : file_(name) {}

  Result<MscclAlgorithm> algorithm(const Node& algo) {
    if (std::string_view(algo.name()) != "algo")
      return refuse("", "expected the root element <algo>, found <" +
                            std::string(algo.name()).substr(0, 40) + ">");
    RS_TRY(header(algo));
    auto& ranks = found_.program.ranks;
    std::vector<bool> seen(ranks.size(), false);
    for (const Node gpu : algo.children("gpu")) {
      RS_ASSIGN(const auto id, number(gpu, "id", "a gpu", {0, ranks.size() - 1}));
      if (seen[id]) return refuse("", "gpu " + std::to_string(id) + " comes twice");
      seen[id] = true;
      RS_TRY(read_gpu(gpu, id));
    }
    const auto lost = std::find(seen.begin(), seen.end(), false);
    if (lost != seen.end())
      return refuse("", "gpu " + std::to_string(lost - seen.begin()) + " of " +
                            std::to_string(ranks.size()) + " is missing");
    return std::move(found_);
  }

 private:
  struct Range {
    std::int64_t least;
    std::uint64_t most;
    std::optional<std::int64_t> missing = {};
  };

  tl::unexpected<Error> refuse(const std::string& where, const std::string& what) const {
    return bad_request(file_ + ": " + (where.empty() ? "" : where + ": ") + what);
  }

  /// A whole number within a range; a value of -1 is returned as UINT32_MAX ("none").
  Result<std::uint32_t> number(const Node& node, const char* key, const std::string& where,
                               Range range) const {
    const std::string_view text = node.attribute(key).value();
    if (text.empty() && range.missing) return static_cast<std::uint32_t>(*range.missing);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
        value < range.least || value > static_cast<std::int64_t>(range.most))
      return refuse(where, std::string(key) + "=\"" + std::string(text.substr(0, 40)) +
                               "\" is no whole number from " + std::to_string(range.least) +
                               " to " + std::to_string(range.most));
    return static_cast<std::uint32_t>(value);
  }

  Result<void> header(const Node& algo) {
    found_.name = algo.attribute("name").value();
    found_.protocol = algo.attribute("proto").value();
    const std::string_view coll = algo.attribute("coll").value();
    const auto type = find_type(coll_types, coll);
    if (type == coll_types.end()) return refuse("algo", unknown_type("coll", coll, coll_types));
    found_.is_custom = type->name == "custom";
    auto& program = found_.program;
    auto& spec = program.spec;
    spec.kind = type->kind;
    RS_ASSIGN(spec.ranks, number(algo, "ngpus", "algo", {1, 1u << 14}));
    RS_ASSIGN(coarse_, number(algo, "nchunksperloop", "algo", {1, max_slots}));
    RS_ASSIGN(const auto in_place, number(algo, "inplace", "algo", {0, 1, 0}));
    RS_ASSIGN(const auto out_of_place,
              number(algo, "outofplace", "algo", {0, 1, in_place == 0 ? 1 : 0}));
    found_.in_place = in_place == 1 && may_be_in_place(spec.kind);
    found_.out_of_place = out_of_place == 1 || !found_.in_place;
    if (in_place == 1 && !found_.in_place)
      found_.notes.push_back(std::string(ringside::name(spec.kind)) +
                             " is proven out of place only; the file says in place");
    if (has_root(spec.kind)) found_.notes.push_back("the file names no root; rank 0 is taken");
    spec.in_place = !found_.out_of_place;
    if (is_blocked(spec.kind)) finer_ = spec.ranks / std::gcd(spec.ranks, coarse_);
    if (finer_ != 1)
      found_.notes.push_back("nchunksperloop is " + std::to_string(coarse_) +
                             ", no multiple of the " + std::to_string(spec.ranks) +
                             " gpus: each chunk is shown as " + std::to_string(finer_));
    const auto chunks = std::uint64_t{coarse_} * finer_;
    if (2 * chunks * spec.ranks > max_slots)
      return refuse("algo", "too large: " + std::to_string(spec.ranks) + " gpus with " +
                                std::to_string(chunks) + " chunks each");
    program.chunks = static_cast<std::uint32_t>(chunks);
    program.ranks.resize(spec.ranks);
    return {};
  }

  Result<void> read_gpu(const Node& gpu, std::uint32_t rank) {
    const auto where = "gpu " + std::to_string(rank);
    Sizes sizes{};
    RS_ASSIGN(sizes.input, number(gpu, "i_chunks", where, {0, coarse_, 0}));
    RS_ASSIGN(sizes.output, number(gpu, "o_chunks", where, {0, coarse_, 0}));
    RS_ASSIGN(sizes.scratch, number(gpu, "s_chunks", where, {0, max_slots / finer_, 0}));
    scratch_ = std::max(scratch_, sizes.scratch);
    if (std::uint64_t{scratch_} * finer_ * found_.program.ranks.size() > max_slots)
      return refuse(where, "s_chunks=\"" + std::to_string(sizes.scratch) + "\" is too large");
    auto& lanes = found_.program.ranks[rank];
    for (const Node tb : gpu.children("tb")) {
      const auto here = where + ", tb " + std::to_string(lanes.size());
      RS_TRY(number(tb, "id", here + " (ids count from 0)",
                    {std::int64_t(lanes.size()), lanes.size()}));
      Lane lane;
      RS_ASSIGN(lane.to, peer(tb, "send", here, rank));
      RS_ASSIGN(lane.from, peer(tb, "recv", here, rank));
      RS_ASSIGN(lane.channel.value, number(tb, "chan", here, {0, Transfer::max_channels - 1, 0}));
      RS_TRY(read_steps(tb, {rank, sizes, here}, lane));
      lanes.push_back(std::move(lane));
    }
    find_never_signalled(gpu, rank);
    return read_copies(gpu, {rank, sizes, where});
  }

  /// A wait ends when the awaited step, or a later one of its tb, has signalled.
  void find_never_signalled(const Node& gpu, std::uint32_t rank) {
    const auto& lanes = found_.program.ranks[rank];
    std::vector<std::int64_t> last_signal;  // by tb
    for (const Node tb : gpu.children("tb")) {
      last_signal.push_back(-1);
      std::int64_t index = 0;
      for (const Node step : tb.children()) {
        if (step.type() != pugi::node_element) continue;
        if (step.attribute("hasdep").as_int(1) != 0) last_signal.back() = index;
        ++index;
      }
    }
    for (std::uint32_t l = 0; l < lanes.size(); ++l)
      for (std::uint32_t i = 0; i < lanes[l].instructions.size(); ++i) {
        const auto& after = lanes[l].instructions[i].after;
        if (after && after->lane < lanes.size() && last_signal[after->lane] < after->instruction)
          found_.never_signalled.push_back(
              to_string(Position{{rank}, l, i}) + " waits for lane " + std::to_string(after->lane) +
              ", instruction " + std::to_string(after->instruction) +
              ", which has hasdep=\"0\" and so never says that it is done");
      }
  }

  Result<std::optional<Rank>> peer(const Node& tb, const char* key, const std::string& where,
                                   std::uint32_t self) const {
    RS_ASSIGN(const auto rank, number(tb, key, where, {-1, found_.program.ranks.size() - 1, -1}));
    if (rank == UINT32_MAX) return std::optional<Rank>{};
    if (rank == self) return refuse(where, std::string(key) + " names the gpu itself");
    return std::optional<Rank>{Rank{rank}};
  }

  struct Gpu {
    std::uint32_t rank;
    Sizes sizes;
    std::string where;
  };

  Result<void> read_steps(const Node& tb, const Gpu& gpu, Lane& lane) {
    for (const Node step : tb.children()) {
      const std::string_view element = step.name();
      if (step.type() != pugi::node_element) continue;
      const auto where = gpu.where + ", step " + std::to_string(lane.instructions.size());
      if (element != "step" && element != "op")
        return refuse(where, "expected <step>, found <" + std::string(element.substr(0, 40)) + ">");
      const auto index = lane.instructions.size();
      RS_TRY(number(step, element == "op" ? "step" : "s", where + " (steps count from 0)",
                    {std::int64_t(index), index}));
      RS_ASSIGN(auto instruction, read_step(step, gpu, where));
      lane.instructions.push_back(instruction);
    }
    return {};
  }

  Result<Instruction> read_step(const Node& step, const Gpu& gpu, const std::string& where) {
    const std::string_view type_name = step.attribute("type").value();
    const auto type = find_type(step_types, type_name);
    if (type == step_types.end())
      return refuse(where, unknown_type("step type", type_name, step_types));
    Instruction i;
    i.op = type->op;
    RS_ASSIGN(const auto lane, number(step, "depid", where, {-1, 1u << 20, -1}));
    RS_ASSIGN(const auto instruction, number(step, "deps", where, {-1, 1u << 30, -1}));
    if (lane != UINT32_MAX && instruction == UINT32_MAX)
      return refuse(where, "waits for tb " + std::to_string(lane) + ", but for none of its steps");
    if (lane != UINT32_MAX) i.after = After{lane, instruction};
    if (i.op == Opcode::wait) return i;
    RS_ASSIGN(const auto count, number(step, "cnt", where, {1, coarse_ + scratch_, 1}));
    i.chunks = count * finer_;
    moved_ += i.chunks;
    if (moved_ > max_slots) return refuse(where, "the steps move too many chunks in all");
    // The other pair of s, r and rcs describes the remote side.
    if (i.op != Opcode::receive && i.op != Opcode::receive_send) {
      RS_ASSIGN(i.src, place({step, "srcbuf", "srcoff", count}, gpu, where));
      i.operand = i.src;  // of a received message
    }
    if (i.op != Opcode::send && i.op != Opcode::receive_reduce_send) {
      RS_ASSIGN(i.dst, place({step, "dstbuf", "dstoff", count}, gpu, where));
      if (i.op == Opcode::reduce) i.operand = i.dst;
    }
    return i;
  }

  struct Named {
    const Node& step;
    const char *buffer, *offset;
    std::uint32_t count;
  };

  /// Where the file's (buffer, offset) lies in the whole vector.
  Result<Place> place(const Named& named, const Gpu& gpu, const std::string& where) const {
    const bool compact = named.step.attribute(named.buffer).empty();
    const auto* offset_key = compact ? "off" : named.offset;
    const std::string_view buffer = named.step.attribute(compact ? "buf" : named.buffer).value();
    if (buffer != "i" && buffer != "o" && buffer != "s")
      return refuse(where, std::string(named.buffer) + "=\"" + std::string(buffer.substr(0, 40)) +
                               "\" is none of i, o, s");
    const auto kind = found_.program.spec.kind;
    const auto block = found_.program.chunks / found_.program.spec.ranks;
    const bool own_block = (buffer == "i" && kind == CollectiveKind::all_gather) ||
                           (buffer == "o" && kind == CollectiveKind::reduce_scatter);
    const auto stated = buffer == "i"   ? gpu.sizes.input
                        : buffer == "o" ? gpu.sizes.output
                                        : gpu.sizes.scratch;
    const auto has = buffer == "s" || stated != 0 ? stated * finer_
                     : own_block                  ? block
                                                  : found_.program.chunks;
    RS_ASSIGN(const auto offset, number(named.step, offset_key, where, {0, max_slots}));
    const auto end = (std::uint64_t{offset} + named.count) * finer_;
    if (end > has)
      return refuse(where, "reaches past the " + std::to_string(has / finer_) +
                               " chunks of buffer " + std::string(buffer));
    if (own_block && end > block)
      return refuse(where, "reaches past the gpu's own share in buffer " + std::string(buffer));
    const auto chunk = offset * finer_ + (own_block ? gpu.rank * block : 0);
    return Place{buffer == "i"   ? Buffer::input
                 : buffer == "o" ? Buffer::output
                                 : Buffer::scratch,
                 {chunk}};
  }

  /// <copy i_off o_off>: done before anything else.
  Result<void> read_copies(const Node& gpu_node, const Gpu& gpu) {
    Lane lane;
    for (const Node copy : gpu_node.children("copy")) {
      const auto where = gpu.where + ", copy " + std::to_string(lane.instructions.size());
      Node step = copy;  // the same places under other names
      Instruction i;
      i.op = Opcode::copy;
      i.chunks = finer_;
      step.append_attribute("srcbuf") = "i";
      step.append_attribute("dstbuf") = "o";
      RS_ASSIGN(i.src, place({step, "srcbuf", "i_off", 1}, gpu, where));
      RS_ASSIGN(i.dst, place({step, "dstbuf", "o_off", 1}, gpu, where));
      lane.instructions.push_back(i);
    }
    if (lane.instructions.empty()) return {};
    auto& lanes = found_.program.ranks[gpu.rank];
    const After all{static_cast<std::uint32_t>(lanes.size()),
                    static_cast<std::uint32_t>(lane.instructions.size()) - 1};
    for (Lane& other : lanes)  // one that starts with a wait follows a lane that does not
      if (!other.instructions.empty() && !other.instructions[0].after)
        other.instructions[0].after = all;
    lanes.push_back(std::move(lane));
    return {};
  }

  std::string file_;
  MscclAlgorithm found_;
  std::uint32_t coarse_ = 1, finer_ = 1, scratch_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace

Result<MscclAlgorithm> msccl_from_xml(std::string_view text, std::string_view name) {
  const std::string file(name);
  if (text.size() > max_text)
    return bad_request(file + " is larger than 64 MiB; no MSCCL algorithm is");
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    return bad_request(file + " is not XML: " + parsed.description() + " at byte " +
                       std::to_string(parsed.offset));
  return Reader(name).algorithm(document.document_element());
}

}  // namespace ringside
