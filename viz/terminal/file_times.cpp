#include "viz/terminal/file_times.hpp"

#include <fmt/format.h>

#include "core/suggest.hpp"

namespace ringside::terminal {

Result<FileTimes> FileTimes::of(const std::string& file, scenario::SystemOptions system,
                                const std::string& protocol) {
  scenario::CollectiveOptions collective;
  collective.schedule = file;
  RS_ASSIGN(const auto ranks, scenario::follow_file(collective));
  RS_ASSIGN(auto request, read(collective));
  if (system.ranks == 0) system.ranks = ranks;
  RS_ASSIGN(const scenario::Machine machine, read(system));
  RS_ASSIGN(auto contest, scenario::Contest::enter(request, machine));
  request.spec.ranks = ranks;
  FileTimes times(std::move(request), std::move(contest));
  const ScheduleFile& stored = *times.request_.options.stored;
  if (!stored.msccl && !protocol.empty())
    return bad_request("--protocol times thread blocks, of which " + stored.file + " has none");
  if (stored.msccl) {
    RS_ASSIGN(times.blocks_, BlockTimes::on(machine, stored, protocol));
  }
  return times;
}

std::optional<Duration> FileTimes::at(Row& row) {
  const bool is_it =
      row.collective == request_.spec.kind && (row.ranks == 0 || row.ranks == request_.spec.ranks);
  if (!is_it) {
    ++others_;
    return std::nullopt;
  }
  std::optional<Duration> time;
  const auto ran = contest_.run(*row.size, [&](scenario::Contest::Run& run) -> Result<void> {
    if (blocks_ && !blocks_->retime(run)) return {};
    time = run.row.time;
    row.algorithm = run.row.algorithm;
    row.protocol = run.row.protocol;
    return {};
  });
  if (!ran) undivided_ = ran.error().message, ++refused_;
  return time;
}

std::vector<std::string> FileTimes::notes() const {
  std::vector<std::string> notes;
  if (others_ > 0)
    notes.push_back(fmt::format("left out: {} of other collectives or ranks than the file's",
                                counted(others_, "row")));
  if (refused_ > 0)
    notes.push_back(fmt::format("left out: {}, which it cannot have run: {}",
                                counted(refused_, "row"), undivided_));
  if (blocks_)
    for (const auto& note : blocks_->notes()) notes.push_back(note);
  return notes;
}

}  // namespace ringside::terminal
