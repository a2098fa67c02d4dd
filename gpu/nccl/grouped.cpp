#include "gpu/nccl/grouped.hpp"

#include <algorithm>
#include <utility>

#include "core/reduce.hpp"
#include "gpu/cuda/kernels.hpp"
#include "gpu/cuda/status.hpp"
#include "gpu/nccl/grouped_trace.hpp"
#include "gpu/nccl/status.hpp"

namespace ringside::nccl {
namespace {

using cuda::OperationKind;

class Grouped {
 public:
  Grouped(const Work& work, const Setup& setup, bool is_traced)
      : work_(work), setup_(setup), is_traced_(is_traced), plan_(plan_groups(work)) {
    for (std::uint32_t m = 0; m < members().size(); ++m)
      for (std::uint32_t t = 0; t < turns(m).turns.size(); ++t) order_.push_back({m, t});
    std::ranges::stable_sort(order_, {}, [&](const Step& step) { return round_of(step); });
  }

  Result<void> allocate(const Memory& memory) {
    RankStreams::Needs needs{.bytes = plan_.bytes, .marks = {}, .is_traced = is_traced_};
    for (std::uint32_t m = 0; m < members().size(); ++m)
      needs.marks.push_back((is_traced_ ? 3 : 1) * turns(m).turns.size());
    RS_ASSIGN(auto streams, RankStreams::make(work_, memory, setup_, std::move(needs)));
    streams_ = std::make_shared<RankStreams>(std::move(streams));
    return {};
  }
  std::shared_ptr<RankStreams> streams() const { return streams_; }

  /// Round by round: the groups of all ranks of this process are one, else none of them would end.
  Result<void> enqueue(std::size_t iteration) {
    for (auto begin = order_.begin(); begin != order_.end();) {
      const auto end = std::find_if(begin, order_.end(), [&](const Step& step) {
        return round_of(step) != round_of(*begin);
      });
      if (is_traced_) RS_TRY(mark_all(iteration, {begin, end}, Moment::began));
      RS_TRY(enqueue_group({begin, end}));
      for (const Step& step : std::span(begin, end)) {
        if (current_ != members()[step.member].device)
          RS_TRY(cuda::select(current_ = members()[step.member].device));
        if (is_traced_ || !turns(step.member).ends_of(step.turn).empty())
          RS_TRY(streams_->mark(iteration, step.member, number(step, Moment::met)));
        for (const LocalWork& work : turns(step.member).work_of(step.turn))
          RS_TRY(enqueue_work(step.member, work));
        if (is_traced_) RS_TRY(streams_->mark(iteration, step.member, number(step, Moment::ended)));
      }
      begin = end;
    }
    current_ = -1;
    return {};
  }

  /// The first round that some rank did not finish, and who waits for whom in it.
  std::string stuck(std::size_t iteration) const {
    for (const auto& [m, t] : order_) {
      const auto ends = turns(m).ends_of(t);
      if (ends.empty() || streams_->has_passed(iteration, m, number({m, t}, Moment::met))) continue;
      const auto receives = std::ranges::find(ends, false, &MessageEnd::sends);
      const MessageEnd& end = receives == ends.end() ? ends.front() : *receives;
      std::string text = who(m) + " did not finish to " + (end.sends ? "send " : "receive ") +
                         describe(TransferId{end.transfer}, *work_.schedule) +
                         (end.sends ? " to rank " : " from rank ") + std::to_string(end.peer);
      if (ends.size() > 1)
        text += ", or " + std::to_string(ends.size() - 1) + " more of its group,";
      return text;
    }
    return who(0) + " did not finish its kernels";
  }

  Result<std::vector<Span>> spans(std::size_t iteration) const {
    RS_ASSIGN(const auto moments, streams_->moments(iteration));
    std::vector<std::vector<TurnTimes>> times(plan_.ranks.size());
    for (std::uint32_t r = 0; r < times.size(); ++r)
      for (std::uint32_t t = 0; t < plan_.ranks[r].turns.size(); ++t) {
        const auto at = [&](Moment moment) { return moments[r][number({r, t}, moment)]; };
        times[r].push_back({at(Moment::began), at(Moment::met), at(Moment::ended)});
      }
    return spans_of(*work_.schedule, plan_, times);
  }

