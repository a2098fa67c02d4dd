#include "gpu/mpi/mpi_backend.hpp"

#include <array>
#include <new>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/mix.hpp"
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

bool shares_buffers(const RunOptions& options) {
  return options.executor == "direct" || options.executor == "sliced";
}

std::uint64_t hash_of(const Schedule& schedule) {
  const auto hash_slot = [](const Slot& slot) {
    return mix(slot.rank.value, mix(static_cast<std::uint64_t>(slot.buffer), slot.chunk.value));
  };
  std::uint64_t hash = mix(schedule.chunks(), schedule.scratch_chunks());
  for (std::uint32_t id = 0; id < schedule.transfers().size(); ++id) {
    const Transfer& t = schedule[{id}];
    for (const Slot& slot : {t.src(), t.with(), t.dst()}) hash = mix(hash, hash_slot(slot));
    hash =
        mix(hash, mix(t.chunks(), mix(t.channel().value, static_cast<std::uint64_t>(t.action()))));
    hash = mix(hash, schedule.step({id}).value);
  }
  return hash;
}

/// What all ranks must be about to do alike.
struct Term {
  std::string name, value;
};

std::vector<Term> terms_of(const Work& work, const RunOptions& options) {
  const CollectiveSpec& spec = work.schedule->spec();
  return {{"ranks", std::to_string(spec.ranks)},
          {"collective", std::string(name(spec.kind))},
          {"root", has_root(spec.kind) ? std::to_string(spec.root.value) : "none"},
          {"placement", spec.in_place ? "in place" : "out of place"},
          {"schedule", std::to_string(hash_of(*work.schedule))},
          {"count", std::to_string(work.count)},
          {"type", std::string(name(work.type))},
          {"op", std::string(name(work.op))},
          {"scalar", std::to_string(work.mulsum_scalar)},
          {"executor", options.executor.empty() ? "default" : options.executor},
          {"trace", options.trace ? "kept" : "not kept"}};
}

// What a process says of itself before a run: `=` and a line for each term, or `!` and its error.

std::string words_of(const std::vector<Term>& terms) {
  std::string words = "=";
  for (const Term& term : terms) words += term.value + "\n";
  return words;
}

std::string words_of(const Error& error) {
  return "!" + std::to_string(static_cast<int>(error.kind)) + error.message;
}

std::vector<std::string> lines_of(const std::string& words) {
  std::vector<std::string> lines;
  for (std::size_t at = 1; at < words.size();) {
    const auto end = words.find('\n', at);
    lines.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The first process that cannot, or that is about to do something else than the first one.
Result<void> compare(const std::vector<std::string>& said, const std::vector<Term>& terms) {
  for (const auto& words : said)
    if (words.front() == '!')
      return tl::unexpected<Error>(Error{static_cast<ErrorKind>(words[1] - '0'), words.substr(2)});
  const auto first = lines_of(said.front());
  for (std::size_t p = 1; p < said.size(); ++p) {
    const auto lines = lines_of(said[p]);
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (lines[i] != first[i])
        return bad_request("all ranks must be asked for the same, but the " + terms[i].name +
                           " of rank " + std::to_string(p) + " is " + lines[i] +
                           " and that of rank 0 is " + first[i]);
  }
  return {};
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
  MpiBackend(World& world, Tamper tamper) : world_(world), tamper_(tamper) {}

  std::string_view name() const override { return "mpi"; }
  Capabilities capabilities() const override {
    return {.real_bytes = true, .executors = executors, .ranks = world_.size()};
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
    const auto terms = terms_of(work, options);
    const auto mine = check_mine(work, memory, options);
    RS_ASSIGN(auto said, world_.share(mine ? words_of(terms) : words_of(mine.error()), timeout_));
    RS_TRY(compare(said, terms));
    // What allocates may fail on one rank alone.
    auto prepared = make(work, memory, options);
    const auto made = prepared ? words_of(std::vector<Term>{}) : words_of(prepared.error());
    RS_ASSIGN(said, world_.share(made, timeout_));
    RS_TRY(compare(said, {}));
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
    if (shares_buffers(options)) return make_shared_slices(world_, shared_, work, memory, options);
    const auto& buffers = memory.ranks[world_.rank()];
    if (options.executor == "native") return make_native(world_, work, buffers, options);
    if (options.executor == "window") return make_window(world_, work, buffers, options);
    const Rank rank{world_.rank()};
    auto plan = plan_for(rank, work);
    if (tamper_ != nullptr) tamper_(plan, rank);
    return make_messages(world_, work, buffers, options, std::move(plan));
  } catch (const std::bad_alloc&) {
    return machine_lacks("rank " + std::to_string(world_.rank()) +
                         " has too little memory for its landing areas and scratch");
  }

  World& world_;
  SharedMemory shared_;
  Tamper tamper_;
  Duration timeout_ = RunOptions{}.timeout;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_tampered_backend(Tamper tamper) {
  RS_ASSIGN(World* const world, World::join());
  return std::make_unique<MpiBackend>(*world, tamper);
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

Result<std::unique_ptr<Backend>> make_mpi_backend() {
  return mpi::make_tampered_backend(nullptr);
}

}  // namespace ringside
