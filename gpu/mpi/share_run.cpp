#include "gpu/mpi/share_run.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace ringside::mpi {
namespace {

/// MPI matches the messages of a connection in order, but carries large ones side by side: both
/// would come when the second does. So these go one after the other, as schedules and simulations
/// have it; small ones wait for nobody.
bool is_large(const Unit& unit) {
  return unit.bytes > 32 * 1024;
}

}  // namespace

ShareRun::ShareRun(World& world, const LocalPlan& plan, RankMemory& memory, bool keeps_time)
    : world_(world),
      plan_(plan),
      memory_(memory),
      keeps_time_(keeps_time),
      progress_(plan.parts.size()),
      outgoing_(plan.outgoing.size()),
      incoming_(plan.incoming.size()) {
  std::uint64_t staged = 0;
  for (const Part& part : plan.parts) {
    staged_at_.push_back(staged);
    if (part.is_staged)
      for (const Unit& unit : plan.units_of(part)) staged += unit.bytes;
  }
  for (std::size_t c = 0; c < incoming_.size(); ++c)
    incoming_[c].landing.resize(plan.incoming[c].landing_slots * plan.incoming[c].landing_bytes);
  if (keeps_time_) spans_.resize(plan.parts.size());
}

void ShareRun::reset() {
  events_left_ = 0;
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    const Part& part = plan_.parts[i];
    Progress& progress = progress_[i];
    progress.read_waits = part.read_waits;
    progress.commit_waits = part.commit_waits;
    progress.units_left = part.units;
    progress.is_read = progress.is_committed = false;
    events_left_ += part.role == Role::local ? 2 : 1;
  }
  for (Queue& queue : outgoing_) {
    queue.part = queue.unit = 0;
    queue.large_under_way = false;
  }
  for (std::size_t c = 0; c < incoming_.size(); ++c) {
    Queue& queue = incoming_[c];
    queue.part = queue.unit = 0;
    queue.free_slots.clear();
    for (auto slot = plan_.incoming[c].landing_slots; slot > 0; --slot)
      queue.free_slots.push_back(slot - 1);
  }
}

Result<void> ShareRun::run(Duration timeout, const Schedule& schedule) {
  reset();
  begin_ = Patience::Clock::now();
  for (std::uint32_t c = 0; c < incoming_.size(); ++c) post_receives(c);
  for (std::uint32_t c = 0; c < outgoing_.size(); ++c) post_sends(c);
  for (std::uint32_t i = 0; i < plan_.parts.size(); ++i)
    if (plan_.parts[i].role == Role::local) run_local(i);
  settle();
  Patience patience(world_, timeout);
  while (events_left_ > 0) {
    if (poll())
      patience.refresh();
    else if (patience.is_over())
      return tl::unexpected<Error>(world_.give_up(awaited(schedule), patience.waited()));
  }
  return {};
}

/// What has arrived or been sent since the last look. True if something has.
bool ShareRun::poll() {
  int count = 0;
  completed_.resize(requests_.size());
  MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
               MPI_STATUSES_IGNORE);
  if (count == MPI_UNDEFINED || count == 0) return false;
  completed_.resize(static_cast<std::size_t>(count));
  std::sort(completed_.rbegin(), completed_.rend());
  finished_.clear();
  for (const int index : completed_) {
    const auto i = static_cast<std::size_t>(index);
    finished_.push_back(std::exchange(messages_[i], messages_.back()));
    requests_[i] = requests_.back();
    messages_.pop_back();
    requests_.pop_back();
  }
  for (const Message& message : finished_) finish(message);
  settle();
  return true;
}

/// Lets those go on that waited for what has happened, until nothing more happens by itself.
void ShareRun::settle() {
  while (!events_.empty()) {
    const Event event = events_.back();
    events_.pop_back();
    const auto& followers = (event.is_read ? plan_.after_read : plan_.after_commit)[event.part];
    for (const Follower& follower : followers) {
      Progress& progress = progress_[follower.part];
      if (--(follower.is_read ? progress.read_waits : progress.commit_waits) == 0)
        advance(follower.part);
    }
  }
}

void ShareRun::advance(std::uint32_t index) {
  const Part& part = plan_.parts[index];
  if (part.role == Role::local) return run_local(index);
  if (part.role == Role::outgoing) return post_sends(part.connection);
  for (const Message& message : std::exchange(progress_[index].landed, {})) put_away(message);
  post_receives(part.connection);
}

void ShareRun::run_local(std::uint32_t index) {
  const Part& part = plan_.parts[index];
  Progress& progress = progress_[index];
  const bool may_commit = progress.commit_waits == 0;
  if (progress.read_waits > 0 || progress.is_committed || !(may_commit || part.is_staged)) return;
  std::byte* staging = memory_.staging() + staged_at_[index];
  if (!progress.is_read) {
    if (keeps_time_) spans_[index].ready = spans_[index].begin = now();
    if (part.is_staged) {
      auto* to = staging;
      for (const Unit& unit : plan_.units_of(part)) {
        std::copy_n(memory_.at(unit.src), unit.bytes, to);
        to += unit.bytes;
      }
    }
  }
  if (may_commit)
    for (const Unit& unit : plan_.units_of(part)) {
      apply(part, unit, part.is_staged ? staging : memory_.at(unit.src));
      staging += unit.bytes;
    }
  if (!progress.is_read) happened(index, true);
  if (keeps_time_) spans_[index].arrival = spans_[index].read;
  if (may_commit) happened(index, false);
}

