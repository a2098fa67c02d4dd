#include "gpu/host/arithmetic_loops.hpp"

namespace ringside::host {

Arithmetic arithmetic_avx2(Reduction reduction) {
  return loops_for(reduction);
}

}  // namespace ringside::host
