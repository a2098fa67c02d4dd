#include "core/formats/msccl_xml.hpp"

#include <algorithm>
#include <numeric>
#include <pugixml.hpp>

#include "core/formats/msccl_rules.hpp"
#include "core/formats/msccl_source.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

using Node = pugi::xml_node;

constexpr std::size_t max_text = std::size_t{64} << 20;
/// Slots on all ranks, and slots moved by all steps: far beyond any real file.
constexpr std::uint64_t max_slots = std::uint64_t{1} << 22;
constexpr std::size_t most_faults = 16;

/// Chunks of one gpu's buffers, in the file's own (coarse) chunks; 0 = as the collective has it.
struct Sizes {
  std::uint32_t input, output, scratch;
};

class Reader {
 public:
  explicit Reader(std::string_view name) : source_(name) {}

  Result<MscclAlgorithm> algorithm(const Node& algo) {
    RS_TRY(header(algo));
    auto& ranks = found_.program.ranks;
    std::vector<bool> seen(ranks.size(), false);
    for (const Node gpu : algo.children("gpu")) {
      RS_ASSIGN(const auto id, source_.number(gpu, "id", "a gpu", {0, ranks.size() - 1}));
      if (seen[id]) return source_.refuse("", "gpu " + std::to_string(id) + " comes twice");
      seen[id] = true;
      RS_TRY(read_gpu(gpu, id));
    }
    const auto lost = std::find(seen.begin(), seen.end(), false);
    if (lost != seen.end())
      return source_.refuse("", "gpu " + std::to_string(lost - seen.begin()) + " of " +
                                    std::to_string(ranks.size()) + " is missing");
    for (auto& limit : beyond_msccl_limits(found_.program))
      found_.notes.push_back(std::move(limit));
    return std::move(found_);
  }

 private:
  Result<void> header(const Node& algo) {
    RS_ASSIGN(auto root, read_msccl_root(algo, source_));
    found_.is_custom = root.is_custom;
    found_.notes = std::move(root.notes);
    auto& program = found_.program;
    program.spec = root.spec;
    program.words = msccl_words;
    program.fifo_depth = fifo_depth(root.header.protocol);
    const auto ranks = root.spec.ranks;
    coarse_ = root.header.chunks_per_loop;
    if (is_blocked(root.spec.kind)) finer_ = ranks / std::gcd(ranks, coarse_);
    if (finer_ != 1)
      found_.notes.push_back("nchunksperloop is " + std::to_string(coarse_) +
                             ", no multiple of the " + std::to_string(ranks) +
                             " gpus: each chunk is shown as " + std::to_string(finer_));
    const auto chunks = std::uint64_t{coarse_} * finer_;
    if (2 * chunks * ranks > max_slots)
      return source_.refuse("algo", "too large: " + counted(ranks, "gpu") + " with " +
                                        counted(chunks, "chunk") + " each");
    program.chunks = static_cast<std::uint32_t>(chunks);
    program.ranks.resize(ranks);
    found_.header = std::move(root.header);
    return {};
  }

  Result<void> read_gpu(const Node& gpu, std::uint32_t rank) {
    const auto where = "gpu " + std::to_string(rank);
    Sizes sizes{};
    RS_ASSIGN(sizes.input, source_.number(gpu, "i_chunks", where, {0, coarse_, 0}));
    RS_ASSIGN(sizes.output, source_.number(gpu, "o_chunks", where, {0, coarse_, 0}));
    RS_ASSIGN(sizes.scratch, source_.number(gpu, "s_chunks", where, {0, max_slots / finer_, 0}));
    RS_TRY(check_sizes(sizes, where));
    auto& lanes = found_.program.ranks[rank];
    Signals signals;
    for (const Node tb : gpu.children("tb")) {
      const auto here = where + ", tb " + std::to_string(lanes.size());
      RS_TRY(source_.counts(tb, "id", here, lanes.size()));
      Lane lane;
      RS_ASSIGN(lane.to, peer(tb, "send", here, rank));
      RS_ASSIGN(lane.from, peer(tb, "recv", here, rank));
      RS_ASSIGN(lane.channel.value,
                source_.number(tb, "chan", here, {0, found_.header.channels - 1, 0}));
      RS_TRY(read_steps(tb, {rank, sizes, here}, lane));
      lanes.push_back(std::move(lane));
      signals.push_back(std::move(signals_));
    }
    for (auto& fault : msccl_faults(found_.program, {rank}, signals))
      if (found_.faults.size() < most_faults) found_.faults.push_back(std::move(fault));
    return read_copies(gpu, {rank, sizes, where});
  }

