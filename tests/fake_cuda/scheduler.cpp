#include "tests/fake_cuda/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace fake {
namespace {

constexpr std::uint64_t turns_of_a_fall = 24;  // on average

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

GraphRun::GraphRun(std::shared_ptr<const Nodes> what)
    : nodes(std::move(what)),
      then(nodes->size()),
      missing(nodes->size()),
      ready_at(nodes->size()),
      left(nodes->size()) {
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    missing[i] = (*nodes)[i].after.size();
    if (missing[i] == 0) ready.push_back(i);
    for (const std::size_t before : (*nodes)[i].after) then[before].push_back(i);
  }
}

void Scheduler::enqueue(Queue& queue, Pending pending) {
  pending.enqueued = now_;
  queue.pending.push_back(std::move(pending));
}

const Task& Scheduler::task_of(const Choice& choice) const {
  const Pending& head = choice.queue->pending.front();
  return head.graph ? (*head.graph->nodes)[choice.node].task : head.task;
}

std::vector<Scheduler::Choice> Scheduler::choices() const {
  std::vector<Choice> all;
  for (const auto& [id, queue] : queues_) {
    if (queue->pending.empty()) continue;
    const Pending& head = queue->pending.front();
    if (head.graph) {
      for (const std::size_t node : head.graph->ready) all.push_back({queue, node});
    } else if (!queue->is_running && (!head.task.after || head.task.after->passed)) {
      all.push_back({queue});
    }
  }
  return all;
}

Scheduler::Choice Scheduler::pick(const std::vector<Choice>& from) {
  ++turns_;
  const auto rank = [&](const Choice& choice) {
    const auto lane = task_of(choice).lane;
    const auto fall = fallen_.find(lane);
    const auto priority = fall == fallen_.end()
                              ? (mix(seed_ ^ mix(lane)) | (std::uint64_t{1} << 63))
                              : (std::uint64_t{1} << 62) - fall->second;
    return std::pair{priority, mix(seed_ ^ turns_ ^ mix(choice.node))};
  };
  const Choice best =
      *std::max_element(from.begin(), from.end(),
                        [&](const Choice& a, const Choice& b) { return rank(a) < rank(b); });
  if (mix(seed_ + turns_ * 7919) % turns_of_a_fall == 0) fallen_[task_of(best).lane] = turns_;
  return best;
}

void Scheduler::start(const Choice& choice) {
  Queue& queue = *choice.queue;
  Pending& head = queue.pending.front();
  const Task task = task_of(choice);
  Clock began = std::max(queue.clock, head.enqueued);
  if (head.graph) {
    auto& ready = head.graph->ready;
    ready.erase(std::find(ready.begin(), ready.end(), choice.node));
    began = std::max(began, head.graph->ready_at[choice.node]);
  } else {
    queue.is_running = true;
    if (task.after) began = std::max(began, task.after->at);
  }
  if (!task.in_background) return finish(choice, began, task.work ? task.work() : cudaSuccess);
  ++running_;
  std::thread([this, choice, began, task] {
    const cudaError_t code = task.work();
    const std::lock_guard lock(mutex_);
    --running_;
    finish(choice, began, code);
    changed_.notify_all();
  }).detach();
}

void Scheduler::finish(const Choice& choice, Clock began, cudaError_t code) {
  Queue& queue = *choice.queue;
  Pending& head = queue.pending.front();
  const Task& task = task_of(choice);
  const Clock ended = began + task.cost;
  if (code != cudaSuccess && error_ == cudaSuccess) error_ = code;
  if (task.reaches) *task.reaches = {true, ended, false};
  if (task.at_end) task.at_end(ended);
  if (!head.graph) {
    queue.clock = std::max(queue.clock, ended);
    queue.is_running = false;
    queue.pending.pop_front();
    return;
  }
  GraphRun& run = *head.graph;
  for (const std::size_t next : run.then[choice.node]) {
    run.ready_at[next] = std::max(run.ready_at[next], ended);
    if (--run.missing[next] == 0) run.ready.push_back(next);
  }
  run.ready_at[choice.node] = ended;
  if (--run.left > 0) return;
  queue.clock = std::max(queue.clock, *std::max_element(run.ready_at.begin(), run.ready_at.end()));
  queue.pending.pop_front();
}

void Scheduler::run(std::unique_lock<std::mutex>& lock, const std::function<bool()>& is_done,
                    std::uint64_t most) {
  const bool waits = most == UINT64_MAX;
  while (most > 0 && !is_done()) {
    if (is_stalled()) return;
    const auto ready = choices();
    if (!ready.empty()) {
      --most;
      start(pick(ready));
    } else if (running_ == 0 && waits_for_others()) {
      return;
    } else if (running_ == 0) {
      std::fputs("fake CUDA: a stream waits for what nobody will do\n", stderr);
      std::abort();
    } else if (waits) {
      changed_.wait(lock);
    } else {
      return;
    }
  }
}

bool Scheduler::waits_for_others() const {
  return std::any_of(queues_.begin(), queues_.end(), [](const auto& entry) {
    const auto& pending = entry.second->pending;
    return !pending.empty() && pending.front().task.after &&
           pending.front().task.after->is_foreign && !pending.front().task.after->passed;
  });
}

bool Scheduler::is_idle() const {
  return running_ == 0 && std::all_of(queues_.begin(), queues_.end(), [](const auto& entry) {
           return entry.second->pending.empty();
         });
}

cudaError_t Scheduler::take_error() {
  return std::exchange(error_, cudaSuccess);
}

}  // namespace fake
