// A script, done.

#include <fmt/format.h>

#include <cmath>

#include "viz/stage/clock.hpp"
#include "viz/stage/keys.hpp"
#include "viz/stage/script.hpp"

namespace ringside::stage {
namespace {

using namespace script;

struct Perform {
  Model& model;
  Director& director;
  const Screen& screen;

  Result<void> operator()(const Action& action) const {
    if (!std::holds_alternative<Edit>(action)) settle();
    carry_out(action);
    return {};
  }
  Result<void> operator()(const Press& press) const {
    settle();
    if (const auto action = meaning(model, press.key)) carry_out(*action);
    return {};
  }
  Result<void> operator()(const SeekShare& seek) const {
    settle();
    const double end = static_cast<double>(end_of(model).picoseconds);
    carry_out(Seek{{std::llround(end * seek.share)}});
    return {};
  }
  Result<void> operator()(const PickLink& pick) const {
    settle();
    if (!model.run) return bad_request("nothing is staged, so there are no links");
    RS_ASSIGN(const auto links, sim::find_links(*model.run->topology, pick.name));
    const Pick found{.link = links.front()};
    carry_out(pick.selects ? Action{Select{found}} : Action{Hover{found}});
    return {};
  }
  Result<void> operator()(const Frames& frames) const {
    settle();
    for (std::uint32_t i = 0; i < frames.count && !model.has_quit; ++i) screen.frame();
    return {};
  }
  Result<void> operator()(const Wait&) const {
    settle();
    return {};
  }
  Result<void> operator()(const Dump& dump) const {
    settle();
    if (!screen.dump) return bad_request("nobody is here to write the state down");
    return screen.dump(dump.file);
  }
  Result<void> operator()(const OnScreen& deed) const {
    if (std::holds_alternative<Shot>(deed) || std::holds_alternative<Read>(deed)) settle();
    if (!screen.act) return bad_request("this line needs a window, and there is none");
    return screen.act(deed);
  }

  void carry_out(const Action& action) const {
    if (screen.apply)
      screen.apply(action);
    else
      apply(model, action, director);
  }
  void settle() const {
    if (screen.wait) screen.wait();
    director.wait();
    receive(model, director);
  }
};

}  // namespace

Result<void> perform(const Script& script, Model& model, Director& director, const Screen& screen) {
  for (const Line& line : script.lines) {
    if (model.has_quit) return {};
    if (auto done = std::visit(Perform{model, director, screen}, line.deed); !done) {
      done.error().message =
          fmt::format("{}:{}: {}", script.file, line.number, done.error().message);
      return done;
    }
  }
  return {};
}

}  // namespace ringside::stage
