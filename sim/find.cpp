// Devices and links by the names people type, and what to say when there are none.

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/suggest.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_named = 12;  // things, or rows of things, in one sentence

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// `a->b#2` in its parts; ordinal 0 means all parallel links.
struct LinkName {
  std::string_view from, to;
  std::size_t ordinal = 0;
};

Result<LinkName> parse_link_name(std::string_view name) {
  const auto malformed = [&] {
    return bad_request(in_quotes(name) +
                       " is not a link: expected FROM->TO in quotes (a shell takes > for a file), "
                       "as in 'gpu3->nvsw0', or 'gpu3->nvsw0#1' for one of several");
  };
  if (name.find(',') != std::string_view::npos)
    return bad_request(in_quotes(name) +
                       " is not one link: give the flag once for each, such as gpu3->nvsw0");
  const auto arrow = name.find("->");
  if (arrow == std::string_view::npos) return malformed();
  LinkName parts{name.substr(0, arrow), trimmed(name.substr(arrow + 2))};
  if (parts.from.ends_with('<'))
    return bad_request(in_quotes(name) +
                       " is two links, one each way: give the flag once for each, such as "
                       "'gpu0->gpu1' and 'gpu1->gpu0'");
  parts.from = trimmed(parts.from);
  if (const auto hash = parts.to.find('#'); hash != std::string_view::npos) {
    const auto digits = parts.to.substr(hash + 1);
    parts.to = parts.to.substr(0, hash);
    if (digits.empty() || digits.size() > 8) return malformed();
    for (const char c : digits) {
      if (c < '0' || c > '9') return malformed();
      parts.ordinal = parts.ordinal * 10 + static_cast<std::size_t>(c - '0');
    }
    if (parts.ordinal == 0) return malformed();
  }
  if (parts.from.empty() || parts.to.empty()) return malformed();
  return parts;
}

/// The devices one link away, for the message about a link that is not there.
std::string neighbours(const Topology& topology, DeviceId device) {
  constexpr std::size_t shown = 16;
  std::vector<std::uint32_t> seen;
  for (const Link& link : topology.links)
    if (link.from == device) seen.push_back(link.to.value);
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  if (seen.empty()) return "none";
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, seen.size()); ++i)
    list += (i ? ", " : "") + topology.devices[seen[i]].name;
  return seen.size() > shown ? list + ", ..." : list;
}

/// `gpu12` as `gpu` and 12.
struct Numbered {
  std::string_view stem;
  std::optional<std::uint32_t> number;
};
Numbered numbered(std::string_view name) {
  const auto end = name.find_last_not_of("0123456789") + 1;
  std::uint32_t number = 0;
  const auto* last = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + end, last, number);
  if (error != std::errc{} || at != last) return {name, std::nullopt};
  return {name.substr(0, end), number};
}

std::string from_to(std::string_view stem, std::uint64_t first, std::uint64_t last) {
  const auto name = [&](std::uint64_t n) { return std::string(stem) + std::to_string(n); };
  return first == last       ? name(first)
         : first + 1 == last ? name(first) + " and " + name(last)
                             : name(first) + " to " + name(last);
}

/// `GPUs are gpu0 to gpu7` for gpu9: a number too high is no misspelling. Empty if the devices of
/// that name are not numbered in a row, or are fewer than two.
std::string numbered_alike(const Topology& topology, std::string_view name) {
  const auto wanted = numbered(name);
  if (wanted.stem.empty() || !wanted.number) return "";
  std::vector<std::uint32_t> numbers;
  bool gpus = true;
  for (const Device& device : topology.devices)
    if (const auto its = numbered(device.name); its.number && its.stem == wanted.stem) {
      numbers.push_back(*its.number);
      gpus = gpus && device.kind == DeviceKind::gpu;
    }
  if (numbers.size() < 2) return "";
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (*most - *least + 1 != numbers.size()) return "";
  return (gpus ? "GPUs are " : "there are ") + from_to(wanted.stem, *least, *most);
}

