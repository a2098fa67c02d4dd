#include "gpu/mpi/mpi_backend.hpp"

#include <array>
#include <new>
#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/binding.hpp"
#include "gpu/mpi/messages.hpp"
#include "gpu/mpi/native.hpp"
#include "gpu/mpi/shared_slices.hpp"
#include "gpu/mpi/tampering.hpp"
#include "gpu/mpi/window.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside {
namespace mpi {
namespace {

constexpr std::array<std::string_view, 5> executors{"messages", "window", "direct", "sliced",
                                                    "native"};
constexpr std::array<std::string_view, 3> unscheduled{"window", "direct", "native"};

bool shares_buffers(const RunOptions& options) {
  return options.executor == "direct" || options.executor == "sliced";
}

/// The operand of a reduce is read while its target is written.
Result<void> check_operands(const Schedule& schedule) {
  for (std::uint32_t id = 0; id < schedule.transfers().size(); ++id) {
    const Transfer& t = schedule[{id}];
    const auto with = t.with().chunk.value, dst = t.dst().chunk.value;
    if (t.has_separate_operand() && t.with().buffer == t.dst().buffer && with < dst + t.chunks() &&
        dst < with + t.chunks())
      return bad_request(describe({id}, schedule) +
                         " adds to slots that overlap the ones it writes to, shifted; the mpi "
                         "backend runs no such transfer");
  }
  return {};
}

class MpiBackend final : public Backend {
 public:
  MpiBackend(World& world, const Tampering& tampering, Duration timeout)
      : world_(world), tampering_(tampering), timeout_(timeout) {}

  std::string_view name() const override { return "mpi"; }
  Capabilities capabilities() const override {
    return {.real_bytes = true,
            .executors = executors,
            .unscheduled = unscheduled,
            .ranks = world_.size()};
  }
  std::pmr::memory_resource& memory(const RunOptions& options) override {
    return shares_buffers(options) ? shared_ : Backend::memory(options);
  }
  bool owns(Rank rank) const override { return rank.value == world_.rank(); }
  Result<std::vector<std::string>> share(std::string found) override {
    return world_.share(found, timeout_);
  }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    timeout_ = options.timeout;
    RS_TRY(agree_on(*this, work, options, check_mine(work, memory, options)));
    // What allocates may fail on one rank alone.
    auto prepared = make(work, memory, options);
    RS_TRY(agree(*this, prepared.map([](const auto&) {})));
    return prepared;
  }

 private:
  Result<void> check_mine(const Work& work, const Memory& memory, const RunOptions& options) {
    const auto ranks = work.schedule->spec().ranks;
    if (ranks != world_.size())
      return bad_request(std::to_string(ranks) + " ranks need as many processes, but there are " +
                         std::to_string(world_.size()) + "; start it with mpirun -n " +
                         std::to_string(ranks));
    const Rank rank{world_.rank()};
    RS_TRY(check_binding(work, memory, {&rank, 1}));
    const bool is_told = options.executor.empty() || options.executor == "messages";
    if (options.trace && !is_told)
      return bad_request("executor " + options.executor + " keeps no trace; messages does");
    if (options.executor == "native") return check_native(work);
    return is_told ? check_operands(*work.schedule) : Result<void>{};
  }

  Result<std::unique_ptr<Prepared>> make(const Work& work, const Memory& memory,
                                         const RunOptions& options) try {
    if (shares_buffers(options))
      return make_shared_slices(world_, {shared_, work, memory, options, tampering_});
    const auto& buffers = memory.ranks[world_.rank()];
    if (options.executor == "native") return make_native(world_, work, buffers, options);
    const Rank rank{world_.rank()};
    if (options.executor == "window") {
      auto plan = plan_window(rank.value, work);
      if (tampering_.window != nullptr) tampering_.window(plan, rank);
      return make_window(world_, {work, buffers, options}, std::move(plan));
    }
    auto plan = plan_for(rank, work);
    if (tampering_.plan != nullptr) tampering_.plan(plan, rank);
    return make_messages(world_, work, buffers, options, std::move(plan));
  } catch (const std::bad_alloc&) {
    return machine_lacks("rank " + std::to_string(world_.rank()) +
                         " has too little memory for its landing areas and scratch");
  }

  World& world_;
  SharedMemory shared_;
  Tampering tampering_;
  Duration timeout_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_tampered_backend(const Tampering& tampering,
                                                       Duration timeout) {
  RS_ASSIGN(World* const world, World::join());
  return std::make_unique<MpiBackend>(*world, tampering, timeout);
}

bool has_joined() {
  return World::joined() != nullptr;
}

bool is_first() {
  return !has_joined() || World::joined()->rank() == 0;
}

std::uint32_t processes() {
  return has_joined() ? World::joined()->size() : 1;
}

int leave(int status, std::string_view complaint) {
  return World::joined()->leave(status, complaint);
}

}  // namespace mpi

Result<std::unique_ptr<Backend>> make_mpi_backend(Duration timeout) {
  return mpi::make_tampered_backend({}, timeout);
}

}  // namespace ringside
