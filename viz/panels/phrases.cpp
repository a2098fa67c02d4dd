#include "viz/panels/phrases.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "core/mutation.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/formula.hpp"
#include "viz/stage/rank_kind.hpp"

namespace ringside::panels {
namespace {

using stage::RankKind;
using stage::Word;

constexpr std::array<Word, collective_count> collectives{
    Word::all_reduce_name, Word::reduce_scatter_name, Word::all_gather_name, Word::all_to_all_name,
    Word::broadcast_name,  Word::reduce_name,         Word::gather_name,     Word::scatter_name,
    Word::send_recv_name,  Word::barrier_name};

constexpr std::array<Word, mutation_count> mutations{
    Word::mistake_drop_transfer, Word::mistake_wrong_neighbour, Word::mistake_doubled_add,
    Word::mistake_wrong_chunk,   Word::mistake_copy_for_reduce, Word::mistake_drop_dependency};

template <typename... Values>
std::string format(const Look& look, Word word, const Values&... values) {
  return fmt::format(fmt::runtime(look.say(word)), values...);
}

std::string slot_in_words(const Look& look, const Slot& slot) {
  const Word buffer = slot.buffer == Buffer::input    ? Word::slot_input
                      : slot.buffer == Buffer::output ? Word::slot_output
                                                      : Word::slot_scratch;
  return format(look, buffer, slot.rank.value, slot.chunk.value);
}

std::string of_practice(const Look& look, const std::string& value) {
  constexpr std::pair<std::string_view, Word> words[] = {
      {"weighted", Word::way_weighted},
      {"no_sync", Word::way_no_sync},
      {"sum", Word::way_sum},
      {"average_losses", Word::way_average_losses},
      {"even", Word::shards_even},
      {"uneven", Word::shards_uneven},
      {"broadcast", Word::start_broadcast},
      {"own", Word::start_own}};
  for (const auto& [said, word] : words)
    if (value == said) return look.say(word);
  return value;
}

/// What a workload's field says in words; most say what they are.
std::string of_workload(const Look& look, std::string_view field, const std::string& value) {
  if (value.empty()) return look.say(Word::as_the_machine_has);
  if (value == "auto") return look.say(Word::least_that_fits);
  if (value == "strong") return look.say(Word::mode_strong);
  if (value == "weak") return look.say(Word::mode_weak);
  if (stage::is_of_practice(field)) return of_practice(look, value);
  if (field != "train.recompute") return value;
  return look.say(value == "none"        ? Word::recompute_none
                  : value == "selective" ? Word::recompute_selective
                                         : Word::recompute_full);
}

/// `14`, `1.75`: as many digits as it needs, up to four.
std::string plain(double number) {
  return fmt::format("{:.4g}", number);
}

}  // namespace

const char* name_of(const Look& look, CollectiveKind kind) {
  return look.say(collectives[static_cast<std::size_t>(kind)]);
}

std::string title_of(const Look& look, const stage::StagedRun& run) {
  return as_title(run.row.algorithm) + " · " + name_of(look, run.row.collective);
}

std::string rank_name(const Look& look, const stage::StagedRun& run, Rank rank) {
  const bool is_gpu = stage::rank_kind(run.row, run.is_measured) == RankKind::gpu;
  return format(look, is_gpu ? Word::gpu : Word::rank, rank.value);
}

std::string rank_in_full(const Look& look, const stage::StagedRun& run, Rank rank) {
  switch (stage::rank_kind(run.row, run.is_measured)) {
    case RankKind::on_gpu:
    case RankKind::virtual_gpu:
      return format(look, Word::rank_on_gpu, rank.value, run.row.devices[rank.value]);
    case RankKind::thread:
      return format(look, Word::rank_as_thread, rank.value);
    case RankKind::process:
      return format(look, Word::rank_as_process, rank.value);
    default:
      return rank_name(look, run, rank);
  }
}

std::string recorded_on(const Look& look, const stage::StagedRun& run) {
  switch (stage::rank_kind(run.row, run.is_measured)) {
    case RankKind::gpu:
    case RankKind::on_gpu:
      return look.say(Word::truth_of_gpus);
    case RankKind::virtual_gpu:
      return format(look, Word::truth_of_shared_gpus, run.ranks(),
                    std::set(run.row.devices.begin(), run.row.devices.end()).size());
    case RankKind::thread:
      return look.say(Word::truth_of_threads);
    case RankKind::process:
      return look.say(Word::truth_of_processes);
    default:
      return look.say(Word::truth_measured);
  }
}

std::string file_name(const std::string& system) {
  return system.substr(system.rfind('/') + 1);
}

std::string shown(const Look& look, std::string_view field, const std::string& value) {
  if (field == "collective") {
    const auto kind = parse_collective(value);
    return kind ? name_of(look, *kind) : value;
  }
  if (field.starts_with("train.")) return of_workload(look, field, value);
  if (field.ends_with("algorithm")) return as_title(value);
  if (field.ends_with("system")) return file_name(value);
  if (field == "net" && value.empty()) return look.say(Word::as_the_machine_has);
  if (field == "model") return look.say(value == "flow" ? Word::model_flow : Word::model_stream);
  return value;
}

std::string shown(const Look& look, const stage::Control& control) {
  if (control.field == "bytes") {
    const auto size = parse_bytes(control.value);
    return size ? to_string(*size) : control.value;
  }
  if (control.kind == stage::Control::Kind::latency) {
    const auto latency = parse_duration(control.value);
    return latency ? people(*latency) : control.value;
  }
  return shown(look, control.field, control.value);
}

std::string phrase(const Look& look, const Violation& v) {
  const std::string where = slot_in_words(look, v.slot);
  switch (v.kind) {
    case ViolationKind::missing:
      return format(look, Word::violation_missing, where, v.contributor.value);
    case ViolationKind::repeated:
      return format(look, Word::violation_repeated, where, v.contributor.value);
    case ViolationKind::wrong:
      return format(look, Word::violation_wrong, where, v.contributor.value,
                    v.contributor_chunk.value);
    case ViolationKind::uninitialised:
      return format(look, Word::violation_uninitialised, where);
    case ViolationKind::race:
      return format(look, Word::violation_race, where, v.transfer.value, v.other.value);
    case ViolationKind::outside:
      break;
  }
  return format(look, Word::violation_outside, where, v.transfer.value);
}

std::string mistake_of(const Look& look, const stage::StagedRun& run) {
  const auto mistake = scenario::parse_mistake(run.scenario.mistake);
  return mistake ? look.say(mutations[static_cast<std::size_t>(mistake->kind)]) : "";
}

std::string formula_for(const Look& look, const stage::StagedRun& run) {
  const auto formula = stage::formula_of(run);
  if (!formula) return "";
  std::string text =
      fmt::format("{} × {}", plain(formula->latencies), people(formula->cost.latency));
  if (formula->sizes > 0)
    text += fmt::format(" + {} × {} ÷ {}", plain(formula->sizes), people(formula->size),
                        to_string(formula->cost.bandwidth));
  return format(look, formula->is_exact ? Word::formula_exact : Word::formula_alone, text,
                people(formula->predicted));
}

}  // namespace ringside::panels
