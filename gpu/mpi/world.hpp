#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::mpi {

/// One of the things that a process waits for, should it wait too long.
struct Awaited {
  std::uint32_t process = 0;  ///< who would have to do something
  std::string what;           ///< `transfer 3 (step 1) from rank 2 to rank 0 has not arrived`
  std::uint32_t order = UINT32_MAX;  ///< what must come first has a lower one
};

/// The processes that mpirun started, as one of them sees them: one rank each. MPI can be
/// initialised once in the life of a process, so there is one World. Every process makes the same
/// calls in the same order; none of them waits longer than it was told to.
class World {
 public:
  /// Initialises MPI, the first time. Error: MPI cannot be used here (ErrorKind::machine).
  static Result<World*> join();
  /// The world, if this process has joined it.
  static World* joined();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  /// For messages of schedules: nothing else travels here.
  MPI_Comm data() const { return data_; }

  /// Every process's words, in order of rank: the same everywhere. An error if one of them is
  /// silent for `timeout` longer than this process itself took since it last heard of the others,
  /// or leaves.
  Result<std::vector<std::string>> share(std::string_view words, Duration timeout);
  /// All have come here. As share().
  Result<void> meet(Duration timeout);

  /// This process has waited too long, or was told so by another. Asks who is still there, and
  /// returns the one sentence on who is not. From then on, nothing can be shared.
  Error give_up(const std::vector<Awaited>& awaited, Duration waited);
  bool has_given_up() const { return has_given_up_; }
  /// Whether another process has given up. Costs a microsecond.
  bool is_given_up() const;

  /// Ends this process's use of MPI: all learn the worst exit status, and the first process says
  /// the first complaint. After give_up(): says this process's complaint, or else why it gave up,
  /// and ends all processes. Waits as long as it was last told to.
  int leave(int status, std::string_view complaint);

 private:
  World();
  Result<std::vector<std::string>> exchange(const std::string& letter, Duration timeout);
  [[noreturn]] void abort(int status, std::string_view complaint) const;

  MPI_Comm data_, words_, alarms_;
  std::uint32_t rank_ = 0, size_ = 1;
  bool has_given_up_ = false, speaks_for_all_ = true;
  std::string alarm_;      // sent, and read by MPI until this process ends
  std::string complaint_;  // why it has given up
  std::chrono::steady_clock::time_point last_heard_;
  Duration last_timeout_ = microseconds(60'000'000);
};

/// A wait that has an end. Who is told to end (SIGTERM) meanwhile, as mpirun tells all when one has
/// died, first says what it waits for.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  Patience(const World& world, Duration timeout);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience();
  /// Something happened: the wait begins anew.
  void refresh() { idle_ = 0; }
  /// Nothing happened: lets others run. True when the wait is over, because it took too long,
  /// another process has given up, or this one has been told to end.
  bool is_over();
  Duration waited() const;

 private:
  const World& world_;
  Clock::duration limit_;
  Clock::time_point begin_{}, looked_{};
  std::uint64_t idle_ = 0;
};

}  // namespace ringside::mpi
