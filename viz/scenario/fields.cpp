// The values of a scenario by their names: what a control edits and a share string carries.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>

#include "core/element.hpp"
#include "core/mutation.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"
#include "sim/faults.hpp"
#include "sim/override.hpp"
#include "viz/scenario/fields.hpp"

namespace ringside::scenario {
namespace {

std::string text_of(std::uint64_t number) {
  return number == 0 ? "" : std::to_string(number);
}

/// A whole number; empty text stands for 0: "as it comes".
template <typename Number>
Result<void> set_number(Number& into, std::string_view text, std::uint64_t least,
                        std::uint64_t most) {
  std::uint64_t number = 0;
  if (!text.empty()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most)
      return bad_request(fmt::format("expected a whole number from {} to {}, not {}", least, most,
                                     in_quotes(text)));
  }
  into = static_cast<Number>(number);
  return {};
}

/// Takes the text if `parse` understands it; empty text only where the field may be left open.
template <typename Parse>
Result<void> set_text(std::string& into, std::string_view text, Parse parse, bool may_be_empty) {
  if (!text.empty() || !may_be_empty) RS_TRY(parse(text));
  into = text;
  return {};
}

Result<void> not_blank(std::string_view text) {
  if (text.find_first_not_of(" \t") == std::string_view::npos) return bad_request("needs a name");
  return {};
}

Result<void> set_truth(bool& into, std::string_view text) {
  static constexpr std::string_view yes[] = {"true", "yes", "1"}, no[] = {"false", "no", "0", ""};
  const bool is_yes = std::ranges::count(yes, text) > 0;
  if (!is_yes && std::ranges::count(no, text) == 0)
    return bad_request("expected true or false, not " + in_quotes(text));
  into = is_yes;
  return {};
}

/// A list as `a,b`; every part must be understood, or nothing changes.
template <typename Parse>
Result<void> set_list(std::vector<std::string>& into, std::string_view text, Parse parse) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    const auto part = text.substr(at, comma - at);
    RS_TRY(parse(part));
    parts.emplace_back(part);
    at = comma + 1;
  }
  into = std::move(parts);
  return {};
}

Result<void> check_jitter(std::string_view text) {
  sim::Faults faults;
  return sim::parse_jitter(text, faults);
}

struct Field {
  std::string_view name;
  std::string (*get)(const Scenario&);
  Result<void> (*set)(Scenario&, std::string_view);
};

constexpr std::uint64_t most_ranks = Transfer::max_ranks;

