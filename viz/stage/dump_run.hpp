#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "viz/stage/staged_run.hpp"

// The parts of dump_state(); for dump.cpp alone.

namespace ringside::stage::detail {

using Json = nlohmann::ordered_json;

/// `{`, a line a field, `}`. Written as it comes: a run of 256 ranks has too many slots to hold
/// them as a tree first.
class Fields {
 public:
  void add(std::string_view key, const Json& value) { add_text(key, value.dump()); }
  void add_text(std::string_view key, const std::string& json);
  std::string text() const { return text_ + "\n}"; }

 private:
  std::string text_ = "{";
};

/// `[`, a line an item, `]`.
class Items {
 public:
  void add(const Json& item);
  std::string text() const { return text_ + "]"; }

 private:
  std::string text_ = "[";
};

Json json_of(const Slot& slot);
/// What a run looks like at one moment.
std::string dump_run(const StagedRun& run, TimePoint now);

}  // namespace ringside::stage::detail
