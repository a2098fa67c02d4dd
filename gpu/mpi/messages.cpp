// Executor mpi/messages: a rank's share of any schedule, and the trace that all shares make.

#include "gpu/mpi/messages.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/assert.hpp"
#include "gpu/mpi/clocks.hpp"
#include "gpu/mpi/rank_memory.hpp"
#include "gpu/mpi/share_run.hpp"

namespace ringside::mpi {
namespace {

/// A span of one of a transfer's two ranks, on its way to the others.
struct Seen {
  std::uint32_t transfer = 0;
  bool is_source = false, is_target = false;
  Span span;
};

/// What a process says of its clock when it tells its spans.
struct Heading {
  TimePoint begin;  ///< of its run, by the first process's clock
  Duration error;   ///< of that
};

std::string words_of(const Heading& heading, const std::vector<Seen>& seen) {
  std::string words(sizeof heading + seen.size() * sizeof(Seen), '\0');
  std::memcpy(words.data(), &heading, sizeof heading);
  if (!seen.empty())
    std::memcpy(words.data() + sizeof heading, seen.data(), seen.size() * sizeof(Seen));
  return words;
}

void add(Span& span, const Seen& seen) {
  if (seen.is_source) {
    span.ready = seen.span.ready;
    span.begin = seen.span.begin;
    span.read = seen.span.read;
  }
  if (seen.is_target) {
    span.arrival = seen.span.arrival;
    span.commit = seen.span.commit;
  }
}

/// A rank may hear late that its message has been taken. And clocks that are a little apart must
/// not turn the order around.
void put_in_order(Span& span) {
  span.begin = std::max(span.begin, span.ready);
  span.arrival = std::max(span.arrival, span.begin);
  span.read = std::clamp(span.read, span.begin, span.arrival);
  span.commit = std::max(span.commit, span.arrival);
}

void join(const std::vector<std::string>& told, std::size_t transfers, Measurement& measured) {
  auto& spans = measured.trace;
  spans.resize(transfers);
  std::vector<Heading> headings(told.size());
  TimePoint first = forever;
  for (std::size_t p = 0; p < told.size(); ++p) {
    std::memcpy(&headings[p], told[p].data(), sizeof(Heading));
    first = std::min(first, headings[p].begin);
    measured.clock_error = std::max(measured.clock_error, headings[p].error);
  }
  for (std::size_t p = 0; p < told.size(); ++p) {
    const Duration late = headings[p].begin - first;
    for (std::size_t at = sizeof(Heading); at < told[p].size(); at += sizeof(Seen)) {
      Seen seen;
      std::memcpy(&seen, told[p].data() + at, sizeof seen);
      for (TimePoint* time : {&seen.span.ready, &seen.span.begin, &seen.span.read,
                              &seen.span.arrival, &seen.span.commit})
        *time += late;
      add(spans[seen.transfer], seen);
    }
  }
  std::for_each(spans.begin(), spans.end(), put_in_order);
}

class Messages final : public Prepared {
 public:
  Messages(World& world, const Work& work, const Memory::RankBuffers& buffers,
           const RunOptions& options, LocalPlan plan)
      : world_(world),
        schedule_(*work.schedule),
        timeout_(options.timeout),
        traces_(options.trace),
        plan_(std::move(plan)),
        memory_(plan_, work, buffers),
        share_(world, plan_, memory_, options.trace) {}

  Result<Measurement> run(int iterations) override {
    if (traces_ && clock_.error == forever) {
      RS_ASSIGN(clock_, clock_offset(world_, timeout_));
    }
    Measurement measured;
    measured.executor = "mpi/messages";
    TimePoint begin;
    for (int i = 0; i < iterations; ++i) {
      RS_TRY(world_.meet(timeout_));
      begin = clock_now();
      memory_.begin();
      RS_TRY(share_.run(timeout_, schedule_));
      memory_.end();
      measured.iterations.push_back(clock_now() - begin);
    }
    if (traces_) RS_TRY(trace(begin + clock_.offset, measured));
    return measured;
  }

 private:
  Result<void> trace(TimePoint begin, Measurement& measured) {
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      const Part& part = plan_.parts[i];
      seen.push_back({part.id.value, part.role != Role::incoming, part.role != Role::outgoing,
                      share_.spans()[i]});
    }
    RS_ASSIGN(const auto told, world_.share(words_of({begin, clock_.error}, seen), timeout_));
    join(told, schedule_.transfers().size(), measured);
    return {};
  }

  World& world_;
  const Schedule& schedule_;
  Duration timeout_;
  bool traces_;
  LocalPlan plan_;
  RankMemory memory_;
  ShareRun share_;
  ClockOffset clock_{{}, forever};
};

}  // namespace

std::unique_ptr<Prepared> make_messages(World& world, const Work& work,
                                        const Memory::RankBuffers& buffers,
                                        const RunOptions& options, LocalPlan plan) {
  return std::make_unique<Messages>(world, work, buffers, options, std::move(plan));
}

}  // namespace ringside::mpi
