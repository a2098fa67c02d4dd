#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/report.hpp"
#include "core/result.hpp"

namespace ringside::terminal {

/// The measured rows of a text: Ringside's own JSON (`run --json`), a table of nccl-tests (or of
/// `run`), or a table of one collective as JSON ({"collective", "total_gpus", "dtype", "redop",
/// "rows": [{"bytes", "time_us", "in_place"}]}). Holds afterwards: every row has a size and a time
/// above zero. A row's algorithm is empty where the text names none; `ranks` is 0 where it does not
/// say. Errors name the text (`name`) and what is missing.
Result<std::vector<Row>> read_measured(std::string_view text, const std::string& name);

}  // namespace ringside::terminal