/// `gpu0 to gpu7, nvsw0 to nvsw3, ...`: of a cluster what the first node and the network have.
std::string all_devices(const Topology& topology) {
  std::vector<std::string> rows;
  for (std::size_t d = 0; d < topology.devices.size() && rows.size() <= most_named;) {
    const auto first = numbered(topology.devices[d].name);
    auto last = first.number.value_or(0);
    const bool later_node = topology.nodes > 1 && topology.devices[d].node > 0;
    const auto begin = d++;
    while (first.number && d < topology.devices.size()) {
      const auto next = numbered(topology.devices[d].name);
      if (next.stem != first.stem || next.number != last + 1) break;
      ++last, ++d;
    }
    if (later_node) continue;
    rows.push_back(first.number ? from_to(first.stem, *first.number, last)
                                : topology.devices[begin].name);
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(rows.size(), most_named); ++i)
    list += (i ? ", " : "") + rows[i];
  return rows.size() > most_named ? list + ", ..." : list;
}

/// What people write who take a cluster for one machine, or ranks for devices; empty if they do
/// not.
std::string misunderstood(const Topology& topology, std::string_view name) {
  const auto has = [&](const std::string& wanted) {
    return std::any_of(topology.devices.begin(), topology.devices.end(),
                       [&](const Device& device) { return device.name == wanted; });
  };
  const auto nodes = topology.nodes;
  if (nodes > 1 && has("node0." + std::string(name)))
    return "there is one " + std::string(name) + " in each node of " + topology.name +
           ": say which, node0." + std::string(name) + (nodes == 2 ? " or node" : " to node") +
           std::to_string(nodes - 1) + "." + std::string(name);
  if (const auto dot = name.find('.'); dot != std::string_view::npos && nodes > 1) {
    const auto node = numbered(name.substr(0, dot));
    if (node.stem == "node" && node.number && *node.number >= nodes)
      return "there is no node" + std::to_string(*node.number) + " in " + topology.name +
             ": its nodes are " + from_to("node", 0, nodes - 1);
  }
  const auto rank = numbered(name);
  if ((rank.stem.empty() || rank.stem == "rank") && rank.number &&
      *rank.number < topology.ranks.size())
    return "links join devices, not ranks: rank " + std::to_string(*rank.number) + " of " +
           topology.name + " sits on " + topology[topology.ranks[*rank.number]].name;
  return "";
}

}  // namespace

Result<DeviceId> find_device(const Topology& topology, std::string_view name) {
  for (std::uint32_t id = 0; id < topology.devices.size(); ++id)
    if (topology.devices[id].name == name) return DeviceId{id};
  if (const auto meant = misunderstood(topology, name); !meant.empty()) return bad_request(meant);
  const auto none = "there is no device " + in_quotes(name) + " in " + topology.name;
  if (const auto alike = numbered_alike(topology, name); !alike.empty())
    return bad_request(none + "; " + alike);
  std::vector<std::string_view> known;
  for (const Device& device : topology.devices) known.push_back(device.name);
  if (const auto guess = nearest(name, known); !guess.empty())
    return bad_request(none + "; did you mean " + std::string(guess) + "?");
  return bad_request(none + "; known: " + all_devices(topology));
}

Result<std::vector<LinkId>> find_links(const Topology& topology, std::string_view name) {
  RS_ASSIGN(const auto parts, parse_link_name(name));
  RS_ASSIGN(const auto from, find_device(topology, parts.from));
  RS_ASSIGN(const auto to, find_device(topology, parts.to));
  std::vector<LinkId> found;
  for (std::uint32_t id = 0; id < topology.links.size(); ++id)
    if (topology.links[id].from == from && topology.links[id].to == to) found.push_back({id});
  const auto none = "there is no link " + in_quotes(name) + " in " + topology.name;
  if (found.empty())
    return bad_request(none + "; " + topology[from].name + " has links to " +
                       neighbours(topology, from));
  if (parts.ordinal == 0) return found;
  if (parts.ordinal > found.size())
    return bad_request(none + ": " + topology[from].name + "->" + topology[to].name + " has " +
                       counted(found.size(), "link"));
  return std::vector{found[parts.ordinal - 1]};
}

}  // namespace ringside::sim
