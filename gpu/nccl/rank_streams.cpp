#include "gpu/nccl/rank_streams.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/cuda/status.hpp"
#include "gpu/cuda/waiting.hpp"
#include "gpu/nccl/status.hpp"

namespace ringside::nccl {

using cuda::check;

Result<RankStreams> RankStreams::make(const Work& work, const Memory& memory, const Setup& setup,
                                      Needs needs) {
  RankStreams made;
  made.is_traced_ = needs.is_traced;
  const auto members = setup.communicators->members();
  made.members_.assign(members.begin(), members.end());
  made.devices_ = setup.devices;
  cuda::StreamPlan plan;
  plan.bytes.resize(memory.ranks.size());
  for (const Member& member : members)
    plan.bytes[member.rank.value] = needs.bytes[member.rank.value];
  RS_ASSIGN(made.memory_, cuda::StreamMemory::make(work, memory, setup.devices, plan));
  for (const cuda::Device& device : setup.devices.devices) {
    RS_ASSIGN(auto stream, cuda::make_stream(device.ordinal));
    made.home_.push_back(std::move(stream));
  }
  for (const Member& member : members) {
    RS_ASSIGN(auto stream, cuda::make_stream(member.device));
    made.streams_.push_back(std::move(stream));
  }
  for (std::size_t i = 0; i < most_under_way; ++i) {
    RS_ASSIGN(auto events, made.make_events(needs.marks));
    made.events_.push_back(std::move(events));
  }
  made.share_ = setup.share;
  if (needs.is_traced && made.share_) {
    RS_ASSIGN(made.common_, CommonTime::make(made.home_.front().device()));
  } else if (needs.is_traced) {
    RS_ASSIGN(made.clocks_, cuda::DeviceClocks::make(made.home_));
  }
  return made;
}

Result<RankStreams::Events> RankStreams::make_events(std::span<const std::size_t> marks) const {
  Events events;
  const int lead = members_.front().device;
  RS_ASSIGN(events.begin, cuda::make_event(lead, cuda::EventUse::timing));
  RS_ASSIGN(events.end, cuda::make_event(lead, cuda::EventUse::timing));
  for (std::size_t m = 0; m < members_.size(); ++m) {
    RS_ASSIGN(auto drained, cuda::make_event(members_[m].device, cuda::EventUse::order));
    events.drained.push_back(std::move(drained));
    auto& own = events.marks.emplace_back();
    for (std::size_t i = 0; i < marks[m]; ++i) {
      const auto use = is_traced_ ? cuda::EventUse::timing : cuda::EventUse::order;
      RS_ASSIGN(auto mark, cuda::make_event(members_[m].device, use));
      own.push_back(std::move(mark));
    }
  }
  return events;
}

const cuda::Device& RankStreams::device(std::size_t member) const {
  return devices_.device(members_[member].rank);
}

Result<void> RankStreams::begin(std::size_t iteration) {
  const auto& begin = events(iteration).begin;
  RS_TRY(cuda::select(members_.front().device));
  RS_TRY(check(cudaEventRecord(begin.get(), streams_.front().get()), "record an event",
               begin.device()));
  for (std::size_t m = 1; m < streams_.size(); ++m)
    RS_TRY(check(cudaStreamWaitEvent(streams_[m].get(), begin.get(), 0), "wait for an event",
                 members_[m].device));
  return {};
}

Result<void> RankStreams::end(std::size_t iteration) {
  const auto& [begin, end, drained, marks] = events(iteration);
  const cuda::Stream& lead = streams_.front();
  for (std::size_t m = 0; m < streams_.size(); ++m) {
    RS_TRY(cuda::select(members_[m].device));
    RS_TRY(check(cudaEventRecord(drained[m].get(), streams_[m].get()), "record an event",
                 members_[m].device));
    if (m > 0)
      RS_TRY(check(cudaStreamWaitEvent(lead.get(), drained[m].get(), 0), "wait for an event",
                   lead.device()));
  }
  RS_TRY(cuda::select(lead.device()));
  return check(cudaEventRecord(end.get(), lead.get()), "record an event", lead.device());
}

Result<void> RankStreams::mark(std::size_t iteration, std::size_t member,
                               std::size_t number) const {
  return check(
      cudaEventRecord(events(iteration).marks[member][number].get(), streams_[member].get()),
      "record an event", members_[member].device);
}

bool RankStreams::has_passed(std::size_t iteration, std::size_t member, std::size_t number) const {
  return cudaEventQuery(events(iteration).marks[member][number].get()) == cudaSuccess;
}

bool RankStreams::has_ended(std::size_t iteration, std::size_t member) const {
  return cudaEventQuery(events(iteration).drained[member].get()) == cudaSuccess;
}

cudaError_t RankStreams::query(std::size_t iteration) const {
  return cudaEventQuery(events(iteration).end.get());
}

Result<Duration> RankStreams::time(std::size_t iteration) const {
  return cuda::between(events(iteration).begin, events(iteration).end);
}

Result<void> RankStreams::align_clocks(Duration timeout) {
  return share_ ? common_.align(home_.front(), share_, timeout) : clocks_.align(home_, timeout);
}

Result<std::vector<std::vector<TimePoint>>> RankStreams::moments(std::size_t iteration) {
  const auto& [begin, end, drained, marks] = events(iteration);
  std::vector<std::vector<TimePoint>> all(members_.size());  // alone, members are all ranks
  for (std::size_t m = 0; m < members_.size(); ++m)
    for (const cuda::Event& mark : marks[m]) {
      RS_ASSIGN(const auto moment, clocks_.between(begin, mark));
      all[m].push_back(moment);
    }
  clock_error_ = clocks_.error();
  if (!share_) return all;
  RS_ASSIGN(const auto began, common_.of(begin));
  RS_ASSIGN(auto told, report_to_all({began, common_.error(), std::move(all.front())}, share_));
  clock_error_ = told.error;
  return std::move(told.moments);
}

namespace {

class NcclPrepared final : public Prepared {
 public:
  NcclPrepared(std::shared_ptr<RankStreams> streams, Task task, const Setup& setup,
               Duration timeout)
      : streams_(std::move(streams)), task_(std::move(task)), setup_(setup), timeout_(timeout) {}

