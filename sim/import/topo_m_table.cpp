// Reads the table of `nvidia-smi topo -m`, whatever pasting did to it. The header names the
// columns; a row starts with a device's name. Anything else is prose and passed over.

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "core/suggest.hpp"
#include "sim/import/table_text.hpp"
#include "sim/import/topo_m.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_text = 1u << 20;
constexpr std::size_t most_devices = 256;
constexpr std::uint32_t most_nvlinks = 64;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_gpu_name(std::string_view word) {
  return word.starts_with("GPU") && is_number(word.substr(3)) && word.size() <= 8;
}

std::optional<Cell> parse_cell(std::string_view word) {
  using N = Nearness;
  constexpr std::array<std::pair<std::string_view, N>, 7> words{{{"X", N::self},
                                                                 {"PIX", N::pix},
                                                                 {"PXB", N::pxb},
                                                                 {"PHB", N::phb},
                                                                 {"NODE", N::node},
                                                                 {"SYS", N::sys},
                                                                 {"SOC", N::sys}}};
  for (const auto& [text, near] : words)
    if (word == text) return Cell{near, 0};
  if (!word.starts_with("NV") || !is_number(word.substr(2))) return std::nullopt;
  std::uint32_t links = 0;
  const auto end = word.data() + word.size();
  if (std::from_chars(word.data() + 2, end, links).ec != std::errc{}) return std::nullopt;
  if (links == 0 || links > most_nvlinks) return std::nullopt;
  return Cell{N::nvlink, links};
}

/// What `topo -p2p` prints where `topo -m` prints a connection.
bool is_p2p_status(std::string_view word) {
  constexpr std::array<std::string_view, 7> words{"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// GPU3, mlx5_0, rocep49s0, bond_roce: a name with a digit or underscore that is no connection.
bool is_device_name(std::string_view word) {
  if (word.empty() || word.size() > 32 || parse_cell(word)) return false;
  if (std::isalpha(static_cast<unsigned char>(word.front())) == 0) return false;
  bool telling = false;
  for (const unsigned char c : word) {
    if (std::isalnum(c) == 0 && c != '_' && c != '-' && c != '.') return false;
    telling = telling || std::isdigit(c) != 0 || c == '_';
  }
  return telling;
}

bool is_row(const Words& words) {
  return words.size() >= 2 && is_device_name(words[0]) &&
         (parse_cell(words[1]) || is_p2p_status(words[1]));
}

/// A line's words without the label, time stamp or srun prefix before the first device.
Words from_first_device(Words words) {
  constexpr std::size_t longest_prefix = 4;
  const auto first = std::find_if(words.begin(), words.end(), is_device_name);
  if (first != words.end() && first - words.begin() <= std::ptrdiff_t{longest_prefix})
    words.erase(words.begin(), first);
  return words;
}

/// Where someone left columns or rows out by hand.
bool is_ellipsis(std::string_view word) {
  return word.starts_with("..") || word == "\xE2\x80\xA6";
}

/// Names of the columns, up to the affinities; empty if the line is no header.
Words header_names(const Words& line) {
  Words names;
  for (const std::string& word : from_first_device(line)) {
    if (word == "CPU" || word == "NUMA" || word == "GPU" || word == "Affinity") break;
    if (is_ellipsis(word)) break;
    if (!is_device_name(word)) return {};
    names.push_back(word);
  }
  return names;
}

bool has_gpu(const Words& names) {
  return std::any_of(names.begin(), names.end(), [](const auto& n) { return is_gpu_name(n); });
}

/// The text in lines, cleaned; a row that the terminal wrapped is one line again.
Words read_lines(std::string_view text) {
  Words lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line = clean_line(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.find('=') != line.npos) continue;  // the legend
    const Words words = split_words(line);
    if (!words.empty() && parse_cell(words[0]) && !lines.empty())
      lines.back() += "\t" + line;
    else
      lines.push_back(std::move(line));
  }
  return lines;
}

struct Header {
  Words names;
  std::size_t rows_begin = 0;  ///< the line after it
  bool cpu = false, numa = false, gpu_numa = false;
};

void note_affinities(Header& header, const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    header.cpu = header.cpu || (words[i] == "CPU" && words[i + 1] == "Affinity");
    header.numa = header.numa || (words[i] == "NUMA" && words[i + 1] == "Affinity");
    header.gpu_numa = header.gpu_numa || (words[i] == "GPU" && words[i + 1] == "NUMA");
  }
}

