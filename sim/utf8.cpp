#include "sim/utf8.hpp"

#include <cstdint>

namespace ringside::sim {
namespace {

bool is_scalar(std::uint32_t code) {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/// Bytes that a code point takes.
std::size_t length(std::uint32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

}  // namespace

std::size_t first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const auto lead = byte(0);
    const std::size_t count = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : 4;
    if ((count == 4 && lead >> 3 != 30) || at + count > text.size()) return at;
    std::uint32_t code = count == 1 ? lead : lead & (0x7fu >> count);
    for (std::size_t i = 1; i < count; ++i) {
      if (byte(i) >> 6 != 2) return at;
      code = code << 6 | (byte(i) & 0x3fu);
    }
    if (!is_scalar(code) || length(code) != count) return at;
    at += count;
  }
  return text.size();
}

}  // namespace ringside::sim
