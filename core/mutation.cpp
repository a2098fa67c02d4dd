#include "core/mutation.hpp"

#include <array>
#include <vector>

#include "core/schedule_builder.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr std::array<std::string_view, mutation_count> names{"drop_transfer",   "wrong_neighbour",
                                                             "doubled_add",     "wrong_chunk",
                                                             "copy_for_reduce", "drop_dependency"};

/// What takes the place of one transfer, and the change in words.
struct Edit {
  std::vector<Transfer> instead;
  std::string what;
};

Transfer moved(const Transfer& t, Slot src, Rank to) {
  Slot with = t.with(), dst = t.dst();
  with.rank = dst.rank = to;
  return t.action() == Action::copy ? Transfer::copy(src, dst, t.chunks(), t.channel())
                                    : Transfer::reduce(src, with, dst, t.chunks(), t.channel());
}

std::uint32_t chunks_of(const Schedule& schedule, Buffer buffer) {
  return buffer == Buffer::scratch ? schedule.scratch_chunks() : schedule.chunks();
}

bool fits(const Schedule& schedule, Mutation mutation, const Transfer& t) {
  const auto ranks = schedule.spec().ranks;
  switch (mutation) {
    case Mutation::drop_transfer:
      return true;
    case Mutation::wrong_neighbour:
      return ranks > 1 && t.dst().rank.value < ranks;
    case Mutation::wrong_chunk:
      return t.chunks() < chunks_of(schedule, t.src().buffer);
    case Mutation::doubled_add:
    case Mutation::copy_for_reduce:
      return t.action() == Action::reduce;
    case Mutation::drop_dependency:
      break;
  }
  return false;
}

Edit edited(const Schedule& schedule, Mutation mutation, const Transfer& t) {
  Slot src = t.src();
  Rank to = t.dst().rank;
  switch (mutation) {
    case Mutation::wrong_neighbour:
      to.value = (to.value + 1) % schedule.spec().ranks;
      return {{moved(t, src, to)},
              "goes to rank " + std::to_string(to.value) + " instead of rank " +
                  std::to_string(t.dst().rank.value)};
    case Mutation::doubled_add:
      return {{t, Transfer::reduce(src, t.dst(), t.dst(), t.chunks(), t.channel())},
              "is added twice"};
    case Mutation::wrong_chunk:
      src.chunk.value = src.chunk.value + t.chunks() < chunks_of(schedule, src.buffer)
                            ? src.chunk.value + 1
                            : src.chunk.value - 1;
      return {{moved(t, src, to)}, "takes " + to_string(src) + " instead of " + to_string(t.src())};
    case Mutation::copy_for_reduce:
      return {{Transfer::copy(src, t.dst(), t.chunks(), t.channel())},
              "overwrites instead of adding"};
    case Mutation::drop_transfer:
    case Mutation::drop_dependency:
      break;
  }
  return {{}, "is left out"};
}

Result<Mutant> with_edit(const Schedule& schedule, TransferId at, const Edit& edit) {
  ScheduleBuilder builder(schedule.spec(), schedule.chunks(), schedule.agents());
  for (std::uint32_t s = 0; s < schedule.steps(); ++s, builder.next_step())
    for (TransferId id = schedule.step_begin({s}); id < schedule.step_end({s}); ++id.value) {
      if (id != at) builder.add(schedule[id]);
      if (id == at)
        for (const Transfer& t : edit.instead) builder.add(t);
    }
  RS_ASSIGN(auto changed, std::move(builder).build());
  return Mutant{std::move(changed), at, describe(at, schedule) + " " + edit.what};
}

Mutant without_dependency(const Schedule& schedule, std::uint64_t nth) {
  TransferId id{0};
  for (; nth >= schedule.dependencies(id).size(); ++id.value)
    nth -= schedule.dependencies(id).size();
  const auto on = schedule.dependencies(id)[nth].on;
  return {schedule.with_dependency_dropped(id, nth), id,
          describe(id, schedule) + " does not wait for transfer " + std::to_string(on.value)};
}

}  // namespace

std::string_view name(Mutation mutation) {
  return names[static_cast<std::size_t>(mutation)];
}

Result<Mutation> parse_mutation(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Mutation>(i);
  return bad_request(unknown("mutation", text, names));
}

std::size_t places(const Schedule& schedule, Mutation mutation) {
  if (mutation == Mutation::drop_dependency) return schedule.dependency_count();
  std::size_t count = 0;
  for (const Transfer& t : schedule.transfers()) count += fits(schedule, mutation, t) ? 1 : 0;
  return count;
}

Result<Mutant> mutate(const Schedule& schedule, Mutation mutation, std::uint64_t seed) {
  const auto count = places(schedule, mutation);
  if (count == 0)
    return bad_request("this schedule has no place for " + std::string(name(mutation)));
  auto place = seed % count;
  if (mutation == Mutation::drop_dependency) return without_dependency(schedule, place);
  TransferId at{0};
  for (;; ++at.value)
    if (fits(schedule, mutation, schedule[at]) && place-- == 0) break;
  return with_edit(schedule, at, edited(schedule, mutation, schedule[at]));
}

}  // namespace ringside
