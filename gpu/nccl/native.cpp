#include "gpu/nccl/native.hpp"

#include <algorithm>
#include <utility>

#include "core/reduce.hpp"
#include "gpu/cuda/status.hpp"
#include "gpu/nccl/status.hpp"

namespace ringside::nccl {
namespace {

using Kind = CollectiveKind;

ncclDataType_t datatype(ElementType type) {
  constexpr ncclDataType_t types[] = {ncclInt8,    ncclUint8,   ncclInt32,      ncclUint32,
                                      ncclInt64,   ncclUint64,  ncclFloat16,    ncclBfloat16,
                                      ncclFloat32, ncclFloat64, ncclFloat8e4m3, ncclFloat8e5m2};
  static_assert(std::size(types) == element_type_count);
  return types[static_cast<std::size_t>(type)];
}

ncclRedOp_t operation(ReduceOp op) {
  constexpr ncclRedOp_t ops[] = {ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg, ncclSum};
  static_assert(std::size(ops) == reduce_op_count);
  return ops[static_cast<std::size_t>(op)];
}

class Native {
 public:
  Native(const Work& work, const Setup& setup, bool is_traced)
      : work_(work),
        setup_(setup),
        is_traced_(is_traced),
        spec_(work.schedule->spec()),
        block_(work.count * size_of(work.type).count),
        type_(datatype(work.type)),
        root_(static_cast<int>(spec_.root.value)),
        ops_(members().size(), operation(work.op)) {}
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;
  ~Native() {
    for (std::size_t m = 0; m < made_; ++m)
      static_cast<void>(ncclRedOpDestroy(ops_[m], (*setup_.communicators)[m]));
  }

  Result<void> allocate(const Memory& memory) {
    std::vector<cuda::StreamPlan::Bytes> bytes(spec_.ranks);
    if (spec_.kind == Kind::barrier)
      for (auto& own : bytes) own.scratch = sizeof(std::int32_t);
    RankStreams::Needs needs{.bytes = std::move(bytes), .marks = {}, .is_traced = is_traced_};
    needs.marks.resize(members().size(), is_traced_ ? 2 : 0);
    RS_ASSIGN(auto streams, RankStreams::make(work_, memory, setup_, std::move(needs)));
    streams_ = std::make_shared<RankStreams>(std::move(streams));
    if (work_.op != ReduceOp::mulsum || !reduces(spec_.kind)) return {};
    auto scalar = convert_scalar(work_.mulsum_scalar, work_.type);
    for (; made_ < members().size(); ++made_)
      RS_TRY(check(ncclRedOpCreatePreMulSum(&ops_[made_], &scalar, type_, ncclScalarHostImmediate,
                                            (*setup_.communicators)[made_]),
                   "make the op mulsum"));
    return {};
  }
  std::shared_ptr<RankStreams> streams() const { return streams_; }

  Result<void> enqueue(std::size_t iteration) {
    if (is_traced_) RS_TRY(mark_all(iteration, 0));
    RS_TRY(enqueue_calls());
    return is_traced_ ? mark_all(iteration, 1) : Result<void>{};
  }

  /// One span a rank: what happens inside of NCCL is its own.
  Result<std::vector<Span>> spans(std::size_t iteration) const {
    RS_ASSIGN(const auto moments, streams_->moments(iteration));
    std::vector<Span> calls;
    for (const auto& of_rank : moments) {
      const auto begin = of_rank[0], after = std::max(begin, of_rank[1]);
      calls.push_back({begin, begin, after, after, after});
    }
    return calls;
  }

  std::string stuck(std::size_t iteration) const {
    std::string all;
    for (std::size_t m = 0; m < members().size(); ++m)
      if (!streams_->has_ended(iteration, m))
        all += (all.empty() ? "" : ", ") + std::to_string(members()[m].rank.value);
    return "NCCL's " + std::string(name(spec_.kind)) + " did not end on rank " + all;
  }

 private:
  std::span<const Member> members() const { return setup_.communicators->members(); }
  std::uint32_t rank(std::size_t member) const { return members()[member].rank.value; }

  Result<void> mark_all(std::size_t iteration, std::size_t number) const {
    for (std::size_t m = 0; m < members().size(); ++m) {
      RS_TRY(cuda::select(members()[m].device));
      RS_TRY(streams_->mark(iteration, m, number));
    }
    return {};
  }

  Result<void> enqueue_calls() {
    const auto doing =
        "do " + std::string(name(spec_.kind)) + " of " + std::string(name(work_.type));
    RS_TRY(check(ncclGroupStart(), doing));
    auto called = ncclSuccess;
    for (std::size_t m = 0; m < members().size() && called == ncclSuccess; ++m) called = call(m);
    const auto ended = ncclGroupEnd();
    return check(called == ncclSuccess ? ended : called, doing);
  }

