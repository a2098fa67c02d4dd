#pragma once

#include <span>

#include "viz/panels/look.hpp"

namespace ringside::panels {

/// A mark of some view, as it is drawn there, and what it means.
struct Mark {
  stage::Word meaning;
  void (*draw)(ImDrawList&, const Look&, const Corner&);
};
/// Every mark of every view.
std::span<const Mark> legend();

}  // namespace ringside::panels
