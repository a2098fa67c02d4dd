#include "gpu/nccl/communicators.hpp"

#include <utility>

#include "core/suggest.hpp"
#include "gpu/cuda/status.hpp"
#include "gpu/nccl/status.hpp"

namespace ringside::nccl {

Result<ncclUniqueId> make_unique_id() {
  ncclUniqueId id{};
  RS_TRY(check(ncclGetUniqueId(&id), "make an id for a communicator"));
  return id;
}

Result<std::unique_ptr<Communicators>> Communicators::make(const ncclUniqueId& id,
                                                           std::uint32_t ranks,
                                                           std::span<const Member> members,
                                                           Duration timeout) {
  const auto doing = "connect " + counted(ranks, "rank");
  const Watch watch("NCCL did not " + doing + ": a rank may be missing", {}, timeout);
  std::unique_ptr<Communicators> made(new Communicators(ranks, members));
  for (const Member& member : members) RS_TRY(cuda::select(member.device));
  RS_TRY(check(ncclGroupStart(), doing));
  Result<void> begun{};
  for (std::size_t m = 0; m < members.size() && begun; ++m) {
    static_cast<void>(cudaSetDevice(members[m].device));
    begun = check(ncclCommInitRankConfig(&made->comms_[m], static_cast<int>(ranks), id,
                                         static_cast<int>(members[m].rank.value), nullptr),
                  doing);
  }
  const auto ended = check(ncclGroupEnd(), doing);
  if (begun && ended) return made;
  made->is_aborted_ = true;  // what NCCL did not finish is its own
  return tl::unexpected<Error>((begun ? ended : begun).error());
}

Communicators::~Communicators() {
  for (const ncclComm_t comm : comms_)
    if (comm != nullptr && !is_aborted_) static_cast<void>(ncclCommDestroy(comm));
}

Result<void> Communicators::check_asynchronously() const {
  for (std::size_t m = 0; m < comms_.size(); ++m) {
    ncclResult_t noticed = ncclSuccess;
    const auto doing = "go on with rank " + std::to_string(members_[m].rank.value);
    RS_TRY(check(ncclCommGetAsyncError(comms_[m], &noticed), doing));
    if (noticed != ncclInProgress) RS_TRY(check(noticed, doing));
  }
  return {};
}

void Communicators::abort() {
  if (is_aborted_.exchange(true)) return;
  for (const ncclComm_t comm : comms_)
    if (comm != nullptr) static_cast<void>(ncclCommAbort(comm));
}

}  // namespace ringside::nccl
