#include "core/formats/msccl_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <pugixml.hpp>

#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 3> protocols{"Simple", "LL", "LL128"};
constexpr std::array<MscclCollective, 6> collectives{
    {{"allreduce", CollectiveKind::all_reduce},
     {"allgather", CollectiveKind::all_gather},
     {"reduce_scatter", CollectiveKind::reduce_scatter},
     {"alltoall", CollectiveKind::all_to_all},
     {"broadcast", CollectiveKind::broadcast},
     {"reduce", CollectiveKind::reduce}}};
constexpr std::string_view custom = "custom";

std::string_view next_word(std::string_view& text) {
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  const auto end = std::min(text.find(' ', begin), text.size());
  const auto word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// `... root 3` at the end of a name.
std::optional<std::uint32_t> root_in(std::string_view name) {
  std::string_view word, before;
  std::uint32_t root = 0;
  for (auto next = next_word(name); !next.empty(); next = next_word(name)) {
    before = word;
    word = next;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), root);
  if (before != "root" || error != std::errc() || end != word.data() + word.size()) return {};
  return root;
}

Result<void> read_collective(const pugi::xml_node& algo, const MscclSource& source,
                             MscclRoot& root) {
  const std::string_view coll = algo.attribute("coll").value();
  if (coll == custom) {
    std::string_view name = root.header.name;
    const auto kind = parse_collective(next_word(name));
    root.is_custom = !kind;
    root.spec.kind = kind.value_or(CollectiveKind::barrier);
  } else if (const auto kind = msccl_collective(coll)) {
    root.spec.kind = *kind;
  } else {
    std::vector<std::string_view> known{custom};
    for (const auto& one : collectives) known.push_back(one.name);
    return source.refuse("algo", unknown("coll", coll, known));
  }
  if (!has_root(root.spec.kind)) return {};
  const auto named = root_in(root.header.name);
  if (named && *named >= root.spec.ranks)
    return source.refuse("algo", "its name speaks of root " + std::to_string(*named) +
                                     ", but the gpus are 0 to " +
                                     std::to_string(root.spec.ranks - 1));
  root.spec.root = {named.value_or(0)};
  if (!named) root.notes.push_back("the file names no root; rank 0 is taken");
  return {};
}

Result<void> read_protocol(const pugi::xml_node& algo, const MscclSource& source, MscclRoot& root) {
  const auto given = algo.attribute("proto");
  if (!given) {
    root.notes.push_back("the file names no proto; Simple is taken");
    return {};
  }
  const auto protocol = parse_msccl_protocol(given.value());
  if (!protocol) return source.refuse("algo", protocol.error().message);
  root.header.protocol = *protocol;
  return {};
}

Result<void> read_styles(const pugi::xml_node& algo, const MscclSource& source, MscclRoot& root) {
  MscclHeader& header = root.header;
  RS_ASSIGN(const auto in_place, source.number(algo, "inplace", "algo", {0, 1, 0}));
  RS_ASSIGN(const auto out_of_place,
            source.number(algo, "outofplace", "algo", {0, 1, in_place == 0 ? 1 : 0}));
  header.in_place = in_place == 1 && may_be_in_place(root.spec.kind);
  header.out_of_place = out_of_place == 1 || !header.in_place;
  if (in_place == 1 && !header.in_place)
    root.notes.push_back(std::string(name(root.spec.kind)) +
                         " is proven out of place only; the file says in place");
  root.spec.in_place = !header.out_of_place;
  return {};
}

}  // namespace

std::string_view name(MscclProtocol protocol) {
  return protocols[static_cast<std::size_t>(protocol)];
}
Result<MscclProtocol> parse_msccl_protocol(std::string_view text) {
  const auto found = std::find(protocols.begin(), protocols.end(), text);
  if (found == protocols.end())
    return bad_request(unknown("proto", text, {protocols.begin(), protocols.end()}));
  return static_cast<MscclProtocol>(found - protocols.begin());
}
std::uint32_t fifo_depth(MscclProtocol protocol) {
  return protocol == MscclProtocol::simple ? 2 : 8;
}

std::optional<CollectiveKind> msccl_collective(std::string_view name) {
  for (const auto& one : collectives)
    if (one.name == name) return one.kind;
  return {};
}
std::string_view msccl_name(CollectiveKind kind) {
  for (const auto& one : collectives)
    if (one.kind == kind) return one.name;
  return custom;
}

tl::unexpected<Error> MscclSource::refuse(const std::string& where, const std::string& what) const {
  return bad_request(file_ + ": " + (where.empty() ? "" : where + ": ") + what);
}

Result<std::uint64_t> MscclSource::large(const pugi::xml_node& node, const char* key,
                                         const std::string& where, Range range) const {
  const std::string_view text = node.attribute(key).value();
  if (text.empty() && range.missing) return static_cast<std::uint64_t>(*range.missing);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
      value < range.least || value > static_cast<std::int64_t>(range.most))
    return refuse(where, std::string(key) + "=\"" + std::string(text.substr(0, 40)) +
                             "\" is no whole number from " + std::to_string(range.least) + " to " +
                             std::to_string(range.most));
  return static_cast<std::uint64_t>(value);
}

Result<std::uint32_t> MscclSource::number(const pugi::xml_node& node, const char* key,
                                          const std::string& where, Range range) const {
  RS_ASSIGN(const auto value, large(node, key, where, range));
  return static_cast<std::uint32_t>(value);
}

Result<void> MscclSource::counts(const pugi::xml_node& node, const char* key,
                                 const std::string& where, std::size_t due) const {
  const std::string_view text = node.attribute(key).value();
  if (text == std::to_string(due)) return {};
  return refuse(where, std::string(key) + "=\"" + std::string(text.substr(0, 40)) + "\" where " +
                           std::to_string(due) + " is due: " + node.name() +
                           "s count from 0, without gaps or repeats");
}

Result<MscclRoot> read_msccl_root(const pugi::xml_node& algo, const MscclSource& source) {
  constexpr std::uint64_t most_chunks = 1u << 22, most_bytes = std::uint64_t{1} << 62;
  if (std::string_view(algo.name()) != "algo")
    return source.refuse("", "expected the root element <algo>, found <" +
                                 std::string(algo.name()).substr(0, 40) + ">");
  MscclRoot root;
  MscclHeader& header = root.header;
  header.name = algo.attribute("name").value();
  RS_ASSIGN(root.spec.ranks, source.number(algo, "ngpus", "algo", {1, 1u << 14}));
  RS_ASSIGN(header.chunks_per_loop,
            source.number(algo, "nchunksperloop", "algo", {1, most_chunks}));
  RS_ASSIGN(header.channels, source.number(algo, "nchannels", "algo",
                                           {1, Transfer::max_channels, Transfer::max_channels}));
  RS_ASSIGN(header.least.count, source.large(algo, "minBytes", "algo", {0, most_bytes, 0}));
  RS_ASSIGN(header.most.count, source.large(algo, "maxBytes", "algo", {0, most_bytes, 0}));
  RS_TRY(read_protocol(algo, source, root));
  RS_TRY(read_collective(algo, source, root));
  RS_TRY(read_styles(algo, source, root));
  if (header.most.count != 0 && header.most < header.least)
    root.notes.push_back("minBytes exceeds maxBytes: no runtime ever picks this algorithm");
  return root;
}

}  // namespace ringside
