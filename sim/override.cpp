#include "sim/override.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

constexpr Duration longest_latency = microseconds(1'000'000'000);
constexpr double widest = 4611686018427387904.0;  // 2^62 bytes a second

constexpr std::array<std::string_view, 2> fields{"bandwidth", "latency"};

tl::unexpected<Error> wrong(std::string_view text, const std::string& why) {
  return bad_request("--set " + std::string(text.substr(0, 64)) + ": " + why);
}

/// `x0.5` or `0.5x`: a factor above zero.
std::optional<double> parse_scale(std::string_view value) {
  if (value.starts_with('x'))
    value.remove_prefix(1);
  else
    value.remove_suffix(1);
  double scale = 0;
  const auto* last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, scale);
  if (error != std::errc{} || end != last || !std::isfinite(scale) || scale <= 0)
    return std::nullopt;
  return scale;
}

Result<void> read_value(std::string_view value, Override& change) {
  if (value.starts_with('x') || value.ends_with('x')) {
    const auto scale = parse_scale(value);
    if (!scale)
      return bad_request("\"" + std::string(value.substr(0, 64)) +
                         "\" is not a factor: expected one above zero, such as x0.5");
    change.scale = *scale;
  } else if (change.field == Override::Field::bandwidth) {
    RS_ASSIGN(change.bandwidth, parse_bandwidth(value));
  } else {
    RS_ASSIGN(change.latency, parse_duration(value));
    if (change.latency > longest_latency) return bad_request("a latency is at most 1000s");
  }
  return {};
}

std::string kinds_of(const Topology& topology) {
  std::string kinds;
  for (std::size_t k = 0; k < link_kind_count; ++k) {
    const auto kind = static_cast<LinkKind>(k);
    if (std::any_of(topology.links.begin(), topology.links.end(),
                    [&](const Link& link) { return link.kind == kind; }))
      kinds += " " + std::string(name(kind));
  }
  return kinds.empty() ? " none" : kinds;
}

/// The link as it will be; bandwidth 0 if the factor leads out of range.
Link changed(Link link, const Override& change) {
  const bool scaled = change.scale > 0;
  if (change.field == Override::Field::bandwidth && scaled) {
    const auto rate =
        std::round(static_cast<double>(link.bandwidth.bytes_per_second) * change.scale);
    link.bandwidth = {rate < widest ? static_cast<std::uint64_t>(rate) : 0};
  } else if (change.field == Override::Field::bandwidth) {
    link.bandwidth = change.bandwidth;
  } else if (scaled) {
    const auto time = std::round(static_cast<double>(link.latency.picoseconds) * change.scale);
    if (time > static_cast<double>(longest_latency.picoseconds))
      link.bandwidth = {};
    else
      link.latency = {static_cast<std::int64_t>(time)};
  } else {
    link.latency = change.latency;
  }
  return link;
}

}  // namespace

Result<Override> parse_override(std::string_view text) {
  const auto equals = text.find('='), dot = text.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals)
    return wrong(text, "expected KIND.FIELD=VALUE, such as nvlink.bandwidth=x0.5");
  Override change;
  const auto kind = parse_link_kind(text.substr(0, dot));
  if (!kind) return wrong(text, kind.error().message);
  change.kind = *kind;
  const auto field = text.substr(dot + 1, equals - dot - 1);
  const auto known = std::find(fields.begin(), fields.end(), field);
  if (known == fields.end()) return wrong(text, unknown("field of a link", field, fields));
  change.field = static_cast<Override::Field>(known - fields.begin());
  if (const auto read = read_value(text.substr(equals + 1), change); !read)
    return wrong(text, read.error().message);
  return change;
}

Result<void> apply(const Override& change, Topology& topology) {
  auto links = topology.links;
  bool any = false;
  for (auto& link : links) {
    if (link.kind != change.kind) continue;
    any = true;
    link = changed(link, change);
    if (link.bandwidth.bytes_per_second == 0)
      return bad_request("--set " + std::string(name(change.kind)) +
                         ": that factor takes a link of " + topology.name + " out of range");
  }
  if (!any)
    return bad_request("--set " + std::string(name(change.kind)) + ": " + topology.name +
                       " has no such links; it has" + kinds_of(topology));
  topology.links = std::move(links);
  return {};
}

}  // namespace ringside::sim
