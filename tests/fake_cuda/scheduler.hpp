#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace fake {

/// Pretended picoseconds since the start.
using Clock = std::int64_t;

/// One record of an event: whether the stream has come to it, and when.
struct Moment {
  bool passed = false;
  Clock at = 0;
  bool is_foreign = false;  ///< something else than streams decides when
};

/// What a stream does next.
struct Task {
  std::function<cudaError_t()> work{};  ///< null: nothing but what follows
  Clock cost = 0;
  bool in_background = false;         ///< others get on meanwhile: kernels that wait for others
  std::shared_ptr<Moment> after{};    ///< starts not before
  std::shared_ptr<Moment> reaches{};  ///< passed when this has ended
  std::function<void(Clock)> at_end{};
  std::uint64_t lane = 0;  ///< the stream it was told on: of that its priority depends
};

/// Tasks with dependencies: what was captured.
struct Node {
  Task task;
  std::vector<std::size_t> after;
};
using Nodes = std::vector<Node>;

/// One launch of a graph.
struct GraphRun {
  GraphRun(std::shared_ptr<const Nodes> what);
  std::shared_ptr<const Nodes> nodes;
  std::vector<std::vector<std::size_t>> then;  ///< who waits for this node
  std::vector<std::size_t> missing;            ///< for how many others it waits still
  std::vector<std::size_t> ready;
  std::vector<Clock> ready_at;
  std::size_t left = 0;
};

struct Pending {
  Task task;
  std::shared_ptr<GraphRun> graph{};  ///< if not null, instead
  Clock enqueued = 0;
};

/// A stream, as the scheduler sees it.
struct Queue {
  std::uint64_t id = 0;
  std::deque<Pending> pending{};
  bool is_running = false;
  Clock clock = 0;
};

/// Executes what streams hold, only when somebody waits for it, in an order that nothing restricts
/// but the order within a stream and the waits for events: each stream has a random priority, the
/// readiest of the highest always goes on, and now and then the running one falls to the lowest
/// (Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs",
/// ASPLOS 2010). A wait that is missing shows at every second seed or so.
class Scheduler {
 public:
  /// `mutex` guards all of this; callers of run() hold it.
  /// Nothing starts after `stall` tasks, unless that is 0: then who waits is told that it is not
  /// done, at once.
  Scheduler(std::uint64_t seed, std::uint64_t stall, std::mutex& mutex)
      : seed_(seed), stall_(stall), mutex_(mutex) {}

  void add(Queue& queue) { queues_[queue.id] = &queue; }
  void remove(const Queue& queue) { queues_.erase(queue.id); }
  void enqueue(Queue& queue, Pending pending);

  /// Goes on until `is_done`, or for `most` tasks.
  void run(std::unique_lock<std::mutex>& lock, const std::function<bool()>& is_done,
           std::uint64_t most = UINT64_MAX);
  bool is_idle() const;
  bool is_stalled() const { return stall_ > 0 && turns_ >= stall_; }
  /// The first error of a task since the last time; what was found is forgotten.
  cudaError_t take_error();

  Clock now() const { return now_; }
  /// Who waits for something has waited until then.
  void host_reaches(Clock at) { now_ = now_ > at ? now_ : at; }

 private:
  struct Choice {
    Queue* queue = nullptr;
    std::size_t node = SIZE_MAX;  ///< of the graph at its head, if it is one
  };
  std::vector<Choice> choices() const;
  /// Whether a stream waits for what no stream does: who waits for it asks again.
  bool waits_for_others() const;
  Choice pick(const std::vector<Choice>& from);
  const Task& task_of(const Choice& choice) const;
  void start(const Choice& choice);
  void finish(const Choice& choice, Clock began, cudaError_t code);

  std::uint64_t seed_, stall_, turns_ = 0, running_ = 0;
  std::mutex& mutex_;
  std::map<std::uint64_t, Queue*> queues_;
  std::map<std::uint64_t, std::uint64_t> fallen_;  ///< lanes, in the order they fell
  std::condition_variable changed_;
  cudaError_t error_ = cudaSuccess;
  Clock now_ = 0;
};

}  // namespace fake
