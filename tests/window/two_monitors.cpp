// Parts the display in two monitors side by side, as an X server with two screens has them: the
// left 1000 pixels and the rest. Exit 3 where the X libraries or the server cannot.

#include <dlfcn.h>

#include <cstdio>

namespace {

struct Monitor {  // XRRMonitorInfo of RandR 1.5
  unsigned long name;
  int is_primary, is_automatic, outputs;
  int x, y, width, height, width_mm, height_mm;
  unsigned long* output;
};

template <typename Function>
Function find(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY);
  return handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle, name));
}

}  // namespace

int main() {
  constexpr auto x11 = "libX11.so.6", randr = "libXrandr.so.2";
  const auto open = find<void* (*)(const char*)>(x11, "XOpenDisplay");
  const auto root = find<unsigned long (*)(void*)>(x11, "XDefaultRootWindow");
  const auto atom = find<unsigned long (*)(void*, const char*, int)>(x11, "XInternAtom");
  const auto close = find<int (*)(void*)>(x11, "XCloseDisplay");
  const auto get = find<Monitor* (*)(void*, unsigned long, int, int*)>(randr, "XRRGetMonitors");
  const auto set = find<void (*)(void*, unsigned long, Monitor*)>(randr, "XRRSetMonitor");
  if (!open || !root || !atom || !close || !get || !set) return 3;
  void* const display = open(nullptr);
  if (display == nullptr) return 3;
  int count = 0;
  Monitor* const all = get(display, root(display), 1, &count);
  if (all == nullptr || count != 1) return 3;
  constexpr int left_width = 1000;
  Monitor left = *all, right = *all;
  left.name = atom(display, "left", 0);
  left.is_primary = 1;
  left.is_automatic = right.is_automatic = 0;
  left.width = left_width;
  right.name = atom(display, "right", 0);
  right.is_primary = right.outputs = 0;
  right.output = nullptr;
  right.x = left_width;
  right.width -= left_width;
  set(display, root(display), &left);
  set(display, root(display), &right);
  close(display);
}
