#include "gpu/mpi/local_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/assert.hpp"
#include "core/binding.hpp"
#include "core/message.hpp"

namespace ringside::mpi {
namespace {

/// Messages are cut into pieces that stay in a cache between landing and being added.
constexpr std::uint64_t most_bytes = 512 << 10;
/// Landing slots of a connection whose messages never have to wait: enough to keep it busy.
constexpr std::uint32_t few_slots = 4;

class Planner {
 public:
  Planner(Rank rank, const Work& work)
      : rank_(rank),
        work_(work),
        schedule_(*work.schedule),
        layout_(layout_of(work)),
        element_(size_of(work.type).count) {}

  LocalPlan plan() {
    for (std::uint32_t id = 0; id < schedule_.transfers().size(); ++id) add_part({id});
    plan_.after_read.resize(plan_.parts.size());
    plan_.after_commit.resize(plan_.parts.size());
    for (std::uint32_t i = 0; i < plan_.parts.size(); ++i) add_waits(i);
    for (Connection& connection : plan_.incoming) add_landing(connection);
    plan_.scratch_bytes = schedule_.scratch_chunks() * room();
    add_divisions();
    return std::move(plan_);
  }

 private:
  std::uint64_t room() const { return layout_.longest() * element_; }

  Place place(const Slot& slot) const {
    if (slot.buffer == Buffer::scratch) return {slot.buffer, slot.chunk.value * room()};
    return {slot.buffer, layout_.offset(slot.chunk) * element_};
  }

  void add_part(TransferId id) {
    const Transfer& t = schedule_[id];
    const bool reads = t.src().rank == rank_, writes = t.dst().rank == rank_;
    if (!reads && !writes) return;
    const auto index = static_cast<std::uint32_t>(plan_.parts.size());
    Part part{.id = id, .action = t.action()};
    part.role = !writes ? Role::outgoing : !reads ? Role::incoming : Role::local;
    if (part.role != Role::local) {
      auto& connections = writes ? plan_.incoming : plan_.outgoing;
      part.connection = connection(connections, writes ? t.src().rank : t.dst().rank, t.channel());
      connections[part.connection].parts.push_back(index);
    }
    part.first_unit = static_cast<std::uint32_t>(plan_.units.size());
    cut(t);
    part.units = static_cast<std::uint32_t>(plan_.units.size()) - part.first_unit;
    plan_.parts.push_back(part);
  }

  std::uint32_t connection(std::vector<Connection>& all, Rank peer, ChannelId channel) {
    auto& known = &all == &plan_.incoming ? incoming_ : outgoing_;
    const auto [at, is_new] =
        known.try_emplace({peer, channel}, static_cast<std::uint32_t>(all.size()));
    if (is_new) all.push_back({peer, channel, {}, 0, 0});
    return at->second;
  }

  /// Slots that follow each other in the vector are one run; those in scratch are not, where chunks
  /// are shorter than their room. Nothing at all is a message too: it carries the order.
  void cut(const Transfer& t) {
    const bool scattered = uses_scratch(t) && is_uneven(t);
    const std::uint32_t runs = scattered ? t.chunks() : 1;
    for (std::uint32_t i = 0; i < runs; ++i) {
      const auto bytes =
          (scattered ? slot_elements(t, i, layout_) : message_elements(t, layout_)) * element_;
      const Unit run{place(nth(t.src(), i)), place(nth(t.with(), i)), place(nth(t.dst(), i)),
                     bytes};
      for (std::uint64_t done = 0; done < bytes; done += most_bytes) {
        Unit unit = run;
        for (Place* at : {&unit.src, &unit.with, &unit.dst}) at->offset += done;
        unit.bytes = std::min(most_bytes, bytes - done);
        plan_.units.push_back(unit);
      }
      if (bytes == 0) plan_.units.push_back(run);
    }
  }

  static bool uses_scratch(const Transfer& t) {
    return t.src().buffer == Buffer::scratch || t.dst().buffer == Buffer::scratch ||
           t.with().buffer == Buffer::scratch;
  }

  bool is_uneven(const Transfer& t) const {
    for (std::uint32_t i = 0; i + 1 < t.chunks(); ++i)
      if (slot_elements(t, i, layout_) != layout_.longest()) return true;
    return false;
  }

  std::uint32_t part_of(TransferId id) const {
    const auto at = std::lower_bound(plan_.parts.begin(), plan_.parts.end(), id,
                                     [](const Part& part, TransferId x) { return part.id < x; });
    RS_ASSERT(at != plan_.parts.end() && at->id == id, "a dependency lies on one rank");
    return static_cast<std::uint32_t>(at - plan_.parts.begin());
  }

  void add_waits(std::uint32_t index) {
    Part& part = plan_.parts[index];
    for (const Dependency& d : schedule_.dependencies(part.id)) {
      const bool is_raw = d.kind == DependencyKind::raw;
      if (is_raw ? part.role == Role::incoming : part.role == Role::outgoing) continue;
      const auto on = part_of(d.on);
      auto& after = d.kind == DependencyKind::war ? plan_.after_read : plan_.after_commit;
      after[on].push_back({index, is_raw});
      ++(is_raw ? part.read_waits : part.commit_waits);
      if (!is_raw && part.role == Role::local) stage(part, d.on);
    }
    if (part.role == Role::local && overlaps(schedule_[part.id])) stage(part, part.id);
  }

  /// Within a step transfers may wait for each other's reads in a circle.
  void stage(Part& part, TransferId on) {
    if (schedule_.step(on) != schedule_.step(part.id) || part.is_staged) return;
    part.is_staged = true;
    for (const Unit& unit : plan_.units_of(part)) plan_.staging_bytes += unit.bytes;
  }

  static bool overlaps(const Transfer& t) {
    const auto from = t.src(), to = t.dst();
    return from.buffer == to.buffer && from.chunk.value < to.chunk.value + t.chunks() &&
           to.chunk.value < from.chunk.value + t.chunks();
  }

  void add_landing(Connection& connection) {
    std::map<Step, std::uint32_t> units_in;
    std::uint32_t total = 0;
    bool waits = false, reduces = false;
    for (const auto index : connection.parts) {
      const Part& part = plan_.parts[index];
      waits |= part.commit_waits > 0;
      reduces |= part.action == Action::reduce;
      units_in[schedule_.step(part.id)] += part.units;
      total += part.units;
      for (const Unit& unit : plan_.units_of(part))
        connection.landing_bytes = std::max(connection.landing_bytes, unit.bytes);
    }
    if (!waits && !reduces) return;  // all goes straight to its target
    connection.landing_slots = std::min(total, few_slots);
    if (!waits) return;
    for (const auto& [step, units] : units_in)
      connection.landing_slots = std::max(connection.landing_slots, units);
  }

  void add_divisions() {
    if (work_.op != ReduceOp::avg || !reduces(schedule_.spec().kind)) return;
    for (const Expectation& e : postcondition(schedule_.spec(), schedule_.chunks())) {
      if (e.slot.rank != rank_) continue;
      const auto at = place(e.slot);
      plan_.divided.push_back({at, at, at, layout_.elements(e.slot.chunk) * element_});
    }
  }

  Rank rank_;
  const Work& work_;
  const Schedule& schedule_;
  ChunkLayout layout_;
  std::uint64_t element_;
  std::map<std::pair<Rank, ChannelId>, std::uint32_t> incoming_, outgoing_;
  LocalPlan plan_;
};

}  // namespace

LocalPlan plan_for(Rank rank, const Work& work) {
  return Planner(rank, work).plan();
}

}  // namespace ringside::mpi
