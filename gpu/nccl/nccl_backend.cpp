#include "gpu/nccl/nccl_backend.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/binding.hpp"
#include "core/suggest.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/nccl/grouped.hpp"
#include "gpu/nccl/native.hpp"

namespace ringside {
namespace nccl {
namespace {

constexpr std::array<std::string_view, 2> executors{"grouped", "native"};

class NcclBackend final : public Backend {
 public:
  explicit NcclBackend(std::vector<cuda::Device> devices) : devices_(std::move(devices)) {}
  std::string_view name() const override { return "nccl"; }
  Capabilities capabilities() const override {
    return {.real_bytes = true,
            .executors = executors,
            .usual_ranks = static_cast<std::uint32_t>(devices_.size())};
  }

  Setting setting(std::uint32_t ranks) const override {
    Setting setting;
    for (std::uint32_t r = 0; r < std::min<std::size_t>(ranks, devices_.size()); ++r)
      setting.devices.push_back(cuda::describe_rank({r}, devices_[r]));
    return setting;
  }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    RS_TRY(check_binding(work, memory));
    const std::string executor = options.executor.empty() ? "grouped" : options.executor;
    if (std::ranges::find(executors, executor) == executors.end())
      return bad_request(unknown("executor of the nccl backend", executor, executors));
    if (options.trace)
      return bad_request("the nccl backend keeps no trace; executor streams of backend cuda does");
    if (work.schedule->agents() > 0)
      return bad_request("backend nccl has no switch that computes for schedules");
    RS_TRY(connect(work.schedule->spec().ranks, options.timeout));
    const Setup setup{communicators_, map_};
    return executor == "native" ? prepare_native(work, memory, options, setup)
                                : prepare_grouped(work, memory, options, setup);
  }

 private:
  /// Connecting takes a second: kept until another number of ranks is asked for.
  Result<void> connect(std::uint32_t ranks, Duration timeout) {
    if (communicators_ && communicators_->ranks() == ranks && !communicators_->is_aborted())
      return {};
    communicators_.reset();
    if (ranks > devices_.size())
      return machine_lacks("NCCL needs a device for each rank: for " + std::to_string(ranks) +
                           " ranks this process sees " + std::to_string(devices_.size()) +
                           "; take --ranks " + std::to_string(devices_.size()) +
                           ", or --backend cuda, where ranks share devices");
    map_ = cuda::place_ranks(ranks, devices_);
    std::vector<Member> members;
    for (std::uint32_t r = 0; r < ranks; ++r) members.push_back({{r}, map_.ordinal({r})});
    RS_ASSIGN(const auto id, make_unique_id());
    RS_ASSIGN(communicators_, Communicators::make(id, ranks, members, timeout));
    return {};
  }

  std::vector<cuda::Device> devices_;
  cuda::DeviceMap map_;
  std::shared_ptr<Communicators> communicators_;
};

}  // namespace
}  // namespace nccl

Result<std::unique_ptr<Backend>> make_nccl_backend(const NcclOptions& options) {
  RS_ASSIGN(auto devices, cuda::choose_devices(options.devices));
  return std::make_unique<nccl::NcclBackend>(std::move(devices));
}

}  // namespace ringside
