#include "gpu/cuda/cuda_backend.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/binding.hpp"
#include "core/suggest.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/interpreter/one_kernel.hpp"
#include "gpu/cuda/peers.hpp"
#include "gpu/cuda/streams.hpp"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 3> executors{"streams", "graph", "kernel"};

class CudaBackend final : public Backend {
 public:
  CudaBackend(std::vector<cuda::Device> devices, CudaOptions options)
      : devices_(std::move(devices)), options_(std::move(options)) {}
  std::string_view name() const override { return "cuda"; }
  /// Agents are ranks like others: the device of the ranks beside them does their work.
  Capabilities capabilities() const override {
    const auto devices = static_cast<std::uint32_t>(devices_.size());
    return {.agents = true,
            .real_bytes = true,
            .executors = executors,
            .usual_ranks = devices > 1 ? devices : 0};
  }

  Setting setting(std::uint32_t ranks) const override {
    const auto map = cuda::place_ranks(ranks, devices_);
    Setting setting;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      setting.devices.push_back(cuda::describe_rank({rank}, map.device({rank})));
      setting.gpus.push_back(static_cast<std::uint32_t>(map.ordinal({rank})));
    }
    if (map.is_shared())
      setting.notes.push_back("virtual ranks: " + std::to_string(ranks) + " share " +
                              (map.devices.size() == 1
                                   ? "one device, so bandwidths are its memory's"
                                   : counted(map.devices.size(), "device") +
                                         ", so bandwidths are in part their memories'") +
                              ", not those of a fabric");
    return setting;
  }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    RS_TRY(check_binding(work, memory));
    const std::string executor = options.executor.empty() ? "streams" : options.executor;
    if (std::ranges::find(executors, executor) == executors.end())
      return bad_request(unknown("executor of the cuda backend", executor, executors));
    auto devices = cuda::place_ranks(work.schedule->participants(), devices_);
    if (!peers_) {  // devices are tried once, when somebody first needs to know
      RS_ASSIGN(peers_, cuda::probe_peers(devices_));
    }
    if (executor == "kernel" && !kernel_peers_) {
      RS_ASSIGN(kernel_peers_, cuda::probe_running_kernels(devices_, *peers_));
    }
    if (executor == "kernel")
      return cuda::prepare_kernel(
          work, memory, options,
          {std::move(devices), *kernel_peers_, options_.ctas, options_.threads});
    return cuda::prepare_streams(work, memory, options,
                                 {std::move(devices), *peers_, executor == "graph"});
  }

 private:
  std::vector<cuda::Device> devices_;
  std::optional<cuda::PeerReport> peers_, kernel_peers_;
  CudaOptions options_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cuda_backend(const CudaOptions& options) {
  RS_ASSIGN(auto devices, cuda::choose_devices(options.devices));
  return std::make_unique<CudaBackend>(std::move(devices), options);
}

}  // namespace ringside
