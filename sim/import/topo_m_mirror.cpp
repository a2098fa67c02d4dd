// Every connection of a `nvidia-smi topo -m` table stands in it twice. What one row lost, the
// opposite one still has; where the two differ, the rest of the table has the casting vote; and
// where both are lost, the user is told.

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/suggest.hpp"
#include "sim/import/topo_m.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_told = 6;  // pairs named one by one

std::string text_of(const Cell& cell) {
  constexpr std::array<std::string_view, 8> names{"none", "X",   "NV",   "PIX",
                                                  "PXB",  "PHB", "NODE", "SYS"};
  const auto name = std::string(names[static_cast<std::size_t>(cell.near)]);
  return cell.near == Nearness::nvlink ? name + std::to_string(cell.links) : name;
}

/// Takes one of two cells that differ.
class Arbiter {
 public:
  explicit Arbiter(const TopoTable& table) : table_(table), usual_(usual_links()) {}

  /// b < a. Neither cell is changed here, so the order of asking does not matter.
  Cell decide(std::size_t a, std::size_t b, std::string& reason) const {
    const Cell &one = table_.at(b, a), &other = table_.at(a, b);
    if (one.near == Nearness::nvlink || other.near == Nearness::nvlink) {
      const auto with_one = fits(a, b, one), with_other = fits(a, b, other);
      if (with_one != with_other) {
        reason = ", as the other GPUs' " + std::to_string(*usual_) + " NVLinks suggest";
        return with_one > with_other ? one : other;
      }
      if (one.near == other.near) {
        reason = ", the fewer links";
        return one.links < other.links ? one : other;
      }
    }
    reason = ", the nearer";
    return one.near < other.near ? one : other;
  }

 private:
  /// NVLinks of GPU `a` but for those to `but`; nothing where a cell is lost or in dispute.
  std::optional<std::uint32_t> links_of(std::size_t a, std::size_t but) const {
    std::uint32_t links = 0;
    for (std::size_t b = 0; b < table_.devices.size(); ++b) {
      if (b == a || b == but || !table_.devices[b].gpu) continue;
      if (table_.at(a, b).near == Nearness::unknown || table_.at(a, b) != table_.at(b, a))
        return std::nullopt;
      links += table_.at(a, b).links;
    }
    return links;
  }

  /// What most GPUs without a cell in dispute have; of equally frequent ones the smallest.
  std::optional<std::uint32_t> usual_links() const {
    std::map<std::uint32_t, std::size_t> counts;
    for (std::size_t a = 0; a < table_.devices.size(); ++a)
      if (table_.devices[a].gpu)
        if (const auto links = links_of(a, a)) ++counts[*links];
    const auto usual = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& left, const auto& right) { return left.second < right.second; });
    if (usual == counts.end()) return std::nullopt;
    return usual->first;
  }

  /// How many of both ends have the usual number of links with this cell.
  int fits(std::size_t a, std::size_t b, const Cell& cell) const {
    const auto fit = [&](std::size_t end, std::size_t other) {
      const auto rest = links_of(end, other);
      return usual_ && rest && *rest + cell.links == *usual_ ? 1 : 0;
    };
    return fit(a, b) + fit(b, a);
  }

  const TopoTable& table_;
  std::optional<std::uint32_t> usual_;
};

/// Takes one of each two cells that differ.
void settle(TopoTable& table) {
  const TopoTable before = table;
  const Arbiter arbiter(before);
  std::size_t disputes = 0;
  for (std::size_t a = 0; a < table.devices.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (before.at(a, b) == before.at(b, a)) continue;
      std::string reason;
      const Cell taken = arbiter.decide(a, b, reason);
      table.at(a, b) = table.at(b, a) = taken;
      if (++disputes <= most_told)
        table.notes.push_back("the cells of " + table.devices[b].name + " and " +
                              table.devices[a].name + " disagree, " + text_of(before.at(b, a)) +
                              " and " + text_of(before.at(a, b)) + "; " + text_of(taken) +
                              " was taken" + reason);
    }
  if (disputes > most_told)
    table.notes.push_back(std::to_string(disputes - most_told) +
                          " more pairs of cells disagree; one of each was taken alike");
}

