#include "viz/window/hands.hpp"

#include "viz/window/events.hpp"

namespace ringside::window {
namespace {

using namespace stage::script;

struct Hands {
  const std::function<void()>& frame;

  void operator()(const Shot&) const {}
  void operator()(const Read&) const {}
  void operator()(const PressThing&) const {}
  void operator()(const Move& move) const {
    feed_mouse_position(move.x, move.y);
    frame();
    frame();  // what the first one found under the mouse is lit up in the second
  }
  void operator()(const Click& click) const {
    (*this)(Move{click.x, click.y});
    const int button = click.right ? 1 : 0;
    feed_mouse_button(button, true);
    frame();
    feed_mouse_button(button, false);
    frame();
    frame();
  }
  void operator()(const Wheel& wheel) const {
    (*this)(Move{wheel.x, wheel.y});
    feed_wheel(wheel.notches);
    frame();
    frame();
  }
  void operator()(const Drag& drag) const {
    constexpr int moves = 8;
    (*this)(Move{drag.x0, drag.y0});
    feed_shift(drag.shift);
    feed_mouse_button(0, true);
    frame();
    for (int i = 1; i <= moves; ++i) {
      const float u = static_cast<float>(i) / moves;
      feed_mouse_position(drag.x0 + u * (drag.x1 - drag.x0), drag.y0 + u * (drag.y1 - drag.y0));
      frame();
    }
    feed_mouse_button(0, false);
    frame();
    feed_shift(false);
    frame();
  }
  void operator()(const Type& type) const {
    frame();  // a field that has just opened takes text from its second frame on
    feed_text(type.text.c_str());
    frame();
    feed_enter(true);
    frame();
    feed_enter(false);
    frame();
  }
};

}  // namespace

void act(const OnScreen& deed, const std::function<void()>& frame) {
  std::visit(Hands{frame}, deed);
}

}  // namespace ringside::window
