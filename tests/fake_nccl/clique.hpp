#pragma once

#include <nccl.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/reduce.hpp"
#include "tests/fake_nccl/post.hpp"

namespace fake {

enum class Kind {
  send,
  receive,
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter
};

/// One call of the library's user.
struct Call {
  Kind kind = Kind::send;
  const void* source = nullptr;
  void* target = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclInt8;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  ///< or root

  std::size_t element() const;
  /// What this rank reads and writes, in bytes.
  std::size_t source_bytes(int rank, int ranks) const;
  std::size_t target_bytes(int rank, int ranks) const;
};

/// What is to be done with the elements of a collective that reduces.
struct Reducing {
  ringside::ElementType type = ringside::ElementType::float32;
  ringside::ReduceOp op = ringside::ReduceOp::sum;
  double scalar = 1;
};

/// What a rank gets from all ranks' shares.
std::vector<std::byte> result_of(const Call& call, int rank,
                                 const std::vector<std::vector<std::byte>>& shares,
                                 const Reducing& reducing);
/// Nothing where the library has no such type.
const ringside::ElementType* element_type(ncclDataType_t type);

/// All communicators of one unique id.
struct Clique {
  Clique(int count, std::string folder) : ranks(count), post(std::move(folder)) {}
  int ranks;
  std::map<int, std::string> here;  ///< the ranks of this process and their devices
  Post post;
};

/// What streams wait for: all calls of one communicator in one group.
struct Group {
  std::vector<Call> calls;
  std::size_t left = 0;
  std::uint64_t number = 0;
  Clock latest = 0, cost = 0;
  std::shared_ptr<Moment> over = std::make_shared<Moment>();
};

/// What a test orders to go wrong, by the environment: `RINGSIDE_FAKE_NCCL=lose=3,abort=hang`.
struct Trouble {
  std::uint64_t lose = 0;   ///< the send that never arrives, counted from 1
  std::uint64_t error = 0;  ///< the group after which communicators report an error
  bool abort_hangs = false, init_hangs = false;
};
Trouble trouble_of_environment();

}  // namespace fake

struct ncclComm {
  fake::World* world = nullptr;
  std::shared_ptr<fake::Clique> clique;
  int rank = 0, device = 0;
  bool is_aborted = false;
  ncclResult_t error = ncclSuccess;
  fake::Trouble trouble;
  std::uint64_t groups = 0, sends = 0;
  std::vector<std::shared_ptr<fake::Group>> under_way;
  std::vector<fake::Reducing> ops;  ///< those that were made, from ncclNumOps on

  /// The stream has come to this group.
  void arrive(const std::shared_ptr<fake::Group>& group, fake::Clock at);

 private:
  void post(const std::shared_ptr<fake::Group>& group, const fake::Call& call, fake::Clock at);
  void post_collective(const std::shared_ptr<fake::Group>& group, const fake::Call& call,
                       fake::Clock at);
  void done(const std::shared_ptr<fake::Group>& group, fake::Clock at);
  bool check_memory(const fake::Group& group) const;
};