void ShareRun::post_sends(std::uint32_t number) {
  const Connection& connection = plan_.outgoing[number];
  Queue& queue = outgoing_[number];
  while (queue.part < connection.parts.size()) {
    const auto index = connection.parts[queue.part];
    if (!post_send(number, {Kind::sent, index, queue.unit})) return;
    if (++queue.unit < plan_.parts[index].units) continue;
    queue.unit = 0;
    ++queue.part;
  }
}

/// False where it must not go now.
bool ShareRun::post_send(std::uint32_t number, const Message& message) {
  const Connection& connection = plan_.outgoing[number];
  const Unit& unit = unit_of(message);
  auto& large_under_way = outgoing_[number].large_under_way;
  if (progress_[message.part].read_waits > 0 || (is_large(unit) && large_under_way)) return false;
  large_under_way |= is_large(unit);
  if (keeps_time_ && message.unit == 0)
    spans_[message.part].ready = spans_[message.part].begin = now();
  messages_.push_back(message);
  MPI_Isend(memory_.at(unit.src), static_cast<int>(unit.bytes), MPI_BYTE,
            static_cast<int>(connection.peer.value), static_cast<int>(connection.channel.value),
            world_.data(), &requests_.emplace_back());
  return true;
}

void ShareRun::post_receives(std::uint32_t number) {
  const Connection& connection = plan_.incoming[number];
  Queue& queue = incoming_[number];
  while (queue.part < connection.parts.size()) {
    const auto index = connection.parts[queue.part];
    if (!post_receive(number, {Kind::received, index, queue.unit})) return;
    if (++queue.unit < plan_.parts[index].units) continue;
    queue.unit = 0;
    ++queue.part;
  }
}

/// False where there is no room for it now.
bool ShareRun::post_receive(std::uint32_t number, const Message& next) {
  const Connection& connection = plan_.incoming[number];
  Message message = next;
  const Unit& unit = unit_of(message);
  std::byte* target = memory_.at(unit.dst);
  const bool goes_straight =
      plan_.parts[message.part].action == Action::copy && progress_[message.part].commit_waits == 0;
  if (!goes_straight) {
    auto& free = incoming_[number].free_slots;
    if (free.empty()) return false;
    message.kind = Kind::landed;
    message.slot = free.back();
    free.pop_back();
    target = landing(message);
  }
  messages_.push_back(message);
  MPI_Irecv(target, static_cast<int>(unit.bytes), MPI_BYTE, static_cast<int>(connection.peer.value),
            static_cast<int>(connection.channel.value), world_.data(), &requests_.emplace_back());
  return true;
}

void ShareRun::finish(const Message& message) {
  if (message.kind == Kind::sent) return finish_send(message);
  if (keeps_time_) spans_[message.part].arrival = now();
  if (message.kind == Kind::received) return unit_done(message.part);
  Progress& progress = progress_[message.part];
  if (progress.commit_waits > 0) return progress.landed.push_back(message);
  put_away(message);
  post_receives(plan_.parts[message.part].connection);
}

void ShareRun::finish_send(const Message& message) {
  unit_done(message.part);
  if (!is_large(unit_of(message))) return;
  const auto connection = plan_.parts[message.part].connection;
  outgoing_[connection].large_under_way = false;
  post_sends(connection);
}

void ShareRun::put_away(const Message& message) {
  const Part& part = plan_.parts[message.part];
  apply(part, unit_of(message), landing(message));
  incoming_[part.connection].free_slots.push_back(message.slot);
  unit_done(message.part);
}

void ShareRun::unit_done(std::uint32_t part) {
  if (--progress_[part].units_left == 0) happened(part, plan_.parts[part].role == Role::outgoing);
}

void ShareRun::happened(std::uint32_t part, bool is_read) {
  (is_read ? progress_[part].is_read : progress_[part].is_committed) = true;
  if (keeps_time_) (is_read ? spans_[part].read : spans_[part].commit) = now();
  events_.push_back({part, is_read});
  --events_left_;
}

void ShareRun::apply(const Part& part, const Unit& unit, const std::byte* source) {
  if (unit.bytes == 0) return;
  if (part.action == Action::copy)
    std::memmove(memory_.at(unit.dst), source, unit.bytes);
  else
    memory_.reduce(memory_.at(unit.dst), memory_.at(unit.with), source, unit.bytes);
}

std::vector<Awaited> ShareRun::awaited(const Schedule& schedule) const {
  std::vector<Awaited> all;
  const auto add = [&](const Connection& connection, bool is_incoming) {
    for (const auto index : connection.parts) {
      if (progress_[index].units_left == 0) continue;
      const auto id = plan_.parts[index].id;
      const Transfer& t = schedule[id];
      std::uint64_t bytes = 0;
      for (const Unit& unit : plan_.units_of(plan_.parts[index])) bytes += unit.bytes;
      all.push_back({connection.peer.value,
                     describe(id, schedule) + " from rank " + std::to_string(t.src().rank.value) +
                         " to rank " + std::to_string(t.dst().rank.value) + ", " +
                         to_string(Bytes{bytes}) + ", has not " +
                         (is_incoming ? "arrived" : "been taken"),
                     id.value});
      return;
    }
  };
  for (const Connection& connection : plan_.incoming) add(connection, true);
  for (std::size_t c = 0; c < plan_.outgoing.size(); ++c)
    if (outgoing_[c].part > 0) add(plan_.outgoing[c], false);
  return all;
}

TimePoint ShareRun::now() const {
  const auto since = Patience::Clock::now() - begin_;
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

std::byte* ShareRun::landing(const Message& m) {
  const auto connection = plan_.parts[m.part].connection;
  return incoming_[connection].landing.data() + m.slot * plan_.incoming[connection].landing_bytes;
}

}  // namespace ringside::mpi
