#include "gpu/mpi/shared_slices.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/host/slice_runner.hpp"
#include "gpu/mpi/clocks.hpp"
#include "gpu/mpi/shared_window.hpp"
#include "gpu/mpi/tampering.hpp"

namespace ringside::mpi {
namespace {

/// One buffer, as its process tells the others of it. No size: there is none.
struct Told {
  SharedMemory::Place place;
  std::size_t size = 0;
};

std::string words_of(const Told& told) {
  return std::to_string(told.place.descriptor) + " " + std::to_string(told.place.offset) + " " +
         std::to_string(told.place.size) + " " + std::to_string(told.size) + " ";
}

Told read_told(std::istream& words) {
  Told told;
  words >> told.place.descriptor >> told.place.offset >> told.place.size >> told.size;
  return told;
}

/// Every rank's buffers, as this process sees them.
class EveryonesMemory {
 public:
  static Result<EveryonesMemory> see(World& world, const SharedSlicesRequest& request) {
    const auto& [input, output] = request.buffers.ranks[world.rank()];
    std::string words = std::to_string(getpid()) + " ";
    for (const auto& buffer : {input, std::span<const std::byte>(output)}) {
      const auto place =
          buffer.empty() ? SharedMemory::Place{} : request.memory.find(buffer.data());
      words += words_of({place.value_or(SharedMemory::Place{}), buffer.size()});
    }
    RS_ASSIGN(const auto said, world.share(words, request.options.timeout));
    EveryonesMemory all;
    for (std::uint32_t rank = 0; rank < said.size(); ++rank) {
      if (rank == world.rank()) {
        all.memory_.ranks.push_back({input, output});
        continue;
      }
      RS_TRY(all.add(rank, said[rank]));
    }
    return all;
  }

  Memory& memory() { return memory_; }

 private:
  Result<void> add(std::uint32_t rank, const std::string& said) {
    std::istringstream words(said);
    int process = 0;
    words >> process;
    RS_ASSIGN(const auto input, map(rank, process, read_told(words)));
    RS_ASSIGN(const auto output, map(rank, process, read_told(words)));
    memory_.ranks.push_back({input, output});
    return {};
  }

  Result<std::span<std::byte>> map(std::uint32_t rank, int process, const Told& told) {
    if (told.size == 0) return std::span<std::byte>();
    if (told.place.descriptor < 0)
      return bad_request(
          "executors direct and sliced need buffers that all processes see: those "
          "of rank " +
          std::to_string(rank) + " are its own; messages and window copy");
    const std::pair key(process, told.place.descriptor);
    if (!pieces_.contains(key)) {
      RS_ASSIGN(auto piece, Mapping::of(process, told.place.descriptor, told.place.size));
      pieces_.emplace(key, std::move(piece));
    }
    return std::span(pieces_.at(key).begin() + told.place.offset, told.size);
  }

  std::map<std::pair<int, int>, Mapping> pieces_;  // by process and its descriptor
  Memory memory_;
};

class SharedSlices final : public Prepared {
 public:
  SharedSlices(World& world, SharedWindow& window, EveryonesMemory memory,
               const SharedSlicesRequest& request)
      : window_(window),
        timeout_(request.options.timeout),
        name_("mpi/" + request.options.executor),
        memory_(std::move(memory)),
        job_(make_job(world, request)),
        runner_(request.work, std::move(job_.plan), 1),
        batch_(runner_.batch(world.size())),
        next_(&window_.fresh_counter()) {}

  Result<Measurement> run(int iterations) override {
    Measurement measured;
    measured.executor = name_;
    for (int i = 0; i < iterations; ++i) {
      auto begin = clock_now();
      for (std::size_t phase = 0; phase < job_.phases.size(); ++phase) {
        RS_TRY(go_through(job_.phases[phase]));
        if (phase == 0) begin = clock_now();  // all have come
      }
      measured.iterations.push_back(clock_now() - begin);
    }
    return measured;
  }

 private:
  SliceJob make_job(const World& world, const SharedSlicesRequest& request) {
    const auto& [memory, work, buffers, options, tampering] = request;
    const Rank rank{world.rank()};
    if (tampering.memory != nullptr) tampering.memory(memory_.memory(), rank);
    SliceJob job{.plan = options.executor == "direct"
                             ? host::plan_direct(work, memory_.memory())
                             : host::plan_schedule(work, memory_.memory())};
    if (tampering.slices != nullptr) tampering.slices(job, rank);
    return job;
  }

  Result<void> go_through(SliceJob::Phase phase) {
    switch (phase) {
      case SliceJob::Phase::meet:
        return window_.meet(timeout_);
      case SliceJob::Phase::fresh_counter:
        next_ = &window_.fresh_counter();
        return {};
      case SliceJob::Phase::share_out:
        share_out();
        return {};
      case SliceJob::Phase::dawdle:
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return {};
    }
    return {};
  }

  void share_out() {
    for (;;) {
      const auto first = next_->fetch_add(batch_, std::memory_order_relaxed);
      if (first >= runner_.slices()) return;
      runner_.run(0, first, std::min(first + batch_, runner_.slices()));
    }
  }

  SharedWindow& window_;
  Duration timeout_;
  std::string name_;
  EveryonesMemory memory_;
  SliceJob job_;  // its plan is the runner's
  host::SliceRunner runner_;
  std::uint64_t batch_;
  std::atomic<std::uint64_t>* next_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> make_shared_slices(World& world,
                                                     const SharedSlicesRequest& request) {
  RS_ASSIGN(SharedWindow* const window, SharedWindow::of(world, request.options.timeout));
  RS_ASSIGN(auto all, EveryonesMemory::see(world, request));
  return std::make_unique<SharedSlices>(world, *window, std::move(all), request);
}

}  // namespace ringside::mpi
