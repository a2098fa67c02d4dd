// The library's functions: as much of nccl.h as Ringside uses.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/fake_nccl/clique.hpp"

namespace {

using fake::Call;
using fake::Group;
using fake::Kind;
using fake::Manner;
using fake::World;
using Lock = std::unique_lock<std::mutex>;

const std::string communicators = " communicator(s)";

struct Init {
  ncclComm_t* to;
  int ranks;
  std::string id;
  int rank, device;
};
struct Called {
  ncclComm_t comm;
  Call call;
  cudaStream_t stream;
};
thread_local int depth = 0;
thread_local std::vector<Init> inits;
thread_local std::vector<Called> calls;
thread_local ncclResult_t group_error = ncclSuccess;  // then nothing of the group is done
thread_local std::string last_error;

auto& aborted = *new std::vector<ncclComm_t>;  // theirs to name until the process ends
std::uint64_t ids = 0;

template <typename Body>
ncclResult_t api(const char* name, Manner manner, Body body) {
  ncclResult_t result = ncclSuccess;
  const auto code = fake::call(name, manner, [&](World& world, Lock& lock) {
    result = body(world, lock);
    return cudaSuccess;
  });
  if (code != cudaSuccess) {
    last_error = "the fake was told to fail " + std::string(name);
    result = ncclUnhandledCudaError;
  }
  if (result != ncclSuccess && depth > 0) group_error = result;
  return result;
}

ncclResult_t refuse(ncclResult_t code, const std::string& why) {
  last_error = why;
  return code;
}

// Communicators.

[[noreturn]] void hang(Lock& lock) {
  lock.unlock();
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

ncclResult_t check_devices(const std::vector<std::string>& devices) {
  for (std::size_t a = 0; a < devices.size(); ++a)
    for (std::size_t b = a + 1; b < devices.size(); ++b)
      if (devices[a] == devices[b])
        return refuse(ncclInvalidUsage, "Duplicate GPU detected : rank " + std::to_string(a) +
                                            " and rank " + std::to_string(b) +
                                            " both on CUDA device " + devices[a]);
  return ncclSuccess;
}

void make_comm(World& world, const Init& init, const std::shared_ptr<fake::Clique>& clique) {
  auto* const comm = new ncclComm;
  comm->world = &world;
  comm->clique = clique;
  comm->rank = init.rank;
  comm->device = init.device;
  comm->trouble = fake::trouble_of_environment();
  *init.to = comm;
  ++world.guests[communicators];
}

/// All communicators that were begun in one group.
ncclResult_t finish_inits(World& world, Lock& lock) {
  std::map<std::string, std::shared_ptr<fake::Clique>> begun;
  for (const Init& init : inits) {
    auto& clique = begun[init.id];
    if (!clique) clique = std::make_shared<fake::Clique>(init.ranks, init.id);
    if (!clique->here.emplace(init.rank, std::to_string(init.device)).second)
      return refuse(ncclInvalidArgument, "two communicators of one rank");
  }
  if (!inits.empty() && fake::trouble_of_environment().init_hangs) hang(lock);
  for (auto& [id, clique] : begun) {
    std::vector<std::string> devices;
    lock.unlock();
    const bool came = clique->post.open(clique->here, clique->ranks, devices);
    lock.lock();
    if (!came) return refuse(ncclSystemError, "not all ranks came");
    if (const auto code = check_devices(devices); code != ncclSuccess) return code;
  }
  for (const Init& init : inits) make_comm(world, init, begun[init.id]);
  return ncclSuccess;
}

// Groups.

ncclResult_t submit(World& world, ncclComm_t comm, cudaStream_t stream,
                    std::vector<Call> of_group) {
  if (comm->is_aborted) return refuse(ncclInvalidUsage, "the communicator was aborted");
  if (!fake::is_stream(world, stream)) return ncclUnhandledCudaError;
  if (stream->device != comm->device) {
    world.violation("uses a communicator on a stream of another device");
    return ncclInvalidUsage;
  }
  auto group = std::make_shared<Group>();
  group->calls = std::move(of_group);
  group->number = ++comm->groups;
  group->over->is_foreign = true;
  comm->under_way.push_back(group);
  fake::Task comes;
  comes.at_end = [comm, group](fake::Clock at) { comm->arrive(group, at); };
  fake::submit(world, stream, std::move(comes));
  fake::Task waits;
  waits.after = group->over;
  fake::submit(world, stream, std::move(waits));
  return ncclSuccess;
}

ncclResult_t submit_all(World& world) {
  std::vector<Called> all;
  std::swap(all, calls);
  while (!all.empty()) {
    const auto [comm, first, stream] = all.front();
    std::vector<Call> of_group;
    for (const Called& called : all)
      if (called.comm == comm) {
        of_group.push_back(called.call);
        if (called.stream != stream)
          world.violation("one group uses two streams of a communicator");
      }
    std::erase_if(all, [&, of = comm](const Called& called) { return called.comm == of; });
    const auto code = submit(world, comm, stream, std::move(of_group));
    if (code != ncclSuccess) return code;
  }
  return ncclSuccess;
}

ncclResult_t end_group(World& world, Lock& lock) {
  ncclResult_t code = std::exchange(group_error, ncclSuccess);
  if (code == ncclSuccess && !inits.empty() && !calls.empty())
    code = refuse(ncclInvalidUsage, "communicators are made in groups of their own");
  if (code == ncclSuccess) code = finish_inits(world, lock);
  if (code == ncclSuccess) code = submit_all(world);
  inits.clear();
  calls.clear();
  return code;
}

ncclResult_t check(ncclComm_t comm, const Call& call) {
  if (comm == nullptr) return refuse(ncclInvalidArgument, "no communicator");
  if (fake::element_type(call.type) == nullptr) return refuse(ncclInvalidArgument, "no such type");
  if (call.peer < 0 || call.peer >= comm->clique->ranks)
    return refuse(ncclInvalidArgument, "no such rank");
  const auto ops = static_cast<std::size_t>(ncclNumOps) + comm->ops.size();
  if (static_cast<std::size_t>(call.op) >= ops) return refuse(ncclInvalidArgument, "no such op");
  return ncclSuccess;
}

/// A call outside all groups is a group of its own.
ncclResult_t enqueue(const char* name, const Called& called) {
  return api(name, Manner::usual, [&](World& world, Lock& lock) {
    if (const auto code = check(called.comm, called.call); code != ncclSuccess) return code;
    calls.push_back(called);
    return depth > 0 ? ncclSuccess : end_group(world, lock);
  });
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "unhandled system error";
  }
}
const char* ncclGetLastError(ncclComm_t) {
  return last_error.c_str();
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return api("ncclGetUniqueId", Manner::usual, [&](World&, Lock&) {
    std::memset(id->internal, 0, sizeof id->internal);
    const char* const folder = std::getenv("TMPDIR");
    std::snprintf(id->internal, sizeof id->internal, "%s/ringside-fake-nccl-%d-%llu",
                  folder == nullptr ? "/tmp" : folder, getpid(),
                  static_cast<unsigned long long>(++ids));
    return ncclSuccess;
  });
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t*) {
  return api("ncclCommInitRankConfig", Manner::usual, [&](World& world, Lock& lock) {
    if (ranks < 1 || rank < 0 || rank >= ranks) return refuse(ncclInvalidArgument, "no such rank");
    inits.push_back({comm, ranks, id.internal, rank, fake::current_device()});
    return depth > 0 ? ncclSuccess : end_group(world, lock);
  });
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(comm, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return api("ncclCommDestroy", Manner::release, [&](World& world, Lock&) {
    if (!comm->under_way.empty()) world.violation("destroys a communicator that is at work");
    --world.guests[communicators];
    delete comm;
    return ncclSuccess;
  });
}
/// What it has under way ends where it stands. The handle is left to the end of the program: the
/// streams may still come to what they were given.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return api("ncclCommAbort", Manner::release, [&](World& world, Lock& lock) {
    if (comm->trouble.abort_hangs) hang(lock);
    comm->is_aborted = true;
    comm->clique->post.forget(comm->rank);
    for (const auto& group : comm->under_way) group->over->passed = true;
    comm->under_way.clear();
    aborted.push_back(comm);
    --world.guests[communicators];
    return ncclSuccess;
  });
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  return api("ncclCommGetAsyncError", Manner::query, [&](World&, Lock&) {
    comm->clique->post.look();
    *error = comm->error;
    return ncclSuccess;
  });
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  return api("ncclRedOpCreatePreMulSum", Manner::usual, [&](World&, Lock&) {
    if (residence != ncclScalarHostImmediate) return refuse(ncclInvalidArgument, "not in the fake");
    const auto element = *fake::element_type(type);
    const auto bits = ringside::load_bits(static_cast<const std::byte*>(scalar), element);
    double value = 0;
    if (ringside::is_floating(element))
      value = ringside::decode_float(bits, element);
    else
      value = static_cast<double>(static_cast<std::int64_t>(bits));
    comm->ops.push_back({element, ringside::ReduceOp::mulsum, value});
    *op = static_cast<ncclRedOp_t>(static_cast<std::size_t>(ncclNumOps) + comm->ops.size() - 1);
    return ncclSuccess;
  });
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t, ncclComm_t) {
  return api("ncclRedOpDestroy", Manner::release, [](World&, Lock&) { return ncclSuccess; });
}

