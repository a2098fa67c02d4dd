#pragma once

#include <nccl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/nccl/watch.hpp"

namespace ringside::nccl {

/// A rank of this process, and the device that is its alone.
struct Member {
  Rank rank;
  int device = 0;
};

/// This process's communicators of one clique, one a member. Blocking ones, as most programs use:
/// a Watch bounds what waits in them.
class Communicators {
 public:
  /// Of `ranks` in all, those of `members` are made here; all processes call it at the same time
  /// with the same id. Errors: what NCCL refuses. What never ends ends the process.
  static Result<std::unique_ptr<Communicators>> make(const ncclUniqueId& id, std::uint32_t ranks,
                                                     std::span<const Member> members,
                                                     Duration timeout);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  ~Communicators();

  std::uint32_t ranks() const { return ranks_; }
  std::span<const Member> members() const { return members_; }
  ncclComm_t operator[](std::size_t member) const { return comms_[member]; }
  bool is_aborted() const { return is_aborted_; }
  /// What NCCL noticed of its own accord: a lost peer, a broken network.
  Result<void> check_asynchronously() const;
  /// Ends what they have under way; none is of use after that. Once, from any thread; may hang.
  void abort();

 private:
  Communicators(std::uint32_t ranks, std::span<const Member> members)
      : ranks_(ranks), members_(members.begin(), members.end()), comms_(members.size()) {}

  std::uint32_t ranks_;
  std::vector<Member> members_;
  std::vector<ncclComm_t> comms_;
  std::atomic<bool> is_aborted_ = false;
};

/// One that everybody may learn.
Result<ncclUniqueId> make_unique_id();

}  // namespace ringside::nccl
