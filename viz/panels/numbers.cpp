// Right, top: what the run costs in all, and what has happened so far.

#include "viz/stage/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"

namespace ringside::panels {
namespace {

using stage::Word;

/// `389` and `µs`: figures are large, their units small.
struct Figure {
  std::string number, unit;
};
Figure split(const std::string& text) {
  const auto space = text.find(' ');
  return space == std::string::npos ? Figure{text, ""}
                                    : Figure{text.substr(0, space), text.substr(space + 1)};
}
Figure rate(std::optional<double> gigabytes) {
  if (!gigabytes) return {"–", ""};
  const int decimals = *gigabytes >= 1000 ? 0 : *gigabytes >= 10 ? 1 : 2;
  return {fmt::format("{:.{}f}", *gigabytes, decimals), "GB/s"};
}

class Column {
 public:
  Column(const Panel& panel, const stage::StagedRun& run)
      : panel_(panel),
        look_(panel.look),
        run_(run),
        numbers_(stage::numbers_at(run, panel.model.playback.now)),
        list_(*ImGui::GetWindowDrawList()),
        left_(panel.min.x + 2 * look_.unit),
        right_(panel.max.x - 2 * look_.unit),
        y_(panel.min.y + 1.5f * look_.unit) {}

  void draw() {
    line(look_.small, look_.colour.quiet,
         look_.say(run_.is_measured ? Word::measured_run : Word::when_finished));
    figures();
    busiest();
    if (!has_room(2)) return;
    y_ += look_.unit / 2;
    line(look_.small, look_.colour.quiet, look_.say(Word::so_far));
    sent();
    ports();
  }

 private:
  float height(ImFont* font) const { return measure(font, "0").y; }
  bool has_room(int lines) const {
    return y_ + static_cast<float>(lines) * (height(look_.body) + look_.unit / 2) < panel_.max.y;
  }
  void line(ImFont* font, ImU32 colour, const std::string& text) {
    ImFont* fits = measure(font, text.c_str()).x <= right_ - left_ ? font : look_.small;
    write(list_, {left_, y_}, {fits, colour}, text.c_str());
    y_ += height(font) + look_.unit / 2;
  }
  void figures();
  void busiest();
  void sent();
  void ports();

  const Panel& panel_;
  const Look& look_;
  const stage::StagedRun& run_;
  stage::Numbers numbers_;
  ImDrawList& list_;
  float left_, right_, y_;
};

void Column::figures() {
  const std::pair<Figure, Word> all[] = {{split(people(numbers_.time)), Word::time_word},
                                         {rate(numbers_.algbw), Word::algbw_word},
                                         {rate(numbers_.busbw), Word::busbw_word}};
  const float pitch = (right_ - left_) / 3;
  const float tall = height(look_.title);
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const auto& [figure, word] = all[i];
    const float x = left_ + static_cast<float>(i) * pitch;
    const ImVec2 size =
        write(list_, {x, y_}, {look_.title, look_.colour.ink}, figure.number.c_str());
    // Beside the figure, or where there is no room beside its name.
    const float unit = measure(look_.small, figure.unit.c_str()).x;
    const bool beside = size.x + unit + look_.unit < pitch;
    if (beside)
      write(list_, {x + size.x + look_.unit / 2, y_ + tall - height(look_.small) - 1},
            {look_.small, look_.colour.quiet}, figure.unit.c_str());
    const std::string name = look_.say(word) + (beside ? "" : ", " + figure.unit);
    write(list_, {x, y_ + tall}, {look_.small, look_.colour.quiet}, name.c_str());
  }
  y_ += tall + height(look_.small) + look_.unit;
}

void Column::busiest() {
  if (numbers_.busiest.empty()) return;
  const float words = measure(look_.small, look_.say(Word::busiest_links)).x;
  write(list_, {left_, y_}, {look_.small, look_.colour.quiet}, look_.say(Word::busiest_links));
  const float bar = left_ + words + look_.unit, middle = y_ + height(look_.small) / 2;
  const float full = right_ - bar;
  const float h = look_.unit * 0.4f;
  list_.AddRectFilled({bar, middle - h}, {right_, middle + h}, look_.colour.trough, h);
  list_.AddRectFilled({bar, middle - h},
                      {bar + full * static_cast<float>(numbers_.busiest_share), middle + h},
                      look_.colour.good, h);
  y_ += height(look_.small) + look_.unit / 2;
  const std::string who =
      numbers_.busiest.size() == 1
          ? run_.topology->link_name(numbers_.busiest.front())
          : fmt::format(fmt::runtime(look_.say(Word::links_equally_busy)), numbers_.busiest.size());
  write(list_, {right_, y_}, {look_.body, look_.colour.ink, 1},
        fmt::format("{:.0f} %", 100 * numbers_.busiest_share).c_str());
  line(look_.body, look_.colour.ink, who);
}

void Column::sent() {
  line(look_.body, look_.colour.ink,
       fmt::format(fmt::runtime(look_.say(Word::sent_of)), people(numbers_.sent),
                   people(numbers_.to_send)));
  if (has_room(2))
    line(look_.body, look_.colour.ink,
         fmt::format(fmt::runtime(look_.say(Word::messages_of)), numbers_.messages,
                     numbers_.messages_in_all));
}

void Column::ports() {
  if (!has_room(1)) return;
  const stage::Port& port = numbers_.ports[numbers_.busiest_port.value];
  const bool alike = numbers_.port_ties + 1 == numbers_.ports.size();
  line(look_.body, look_.colour.ink,
       alike ? fmt::format(fmt::runtime(look_.say(Word::ports_alike)), people(port.out),
                           people(port.in))
             : fmt::format(fmt::runtime(look_.say(Word::port_of)),
                           rank_name(look_, run_, numbers_.busiest_port), people(port.out),
                           people(port.in)));
}

}  // namespace

void draw_numbers(const Panel& panel) {
  begin_panel("numbers", panel);
  if (panel.model.run) Column(panel, *panel.model.run).draw();
  end_panel();
}

}  // namespace ringside::panels