/// In the order in which a share string names them.
constexpr Field fields[] = {
    {"collective", [](const Scenario& s) { return s.collective.collective; },
     [](Scenario& s, std::string_view t) -> Result<void> {
       RS_TRY(set_text(s.collective.collective, t, parse_collective, false));
       s.collective.schedule.clear();  // that of a file is its own
       return {};
     }},
    {"algorithm", [](const Scenario& s) { return s.collective.algorithm; },
     [](Scenario& s, std::string_view t) -> Result<void> {
       RS_TRY(set_text(s.collective.algorithm, t, not_blank, false));
       s.collective.schedule.clear();
       return {};
     }},
    {"schedule", [](const Scenario& s) { return s.collective.schedule; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.collective.schedule, t, not_blank, true);
     }},
    {"system", [](const Scenario& s) { return s.system.system; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.system.system, t, not_blank, false);
     }},
    {"ranks", [](const Scenario& s) { return text_of(s.system.ranks); },
     [](Scenario& s, std::string_view t) { return set_number(s.system.ranks, t, 1, most_ranks); }},
    {"nodes", [](const Scenario& s) { return text_of(s.system.nodes); },
     [](Scenario& s, std::string_view t) {
       return set_number(s.system.nodes, t.empty() ? "1" : t, 1, most_ranks);
     }},
    {"net", [](const Scenario& s) { return s.system.net; },
     [](Scenario& s, std::string_view t) { return set_text(s.system.net, t, not_blank, true); }},
    {"bytes", [](const Scenario& s) { return s.collective.bytes; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.collective.bytes, t, parse_bytes, false);
     }},
    {"type", [](const Scenario& s) { return s.collective.type; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.collective.type, t, parse_element_type, false);
     }},
    {"redop", [](const Scenario& s) { return s.collective.redop; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.collective.redop, t, parse_reduce_op, false);
     }},
    {"root", [](const Scenario& s) { return std::to_string(s.collective.root); },
     [](Scenario& s, std::string_view t) {
       return set_number(s.collective.root, t, 0, most_ranks - 1);
     }},
    {"in-place", [](const Scenario& s) { return std::string(s.collective.in_place ? "true" : ""); },
     [](Scenario& s, std::string_view t) { return set_truth(s.collective.in_place, t); }},
    {"chunks", [](const Scenario& s) { return text_of(s.collective.options.chunks); },
     [](Scenario& s, std::string_view t) {
       return set_number(s.collective.options.chunks, t, 1, 4 * most_ranks);
     }},
    {"channels", [](const Scenario& s) { return text_of(s.collective.options.channels); },
     [](Scenario& s, std::string_view t) {
       return set_number(s.collective.options.channels, t, 1, Transfer::max_channels);
     }},
    {"ranks-per-node",
     [](const Scenario& s) { return text_of(s.collective.options.ranks_per_node); },
     [](Scenario& s, std::string_view t) {
       return set_number(s.collective.options.ranks_per_node, t, 1, most_ranks);
     }},
    {"dims", [](const Scenario& s) { return s.system.dims; },
     [](Scenario& s, std::string_view t) {
       return set_text(
           s.system.dims, t, [](std::string_view d) { return parse_dims(std::string(d)); }, true);
     }},
    {"bandwidth", [](const Scenario& s) { return s.system.bandwidth; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.system.bandwidth, t, parse_bandwidth, true);
     }},
    {"latency", [](const Scenario& s) { return s.system.latency; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.system.latency, t, parse_duration, true);
     }},
    {"nvlink", [](const Scenario& s) { return text_of(s.system.nvlink); },
     [](Scenario& s, std::string_view t) { return set_number(s.system.nvlink, t, 1, 6); }},
    {"no-p2p", [](const Scenario& s) { return std::string(s.system.no_p2p ? "true" : ""); },
     [](Scenario& s, std::string_view t) { return set_truth(s.system.no_p2p, t); }},
    {"set", [](const Scenario& s) { return fmt::format("{}", fmt::join(s.system.set, ",")); },
     [](Scenario& s, std::string_view t) {
       return set_list(s.system.set, t, sim::parse_override);
     }},
    {"model", [](const Scenario& s) { return s.system.model; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.system.model, t, sim::parse_network_model, false);
     }},
    {"rank-order", [](const Scenario& s) { return s.system.rank_order; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.system.rank_order, t, not_blank, true);
     }},
    {"slow", [](const Scenario& s) { return fmt::format("{}", fmt::join(s.system.slow, ",")); },
     [](Scenario& s, std::string_view t) { return set_list(s.system.slow, t, sim::parse_slow); }},
    {"dead", [](const Scenario& s) { return fmt::format("{}", fmt::join(s.system.dead, ",")); },
     [](Scenario& s, std::string_view t) { return set_list(s.system.dead, t, not_blank); }},
    {"straggler",
     [](const Scenario& s) { return fmt::format("{}", fmt::join(s.system.straggler, ",")); },
     [](Scenario& s, std::string_view t) {
       return set_list(s.system.straggler, t, sim::parse_straggler);
     }},
    {"jitter", [](const Scenario& s) { return s.system.jitter; },
     [](Scenario& s, std::string_view t) {
       return set_text(s.system.jitter, t, check_jitter, true);
     }},
    {"mistake", [](const Scenario& s) { return s.mistake; },
     [](Scenario& s, std::string_view t) { return set_text(s.mistake, t, parse_mistake, true); }},
};

Result<const Field*> find(std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name) return &field;
  return bad_request(unknown("field", name, field_names()));
}

}  // namespace

std::span<const std::string_view> field_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const Field& field : fields) all.push_back(field.name);
    return all;
  }();
  return names;
}

Result<void> set_field(Scenario& scenario, std::string_view name, std::string_view value) {
  RS_ASSIGN(const Field* found, find(name));
  if (auto done = found->set(scenario, value); !done)
    return bad_request(fmt::format("{}: {}", name, done.error().message));
  return {};
}

Result<std::string> field(const Scenario& scenario, std::string_view name) {
  RS_ASSIGN(const Field* found, find(name));
  return found->get(scenario);
}

Result<Mistake> parse_mistake(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  Mistake mistake;
  RS_ASSIGN(mistake.kind, parse_mutation(text.substr(0, colon)));
  if (colon == text.size()) return mistake;
  const auto seed = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), mistake.seed);
  if (error != std::errc{} || end != seed.data() + seed.size())
    return bad_request(
        fmt::format("expected a mistake as {}:3, not {}", name(mistake.kind), in_quotes(text)));
  return mistake;
}

}  // namespace ringside::scenario