  Result<Measurement> run(int iterations) override {
    if (failure_) return tl::unexpected<Error>(*failure_);
    Watch watch(
        "NCCL did not go on", [comms = setup_.communicators] { comms->abort(); }, timeout_);
    auto measurement = go(static_cast<std::size_t>(iterations), watch);
    if (measurement) return measurement;
    failure_ = measurement.error();
    if (const auto verdict = watch.verdict()) failure_ = {ErrorKind::wrong, *verdict};
    watch.give_up(failure_->message);  // after a failure no communicator is of use
    return tl::unexpected<Error>(*failure_);
  }

 private:
  /// The host stays one iteration ahead, so that devices need not wait for it.
  Result<Measurement> go(std::size_t iterations, Watch& watch) {
    Measurement measurement;
    measurement.executor = task_.executor;
    measurement.notes = notes();
    RS_TRY(streams_->upload(timeout_));
    if (task_.spans) RS_TRY(streams_->align_clocks(timeout_));
    if (setup_.share) RS_TRY(setup_.share(""));  // all begin together
    const auto finish = [&](std::size_t iteration) -> Result<void> {
      RS_TRY(wait(iteration));
      watch.progress();
      RS_ASSIGN(const auto time, streams_->time(iteration));
      measurement.iterations.push_back(time);
      return {};
    };
    constexpr auto ahead = RankStreams::most_under_way;
    for (std::size_t i = 0; i < iterations; ++i) {
      if (i >= ahead) RS_TRY(finish(i - ahead));
      RS_TRY(streams_->begin(i));
      RS_TRY(task_.enqueue(i));
      RS_TRY(streams_->end(i));
    }
    for (std::size_t i = iterations - std::min(iterations, ahead); i < iterations; ++i)
      RS_TRY(finish(i));
    if (task_.spans && iterations > 0) {
      RS_ASSIGN(measurement.trace, task_.spans(iterations - 1));
      measurement.clock_error = streams_->clock_error();
    }
    RS_TRY(streams_->download(timeout_));
    return measurement;
  }

  Result<void> wait(std::size_t iteration) const {
    Result<void> noticed{};
    const auto ask = [&] {
      const auto code = streams_->query(iteration);
      if (code == cudaErrorNotReady) noticed = setup_.communicators->check_asynchronously();
      return noticed ? code : cudaErrorUnknown;
    };
    const auto code = cuda::poll(ask, timeout_);
    RS_TRY(noticed);
    if (code == cudaErrorNotReady)
      return gone_wrong(task_.stuck(iteration) + " within " + to_string(timeout_));
    return check(code, "run the collective", streams_->device(0).ordinal);
  }

  std::shared_ptr<RankStreams> streams_;
  Task task_;
  Setup setup_;
  Duration timeout_;
  std::optional<Error> failure_;
};

}  // namespace

std::unique_ptr<Prepared> make_prepared(std::shared_ptr<RankStreams> streams, Task task,
                                        const Setup& setup, Duration timeout) {
  return std::make_unique<NcclPrepared>(std::move(streams), std::move(task), setup, timeout);
}

}  // namespace ringside::nccl
