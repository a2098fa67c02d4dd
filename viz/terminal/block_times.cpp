#include "viz/terminal/block_times.hpp"

#include <fmt/format.h>

#include "core/binding.hpp"
#include "sim/platform.hpp"
#include "viz/scenario/flags.hpp"

namespace ringside::terminal {

Result<BlockTimes> BlockTimes::on(const scenario::Machine& machine, const ScheduleFile& file,
                                  const std::string& protocol) {
  MscclAlgorithm algorithm = *file.msccl;
  if (!protocol.empty()) {
    RS_ASSIGN(algorithm.header.protocol,
              scenario::of_flag("--protocol", parse_msccl_protocol(protocol)));
    algorithm.program.fifo_depth = fifo_depth(algorithm.header.protocol);
  }
  RS_ASSIGN(const auto platform, sim::platform_of(machine.topology(), machine.origin.net));
  auto figures = sim::block_figures(platform.generation);
  if (!figures)
    return bad_request(figures.error().message + "; --protocol none shows what its links allow");
  return BlockTimes(std::move(algorithm), *figures);
}

bool BlockTimes::retime(scenario::Contest::Run& run) {
  const MscclHeader& header = algorithm_.header;
  const auto protocol = *sim::parse_protocol(name(header.protocol));
  const Work work{run.schedule.get(), run.payload.count, run.payload.type};
  const Bytes chunk{layout_of(work).longest() * size_of(run.payload.type).count};
  const auto time = sim::run_blocks(algorithm_.program, {chunk, protocol}, *run.topology, figures_);
  const Bytes size = run.row.size.value_or(Bytes{});
  if (!time) {
    notes_.push_back(fmt::format("hangs at {}: {}", to_string(size), time.error().message));
    return false;
  }
  const bool is_outside = size < header.least || (header.most.count > 0 && size > header.most);
  if (is_outside && !is_outside_)
    notes_.push_back(fmt::format(
        "a runtime picks the file from {}{} only, and something else for "
        "other sizes",
        to_string(header.least), header.most.count > 0 ? " to " + to_string(header.most) : " on"));
  is_outside_ |= is_outside;
  run.row.time = *time;
  run.row.protocol = name(header.protocol);
  run.row.backend = "sim/blocks";
  run.row.busiest_link.clear();
  run.row.busiest_link_ties = 0;
  run.row.busiest_link_share.reset();
  return true;
}

}  // namespace ringside::terminal
