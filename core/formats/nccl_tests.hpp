#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/measured_log.hpp"

// The pieces of reading nccl-tests' output; measured_log.hpp is for everyone else.

namespace ringside::nccl_tests {

/// What a row says about one placement, as printed: `time` in whatever unit the table has.
struct Printed {
  double time = 0, algbw = 0, busbw = 0;
  std::optional<std::uint64_t> wrong{};  ///< empty: `N/A`, or a largest error instead of a number
};

/// One line of a table.
struct PrintedRow {
  std::uint64_t bytes = 0, count = 0;
  std::optional<ElementType> type{};
  std::optional<ReduceOp> redop{};
  bool names_no_redop = false;         ///< `none`
  std::optional<std::int64_t> root{};  ///< -1: of a collective without one
  std::optional<Printed> out_of_place{}, in_place{};
  std::string algorithm{}, protocol{};  ///< RCCL's last columns
  std::string executor{};               ///< ours
};

/// Which columns a table has; the header says, or the first row it fits.
struct Columns {
  bool root = true;
  std::uint32_t placements = 2;  ///< 1: out of place alone
  std::uint32_t each = 4;        ///< columns of one placement: time, algbw, busbw, what follows
  std::uint32_t wrong = 3;       ///< which of them counts wrong elements; 0: none does
  std::uint32_t more = 0;        ///< figures behind the placements
  bool names_algorithm = false;  ///< the word behind all figures
};

/// Words of a line without what terminals, job launchers and Markdown put around them: colours,
/// `[1,0]<stdout>:`, `[0]`, bars, backticks.
std::vector<std::string> words_of(std::string_view line);

/// The columns of a header line; empty if it is none.
std::optional<Columns> columns_of(const std::vector<std::string>& words);

/// A line on its way to be a row: what is known of it, and its figures.
struct Draft {
  PrintedRow row;
  std::vector<std::string> figures{};  ///< root, if there is one, and both placements
  std::string before{};                ///< what stands before the size: a launcher's tag, a time
  bool is_whole = false;               ///< both placements (or the only one) have been read
};
/// The words as a row; empty if they do not begin like one: size, count, type.
std::optional<Draft> draft_of(const std::vector<std::string>& words,
                              const std::optional<Columns>& columns);
/// Takes the figures apart, and says whether they are all there. Of a row cut short, what is whole
/// is kept.
void read_figures(Draft& draft, const std::optional<Columns>& columns);
/// Whether these could be the rest of a row: figures alone.
bool are_figures(const std::vector<std::string>& words);

/// One test: a header, the machine, the rows.
struct Test {
  /// What goes between nodes; where lines contradict each other, the first of these counts.
  enum class Network : std::uint8_t { fastrak, efa, roce, infiniband, sockets, unsaid };
  std::optional<CollectiveKind> collective{};
  std::optional<Columns> columns{};
  std::set<std::uint32_t> ranks{};  ///< that are listed
  std::set<std::string> hosts{}, processes{};
  std::set<std::string> devices{};     ///< by name
  std::uint32_t stated_ranks = 0;      ///< in so many words
  std::uint32_t gpus_per_process = 0;  ///< 0: as the processes listed say
  Network network = Network::unsaid;
  std::vector<PrintedRow> rows{};
};

/// Adds the rows of a test to `log`, once it is clear what ran, on how many ranks, and in what unit
/// the times are. Errors: that stays open.
Result<void> conclude(const Test& test, std::string_view name, const LogOptions& options,
                      MeasuredLog& log);

/// `all_reduce` of `./build/all_reduce_perf`; empty if no such word is in the line.
std::optional<CollectiveKind> collective_in(std::string_view line);
/// As nccl-tests calls it, or we do: `alltoall`, `all_to_all`, `all_to_all_perf`.
Result<CollectiveKind> collective_of(std::string text);

Result<MeasuredLog> read_text(std::string_view text, std::string_view name,
                              const LogOptions& options);
Result<MeasuredLog> read_json(std::string_view text, std::string_view name,
                              const LogOptions& options);

}  // namespace ringside::nccl_tests
