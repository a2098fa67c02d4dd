#include "sim/faults.hpp"
#include "core/suggest.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace ringside::sim {
namespace {

constexpr double most_slow = 1e6, most_jitter_percent = 6400;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Error> malformed(std::string_view text, std::string_view expected) {
  return bad_request("\"" + std::string(text.substr(0, 64)) + "\" is not " + std::string(expected));
}

/// `4x`, in as few digits as it needs.
std::string factor(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value);
  return std::string(std::begin(text), end) + "x";
}

}  // namespace

Result<SlowLink> parse_slow(std::string_view text) {
  if (const auto comma = text.find(','); comma != std::string_view::npos)
    return malformed(text, "one slow link: give the flag once for each, as in --slow '" +
                               std::string(text.substr(0, std::min(comma, std::size_t{64}))) +
                               "' --slow ...");
  const auto equals = text.rfind('=');
  auto amount = text.substr(equals == std::string_view::npos ? text.size() : equals + 1);
  if (amount.ends_with('x')) amount.remove_suffix(1);
  const auto factor = number<double>(amount);
  if (!factor || equals == 0 || !(*factor >= 1 && *factor <= most_slow))
    return malformed(text,
                     "a slow link: expected LINK=FACTORx with a factor from 1 to 1000000, as in "
                     "'gpu3->nvsw0=4x'");
  return SlowLink{std::string(text.substr(0, equals)), *factor};
}

Result<Straggler> parse_straggler(std::string_view text) {
  const auto equals = text.find('=');
  const auto rank = number<std::uint32_t>(text.substr(0, equals));
  if (!rank || equals == std::string_view::npos)
    return malformed(text, "a straggler: expected RANK=DELAY, as in 3=50us");
  RS_ASSIGN(const auto start, parse_duration(text.substr(equals + 1)));
  return Straggler{{*rank}, start};
}

Result<void> parse_jitter(std::string_view text, Faults& faults) {
  const auto colon = text.find(':');
  auto amount = text.substr(0, colon);
  const bool has_unit = amount.ends_with('%');
  if (has_unit) amount.remove_suffix(1);
  const auto percent = number<double>(amount);
  const auto seed = colon == std::string_view::npos ? std::uint64_t{0}
                                                    : number<std::uint64_t>(text.substr(colon + 1));
  if (!has_unit || !percent || !seed || !(*percent >= 0 && *percent <= most_jitter_percent))
    return malformed(text,
                     "a jitter: expected PERCENT%:SEED with 0% to 6400% and a whole number as "
                     "seed, as in 5%:1");
  faults.jitter = *percent / 100;
  faults.jitter_seed = *seed;
  return {};
}

Result<void> apply(const Faults& faults, Topology& topology) {
  std::map<LinkId, double> slowed;
  for (const SlowLink& slow : faults.slow) {
    RS_ASSIGN(const auto links, find_links(topology, slow.link));
    for (const LinkId id : links) {
      if (const auto [at, first] = slowed.try_emplace(id, slow.factor); !first)
        return bad_request("--slow names " + topology.link_name(id) + " twice, " +
                           factor(at->second) + " and " + factor(slow.factor) +
                           ": give each link one factor");
      auto& rate = topology.links[id.value].bandwidth.bytes_per_second;
      rate = static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(rate) / slow.factor));
    }
  }
  std::vector<bool> dead(topology.links.size());
  for (const std::string& name : faults.dead) {  // named before any is removed
    RS_ASSIGN(const auto links, find_links(topology, name));
    for (const LinkId id : links) dead[id.value] = true;
    topology.dead.push_back(name);
  }
  std::vector<Link> alive;
  for (std::size_t id = 0; id < dead.size(); ++id)
    if (!dead[id]) alive.push_back(topology.links[id]);
  topology.links = std::move(alive);
  return {};
}

Result<Disturbance> disturbance(const Faults& faults, std::uint32_t ranks) {
  Disturbance result{.start = {}, .jitter = faults.jitter, .jitter_seed = faults.jitter_seed};
  std::map<Rank, Duration> late;
  for (const Straggler& straggler : faults.stragglers) {
    if (straggler.rank.value >= ranks)
      return bad_request("straggler " + std::to_string(straggler.rank.value) +
                         " is not a rank: with " + counted(ranks, "rank") + " it is 0 to " +
                         std::to_string(ranks - 1));
    const auto [at, first] = late.try_emplace(straggler.rank, straggler.start);
    if (!first)
      return bad_request("straggler " + std::to_string(straggler.rank.value) + " comes twice, " +
                         to_string(at->second) + " and " + to_string(straggler.start) +
                         " late: give each rank one delay");
    result.start.resize(ranks);
    result.start[straggler.rank.value] = straggler.start;
  }
  return result;
}

}  // namespace ringside::sim
