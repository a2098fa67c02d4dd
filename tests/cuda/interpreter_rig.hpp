#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/engine.hpp"
#include "gpu/cuda/interpreter/distress.hpp"
#include "gpu/cuda/interpreter/tables.hpp"
#include "tests/cuda/element_dispatch.hpp"
#include "tests/cuda/runners.hpp"

namespace ringside::cuda::interpreter {

/// How the rig runs a program.
struct RigOptions {
  Fusing fusing{};
  Cutting cutting{.ctas = 2, .longest_message = Bytes{96}};
  std::uint64_t seed = 1;     ///< of the order in which blocks take turns
  std::uint32_t threads = 0;  ///< of each block; 0: all blocks are objects that take turns
  std::uint64_t timeout_ns = UINT64_MAX;
  std::uint32_t ranks_a_device = 1;  ///< these take messages from where they lie
  // Mistakes to be found: in the program, in the tables made of it, between two runs.
  std::function<void(DeviceProgram&)> spoil_program{};
  std::function<void(Job&, Task*)> spoil_tables{}, spoil_state{};
  std::function<void(const Job&, BlockRules&)> relax{};  ///< what blocks of threads get wrong
};

/// Memory as one_kernel lays it out on devices, on the heap, and all that thread blocks read.
class Rig final : public Prepared {
 public:
  Rig(const Work& work, Memory& memory, const RigOptions& options)
      : work_(work), memory_(memory), options_(options), random_(options.seed) {
    auto program = compile(work, {options.fusing, 2, [&](Rank a, Rank b) {
                                    return a.value / options.ranks_a_device ==
                                           b.value / options.ranks_a_device;
                                  }});
    if (options.spoil_program) options.spoil_program(program);
    std::vector<bool> staged;
    for (std::size_t c = 0; c < program.connections.size(); ++c) staged.push_back(c % 3 == 2);
    tables_.emplace(work, std::move(program), options.cutting, std::move(staged));
    allocate();
    job_ = tables_->job();
    for (std::uint32_t r = 0; r < work.schedule->participants(); ++r) all_.push_back({r});
    write_image();
    if (options.spoil_tables) options.spoil_tables(job_, tasks());
    if (options.relax) options.relax(job_, rules_);
  }

  Result<Measurement> run(int iterations) override {
    for (int i = 0; i < iterations; ++i) {
      upload();
      Result<void> ran;
      with_type(work_.type, [&](auto type) { ran = go<type.value>(); });
      RS_TRY(ran);
      if (options_.spoil_state) options_.spoil_state(job_, tasks());
      download();
    }
    return Measurement{};
  }

 private:
  Task* tasks() { return reinterpret_cast<Task*>(image_.bytes.data() + image_.tasks); }

  void upload() {
    for (std::uint32_t r = 0; r < memory_.ranks.size(); ++r) {
      const auto& [input, output] = memory_.ranks[r];
      copy(buffers_[r][program().scales ? 3 : 0], input);
      copy(buffers_[r][1], output);
    }
  }
  void download() {
    for (std::uint32_t r = 0; r < memory_.ranks.size(); ++r)
      if (!memory_.ranks[r].output.empty())
        std::memcpy(memory_.ranks[r].output.data(), buffers_[r][1].data(),
                    memory_.ranks[r].output.size());
  }

  const DeviceProgram& program() const { return tables_->program(); }
  template <ElementType type>
  Result<void> go() {
    if (options_.threads == 0) return take_random_turns<type>(job_, random_());
    if (run_on_threads<type>(job_, options_.threads, random_(), rules_)) return {};
    return gone_wrong(describe(distress_, names_, *tables_, *work_.schedule));
  }
  static void copy(std::vector<std::byte>& to, std::span<const std::byte> from) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  }

  void allocate() {
    const auto ranks = work_.schedule->participants();
    const auto whole = whole_vector(work_)->count;
    const auto& needs = tables_->footprint();
    const Job& job = tables_->job();
    const auto scratch = work_.schedule->scratch_chunks() * job.scratch_bytes;
    buffers_.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto slots = needs.slots[r] + job.slot_bytes;  // mistakes may reach into one more
      const auto staged_slots = needs.staged_slots[r] + job.slot_bytes;
      for (const auto bytes : {whole, whole, scratch, whole, slots, needs.flags[r], staged_slots,
                               needs.staged_flags[r]})
        buffers_[r].emplace_back(bytes, std::byte{0});
      auto& b = buffers_[r];
      bases_.push_back({{b[0].data(), b[1].data(), b[2].data(), b[3].data()},
                        b[4].data(),
                        b[5].data(),
                        b[6].data(),
                        b[7].data()});
    }
  }

  void write_image() {
    names_ = tables_->tasks(all_);
    const auto size = tables_->image(names_, bases_, nullptr).bytes.size();
    std::vector<std::byte> place(size);
    image_ = tables_->image(names_, bases_, place.data());
    std::ranges::copy(image_.bytes, place.begin());
    image_.bytes = std::move(place);
    job_.tasks = tasks();
    job_.task_count = static_cast<std::uint32_t>(names_.size());
    job_.timeout_ns = options_.timeout_ns;
    job_.abort = &abort_;
    distress_.resize(names_.size());
    job_.distress = distress_.data();
  }

  Work work_;
  Memory& memory_;
  RigOptions options_;
  std::mt19937_64 random_;
  std::optional<Tables> tables_;
  std::vector<std::vector<std::vector<std::byte>>> buffers_;
  std::vector<Bases> bases_;
  std::vector<Rank> all_;
  std::vector<TaskName> names_;
  Tables::Image image_;
  Job job_;
  BlockRules rules_;
  std::uint32_t abort_ = 0;
  std::vector<Distress> distress_;
};

}  // namespace ringside::cuda::interpreter
