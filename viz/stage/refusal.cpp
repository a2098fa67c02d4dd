#include "viz/stage/refusal.hpp"

#include <utility>

#include "viz/stage/model.hpp"

namespace ringside::stage {

void refuse(Model& model, std::string sentence) {
  model.refusal = {.sentence = std::move(sentence), .of = model.wish};
}

void refuse(Model& model, Word sentence) {
  model.refusal = {say(sentence, Language::english), sentence, model.wish};
}

}  // namespace ringside::stage
