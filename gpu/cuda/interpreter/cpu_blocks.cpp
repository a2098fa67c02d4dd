#include "gpu/cuda/interpreter/cpu_blocks.hpp"

#include <memory>
#include <vector>

namespace ringside::cuda::interpreter {
namespace {

template <ElementType type>
void take_turns(const Job& job) {
  using Running = Interpreter<type, CpuBlock>;
  std::vector<CpuBlock> blocks(job.task_count);
  std::vector<std::unique_ptr<Running>> running;
  for (std::uint32_t t = 0; t < job.task_count; ++t)
    running.push_back(std::make_unique<Running>(job, job.tasks[t], blocks[t]));
  auto moved = CpuBlock::now();
  while (!running.empty()) {
    const auto released = releases.count();
    bool has_moved = false;
    for (const auto& block : running)
      for (; !block->is_done() && block->is_ready(); has_moved = true) block->act();
    std::erase_if(running, [&](const auto& block) {
      if (block->is_done()) block->finish();
      return block->is_done();
    });
    if (has_moved || running.empty()) {
      moved = CpuBlock::now();
      continue;
    }
    releases.wait_for_more_than(released);
    if (CpuBlock::now() - moved <= job.timeout_ns && !running.front()->is_aborted()) continue;
    for (auto& block : running) block->give_up(block->first_unmet(), moved);
    return;
  }
}

}  // namespace

void run_on_cpu(ElementType type, const Job& job) {
  using E = ElementType;
  static constexpr void (*by_type[element_type_count])(const Job&) = {
      take_turns<E::int8>,    take_turns<E::uint8>,    take_turns<E::int32>,
      take_turns<E::uint32>,  take_turns<E::int64>,    take_turns<E::uint64>,
      take_turns<E::float16>, take_turns<E::bfloat16>, take_turns<E::float32>,
      take_turns<E::float64>, take_turns<E::f8e4m3>,   take_turns<E::f8e5m2>};
  by_type[static_cast<std::size_t>(type)](job);
}

}  // namespace ringside::cuda::interpreter
