#include "viz/window/monitors.hpp"

#include <dlfcn.h>

#include <SFML/Window/VideoMode.hpp>
#include <algorithm>

namespace ringside::window {
namespace {

// SFML knows one desktop, however many monitors make it up. The X libraries it loads know more;
// asking those by name spares a build dependency on their headers.
struct XMonitor {  // XRRMonitorInfo of RandR 1.5
  unsigned long name;
  int is_primary, is_automatic, outputs;
  int x, y, width, height, width_mm, height_mm;
  unsigned long* output;
};
using OpenDisplay = void* (*)(const char*);
using CloseDisplay = int (*)(void*);
using RootWindow = unsigned long (*)(void*);
using GetMonitors = XMonitor* (*)(void*, unsigned long, int, int*);
using FreeMonitors = void (*)(XMonitor*);

class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  template <typename Function>
  Function find(const char* name) const {
    if (handle_ == nullptr) return nullptr;
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

 private:
  void* handle_;  // never closed: SFML has it loaded as well
};

std::vector<Monitor> ask_randr() {
  const Library x("libX11.so.6"), randr("libXrandr.so.2");
  const auto open = x.find<OpenDisplay>("XOpenDisplay");
  const auto close = x.find<CloseDisplay>("XCloseDisplay");
  const auto root = x.find<RootWindow>("XDefaultRootWindow");
  const auto get = randr.find<GetMonitors>("XRRGetMonitors");
  const auto free_all = randr.find<FreeMonitors>("XRRFreeMonitors");
  if (!open || !close || !root || !get || !free_all) return {};
  void* const display = open(nullptr);
  if (display == nullptr) return {};
  int count = 0;
  XMonitor* const found = get(display, root(display), 1, &count);
  std::vector<Monitor> list;
  for (int i = 0; i < count; ++i) {
    const Monitor monitor{
        {found[i].x, found[i].y},
        {static_cast<unsigned>(found[i].width), static_cast<unsigned>(found[i].height)}};
    list.insert(found[i].is_primary != 0 ? list.begin() : list.end(), monitor);
  }
  if (found != nullptr) free_all(found);
  close(display);
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
