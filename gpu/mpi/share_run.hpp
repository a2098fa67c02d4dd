#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"
#include "core/trace.hpp"
#include "gpu/mpi/local_plan.hpp"
#include "gpu/mpi/rank_memory.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// One run of one rank's share: what has happened, what waits, what is on its way.
class ShareRun {
 public:
  ShareRun(World& world, const LocalPlan& plan, RankMemory& memory, bool keeps_time);

  /// From the first transfer to the last. An error: nothing happened for `timeout`.
  Result<void> run(Duration timeout, const Schedule& schedule);
  /// What this rank knows of the last run, by part, since it began.
  const std::vector<Span>& spans() const { return spans_; }

 private:
  enum class Kind : std::uint8_t { sent, received, landed };
  struct Message {
    Kind kind = Kind::sent;
    std::uint32_t part = 0, unit = 0, slot = 0;
  };
  /// How far a part has come in this run.
  struct Progress {
    std::uint32_t read_waits = 0, commit_waits = 0, units_left = 0;
    bool is_read = false, is_committed = false;
    std::vector<Message> landed{};  // what waits for the commit
  };
  /// How far a connection has come: the first message that is not posted.
  struct Queue {
    std::uint32_t part = 0, unit = 0;
    bool large_under_way = false;  // outgoing
    std::vector<std::uint32_t> free_slots{};
    std::vector<std::byte> landing{};
  };
  struct Event {
    std::uint32_t part;
    bool is_read;
  };

  void reset();
  bool poll();
  void settle();
  void advance(std::uint32_t part);
  void run_local(std::uint32_t part);
  void post_sends(std::uint32_t connection);
  void post_receives(std::uint32_t connection);
  bool post_receive(std::uint32_t connection, const Message& unit);
  bool post_send(std::uint32_t connection, const Message& unit);
  void finish(const Message& message);
  void finish_send(const Message& message);
  void put_away(const Message& message);
  void unit_done(std::uint32_t part);
  void happened(std::uint32_t part, bool is_read);
  void apply(const Part& part, const Unit& unit, const std::byte* source);
  std::vector<Awaited> awaited(const Schedule& schedule) const;
  TimePoint now() const;
  const Unit& unit_of(const Message& m) const {
    return plan_.units[plan_.parts[m.part].first_unit + m.unit];
  }
  std::byte* landing(const Message& m);

  World& world_;
  const LocalPlan& plan_;
  RankMemory& memory_;
  bool keeps_time_;
  std::vector<Progress> progress_;
  std::vector<Queue> outgoing_, incoming_;
  std::vector<std::uint64_t> staged_at_;  // by part
  std::vector<MPI_Request> requests_;     // those under way, and what each is
  std::vector<Message> messages_, finished_;
  std::vector<int> completed_;
  std::vector<Event> events_;
  std::uint32_t events_left_ = 0;
  std::vector<Span> spans_;  // by part; empty unless time is kept
  Patience::Clock::time_point begin_;
};

}  // namespace ringside::mpi
