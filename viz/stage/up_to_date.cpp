#include "viz/stage/action.hpp"

namespace ringside::stage {

bool is_up_to_date(const Model& model, Director& director) {
  const bool waits = model.view != Model::View::run && model.view != Model::View::loss &&
                     (!model.forecast || !model.forecast->is_complete);
  return !waits && !director.is_training() && model.curves == director.curves() &&
         model.forecast == director.forecast() && model.practice == director.practice();
}

}  // namespace ringside::stage
