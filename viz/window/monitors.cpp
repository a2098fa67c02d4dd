#include "viz/window/monitors.hpp"

#include <SFML/Window/VideoMode.hpp>
#include <algorithm>

#include "viz/window/x_display.hpp"

namespace ringside::window {
namespace {

// SFML knows one desktop, however many monitors make it up. The X libraries know more.
struct XMonitor {  // XRRMonitorInfo of RandR 1.5
  unsigned long name;
  int is_primary, is_automatic, outputs;
  int x, y, width, height, width_mm, height_mm;
  unsigned long* output;
};
using GetMonitors = XMonitor* (*)(void*, unsigned long, int, int*);
using FreeMonitors = void (*)(XMonitor*);

std::vector<Monitor> ask_randr() {
  const XDisplay display;
  const Library randr("libXrandr.so.2");
  const auto get = randr.find<GetMonitors>("XRRGetMonitors");
  const auto free_all = randr.find<FreeMonitors>("XRRFreeMonitors");
  if (!get || !free_all || display.get() == nullptr) return {};
  int count = 0;
  XMonitor* const found = get(display.get(), display.root(), 1, &count);
  std::vector<Monitor> list;
  for (int i = 0; i < count; ++i) {
    const Monitor monitor{
        {found[i].x, found[i].y},
        {static_cast<unsigned>(found[i].width), static_cast<unsigned>(found[i].height)}};
    list.insert(found[i].is_primary != 0 ? list.begin() : list.end(), monitor);
  }
  if (found != nullptr) free_all(found);
  return list;
}

}  // namespace

std::vector<Monitor> monitors() {
  auto list = ask_randr();
  if (list.empty()) {
    const auto desktop = sf::VideoMode::getDesktopMode();
    list.push_back({{0, 0}, {desktop.width, desktop.height}});
  }
  return list;
}

}  // namespace ringside::window
