#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::lessons {

/// A piece of a line that looks one way.
struct TextSpan {
  std::string text{};  ///< UTF-8; a break within a paragraph is a `\n`
  bool strong = false, emphasis = false, code = false;
  std::string link{};   ///< where it leads; empty: nowhere
  std::string blank{};  ///< `[[id]]`: a blank of that id stands here, and `text` is empty
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};
using TextLine = std::vector<TextSpan>;

enum class BlockKind : std::uint8_t { paragraph, heading, item, quote, code, table, rule };

/// What is written below what came before. Lists and quotes are flat: an item or a paragraph of a
/// quote is a block with its depth.
struct Block {
  BlockKind kind = BlockKind::paragraph;
  std::uint32_t level = 0;  ///< heading: 1 to 6; item, quote: its depth, from 1
  std::string marker{};     ///< item: `-`, or `2.`; empty: another paragraph of the same item
  TextLine line{};          ///< all but tables and rules
  std::vector<std::vector<TextLine>> rows{};  ///< table: rows of cells, the first is the header
};

/// Markdown (CommonMark, and tables) as blocks, for whoever draws them. HTML is text; pictures are
/// their words. Any bytes will do: Markdown has no errors.
std::vector<Block> parse_markdown(std::string_view text);

/// The words alone, a line a block: what is spoken, counted and searched.
std::string plain_text(const std::vector<Block>& blocks);
std::string plain_text(const TextLine& line);

}  // namespace ringside::lessons
