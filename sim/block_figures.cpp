#include "sim/blocks.hpp"
#include "sim/strict_toml.hpp"
#include "sim/tuner/figures.hpp"

namespace ringside::sim {
namespace {

Result<void> read(const TomlTable& table, const std::string& key, Bandwidth& figure) {
  RS_ASSIGN(const auto text, table.needed(key, "\"20GB/s\""));
  RS_ASSIGN(figure, parse_bandwidth(text));
  return {};
}
Result<void> read(const TomlTable& table, const std::string& key, Duration& figure) {
  RS_ASSIGN(const auto text, table.needed(key, "\"1.5us\""));
  RS_ASSIGN(figure, parse_duration(text));
  return {};
}

Result<BlockFigures> read_blocks(const TomlTable& table) {
  BlockFigures figures;
  for (std::size_t p = 0; p < protocol_count; ++p) {
    const auto suffix = "_" + std::string(name(static_cast<Protocol>(p)));
    RS_TRY(read(table, "copy" + suffix, figures.of[p].copy));
    RS_TRY(read(table, "start" + suffix, figures.of[p].start));
    RS_TRY(read(table, "hop" + suffix, figures.of[p].hop));
    RS_TRY(read(table, "step" + suffix, figures.of[p].step));
  }
  RS_TRY(read(table, "local", figures.local));
  RS_TRY(read(table, "device", figures.device));
  RS_TRY(read(table, "call", figures.launch));
  RS_TRY(read(table, "wait", figures.wait));
  RS_ASSIGN(const auto link, table.needed("link_share", "\"90%\""));
  RS_ASSIGN(figures.link, parse_share(link));
  return figures;
}

}  // namespace

Result<BlockFigures> block_figures(std::string_view generation) {
  for (const FiguresText& text : figures_texts()) {
    if (text.name != generation) continue;
    const std::string file = std::string(text.name) + ".toml";
    RS_ASSIGN(const TomlValue root, parse_toml(text.toml, file));
    const TomlTable table(root, file);
    const TomlValue* blocks = table.find("blocks");
    if (blocks == nullptr) break;
    RS_ASSIGN(const TomlTable own, table.table(*blocks, "figures of thread blocks are a table"));
    return read_blocks(own);
  }
  return bad_request("there are no figures for thread blocks of " + std::string(generation) +
                     " GPUs: sim/generations/*.toml has [blocks] of those there are");
}

}  // namespace ringside::sim
