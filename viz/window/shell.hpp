#pragma once

#include <SFML/Window/Window.hpp>
#include <optional>
#include <string>
#include <vector>

#include "viz/panels/fonts.hpp"
#include "viz/panels/look.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/director.hpp"
#include "viz/stage/model.hpp"
#include "viz/window/monitors.hpp"
#include "viz/window/picture.hpp"
#include "viz/window/prompter.hpp"
#include "viz/window/textures.hpp"
#include "viz/window/worker.hpp"

namespace ringside::window {

/// The window: turns what happens to it into actions, and draws the model after each frame's.
class Shell {
 public:
  /// Opens it on the display, which must be usable (probe_display). `home`: the monitor it belongs
  /// to, which it then fills. `ledger`: the file that lessons' progress is kept in; empty: none.
  Shell(stage::Model& model, stage::Director& director, sf::Vector2u size,
        const std::optional<Monitor>& home, const std::string& ledger);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  /// Takes in what has happened to the window. True if anything has: it is worth a frame.
  bool listen();
  /// What has happened since the last frame, and `seconds` of time; then draws.
  void frame(double seconds);
  /// The middle of what panels called `name` in the last frame, or further along its width. Errors:
  /// nothing has that name.
  Result<ImVec2> place_of(std::string_view name, float at) const;
  /// All that is written on the screen: `X Y WIDTH HEIGHT TEXT`, a line each, in the order of
  /// drawing.
  std::string texts();
  /// What is on the screen.
  Pixels pixels();
  sf::Vector2u size() const { return window_.getSize(); }
  /// Of the window where it does not fill a monitor.
  sf::Vector2u usual_size() const { return usual_size_; }
  void do_later(stage::Action action) { actions_.push_back(std::move(action)); }
  /// Not faster than a screen shows: for those who watch.
  void pace();
  /// From now on only a script acts: what happens to mouse and keyboard is not heard.
  void be_deaf() { is_deaf_ = true; }
  void hear_again() { is_deaf_ = false; }
  /// What the model cannot do (it has no clipboard and no files), then stage::apply.
  void carry_out(const stage::Action& action);
  /// Until what runs here is done: scripts wait here, the window never does.
  void wait_for_worker();
  /// Nothing waits to be done or to fade away.
  bool is_at_rest() const { return actions_.empty() && notice_left_ <= 0; }

 private:
  void open();
  void hear(const sf::Event& event);
  void copy_share_string();
  void paste_share_string();
  void save_picture();
  void save_curves();
  void run_here(stage::Command command);
  bool tend_worker();
  void ask_for_executors();
  bool tend_question();
  void say_saved(const std::string& name, const Result<void>& saved);
  void say(std::string notice);
  void adjust_window();
  void adjust_look();
  void draw();
  void draw_notice();
  void render();

  stage::Model& model_;
  stage::Director& director_;
  std::vector<stage::Action> actions_;
  sf::Window window_;
  sf::Vector2u usual_size_;
  std::optional<Monitor> home_;
  bool is_full_screen_ = false, is_paced_ = false, is_deaf_ = false;
  bool wants_picture_ = false;  // of the next frame, in which no menu is open
  std::string notice_;
  double notice_left_ = 0;  // seconds
  /// What runs for real, of which scenario (as its share string), and where it is recorded.
  struct Real {
    PrivateFolder folder;
    Worker worker;
    std::string share;
    stage::Wish wish;
    std::string trace() const { return folder.path() + "/run.json"; }
  };
  std::optional<Real> real_;
  /// Who is being asked what could run here, and where the answer will be. Once a session.
  struct Question {
    PrivateFolder folder;
    Worker worker;
    std::string answer() const { return folder.path() + "/backends.json"; }
  };
  std::optional<Question> question_;
  bool has_asked_ = false;
  Prompter prompter_;
  LedgerKeeper ledger_;
  std::optional<PrivateFolder> recorded_;  // what the director reads
  panels::Look look_;
  panels::Drawn drawn_;
  panels::FontFiles fonts_ = panels::find_fonts();
  panels::Glyphs glyphs_;  // lessons' too
  Textures textures_;
};

}  // namespace ringside::window
