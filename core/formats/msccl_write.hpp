#pragma once

#include <string>

#include "core/formats/msccl_xml.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// A schedule as MSCCL and RCCL load it: one thread block for each end of a connection, one a
/// channel for what stays on a rank. `header` says name, protocol and sizes; its channels, chunks
/// and call style are the schedule's. A transfer of more than 71 chunks becomes several messages;
/// a local read that others of its step overwrite goes through scratch. msccl_from_xml() reads it
/// back, equal up to step labels. Collectives that MSCCL does not know are `custom`, and are named
/// by what a name starts with; roots other than 0, by what it ends with.
///
/// Errors name what the format has no room for: agents, more than 256 steps a thread block, 216
/// thread blocks a rank, 32 peers a channel and direction, or more messages at once on a connection
/// than the protocol holds.
Result<std::string> schedule_to_msccl(const Schedule& schedule, const MscclHeader& header);

}  // namespace ringside