ncclResult_t ncclGroupStart() {
  return api("ncclGroupStart", Manner::usual, [](World&, Lock&) {
    ++depth;
    return ncclSuccess;
  });
}
/// A failing end still ends its group, and nothing of it is done.
ncclResult_t ncclGroupEnd() {
  bool is_done = false;
  const auto code = api("ncclGroupEnd", Manner::usual, [&](World& world, Lock& lock) {
    is_done = true;
    if (depth == 0) return refuse(ncclInvalidUsage, "no group was begun");
    return --depth > 0 ? ncclSuccess : end_group(world, lock);
  });
  if (is_done || --depth > 0) return code;
  inits.clear();
  calls.clear();
  group_error = ncclSuccess;
  return code;
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  const Call call{Kind::send, from, nullptr, count, type, ncclSum, peer};
  return enqueue("ncclSend", {comm, call, stream});
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  const Call call{Kind::receive, nullptr, to, count, type, ncclSum, peer};
  return enqueue("ncclRecv", {comm, call, stream});
}
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return enqueue("ncclAllReduce", {comm, {Kind::all_reduce, from, to, count, type, op}, stream});
}
ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return enqueue("ncclReduce", {comm, {Kind::reduce, from, to, count, type, op, root}, stream});
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  const Call call{Kind::broadcast, from, to, count, type, ncclSum, root};
  return enqueue("ncclBroadcast", {comm, call, stream});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  const Call call{Kind::reduce_scatter, from, to, count, type, op};
  return enqueue("ncclReduceScatter", {comm, call, stream});
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return enqueue("ncclAllGather", {comm, {Kind::all_gather, from, to, count, type}, stream});
}
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
ncclResult_t ncclAlltoAll(const void* from, void* to, std::size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
  return enqueue("ncclAlltoAll", {comm, {Kind::all_to_all, from, to, count, type}, stream});
}
ncclResult_t ncclGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  const Call call{Kind::gather, from, to, count, type, ncclSum, root};
  return enqueue("ncclGather", {comm, call, stream});
}
ncclResult_t ncclScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  const Call call{Kind::scatter, from, to, count, type, ncclSum, root};
  return enqueue("ncclScatter", {comm, call, stream});
}
#endif

}  // extern "C"
