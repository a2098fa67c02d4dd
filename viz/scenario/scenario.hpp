#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/system_options.hpp"

namespace ringside::scenario {

/// The usual options, at one size.
inline CollectiveOptions of_size(const char* bytes) {
  CollectiveOptions options;
  options.bytes = bytes;
  return options;
}

/// What is run, all of it, as people say it: what the window's controls change and a share string
/// carries.
struct Scenario {
  CollectiveOptions collective = of_size("256M");  ///< `bytes` is the one size
  SystemOptions system;
  /// A mistake made on purpose: `wrong_neighbour` or `wrong_neighbour:3` (core/mutation.hpp's name
  /// and seed); empty = none.
  std::string mistake;
};

/// One value of a scenario by its name, as flags name them without the dashes: `collective`
/// `algorithm` `schedule` `ranks` `bytes` `chunks` `channels` `system` `nodes` `net` `model` `root`
/// `in-place` `type` `redop` `bandwidth` `latency` `dims` `ranks-per-node` `rank-order` `set`
/// `slow` `dead` `straggler` `jitter` `nvlink` `no-p2p` `mistake` (fields.hpp lists them). What may
/// be given several times (`set` ...) is joined by `,`. set_field checks the text as far as it goes
/// without a system. Errors name the field, what was expected, and the nearest known name.
Result<void> set_field(Scenario& scenario, std::string_view field, std::string_view value);
Result<std::string> field(const Scenario& scenario, std::string_view field);

/// `ring?ranks=8&bytes=256M&system=dgx-a100&t=389.12us`: the algorithm, then every field that
/// differs from its default, in a fixed order; percent-encoded where a value needs it. `extra`
/// (`t`, `rival`, ...) are the window's own: kept apart.
struct Share {
  Scenario scenario;
  std::vector<std::pair<std::string, std::string>> extra;
};
std::string to_share_string(const Share& share);
/// The way back; also takes the string with `ringside view ` or quotes around it, as people paste
/// it.
Result<Share> parse_share_string(std::string_view text);

}  // namespace ringside::scenario