  std::byte* place(cuda::Area area, std::size_t member, std::uint64_t block) const {
    return streams_->at({area, rank(member), block * block_});
  }
  std::byte* input(std::size_t member, std::uint64_t block = 0) const {
    return place(spec_.in_place ? cuda::Area::output : cuda::Area::input, member, block);
  }
  std::byte* output(std::size_t member, std::uint64_t block = 0) const {
    return place(cuda::Area::output, member, block);
  }

  ncclResult_t call(std::size_t m) {
    const auto comm = (*setup_.communicators)[m];
    const auto stream = (*streams_)[m];
    const auto count = work_.count;
    switch (spec_.kind) {
      case Kind::all_reduce:
        return ncclAllReduce(input(m), output(m), count, type_, ops_[m], comm, stream);
      case Kind::reduce:
        return ncclReduce(input(m), output(m), count, type_, ops_[m], root_, comm, stream);
      case Kind::broadcast:
        return ncclBroadcast(input(m), output(m), count, type_, root_, comm, stream);
      case Kind::all_gather:
        return ncclAllGather(input(m, rank(m)), output(m), count, type_, comm, stream);
      case Kind::reduce_scatter:
        return ncclReduceScatter(input(m), output(m, rank(m)), count, type_, ops_[m], comm, stream);
      case Kind::barrier: {
        auto* const flag = place(cuda::Area::scratch, m, 0);
        return ncclAllReduce(flag, flag, 1, ncclInt32, ncclSum, comm, stream);
      }
      default:
        return exchange(m, comm, stream);
    }
  }

  /// What consists of messages alone.
  ncclResult_t exchange(std::size_t m, ncclComm_t comm, cudaStream_t stream) {
    const auto n = spec_.ranks, me = rank(m);
    const bool is_root = me == spec_.root.value;
    const auto count = work_.count;
    if (spec_.kind == Kind::send_recv) {
      const auto sent = send(input(m), (me + 1) % n, comm, stream);
      return sent == ncclSuccess ? receive(output(m), (me + n - 1) % n, comm, stream) : sent;
    }
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    if (spec_.kind == Kind::gather)
      return ncclGather(input(m, me), output(m), count, type_, root_, comm, stream);
    if (spec_.kind == Kind::scatter)
      return ncclScatter(input(m), output(m, me), count, type_, root_, comm, stream);
    static_cast<void>(is_root);
    return ncclAlltoAll(input(m), output(m), count, type_, comm, stream);
#else
    if (count == 0) return ncclSuccess;
    const bool gives = spec_.kind != Kind::scatter || is_root;
    const bool takes = spec_.kind != Kind::gather || is_root;
    auto code = ncclSuccess;
    for (std::uint32_t peer = 0; peer < n && code == ncclSuccess; ++peer) {
      if (spec_.in_place && peer == me) continue;  // it is there
      if (gives && (spec_.kind != Kind::gather || peer == spec_.root.value))
        code = send(input(m, spec_.kind == Kind::gather ? me : peer), peer, comm, stream);
      if (takes && (spec_.kind != Kind::scatter || peer == spec_.root.value) && code == ncclSuccess)
        code = receive(output(m, spec_.kind == Kind::scatter ? me : peer), peer, comm, stream);
    }
    return code;
#endif
  }

  ncclResult_t send(const std::byte* from, std::uint32_t to, ncclComm_t comm, cudaStream_t stream) {
    if (work_.count == 0) return ncclSuccess;
    return ncclSend(from, work_.count, type_, static_cast<int>(to), comm, stream);
  }
  ncclResult_t receive(std::byte* to, std::uint32_t from, ncclComm_t comm, cudaStream_t stream) {
    if (work_.count == 0) return ncclSuccess;
    return ncclRecv(to, work_.count, type_, static_cast<int>(from), comm, stream);
  }

  Work work_;
  Setup setup_;
  bool is_traced_;
  CollectiveSpec spec_;
  std::uint64_t block_;  // bytes of a block, or of the vector
  ncclDataType_t type_;
  int root_;
  std::vector<ncclRedOp_t> ops_;  // by member
  std::size_t made_ = 0;          // ops that are ours
  std::shared_ptr<RankStreams> streams_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare_native(const Work& work, const Memory& memory,
                                                 const RunOptions& options, const Setup& setup) {
  const auto native = std::make_shared<Native>(work, setup, options.trace);
  RS_TRY(native->allocate(memory));
  Task task{"nccl/native", [native](std::size_t i) { return native->enqueue(i); },
            [native](std::size_t i) { return native->stuck(i); }};
  if (options.trace) task.spans = [native](std::size_t i) { return native->spans(i); };
  return make_prepared(native->streams(), std::move(task), setup, options.timeout);
}

}  // namespace ringside::nccl
