// A platform from the words of a log.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/suggest.hpp"
#include "sim/platform.hpp"
#include "sim/tuner/figures.hpp"

namespace ringside::sim {
namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Whether `text` has `word` where a word begins and ends. One that starts with a digit may follow
/// letters (`RTX4090`), one that ends in a digit may go on in letters (`L40S` has `L40`, not `L4`).
bool says(std::string_view text, std::string_view word) {
  const std::string in = lower(text), what = lower(word);
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) {
    const bool begins =
        at == 0 || (is_digit(what[0]) ? !is_digit(in[at - 1]) : !is_word(in[at - 1]));
    const auto end = at + what.size();
    const bool ends =
        end == in.size() || (is_digit(what.back()) ? !is_digit(in[end]) : !is_word(in[end]));
    if (begins && ends) return true;
  }
  return false;
}

/// A GeForce: RTX and four digits, whose driver has no peer access over PCIe.
bool is_geforce(std::string_view hardware) {
  const auto at = hardware.find("RTX ");
  if (at == std::string_view::npos || at + 8 > hardware.size()) return false;
  return std::all_of(hardware.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                     hardware.begin() + static_cast<std::ptrdiff_t>(at) + 8, is_digit) &&
         !says(hardware, "Ada");
}

bool says_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return says(text, word); });
}

/// The number that ends right before `at`, spaces aside.
std::optional<double> number_before(std::string_view text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  const auto end = at;
  while (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.')) --at;
  double value = 0;
  if (at == end || std::from_chars(text.data() + at, text.data() + end, value).ec != std::errc{})
    return std::nullopt;
  return value;
}

/// Of `8x NDR 400 Gb/s`: 8. The last count before `until`; none elsewhere.
std::uint32_t count_before(std::string_view text, std::size_t until, std::uint32_t otherwise) {
  for (auto at = std::min(until, text.size()); at-- > 1;) {
    const bool is_times =
        text[at] == 'x' && is_digit(text[at - 1]) && (at + 1 == text.size() || text[at + 1] == ' ');
    if (!is_times) continue;
    const auto count = number_before(text, at);
    if (count && *count >= 1 && *count <= 1024) return static_cast<std::uint32_t>(*count);
  }
  return otherwise;
}

/// The rate in Gb/s that is written, or that goes with the name.
double nic_gigabits(std::string_view text, std::size_t at) {
  if (const auto written = at == std::string_view::npos ? std::nullopt : number_before(text, at))
    return *written;
  constexpr std::pair<std::string_view, double> by_name[] = {
      {"XDR", 800}, {"NDR", 400}, {"HDR", 200}, {"EDR", 100}, {"FDR", 56}, {"Slingshot-11", 200}};
  for (const auto& [name, rate] : by_name)
    if (says(text, name)) return rate;
  return 0;
}

/// `NV12`: 12.
std::uint32_t nvlinks(std::string_view text) {
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    if (text.substr(at, 2) != "NV" || !is_digit(text[at + 2])) continue;
    std::uint32_t links = 0;
    std::from_chars(text.data() + at + 2, text.data() + text.size(), links);
    if (links >= 1 && links <= 36) return links;
  }
  return 0;
}

/// A version before 2.11, or none that could be later.
bool is_old(std::string_view version) {
  const auto at = version.find("2.");
  if (at == std::string_view::npos) return false;
  std::uint32_t minor = 99;
  const auto rest = version.substr(at + 2);
  const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), minor).ptr;
  const bool is_open = end != rest.data() + rest.size() && *end == 'x';  // `2.1x`, `2.2x`
  return !is_open && minor < 11;
}

double slot_rate(std::string_view words, const GenerationFigures& generation) {
  if (says_any(words, {"PCIe 3.0", "gen3", "PCIe 3"})) return 12;
  if (says_any(words, {"PCIe 4.0", "gen4", "PCIe 4"})) return 24;
  if (says_any(words, {"PCIe 5.0", "gen5", "PCIe 5"})) return 48;
  if (generation.name == "volta" || generation.name == "turing") return 12;
  return generation.name == "ampere" || generation.name == "ada" ? 24 : 48;
}

/// Ampere's cards for graphics (SM 8.6) have slower links. NCCL src/graph/topo.h.
double link_rate(std::string_view hardware, const GenerationFigures& generation) {
  const bool is_sm86 = says_any(hardware, {"3090", "3080", "A6000", "A40", "A10"});
  return is_sm86 ? 12 : generation.link.value;
}

Bandwidth gigabytes(double rate) {
  return {static_cast<std::uint64_t>(std::llround(rate * 1e9))};
}