/// The first header; one the terminal wrapped goes on until the first row. Without a header, the
/// rows' own names.
std::optional<Header> find_header(const Words& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Header header;
    header.names = header_names(split_words(lines[i]));
    if (!has_gpu(header.names)) continue;
    note_affinities(header, split_words(lines[i]));
    for (++i; i < lines.size() && !is_row(from_first_device(split_words(lines[i]))); ++i) {
      const Words more = header_names(split_words(lines[i]));
      header.names.insert(header.names.end(), more.begin(), more.end());
      note_affinities(header, split_words(lines[i]));
    }
    header.rows_begin = i;
    return header;
  }
  Header header;
  for (const std::string& line : lines) {
    const Words words = from_first_device(split_words(line));
    if (is_row(words)) header.names.push_back(words[0]);
  }
  if (!has_gpu(header.names)) return std::nullopt;
  return header;
}

class TableReader {
 public:
  TableReader(std::string_view name, Header header) : name_(name), header_(std::move(header)) {}

  Result<TopoTable> read(const Words& lines) {
    RS_TRY(add_devices());
    for (std::size_t i = header_.rows_begin; i < lines.size(); ++i) {
      const Words all = split_words(lines[i]), words = from_first_device(all);
      if (has_gpu(header_names(words)) && !is_row(words) && rows_ > 0) {
        table_.notes.emplace_back("a second table follows the first and was not read");
        break;
      }
      read_legend(all);
      if (is_row(words)) RS_TRY(read_row(lines[i], words));
    }
    if (rows_ == 0)
      return bad_request(std::string(name_) + ": a header of `nvidia-smi topo -m`, but no rows");
    RS_TRY(mirror_cells(table_, name_));
    return std::move(table_);
  }

 private:
  Result<void> add_devices() {
    if (header_.names.size() > most_devices)
      return bad_request(std::string(name_) + ": " + counted(header_.names.size(), "column") +
                         "; at most " + std::to_string(most_devices) + " are read");
    for (const std::string& name : header_.names) {
      if (index_of(name))
        return bad_request(std::string(name_) + ": two columns are called " + name);
      table_.devices.push_back({.name = name, .gpu = is_gpu_name(name)});
    }
    table_.cells.resize(table_.devices.size() * table_.devices.size());
    return {};
  }

  std::optional<std::size_t> index_of(std::string_view name) const {
    for (std::size_t i = 0; i < table_.devices.size(); ++i)
      if (table_.devices[i].name == name) return i;
    return std::nullopt;
  }

  /// `NIC0: mlx5_0` below the table.
  void read_legend(const Words& words) {
    if (words.size() != 2 || !words[0].ends_with(":") || !is_device_name(words[1])) return;
    const auto named = index_of(std::string_view(words[0]).substr(0, words[0].size() - 1));
    if (named && !table_.devices[*named].gpu && !index_of(words[1]))
      table_.devices[*named].name = words[1];
  }

  /// Cells where tabs or bars keep empty ones in place; else words, aligned by the X.
  Result<void> read_row(const std::string& line, const Words& words) {
    const auto self = index_of(words[0]);
    if (!self) {
      table_.notes.push_back("the row of " + words[0] + " has no column and was not read");
      return {};
    }
    ++rows_;
    table_.devices[*self].row = true;
    Words fields = words;
    bool in_cells = false;
    const char mark = line.find('|') != line.npos ? '|' : '\t';
    if (line.find(mark) != line.npos) {
      const Words cells = split_cells(line, mark);
      in_cells = !cells.empty() && cells[0] == words[0] &&
                 std::none_of(cells.begin(), cells.end(), [](const std::string& cell) {
                   const Words inside = split_words(cell);
                   return inside.size() > 1 && parse_cell(inside[0]);
                 });
      if (in_cells) fields = cells;
    }
    fields.erase(fields.begin());
    RS_ASSIGN(const std::size_t used, read_cells(*self, fields));
    fields.erase(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(used));
    TopoTable::Device& device = table_.devices[*self];
    if (in_cells)
      affinity_from_cells(device, fields);
    else
      affinity_from_words(device, fields);
    for (std::string* said : {&device.cpu_affinity, &device.numa_affinity, &device.gpu_numa_id})
      if (*said == "N/A") said->clear();
    return {};
  }

