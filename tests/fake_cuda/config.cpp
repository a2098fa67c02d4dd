#include "tests/fake_cuda/config.hpp"

#include <charconv>

namespace fake {
namespace {

template <typename Number>
bool read(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_bytes(std::string_view text, std::size_t& value) {
  int shift = 0;
  for (const auto& [unit, bits] : {std::pair{"KiB", 10}, {"MiB", 20}, {"GiB", 30}})
    if (text.ends_with(unit)) {
      text.remove_suffix(3);
      shift = bits;
    }
  if (!read(text, value)) return false;
  value <<= shift;
  return true;
}

bool read_peers(std::string_view text, Peers& peers) {
  if (text == "full")
    peers = Peers::full;
  else if (text == "partial")
    peers = Peers::partial;
  else if (text == "none")
    peers = Peers::none;
  else if (text == "broken")
    peers = Peers::broken;
  else if (text == "deaf")
    peers = Peers::deaf;
  else
    return false;
  return true;
}

/// NAME:K, or NAME:K:CODE.
bool read_failure(std::string_view text, Config& config) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  config.fail = text.substr(0, colon);
  auto rest = text.substr(colon + 1);
  const auto second = rest.find(':');
  if (second != std::string_view::npos) {
    if (!read(rest.substr(second + 1), config.fail_code)) return false;
    rest = rest.substr(0, second);
  }
  return read(rest, config.fail_call);
}

bool read_driver(std::string_view text, int& driver) {
  driver = -1;
  return text == "none" || read(text, driver);
}

bool set(Config& config, std::string_view key, std::string_view value) {
  if (key == "devices") return read(value, config.devices) && config.devices <= 64;
  if (key == "peers") return read_peers(value, config.peers);
  if (key == "memory") return read_bytes(value, config.memory);
  if (key == "seed") return read(value, config.seed);
  if (key == "sms") return read(value, config.multiprocessors);
  if (key == "driver") return read_driver(value, config.driver);
  if (key == "fail") return read_failure(value, config);
  if (key == "fault") return read(value, config.fault);
  if (key == "drop") return read(value, config.drop);
  if (key == "stall") return read(value, config.stall);
  if (key == "cooperative" || key == "mig") {
    (key == "mig" ? config.mig : config.cooperative) = value == "1";
    return value == "0" || value == "1";
  }
  config.mode = value;
  return key == "mode" && (value == "default" || value == "exclusive" || value == "prohibited");
}

}  // namespace

bool Config::reaches(int from, int to) const {
  if (from == to || peers == Peers::none) return from == to;
  return peers != Peers::partial || from / 2 == to / 2;
}

std::optional<Config> parse_config(std::string_view text, std::string& complaint) {
  Config config;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto equals = std::min(item.find('='), item.size());
    const auto value = item.substr(std::min(equals + 1, item.size()));
    if (set(config, item.substr(0, equals), value)) continue;
    complaint = "RINGSIDE_FAKE_CUDA: \"" + std::string(item) + "\" is not understood";
    return std::nullopt;
  }
  return config;
}

}  // namespace fake
