#include "viz/stage/training_views.hpp"

namespace ringside::stage {
namespace {

/// The view, or where it is there already, the run.
void show(Model& model, Model::View view) {
  model.view = model.view == view ? Model::View::run : view;
  model.field.clear();
  model.edits_field = false;
}

}  // namespace

bool show_training(Model& model, Command command) {
  switch (command) {
    case Command::training_step:
      show(model, Model::View::training_step);
      return true;
    case Command::scaling:
      show(model, Model::View::scaling);
      return true;
    case Command::loss:
      show(model, Model::View::loss);
      return true;
    case Command::compare:
      model.drawing.is_compared |= model.view == Model::View::scaling;
      return true;
    case Command::redraw:
      if (model.view == Model::View::scaling) model.drawing = {};
      return true;
    default:
      return false;
  }
}

}  // namespace ringside::stage
