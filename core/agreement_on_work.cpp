#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/mix.hpp"

namespace ringside {
namespace {

std::uint64_t hash_of(const Schedule& schedule) {
  const auto hash_slot = [](const Slot& slot) {
    return mix(slot.rank.value, mix(static_cast<std::uint64_t>(slot.buffer), slot.chunk.value));
  };
  std::uint64_t hash = mix(schedule.chunks(), schedule.scratch_chunks());
  for (std::uint32_t id = 0; id < schedule.transfers().size(); ++id) {
    const Transfer& t = schedule[{id}];
    for (const Slot& slot : {t.src(), t.with(), t.dst()}) hash = mix(hash, hash_slot(slot));
    hash =
        mix(hash, mix(t.chunks(), mix(t.channel().value, static_cast<std::uint64_t>(t.action()))));
    hash = mix(hash, schedule.step({id}).value);
  }
  return hash;
}

/// What all ranks must be about to do alike.
struct Term {
  std::string name, value;
};

std::vector<Term> terms_of(const Work& work, const RunOptions& options) {
  const CollectiveSpec& spec = work.schedule->spec();
  return {{"ranks", std::to_string(spec.ranks)},
          {"collective", std::string(name(spec.kind))},
          {"root", has_root(spec.kind) ? std::to_string(spec.root.value) : "none"},
          {"placement", spec.in_place ? "in place" : "out of place"},
          {"schedule", std::to_string(hash_of(*work.schedule))},
          {"count", std::to_string(work.count)},
          {"type", std::string(name(work.type))},
          {"op", std::string(name(work.op))},
          {"scalar", std::to_string(work.mulsum_scalar)},
          {"executor", options.executor.empty() ? "default" : options.executor},
          {"trace", options.trace ? "kept" : "not kept"}};
}

// What a process says of itself before a run: `=` and a line for each term, or `!` and its error.

std::string words_of(const std::vector<Term>& terms) {
  std::string words = "=";
  for (const Term& term : terms) words += term.value + "\n";
  return words;
}

std::string words_of(const Error& error) {
  return "!" + std::to_string(static_cast<int>(error.kind)) + error.message;
}

std::vector<std::string> lines_of(const std::string& words) {
  std::vector<std::string> lines;
  for (std::size_t at = 1; at < words.size();) {
    const auto end = words.find('\n', at);
    lines.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The first process that cannot, or that is about to do something else than the first one.
Result<void> compare(const std::vector<std::string>& said, const std::vector<Term>& terms) {
  for (const auto& words : said)
    if (words.front() == '!')
      return tl::unexpected<Error>(Error{static_cast<ErrorKind>(words[1] - '0'), words.substr(2)});
  const auto first = lines_of(said.front());
  for (std::size_t p = 1; p < said.size(); ++p) {
    const auto lines = lines_of(said[p]);
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (lines[i] != first[i])
        return bad_request("all ranks must be asked for the same, but the " + terms[i].name +
                           " of rank " + std::to_string(p) + " is " + lines[i] +
                           " and that of rank 0 is " + first[i]);
  }
  return {};
}

}  // namespace

Result<void> agree_on(Backend& backend, const Work& work, const RunOptions& options,
                      const Result<void>& mine) {
  const auto terms = terms_of(work, options);
  RS_ASSIGN(const auto said, backend.share(mine ? words_of(terms) : words_of(mine.error())));
  return compare(said, terms);
}

}  // namespace ringside
