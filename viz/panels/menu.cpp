// What a right click offers: experiments with what is selected, and their keys.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/here.hpp"
#include "viz/stage/keys.hpp"

namespace ringside::panels {
namespace {

using stage::Command;
using stage::Word;

constexpr std::array<Command, 12> offers{
    Command::slow_down, Command::kill,     Command::straggle,    Command::repair,
    Command::break_it,  Command::fork,     Command::race,        Command::focus,
    Command::layout,    Command::run_here, Command::run_on_gpus, Command::run_by_nccl};

std::string selection(const Look& look, const stage::Model& model) {
  const stage::Pick& pick = model.selected;
  if (!model.run) return look.say(Word::nothing_selected);
  const auto rank = [&](Rank r) {
    return fmt::format(fmt::runtime(look.say(Word::rank)), r.value);
  };
  if (pick.link) return model.run->topology->link_name(*pick.link);
  if (pick.rank) return rank(*pick.rank);
  if (pick.slot) return rank(pick.slot->rank) + fmt::format(" · c{}", pick.slot->chunk.value);
  if (pick.chunk) return fmt::format("c{}", pick.chunk->value);
  if (!pick.transfer) return look.say(Word::nothing_selected);
  const Transfer& t = (*model.run->schedule)[*pick.transfer];
  return fmt::format("{} → {} · c{}", t.src().rank.value, t.dst().rank.value, t.src().chunk.value);
}

/// Faults are of a link or a rank; what has nothing to act on does nothing.
bool is_possible(const stage::Pick& pick, Command command) {
  if (command == Command::kill) return pick.link.has_value();
  if (command == Command::slow_down) return pick.link || pick.rank || pick.transfer;
  if (command == Command::straggle) return pick.rank || pick.slot || pick.transfer;
  return true;
}

/// Why this machine cannot, in short; empty: it can, or is being asked.
const char* lack_of(const Look& look, const stage::Model& model, Command command) {
  const auto backend = stage::backend_of(command);
  if (backend.empty() || !model.executors) return "";
  const auto found = std::ranges::find(*model.executors, backend, &stage::Executor::backend);
  if (found == model.executors->end()) return look.say(Word::menu_not_built);
  if (found->lacks.empty()) return "";
  return look.say(found->is_built ? Word::menu_not_usable : Word::menu_not_built);
}

/// Beside the mouse if it is over the window, else in its middle; kept while the menu is open.
ImVec2 place(const Panel& panel, ImVec2 size) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_over = mouse.x >= panel.min.x && mouse.y >= panel.min.y && mouse.x < panel.max.x &&
                       mouse.y < panel.max.y;
  const ImVec2 at = is_over ? mouse
                            : ImVec2{(panel.min.x + panel.max.x - size.x) / 2,
                                     (panel.min.y + panel.max.y - size.y) / 2};
  return {std::clamp(at.x, panel.min.x, std::max(panel.min.x, panel.max.x - size.x)),
          std::clamp(at.y, panel.min.y, std::max(panel.min.y, panel.max.y - size.y))};
}

/// What this machine lacks is dim, with the reason in the place of its key; asked for all the same,
/// it says in a sentence what is missing.
void draw_offer(const Panel& panel, Command command, const Corner& row) {
  const Look& look = panel.look;
  const char* words = look.say(stage::words_of(command));
  const std::string lack = lack_of(look, panel.model, command);
  const bool possible = is_possible(panel.model.selected, command);
  const Touch mouse = touch(words, row);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (mouse.is_hovered && possible) list.AddRectFilled(row.min, row.max, look.colour.trough);
  const float y = (row.min.y + row.max.y - measure(look.body, "0").y) / 2;
  write(
      list, {row.min.x + 2 * look.unit, y},
      {look.body, possible && lack.empty() ? look.colour.ink : with_alpha(look.colour.quiet, 0.7f)},
      words);
  write(list, {row.max.x - 2 * look.unit, y}, {look.body, look.colour.quiet, 1},
        lack.empty() ? std::string(stage::key_of(command)).c_str() : lack.c_str());
  if (mouse.is_clicked && possible) panel.actions.emplace_back(command);
}

}  // namespace

void draw_menu(const Panel& panel) {
  const Look& look = panel.look;
  const float u = look.unit, row = measure(look.body, "0").y + u;
  float width = measure(look.strong, selection(look, panel.model).c_str()).x;
  for (const Command command : offers) {
    // A reason is wider than the keys that there is room for; it may come while the menu is open.
    const bool may_lack = !stage::backend_of(command).empty();
    const float reason = may_lack ? std::max(measure(look.body, look.say(Word::menu_not_built)).x,
                                             measure(look.body, look.say(Word::menu_not_usable)).x)
                                  : 8 * u;
    width =
        std::max(width, measure(look.body, look.say(stage::words_of(command))).x + reason - 8 * u);
  }
  const auto rows = static_cast<float>(1 + offers.size());
  const ImVec2 size{width + 14 * u, row * rows + 2 * u};
  ImGui::SetNextWindowPos(place(panel, size), ImGuiCond_Appearing);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::ColorConvertU32ToFloat4(look.colour.box));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, u);
  ImGui::Begin(
      "menu", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  const ImVec2 at = ImGui::GetWindowPos();
  write(*ImGui::GetWindowDrawList(), {at.x + 2 * u, at.y + u * 1.5f},
        {look.strong, look.colour.accent}, selection(look, panel.model).c_str());
  float y = at.y + u + row;
  for (const Command command : offers) {
    draw_offer(panel, command, {{at.x, y}, {at.x + size.x, y + row}});
    y += row;
  }
  const ImVec2 m = ImGui::GetIO().MousePos;
  const bool is_over = m.x >= at.x && m.y >= at.y && m.x < at.x + size.x && m.y < at.y + size.y;
  if (ImGui::IsMouseClicked(0) && !is_over) panel.actions.emplace_back(Command::menu);
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace ringside::panels
