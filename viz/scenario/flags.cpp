#include "viz/scenario/flags.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/suggest.hpp"

namespace ringside::scenario {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator("").operation([least, most](std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && at == end && number >= least && number <= most) return "";
    return fmt::format("expected a whole number from {} to {}, not {}", least, most,
                       in_quotes(text));
  });
}

CLI::Validator not_empty() {
  return CLI::Validator("").operation([](std::string& text) -> std::string {
    return text.empty() ? "expected a name, not nothing (is a variable unset?)" : "";
  });
}

}  // namespace ringside::scenario