  /// What is used of a buffer is the whole vector, or the rank's share where it has just that.
  Result<void> check_sizes(const Sizes& sizes, const std::string& where) {
    scratch_ = std::max(scratch_, sizes.scratch);
    if (std::uint64_t{scratch_} * finer_ * found_.program.ranks.size() > max_slots)
      return source_.refuse(where,
                            "s_chunks=\"" + std::to_string(sizes.scratch) + "\" is too large");
    const auto check = [&](const char* key, std::uint32_t chunks, CollectiveKind shared) {
      const auto& spec = found_.program.spec;
      const auto times = spec.kind == shared ? spec.ranks : 1;
      if (chunks == 0 || std::uint64_t{chunks} * times == coarse_) return;
      found_.notes.push_back(where + ": " + key + "=\"" + std::to_string(chunks) +
                             "\" is not the nchunksperloop=\"" + std::to_string(coarse_) +
                             "\" of the file" +
                             (times == 1 ? "" : " over its " + std::to_string(times) + " gpus") +
                             ": a runtime refuses that");
    };
    check("i_chunks", sizes.input, CollectiveKind::all_gather);
    check("o_chunks", sizes.output, CollectiveKind::reduce_scatter);
    return {};
  }

  Result<std::optional<Rank>> peer(const Node& tb, const char* key, const std::string& where,
                                   std::uint32_t self) const {
    RS_ASSIGN(const auto rank,
              source_.number(tb, key, where, {-1, found_.program.ranks.size() - 1, -1}));
    if (rank == UINT32_MAX) return std::optional<Rank>{};
    if (rank == self) return source_.refuse(where, std::string(key) + " names the gpu itself");
    return std::optional<Rank>{Rank{rank}};
  }

  struct Gpu {
    std::uint32_t rank;
    Sizes sizes;
    std::string where;
  };

  Result<void> read_steps(const Node& tb, const Gpu& gpu, Lane& lane) {
    signals_.clear();
    for (const Node step : tb.children()) {
      const std::string_view element = step.name();
      if (step.type() != pugi::node_element) continue;
      const auto where = gpu.where + ", step " + std::to_string(lane.instructions.size());
      if (element != "step" && element != "op")
        return source_.refuse(
            where, "expected <step>, found <" + std::string(element.substr(0, 40)) + ">");
      const auto index = lane.instructions.size();
      RS_TRY(source_.counts(step, element == "op" ? "step" : "s", where, index));
      RS_ASSIGN(auto instruction, read_step(step, gpu, where));
      lane.instructions.push_back(instruction);
      RS_ASSIGN(const auto signals, source_.number(step, "hasdep", where, {0, 1, 1}));
      signals_.push_back(signals == 1);
    }
    return {};
  }

  Result<Instruction> read_step(const Node& step, const Gpu& gpu, const std::string& where) {
    const std::string_view type = step.attribute("type").value();
    const auto& types = msccl_words.opcodes;
    const auto known = std::find(types.begin(), types.end(), type);
    if (type == "ra")
      return source_.refuse(where, "step type ra (residual add) is no part of a collective");
    if (known == types.end())
      return source_.refuse(where, unknown("step type", type, {types.begin(), types.end()}));
    Instruction i;
    i.op = static_cast<Opcode>(known - types.begin());
    RS_ASSIGN(const auto lane, source_.number(step, "depid", where, {-1, 1u << 20, -1}));
    RS_ASSIGN(const auto instruction, source_.number(step, "deps", where, {-1, 1u << 30, -1}));
    if (lane != UINT32_MAX && instruction == UINT32_MAX)
      return source_.refuse(where,
                            "waits for tb " + std::to_string(lane) + ", but for none of its steps");
    if (lane != UINT32_MAX) i.after = After{lane, instruction};
    if (i.op == Opcode::wait) return i;
    RS_ASSIGN(const auto count, source_.number(step, "cnt", where, {1, coarse_ + scratch_, 1}));
    i.chunks = count * finer_;
    moved_ += i.chunks;
    if (moved_ > max_slots) return source_.refuse(where, "the steps move too many chunks in all");
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
      return source_.refuse(where, std::string(named.buffer) + "=\"" +
                                       std::string(buffer.substr(0, 40)) + "\" is none of i, o, s");
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
    RS_ASSIGN(const auto offset, source_.number(named.step, offset_key, where, {0, max_slots}));
    const auto end = (std::uint64_t{offset} + named.count) * finer_;
    if (end > has)
      return source_.refuse(where, "reaches past the " + counted(has / finer_, "chunk") +
                                       " of buffer " + std::string(buffer));
    if (own_block && end > block)
      return source_.refuse(where,
                            "reaches past the gpu's own share in buffer " + std::string(buffer));
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

  MscclSource source_;
  MscclAlgorithm found_;
  std::vector<bool> signals_;  // of the steps of one tb
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
