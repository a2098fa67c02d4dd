#include "gpu/host/arithmetic.hpp"

namespace ringside::host {

Arithmetic arithmetic_portable(Reduction reduction);
Arithmetic arithmetic_avx2(Reduction reduction);
Arithmetic arithmetic_avx512(Reduction reduction);

namespace {

#if RINGSIDE_HOST_X86
constexpr InstructionSet compiled[] = {
    {"portable", arithmetic_portable}, {"avx2", arithmetic_avx2}, {"avx512", arithmetic_avx512}};
std::size_t usable() {
  if (!__builtin_cpu_supports("avx2")) return 1;
  const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return all ? 3 : 2;
}
#else
constexpr InstructionSet compiled[] = {{"portable", arithmetic_portable}};
std::size_t usable() {
  return 1;
}
#endif

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  return std::span(compiled).first(usable());
}

Arithmetic arithmetic(Reduction reduction) {
  return instruction_sets().back().arithmetic(reduction);
}

}  // namespace ringside::host