 private:
  struct Step {
    std::uint32_t member = 0, turn = 0;
  };
  /// What a member's stream can be asked about each turn; if not traced, when its group is over.
  enum class Moment : std::uint8_t { began, met, ended };
  std::size_t number(const Step& step, Moment moment) const {
    return is_traced_ ? std::size_t{3} * step.turn + static_cast<std::size_t>(moment) : step.turn;
  }
  Result<void> mark_all(std::size_t iteration, std::span<const Step> steps, Moment moment) {
    for (const Step& step : steps) {
      RS_TRY(cuda::select(current_ = members()[step.member].device));
      RS_TRY(streams_->mark(iteration, step.member, number(step, moment)));
    }
    return {};
  }

  std::span<const Member> members() const { return setup_.communicators->members(); }
  const RankTurns& turns(std::size_t member) const {
    return plan_.ranks[members()[member].rank.value];
  }
  std::uint32_t round_of(const Step& step) const {
    return turns(step.member).turns[step.turn].round;
  }
  std::string who(std::size_t member) const {
    return "rank " + std::to_string(members()[member].rank.value) + " on CUDA device " +
           std::to_string(members()[member].device);
  }

  Result<void> enqueue_group(std::span<const Step> steps) {
    if (std::ranges::all_of(
            steps, [&](const Step& step) { return turns(step.member).ends_of(step.turn).empty(); }))
      return {};
    RS_TRY(check(ncclGroupStart(), "begin a group"));
    Result<void> called{};
    for (const auto& [m, t] : steps)
      for (const MessageEnd& end : turns(m).ends_of(t))
        if (called) called = call(m, end);
    const auto ended = check(ncclGroupEnd(), "end a group of sends and receives");
    return called ? ended : called;
  }

  Result<void> call(std::size_t member, const MessageEnd& end) {
    auto* const at = streams_->at(end.at);
    const auto peer = static_cast<int>(end.peer);
    const auto comm = (*setup_.communicators)[member];
    const auto stream = (*streams_)[member];
    const auto code = end.sends ? ncclSend(at, end.bytes, ncclInt8, peer, comm, stream)
                                : ncclRecv(at, end.bytes, ncclInt8, peer, comm, stream);
    if (code == ncclSuccess) return {};
    return check(code, std::string(end.sends ? "send " : "receive ") +
                           describe(TransferId{end.transfer}, *work_.schedule) + " on " +
                           who(member));
  }

  Result<void> enqueue_work(std::size_t member, const LocalWork& work) {
    auto* const dst = streams_->at(work.piece.dst);
    const auto* const src = streams_->at(work.piece.src);
    const auto& device = streams_->device(member);
    const cuda::GridLimit limit{2 * device.multiprocessors};
    const auto stream = (*streams_)[member];
    const auto said = [&](cudaError_t code) {
      return cuda::check(code,
                         "launch a kernel of rank " + std::to_string(members()[member].rank.value),
                         device.ordinal);
    };
    if (work.kind == OperationKind::copy)
      return said(cuda::launch_copy({dst, src, work.piece.bytes}, limit, stream));
    cuda::ElementTask task{dst, src, src, work.piece.bytes / size_of(work_.type).count};
    if (work.kind == OperationKind::reduce) {
      task.with = streams_->at(work.piece.with);
      task.op = cuda::element_op(work_.op);
    } else if (work.kind == OperationKind::scale) {
      task.scalar = convert_scalar(work_.mulsum_scalar, work_.type);
      task.op = cuda::ElementOp::scale;
    } else {
      task.scalar = work_.schedule->spec().ranks;
      task.op = cuda::ElementOp::divide;
    }
    return said(cuda::launch_elements(work_.type, task, limit, stream));
  }

  Work work_;
  Setup setup_;
  bool is_traced_;
  GroupedPlan plan_;
  std::vector<Step> order_;  // turns of all members, by round
  std::shared_ptr<RankStreams> streams_;
  int current_ = -1;  // device of this thread, as far as enqueuing knows
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare_grouped(const Work& work, const Memory& memory,
                                                  const RunOptions& options, const Setup& setup) {
  const auto grouped = std::make_shared<Grouped>(work, setup, options.trace);
  RS_TRY(grouped->allocate(memory));
  Task task{"nccl/grouped", [grouped](std::size_t i) { return grouped->enqueue(i); },
            [grouped](std::size_t i) { return grouped->stuck(i); }};
  if (options.trace) task.spans = [grouped](std::size_t i) { return grouped->spans(i); };
  return make_prepared(grouped->streams(), std::move(task), setup, options.timeout);
}

}  // namespace ringside::nccl
