#include "viz/stage/dump_run.hpp"

#include "viz/stage/numbers.hpp"

namespace ringside::stage::detail {

void Fields::add_text(std::string_view key, const std::string& json) {
  text_ += text_.size() > 1 ? ",\n" : "\n";
  text_ += Json(key).dump() + ": " + json;
}

void Items::add(const Json& item) {
  text_ += text_.size() > 1 ? ",\n" : "\n";
  text_ += item.dump();
}

namespace {

std::string_view name(Buffer buffer) {
  static constexpr std::string_view names[] = {"input", "output", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

Json number_of(TransferId id) {
  return id.value == UINT32_MAX ? Json() : Json(id.value);
}

/// Whose parts, of which chunk, and what they add up to.
Json content_of(const Content& content, const StagedRun& run) {
  Json contributors = Json::array();
  for (Rank r{0}; r.value < run.ranks(); ++r.value)
    if (run.story->contains(content.parts, r)) contributors.push_back(r.value);
  return {{"of_chunk", run.story->chunk(content.parts).value},
          {"contributors", std::move(contributors)},
          {"repeats", run.story->repeats(content.parts)},
          {"value", content.value}};
}

std::string violations_of(const StagedRun& run) {
  Items items;
  for (const Violation& violation : run.violations)
    items.add({{"kind", ringside::name(violation.kind)},
               {"slot", json_of(violation.slot)},
               {"transfer", number_of(violation.transfer)},
               {"other", number_of(violation.other)},
               {"sentence", to_string(violation, *run.schedule)}});
  return items.text();
}

Json numbers_of(const StagedRun& run, TimePoint now) {
  const Numbers numbers = numbers_at(run, now);
  Json ports = Json::array(), busiest = Json::array();
  const auto idle = idle_times(run, now);
  for (std::size_t r = 0; r < numbers.ports.size(); ++r)
    ports.push_back({{"out_bytes", numbers.ports[r].out.count},
                     {"in_bytes", numbers.ports[r].in.count},
                     {"idle_ps", idle[r].picoseconds}});
  for (const LinkId link : numbers.busiest) busiest.push_back(run.topology->link_name(link));
  Json json{{"finished", numbers.is_finished},
            {"step", numbers.step.value},
            {"steps", run.schedule->steps()},
            {"sent_bytes", numbers.sent.count},
            {"to_send_bytes", numbers.to_send.count},
            {"messages", numbers.messages},
            {"messages_in_all", numbers.messages_in_all},
            {"busiest_port", numbers.busiest_port.value},
            {"busiest_port_ties", numbers.port_ties},
            {"busiest_links", std::move(busiest)},
            {"busiest_share", numbers.busiest_share}};
  if (numbers.algbw) json["algbw_GBps"] = *numbers.algbw;
  if (numbers.busbw) json["busbw_GBps"] = *numbers.busbw;
  json["ports"] = std::move(ports);
  return json;
}

std::string links_of(const StagedRun& run, TimePoint now) {
  const auto load = load_at(run, now);
  Items items;
  for (LinkId link{0}; link.value < run.links.size(); ++link.value) {
    const auto& use = run.links[link.value];
    if (use.bytes.count == 0) continue;
    items.add({{"link", run.topology->link_name(link)},
               {"load", load[link.value]},
               {"bytes", use.bytes.count},
               {"busy_ps", use.busy.picoseconds}});
  }
  return items.text();
}

std::string under_way(const StagedRun& run, TimePoint now) {
  Items items;
  for (const UnderWay& flight : run.timeline->under_way(now)) {
    const Transfer& t = (*run.schedule)[flight.id];
    Json cargo = Json::array();
    for (std::uint32_t i = 0; i < t.chunks(); ++i)
      cargo.push_back(content_of(run.story->cargo(flight.id, i), run));
    items.add({{"id", flight.id.value},
               {"from", t.src().rank.value},
               {"to", t.dst().rank.value},
               {"progress", flight.progress},
               {"cargo", std::move(cargo)}});
  }
  return items.text();
}

std::string slots_of(const StagedRun& run, TimePoint now) {
  Items items;
  const auto add = [&](const Slot& slot) {
    const Content content = run.timeline->at(slot, now);
    if (content.empty()) return;
    Json item{{"slot", json_of(slot)}};
    item.update(content_of(content, run));
    item["writer"] = number_of(run.timeline->writer(slot, now));
    items.add(item);
  };
  for (std::uint32_t r = 0; r < run.schedule->participants(); ++r) {
    for (std::uint32_t c = 0; c < run.schedule->chunks(); ++c) add(input(r, c));
    for (std::uint32_t c = 0; c < run.schedule->chunks(); ++c) add(output(r, c));
    for (std::uint32_t c = 0; c < run.schedule->scratch_chunks(); ++c) add(scratch(r, c));
  }
  return items.text();
}

std::string transfers_of(const StagedRun& run) {
  std::vector<std::string> names;  // a name is a search among all links
  for (LinkId link{0}; link.value < run.topology->links.size(); ++link.value)
    names.push_back(run.topology->link_name(link));
  Items items;
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    const Transfer& t = (*run.schedule)[id];
    const Span& span = run.spans[id.value];
    Json route = Json::array();
    for (const LinkId link : run.route(id)) route.push_back(names[link.value]);
    items.add({{"id", id.value},
               {"step", run.schedule->step(id).value},
               {"action", t.action() == Action::copy ? "copy" : "reduce"},
               {"from", json_of(t.src())},
               {"to", json_of(t.dst())},
               {"chunks", t.chunks()},
               {"channel", t.channel().value},
               {"bytes", run.size(id).count},
               {"route", std::move(route)},
               {"ready_ps", span.ready.picoseconds},
               {"begin_ps", span.begin.picoseconds},
               {"read_ps", span.read.picoseconds},
               {"arrival_ps", span.arrival.picoseconds},
               {"commit_ps", span.commit.picoseconds}});
  }
  return items.text();
}

/// As every command writes it.
Json row_of(const StagedRun& run) {
  return Json::parse(to_json(Report{.command = "view", .rows = {run.row}}))["results"][0];
}

}  // namespace

Json json_of(const Slot& slot) {
  return {slot.rank.value, name(slot.buffer), slot.chunk.value};
}

std::string dump_run(const StagedRun& run, TimePoint now) {
  Fields fields;
  fields.add("share", scenario::to_share_string({run.scenario, {}}));
  fields.add("row", row_of(run));
  fields.add("ranks", run.ranks());
  fields.add("agents", run.schedule->agents());
  fields.add("chunks", run.schedule->chunks());
  fields.add("steps", run.schedule->steps());
  fields.add("time_ps", run.time().picoseconds);
  fields.add("measured", run.is_measured);
  fields.add("proven", run.violations.empty());
  fields.add("mistake", run.mistake);
  fields.add("notes", run.notes);
  fields.add_text("violations", violations_of(run));
  fields.add("numbers", numbers_of(run, now));
  fields.add_text("links", links_of(run, now));
  fields.add_text("under_way", under_way(run, now));
  fields.add_text("slots", slots_of(run, now));
  fields.add_text("transfers", transfers_of(run));
  return fields.text();
}

}  // namespace ringside::stage::detail
