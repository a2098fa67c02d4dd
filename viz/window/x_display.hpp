#pragma once

#include <dlfcn.h>

namespace ringside::window {

/// A library that SFML has loaded too, asked for by name: that spares a build dependency on its
/// headers. Never closed.
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
  void* handle_;
};

/// A connection of our own to the X server that DISPLAY names; null where there is none.
class XDisplay {
 public:
  XDisplay() {
    if (const auto open = x_.find<void* (*)(const char*)>("XOpenDisplay")) display_ = open(nullptr);
  }
  ~XDisplay() {
    if (const auto close = x_.find<int (*)(void*)>("XCloseDisplay"); close && display_ != nullptr)
      close(display_);
  }
  XDisplay(const XDisplay&) = delete;
  XDisplay& operator=(const XDisplay&) = delete;

  void* get() const { return display_; }
  unsigned long root() const {
    const auto ask = x_.find<unsigned long (*)(void*)>("XDefaultRootWindow");
    return ask != nullptr && display_ != nullptr ? ask(display_) : 0;
  }

 private:
  Library x_{"libX11.so.6"};
  void* display_ = nullptr;
};

}  // namespace ringside::window