/// True if `next` is `name` with the number at its end one higher: GPU3, GPU4.
bool is_next(std::string_view name, std::string_view next) {
  const auto stem = name.find_last_not_of("0123456789") + 1;
  const auto digits = name.substr(stem);
  if (digits.empty() || digits.size() > 6) return false;
  return next ==
         std::string(name.substr(0, stem)) + std::to_string(std::stoul(std::string(digits)) + 1);
}

/// `GPU0, mlx5_1 and GPU4 to GPU7`.
std::string list_of(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, last = 0; first < names.size(); first = ++last) {
    while (last + 1 < names.size() && is_next(names[last], names[last + 1])) ++last;
    if (last == first + 1) --last;  // two need no range
    parts.push_back(first == last ? names[first] : names[first] + " to " + names[last]);
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::vector<std::string> without_row(const TopoTable& table, bool gpu) {
  std::vector<std::string> names;
  for (const auto& device : table.devices)
    if (device.gpu == gpu && !device.row) names.push_back(device.name);
  return names;
}

std::string with_mirrors(const std::vector<std::string>& names) {
  return "no row for " + list_of(names) + "; " + (names.size() == 1 ? "its" : "their") +
         " mirror cells were used";
}

}  // namespace

Result<void> mirror_cells(TopoTable& table, std::string_view name) {
  for (std::size_t a = 0; a < table.devices.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      Cell &lower = table.at(a, b), &upper = table.at(b, a);
      if (lower.near == Nearness::unknown) lower = upper;
      if (upper.near == Nearness::unknown) upper = lower;
      const bool nvlink = lower.near == Nearness::nvlink || upper.near == Nearness::nvlink;
      if (nvlink && !(table.devices[a].gpu && table.devices[b].gpu))
        return bad_request(std::string(name) + ": NVLink between " + table.devices[a].name +
                           " and " + table.devices[b].name + ", which are not both GPUs");
    }
  settle(table);
  return {};
}

std::vector<std::string> gaps(const TopoTable& table, std::span<const std::uint32_t> nvswitch_of) {
  struct Way {
    std::string_view taken;
    bool rows = false;               // some pair has no row at all
    std::vector<std::string> pairs;  // the others
  };
  std::array<Way, 2> ways{
      {{"; taken as PCIe", false, {}}, {"; taken to be their NVSwitch", false, {}}}};
  for (std::size_t b = 0; b < table.devices.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const auto &one = table.devices[a], &other = table.devices[b];
      if (!one.gpu || !other.gpu || table.at(a, b).near != Nearness::unknown) continue;
      Way& way = ways[nvswitch_of[a] != 0 && nvswitch_of[a] == nvswitch_of[b] ? 1 : 0];
      if (one.row || other.row)
        way.pairs.push_back(one.name + " and " + other.name);
      else
        way.rows = true;
    }
  std::vector<std::string> said;
  const auto gpus = without_row(table, true), nics = without_row(table, false);
  if (ways[0].rows || ways[1].rows)
    said.push_back("no row for " + list_of(gpus) + ": what joins them to one another is unknown" +
                   (ways[0].rows && ways[1].rows
                        ? "; taken to be their NVSwitch where they have one, else PCIe"
                        : std::string(ways[ways[0].rows ? 0 : 1].taken)));
  else if (!gpus.empty())
    said.push_back(with_mirrors(gpus));
  if (!nics.empty()) said.push_back(with_mirrors(nics));
  for (const Way& way : ways) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most_told, way.pairs.size()); ++i)
      text += (i == 0 ? "" : ", ") + way.pairs[i];
    if (way.pairs.size() > most_told)
      text += " and " + counted(way.pairs.size() - most_told, "more pair");
    if (!text.empty()) said.push_back("no cell says what joins " + text + std::string(way.taken));
  }
  return said;
}

}  // namespace ringside::sim