void describe_wires(const Description& said, const GenerationFigures& generation,
                    Platform& platform) {
  const std::string& words = said.interconnect;
  const bool is_card = says_any(said.hardware, {"RTX", "PCIe", "T4", "L40", "L4", "A10", "A40"});
  const std::uint32_t links = nvlinks(words);
  const bool has_nvlink = links > 0 || says_any(words, {"NVLink", "NVSwitch", "NVL"}) ||
                          words.find("NVLink") != std::string::npos ||
                          words.find("NVSwitch") != std::string::npos;
  if (generation.name == "cdna3") {
    platform.wire = Wire::xgmi;
    platform.gpu_bandwidth = gigabytes(generation.link * (platform.per_node - 1));
    return;
  }
  const bool has_bridge = is_card && has_nvlink && words.find("NVSwitch") == std::string::npos;
  const bool is_joined = has_nvlink ? !has_bridge || platform.per_node <= 2  // bridges join pairs
                                    : !is_card && words.find("PCI") == std::string::npos;
  if (generation.links > 0 && is_joined) {
    platform.wire = Wire::nvlink;
    const bool is_mesh = says_any(words, {"all-to-all", "mesh"});
    std::uint32_t each = links == 0 ? generation.links : links;
    if (is_mesh && links > 0) each = links * (platform.per_node - 1);
    const double all = link_rate(said.hardware, generation) * std::min(each, generation.links);
    const bool is_limited = has_bridge && generation.bridge > 0;
    platform.gpu_bandwidth = gigabytes(is_limited ? std::min<double>(all, generation.bridge) : all);
    platform.in_switch = generation.in_switch && !is_mesh && !has_bridge;
    return;
  }
  const bool denied = says_any(words, {"no P2P", "P2P unsupported", "staged", "staging"}) ||
                      is_geforce(said.hardware);
  platform.wire = denied ? Wire::host : Wire::pcie;
  platform.gpu_bandwidth = gigabytes(slot_rate(words, generation));
  if (says_any(words, {"different sockets", "cross-socket", "SYS"}))
    platform.path = HostPath::sockets;
  else if (says_any(words, {"PIX", "one switch"}))
    platform.path = HostPath::one_switch;
}

void describe_network(const Description& said, const Figures& figures, Platform& platform) {
  const std::string words = said.interconnect + " " + said.hardware;
  for (const auto& network : figures.networks) {
    const bool is_it = std::any_of(network.words.begin(), network.words.end(),
                                   [&](const auto& word) { return says(words, word); });
    if (!is_it) continue;
    platform.network = network.name;
    break;
  }
  if (platform.network.empty()) {
    platform.network = "ib";
    platform.assumed.push_back("the network is InfiniBand: nothing says which it is");
  }
  const std::string& text = said.interconnect;
  std::size_t at = text.find("Gb/s");
  double rate = nic_gigabits(text, at);
  if (rate == 0) {
    rate = 100;
    platform.assumed.push_back("a NIC carries 100 Gb/s: nothing says how much");
  }
  const std::uint32_t otherwise = platform.per_node;
  platform.nics = count_before(text, at, otherwise);
  platform.nic_bandwidth = gigabytes(rate / 8);
  platform.in_network = says(text, "SHARP");
  platform.gpu_direct = platform.generation != "turing" && platform.generation != "ada";
}

}  // namespace

Result<Platform> platform_of(const Description& said) {
  const Figures& figures = built_in_figures();
  const GenerationFigures* generation = nullptr;
  std::string known;
  for (const auto& one : figures.generations)
    for (const auto& device : one.devices) {
      known += (known.empty() ? "" : ", ") + device;
      if (generation == nullptr && says(said.hardware, device)) generation = &one;
    }
  if (generation == nullptr)
    return bad_request("no GPU that is known is named in " + in_quotes(said.hardware) + ": " +
                       known);
  Platform platform{.generation = generation->name, .nodes = said.nodes, .per_node = said.per_node};
  if (said.nodes == 0 || said.per_node == 0 || said.per_node > 1024)
    return bad_request("a machine has one node or more, a node from 1 to 1024 GPUs");
  describe_wires(said, *generation, platform);
  const bool is_rack = says_any(said.interconnect + " " + said.hardware,
                                {"NVL72", "GB200", "GB300", "one 72-GPU NVLink domain"});
  if (is_rack && said.per_node <= 72)
    platform.nodes_per_domain = evenly(platform.nodes, 72 / said.per_node);
  if (platform.domains() > 1) describe_network(said, figures, platform);
  platform.one_process =
      says(said.notes, "single process") || (said.nodes == 1 && is_old(said.version));
  RS_TRY(check(platform));
  return platform;
}

}  // namespace ringside::sim
