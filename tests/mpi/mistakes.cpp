#include "tests/mpi/mistakes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "core/engine.hpp"
#include "core/variants.hpp"
#include "gpu/mpi/mpi_backend.hpp"
#include "gpu/mpi/tampering.hpp"

namespace ringside::mpi {
namespace {

/// The first part that will do.
template <typename Fits>
Part* find_part(LocalPlan& plan, Fits fits) {
  const auto at = std::find_if(plan.parts.begin(), plan.parts.end(), fits);
  return at == plan.parts.end() ? nullptr : &*at;
}

Unit* unit_of(LocalPlan& plan, const Part* part) {
  return part == nullptr ? nullptr : &plan.units[part->first_unit];
}

bool reduces_message(const Part& part) {
  return part.role == Role::incoming && part.action == Action::reduce;
}

/// A transfer is sent before what it carries has come.
void skipped_wait_to_read(LocalPlan& plan, Rank) {
  for (std::size_t on = 0; on < plan.parts.size(); ++on) {
    auto& followers = plan.after_commit[on];
    if (plan.parts[on].role != Role::incoming) continue;
    for (const Follower& follower : followers)
      if (follower.is_read) --plan.parts[follower.part].read_waits;
    std::erase_if(followers, [](const Follower& f) { return f.is_read; });
  }
}

/// A message is written over what is still to be sent, or added before what it is added to is
/// there.
void skipped_wait_to_commit(LocalPlan& plan, Rank) {
  for (auto* after : {&plan.after_read, &plan.after_commit})
    for (auto& followers : *after) {
      for (const Follower& follower : followers)
        if (!follower.is_read) --plan.parts[follower.part].commit_waits;
      std::erase_if(followers, [](const Follower& f) { return !f.is_read; });
    }
}

void next_chunk_sent(LocalPlan& plan, Rank) {
  auto* unit =
      unit_of(plan, find_part(plan, [](const Part& p) { return p.role == Role::outgoing; }));
  if (unit != nullptr && unit->src.offset >= unit->bytes) unit->src.offset -= unit->bytes;
}

void two_messages_swapped(LocalPlan& plan, Rank) {
  for (Connection& connection : plan.incoming)
    if (connection.parts.size() > 1) return std::swap(connection.parts[0], connection.parts[1]);
}

void lost_rank(LocalPlan& plan, Rank) {
  if (auto* part = find_part(plan, reduces_message)) plan.units[part->first_unit].dst = {};
}

/// What was left in the target by the run before is kept.
void copied_instead_of_added(LocalPlan& plan, Rank) {
  if (auto* part = find_part(plan, reduces_message)) part->action = Action::copy;
}

void slots_overlap(LocalPlan& plan, Rank) {
  for (Connection& connection : plan.incoming)
    if (connection.landing_bytes > 0) connection.landing_bytes -= 1;
}

void one_element_too_far(LocalPlan& plan, Rank rank) {
  auto* unit =
      unit_of(plan, find_part(plan, [](const Part& p) { return p.role != Role::outgoing; }));
  if (rank.value == 1 && unit != nullptr && unit->bytes > 0) unit->dst.offset += 1;
}

void wrong_operand(LocalPlan& plan, Rank) {
  if (auto* unit = unit_of(plan, find_part(plan, reduces_message)))
    unit->with.offset = unit->with.offset == 0 ? unit->bytes : 0;
}

void divided_twice(LocalPlan& plan, Rank rank) {
  if (rank.value == 1 && !plan.divided.empty()) plan.divided.push_back(plan.divided.front());
}

/// What is sent on from scratch is what the run before left there.
void stale_scratch(LocalPlan& plan, Rank) {
  for (const Part& part : plan.parts) {
    Unit& unit = plan.units[part.first_unit];
    if (part.role != Role::incoming || unit.dst.buffer != Buffer::scratch) continue;
    unit.dst.offset = plan.scratch_bytes;
    plan.scratch_bytes += unit.bytes;
    return;
  }
}

/// A part of a transfer on one rank is left out.
void local_copy_forgotten(LocalPlan& plan, Rank) {
  if (auto* part = find_part(plan, [](const Part& p) { return p.role == Role::local; }))
    part->units = 0;
}

/// Rank 1 sends nothing at all.
void waits_for_ever(LocalPlan& plan, Rank rank) {
  for (Part& part : plan.parts)
    if (rank.value == 1 && part.role == Role::outgoing) ++part.read_waits;
}

struct Mistake {
  std::string_view name;
  void (*make)(LocalPlan& plan, Rank rank);
};
constexpr std::array<Mistake, 13> all{{
    {"skipped_wait_to_read", skipped_wait_to_read},
    {"skipped_wait_to_commit", skipped_wait_to_commit},
    {"next_chunk_sent", next_chunk_sent},
    {"two_messages_swapped", two_messages_swapped},
    {"lost_rank", lost_rank},
    {"copied_instead_of_added", copied_instead_of_added},
    {"slots_overlap", slots_overlap},
    {"one_element_too_far", one_element_too_far},
    {"wrong_operand", wrong_operand},
    {"divided_twice", divided_twice},
    {"stale_scratch", stale_scratch},
    {"local_copy_forgotten", local_copy_forgotten},
    {"waits_for_ever", waits_for_ever},
}};

}  // namespace

std::string_view mistake(std::size_t number) {
  return all[number].name;
}

std::size_t mistakes() {
  return all.size();
}

namespace {

/// The first wrong element of any run.
Result<std::string> first_fault(Backend& backend) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& spec : specs_that_matter(algorithm.collective, backend.capabilities().ranks)) {
      const auto plan = make_plan(algorithm, spec, {});
      if (!plan || plan->options.agents > 0) continue;
      RS_ASSIGN(const auto schedule, build_proven(*plan));
      for (const auto op : {ReduceOp::sum, ReduceOp::avg}) {
        const auto count = std::uint64_t{7} * spec.ranks + 1;
        Trial trial;
        trial.run.timeout = microseconds(2'000'000);  // a mistake may also end in waiting
        RS_ASSIGN(const auto outcome,
                  execute(backend, {&schedule, count, ElementType::int32, op}, trial));
        if (outcome.comparison.wrong > 0)
          return std::string(name(spec.kind)) + " " + std::string(algorithm.name) + ": " +
                 outcome.comparison.first;
      }
    }
  return std::string();
}

}  // namespace

int report_mistake(std::size_t number) {
  const auto backend =
      make_tampered_backend({.plan = number < all.size() ? all[number].make : nullptr});
  if (!backend) return 3;
  const auto fault = first_fault(**backend);
  if (!fault) return leave(1, fault.error().message);
  return leave(fault->empty() ? 0 : 1, *fault);
}

}  // namespace ringside::mpi