  /// Returns how many of the fields were cells.
  Result<std::size_t> read_cells(std::size_t self, const Words& fields) {
    const std::size_t columns = table_.devices.size();
    const auto x = std::find(fields.begin(), fields.end(), "X");
    std::size_t shift = 0;  // cells lost before the X
    if (x != fields.end()) {
      const auto at = static_cast<std::size_t>(x - fields.begin());
      if (at > self)
        return bad_request(std::string(name_) + ": the row of " + table_.devices[self].name +
                           " has its X in column " + std::to_string(at + 1) + ", not " +
                           std::to_string(self + 1));
      shift = self - at;
    }
    std::size_t used = 0;
    for (; used < fields.size() && used + shift < columns; ++used) {
      const std::string& word = fields[used];
      if (is_p2p_status(word)) return p2p_refusal();
      if (const auto cell = parse_cell(word)) {
        table_.at(self, used + shift) = *cell;
      } else if (!word.empty() && word != "N/A" && word != "-") {
        if (std::isdigit(static_cast<unsigned char>(word.front())) != 0 || word == "NUMA") break;
        if (used + 1 == fields.size() || is_ellipsis(word)) break;  // cut by hand, mid-word
        return bad_request(std::string(name_) + ": `" + word.substr(0, 32) + "` in the row of " +
                           table_.devices[self].name +
                           " is no connection; nvidia-smi prints X, NV#, PIX, PXB, PHB, NODE, SYS");
      }
    }
    if (used + shift < columns)
      table_.notes.push_back("the row of " + table_.devices[self].name +
                             " is cut short; its mirror cells were used");
    return used;
  }

  Result<std::size_t> p2p_refusal() const {
    return bad_request(std::string(name_) +
                       ": this is the output of `nvidia-smi topo -p2p`, which says who may reach "
                       "whom, not how they are wired; give that of `nvidia-smi topo -m`");
  }

  bool expects_cpu() const { return header_.cpu || !header_.numa; }

  /// Empty cells are in place, but drivers since 535 put an extra tab before the last one.
  void affinity_from_cells(TopoTable::Device& device, const Words& cells) const {
    std::size_t next = 0;
    if (expects_cpu() && next < cells.size()) device.cpu_affinity = cells[next++];
    if (next < cells.size()) device.numa_affinity = cells[next++];
    if (header_.gpu_numa && next < cells.size()) device.gpu_numa_id = cells.back();
  }

  /// Empty cells left no trace: a first word that is no range of CPUs is already the NUMA node.
  void affinity_from_words(TopoTable::Device& device, const Words& words) const {
    const auto numa = std::find(words.begin(), words.end(), "NUMA");
    if (numa != words.end() && numa + 1 != words.end()) {  // `0-15 NUMA 0`, without a header
      if (numa != words.begin()) device.cpu_affinity = words[0];
      device.numa_affinity = *(numa + 1);
      return;
    }
    const std::size_t expected =
        (expects_cpu() ? 1u : 0u) + (header_.numa ? 1u : 0u) + (header_.gpu_numa ? 1u : 0u);
    const bool lost = !words.empty() && words.size() < expected && words[0] != "N/A" &&
                      words[0].find('-') == std::string::npos;
    std::size_t next = 0;
    if (expects_cpu() && !lost && next < words.size()) device.cpu_affinity = words[next++];
    if (next < words.size()) device.numa_affinity = words[next++];
    if (header_.gpu_numa && next < words.size()) device.gpu_numa_id = words[next];
  }

  std::string_view name_;
  Header header_;
  TopoTable table_;
  std::size_t rows_ = 0;
};

}  // namespace

bool looks_like_topo_table(std::string_view text) {
  return text.size() <= most_text && find_header(read_lines(text)).has_value();
}

Result<TopoTable> read_topo_table(std::string_view text, std::string_view name) {
  if (text.size() > most_text)
    return bad_request(std::string(name) + ": longer than any `nvidia-smi topo -m` (1 MiB)");
  const Words lines = read_lines(text);
  auto header = find_header(lines);
  if (!header)
    return bad_request(
        std::string(name) +
        ": no table of `nvidia-smi topo -m` in it (a line that starts GPU0 GPU1 ...)");
  RS_ASSIGN(TopoTable table, TableReader(name, std::move(*header)).read(lines));
  for (std::size_t at = text.find("SOC"); at != text.npos && !table.old_legend;
       at = text.find("SOC", at + 1))
    table.old_legend = at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t');
  return table;
}

}  // namespace ringside::sim
