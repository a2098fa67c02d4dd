// `ringside list systems|algorithms|collectives|backends|models|gpus|lessons|recordings`: what
// there is.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/algorithm.hpp"
#include "core/assert.hpp"
#include "core/formats/measured_log.hpp"
#include "core/suggest.hpp"
#include "lessons/course/course.hpp"
#include "sim/shapes.hpp"
#include "sim/systems.hpp"
#include "sim/workload/gpu.hpp"
#include "sim/workload/model.hpp"
#include "viz/scenario/recordings.hpp"
#include "viz/stage/lesson_files.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::ordered_json;

/// One line of a listing; `more` is for JSON only.
struct Item {
  std::string group, name, summary;
  Json more = Json::object();
};

std::vector<Item> list_collectives() {
  static constexpr std::string_view summaries[collective_count] = {
      "every rank gets the reduction of all vectors",
      "rank r gets block r of the reduction of all vectors",
      "every rank gets every rank's block",
      "rank r gets block r of every rank",
      "every rank gets the root's vector",
      "the root gets the reduction of all vectors",
      "the root gets every rank's block",
      "rank r gets block r of the root's vector",
      "rank r gets the vector of rank r-1",
      "no rank goes on before every rank has come",
  };
  std::vector<Item> items;
  for (std::size_t i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    Json more{{"has_root", has_root(kind)},
              {"reduces", reduces(kind)},
              {"in_place", may_be_in_place(kind)}};
    items.push_back({"", std::string(name(kind)), std::string(summaries[i]), more});
  }
  return items;
}

std::vector<Item> list_algorithms() {
  static constexpr const char* chunking_names[] = {"fixed", "multiples", "tuned"};
  std::vector<Item> items;
  for (const Algorithm& a : all_algorithms())
    items.push_back(
        {std::string(name(a.collective)), std::string(a.name), std::string(a.summary),
         Json{{"paper", a.paper}, {"chunking", chunking_names[static_cast<int>(a.chunking)]}}});
  return items;
}

std::vector<Item> list_systems() {
  std::vector<Item> items;
  for (const auto& name : sim::shape_names())
    items.push_back({"shape", std::string(name), "a generic shape: --ranks --bandwidth --latency"});
  for (const auto& system : sim::list_systems())
    items.push_back({"machine", system.topology.name, system.summary,
                     Json{{"gpus", system.topology.ranks.size()},
                          {"network", system.network},
                          {"aliases", system.aliases}}});
  return items;
}

std::vector<Item> list_backends() {
  std::vector<Item> items;
  for (const KnownBackend& backend : known_backends()) {
    Json more{{"moves_data", backend.moves_data},
              {"built", backend.is_built},
              {"usable", backend.lacks.empty()}};
    if (!backend.lacks.empty()) more["lacks"] = backend.lacks;
    items.push_back({"", std::string(backend.name), std::string(backend.summary), std::move(more)});
  }
  return items;
}

std::vector<Item> list_models() {
  std::vector<Item> items;
  for (const auto& model : sim::list_models())
    items.push_back({"", model.name, model.summary,
                     Json{{"parameters", model.parameters()},
                          {"forward_flops", model.forward_flops()},
                          {"sequence", model.sequence},
                          {"aliases", model.aliases}}});
  return items;
}

std::vector<Item> list_gpus() {
  std::vector<Item> items;
  for (const auto& gpu : sim::list_gpus()) {
    Json peaks;
    for (const auto& [type, flops] : gpu.peak_flops) peaks[std::string(name(type))] = flops;
    items.push_back({"", gpu.name, gpu.summary,
                     Json{{"memory_bytes", gpu.memory.count},
                          {"memory_GBps", gpu.memory_bandwidth.gigabytes_per_second()},
                          {"peak_flops", peaks},
                          {"achieved", gpu.achieved},
                          {"systems", gpu.systems},
                          {"aliases", gpu.aliases}}});
  }
  return items;
}

std::vector<Item> list_lessons() {
  std::vector<Item> items;
  const auto folder = stage::lessons_folder("");
  if (!folder) return items;
  const auto course = lessons::load_course(*folder);
  if (!course) return items;
  for (const auto& lesson : course->lessons)
    items.push_back({"", lesson.name, lesson.text(lessons::Language::en).title,
                     Json{{"number", lesson.number},
                          {"minutes", lesson.minutes},
                          {"beats", lesson.beats.size()},
                          {"title_zh", lesson.text(lessons::Language::zh).title}}});
  return items;
}

std::vector<Item> list_recordings() {
  std::vector<Item> items;
  for (const auto& recording : scenario::recordings()) {
    const auto log = read_measured(recording.json, recording.name);
    RS_ASSERT(log, "a recording of ours can be read");
    items.push_back({"", "recorded:" + std::string(recording.name),
                     fmt::format("{}, {}", log->on.hardware, log->on.date),
                     Json{{"rows", log->rows.size()}, {"notes", log->on.remarks}}});
  }
  return items;
}

struct Listing {
  std::string_view name;
  std::vector<Item> (*items)();
};
constexpr Listing listings[] = {{"systems", list_systems},         {"algorithms", list_algorithms},
                                {"collectives", list_collectives}, {"backends", list_backends},
                                {"models", list_models},           {"gpus", list_gpus},
                                {"lessons", list_lessons},         {"recordings", list_recordings}};

std::string for_people(const std::vector<Item>& items) {
  std::string text, group;
  for (const Item& item : items) {
    if (item.group != group) {
      group = item.group;
      text += fmt::format("{}{}\n", text.empty() ? "" : "\n", group);
    }
    text += fmt::format("  {:<22} {}", item.name, item.summary);
    if (item.more.contains("lacks"))
      text += fmt::format(" (not here: {})", item.more["lacks"].get<std::string>());
    text += "\n";
  }
  return text;
}

std::string as_json(std::string_view what, const std::vector<Item>& items) {
  Json json{{"ringside", 1}, {"command", "list"}, {"listed", what}, {"results", Json::array()}};
  for (const Item& item : items) {
    Json entry{{"name", item.name}};
    if (what == "algorithms") entry["collective"] = item.group;
    if (what == "systems") entry["kind"] = item.group;
    entry["summary"] = item.summary;
    entry.update(item.more);
    json["results"].push_back(entry);
  }
  return json.dump(2) + "\n";
}

Result<int> list(const std::string& what, const OutputOptions& output) {
  std::vector<std::string_view> names;
  for (const Listing& listing : listings) {
    names.push_back(listing.name);
    if (listing.name != what) continue;
    const auto items = listing.items();
    RS_TRY(write(output, output.json ? as_json(what, items) : for_people(items)));
    return 0;
  }
  return bad_request(unknown("listing", what, names));
}

}  // namespace

void add_list(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("list",
                                     "What there is: systems, algorithms, collectives, backends, "
                                     "models, gpus, lessons, recordings");
  command->footer("Example: ringside list algorithms");
  const auto what = std::make_shared<std::string>();
  const auto output = std::make_shared<OutputOptions>();
  command
      ->add_option("what", *what,
                   "systems, algorithms, collectives, backends, models, gpus or lessons")
      ->required();
  output->add_to(*command, false);
  command->callback(
      [what, output, &chosen] { chosen = [what, output] { return list(*what, *output); }; });
}

}  // namespace ringside::terminal
