#include "sim/import.hpp"
#include "sim/import/machine.hpp"
#include "sim/import/nccl_xml.hpp"
#include "sim/import/topo_m.hpp"
#include "sim/system_toml.hpp"

namespace ringside::sim {
namespace {

/// The first thing in a text that is neither blank nor a byte order mark.
std::string_view from_first_word(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? std::string_view() : text.substr(first);
}

/// `key = value` or `[table]` on the first line that is no comment.
bool looks_like_toml(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = from_first_word(text.substr(0, end));
    if (!line.empty() && line.front() != '#')
      return line.front() == '[' || line.find('=') != line.npos;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return false;
}

enum class Format : std::uint8_t { nccl_xml, topo_m, toml };

Result<Format> format_of(std::string_view text, std::string_view name) {
  const std::string_view body = from_first_word(text);
  if (body.empty()) return bad_request(std::string(name) + ": nothing in it");
  if (body.front() == '<') return Format::nccl_xml;
  if (looks_like_topo_table(body)) return Format::topo_m;
  if (looks_like_toml(body)) return Format::toml;
  return bad_request(std::string(name) +
                     ": this is neither the output of `nvidia-smi topo -m`, nor NCCL's topology "
                     "XML, nor a Ringside system in TOML");
}

}  // namespace

Result<System> import_system(std::string_view text, std::string_view name,
                             const ImportOptions& options) {
  RS_TRY(check(options));
  RS_ASSIGN(const Format format, format_of(text, name));
  System system;
  if (format == Format::nccl_xml) {
    RS_ASSIGN(system.topology, import_nccl_xml(text, name, options));
    system.summary = "from NCCL's topology XML";
  } else if (format == Format::topo_m) {
    RS_ASSIGN(system.topology, import_topo_m(text, name, options));
    system.summary = "from nvidia-smi topo -m";
  } else {
    if (options.nvlink != 0)
      return bad_request(std::string(name) +
                         ": --nvlink is for what lacks it, topo -m and NCCL's XML; a system in "
                         "TOML names its links itself");
    RS_ASSIGN(system, read_system(text, name));
    if (!options.peer_to_peer) system.topology.peer_to_peer = false;
  }
  return system;
}

}  // namespace ringside::sim
