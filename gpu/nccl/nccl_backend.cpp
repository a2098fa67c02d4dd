#include "gpu/nccl/nccl_backend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "core/agreement.hpp"
#include "core/binding.hpp"
#include "core/suggest.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/nccl/company.hpp"
#include "gpu/nccl/grouped.hpp"
#include "gpu/nccl/native.hpp"
#include "gpu/nccl/seats.hpp"

namespace ringside {
namespace nccl {
namespace {

constexpr std::array<std::string_view, 2> executors{"grouped", "native"};
constexpr std::array<std::string_view, 1> unscheduled{"native"};

class NcclBackend final : public Backend {
 public:
  /// `devices`: all that this process may use, or, in company, the one of its rank; `lines`: what
  /// there is to say of each rank's.
  NcclBackend(Company company, std::vector<cuda::Device> devices, std::vector<std::string> lines,
              Duration timeout)
      : company_(std::move(company)),
        devices_(std::move(devices)),
        lines_(std::move(lines)),
        timeout_(timeout) {}

  std::string_view name() const override { return "nccl"; }
  Capabilities capabilities() const override {
    return {.real_bytes = true,
            .executors = executors,
            .unscheduled = unscheduled,
            .ranks = company_.is_alone() ? 0 : company_.size,
            .usual_ranks = static_cast<std::uint32_t>(lines_.size())};
  }
  Setting setting(std::uint32_t ranks) const override {
    Setting setting;
    for (std::uint32_t r = 0; r < std::min<std::size_t>(ranks, lines_.size()); ++r) {
      setting.devices.push_back(lines_[r]);
      // Of processes on several machines, GPUs of one number are not one GPU.
      if (company_.is_alone())
        setting.gpus.push_back(static_cast<std::uint32_t>(devices_[r].ordinal));
    }
    return setting;
  }

  bool owns(Rank rank) const override { return company_.is_alone() || rank.value == company_.rank; }
  Result<std::vector<std::string>> share(std::string found) override {
    return company_.share(found, timeout_);
  }

  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    timeout_ = options.timeout;
    RS_TRY(agree_on(*this, work, options, check_mine(work, memory, options)));
    RS_TRY(connect(work.schedule->spec().ranks));
    // What allocates may fail on one rank alone.
    auto prepared = make(work, memory, options);
    RS_TRY(agree(*this, prepared.map([](const auto&) {})));
    return prepared;
  }

 private:
  Result<void> check_mine(const Work& work, const Memory& memory, const RunOptions& options) const {
    const auto ranks = work.schedule->spec().ranks;
    RS_TRY(check_binding(work, memory, owned_ranks(*this, ranks)));
    const auto& executor = options.executor;
    if (!executor.empty() && std::ranges::find(executors, executor) == executors.end())
      return bad_request(unknown("executor of the nccl backend", executor, executors));
    if (work.schedule->agents() > 0)
      return bad_request("backend nccl has no switch that computes for schedules");
    if (!company_.is_alone() && ranks != company_.size)
      return bad_request(std::to_string(ranks) + " ranks need as many processes, but there are " +
                         std::to_string(company_.size));
    if (company_.is_alone() && ranks > devices_.size())
      return machine_lacks("NCCL needs a device for each rank: for " + counted(ranks, "rank") +
                           " this process sees " + std::to_string(devices_.size()) +
                           "; take --ranks " + std::to_string(devices_.size()) +
                           ", or --backend cuda, where ranks share devices");
    return {};
  }

  /// Connecting takes a second: kept until another number of ranks is asked for.
  Result<void> connect(std::uint32_t ranks) {
    if (communicators_ && communicators_->ranks() == ranks && !communicators_->is_aborted())
      return {};
    communicators_.reset();
    RS_ASSIGN(const auto id, share_id());
    std::vector<Member> members;
    if (company_.is_alone()) {
      map_ = cuda::place_ranks(ranks, devices_);
      for (std::uint32_t r = 0; r < ranks; ++r) members.push_back({{r}, map_.ordinal({r})});
    } else {
      map_ = {devices_, std::vector<std::uint32_t>(ranks, 0)};
      members.push_back({{company_.rank}, devices_.front().ordinal});
    }
    auto made = Communicators::make(id, ranks, members, timeout_);
    RS_TRY(agree(*this, made.map([](const auto&) {})));
    communicators_ = *std::move(made);
    return {};
  }

  /// The first process makes it.
  Result<ncclUniqueId> share_id() {
    ncclUniqueId id{};
    Result<void> done{};
    if (company_.rank == 0) {
      auto made = make_unique_id();
      if (made) id = *made;
      done = made.map([](const auto&) {});
    }
    RS_TRY(agree(*this, done));
    RS_ASSIGN(const auto said, share(std::string(reinterpret_cast<const char*>(&id), sizeof id)));
    std::memcpy(&id, said.front().data(), sizeof id);
    return id;
  }

  Result<std::unique_ptr<Prepared>> make(const Work& work, const Memory& memory,
                                         const RunOptions& options) {
    Setup setup{communicators_, map_, {}};
    if (!company_.is_alone())
      setup.share = [this](std::string_view words) { return share(std::string(words)); };
    return options.executor == "native" ? prepare_native(work, memory, options, setup)
                                        : prepare_grouped(work, memory, options, setup);
  }

  Company company_;
  std::vector<cuda::Device> devices_;
  std::vector<std::string> lines_;  // by rank
  Duration timeout_;
  cuda::DeviceMap map_;
  std::shared_ptr<Communicators> communicators_;
};

/// In company each rank has one of the devices that its process sees.
Result<std::unique_ptr<Backend>> sit_down(Company company, std::vector<cuda::Device> devices,
                                          Duration limit) {
  RS_ASSIGN(const auto said, company.share(words_of(devices), limit));
  RS_ASSIGN(const auto seats, take_seats(said));
  const cuda::Device& mine = devices[seats[company.rank]];
  RS_ASSIGN(auto lines, company.share(cuda::describe_rank({company.rank}, mine), limit));
  return std::make_unique<NcclBackend>(std::move(company), std::vector{mine}, std::move(lines),
                                       limit);
}

}  // namespace
}  // namespace nccl

Result<std::unique_ptr<Backend>> make_nccl_backend(const NcclOptions& options) {
  RS_ASSIGN(auto devices, cuda::choose_devices(options.devices));
  RS_ASSIGN(auto company, nccl::find_company(options.id_file, options.timeout));
  if (!company.is_alone())
    return nccl::sit_down(std::move(company), std::move(devices), options.timeout);
  std::vector<std::string> lines;
  for (std::uint32_t r = 0; r < devices.size(); ++r)
    lines.push_back(cuda::describe_rank({r}, devices[r]));
  return std::make_unique<nccl::NcclBackend>(std::move(company), std::move(devices),
                                             std::move(lines), options.timeout);
}

}  // namespace ringside
