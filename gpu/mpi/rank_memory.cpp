#include "gpu/mpi/rank_memory.hpp"

namespace ringside::mpi {

RankMemory::RankMemory(const LocalPlan& plan, const Work& work, const Memory::RankBuffers& given)
    : divided_(plan.divided),
      element_(size_of(work.type).count),
      ranks_(work.schedule->spec().ranks),
      type_(work.type),
      arithmetic_(host::arithmetic({work.type, work.op})),
      scales_(work.op == ReduceOp::mulsum && reduces(work.schedule->spec().kind)),
      given_(given),
      scratch_(plan.scratch_bytes),
      staging_(plan.staging_bytes) {
  if (scales_) scalar_ = convert_scalar(work.mulsum_scalar, work.type);
  const bool in_place = work.schedule->spec().in_place;
  if (scales_ && !in_place) scaled_.resize(given.input.size());
  auto* const input = const_cast<std::byte*>(given.input.data());
  base_[static_cast<std::size_t>(Buffer::input)] = scales_ && !in_place ? scaled_.data() : input;
  base_[static_cast<std::size_t>(Buffer::output)] = given.output.data();
  base_[static_cast<std::size_t>(Buffer::scratch)] = scratch_.data();
}

void RankMemory::begin() {
  if (!scales_) return;
  if (scaled_.empty())
    arithmetic_.scale(given_.output.data(), given_.output.data(), given_.output.size() / element_,
                      scalar_);
  else
    arithmetic_.scale(scaled_.data(), given_.input.data(), scaled_.size() / element_, scalar_);
}

void RankMemory::end() {
  for (const Unit& unit : divided_) arithmetic_.divide(at(unit.dst), unit.bytes / element_, ranks_);
}

}  // namespace ringside::mpi
