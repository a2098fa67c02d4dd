// Output of nccl-tests as text, from whatever it was pasted into.

#include <algorithm>
#include <charconv>

#include "core/formats/nccl_tests.hpp"
#include "core/suggest.hpp"

namespace ringside::nccl_tests {
namespace {

/// Lines that something was done to: how many, and which came first.
class Lines {
 public:
  void add(std::size_t number, std::string_view line) {
    if (count_++ == 0) number_ = number, line_ = line;
  }
  /// `12 lines are no rows, the first is line 3: "..."`.
  void tell(const char* one, const char* many, std::vector<std::string>& notes) const {
    if (count_ == 0) return;
    const auto first = line_.find_first_not_of(" \t");
    notes.push_back((count_ == 1 ? one : std::to_string(count_) + " " + many) +
                    (count_ == 1 ? ": line " : ", the first is line ") + std::to_string(number_) +
                    ": " + in_quotes(first == line_.npos ? line_ : line_.substr(first)));
  }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0, number_ = 0;
  std::string_view line_;
};

std::optional<std::uint32_t> number_after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos) return std::nullopt;
  line.remove_prefix(at + word.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  return error == std::errc() && value < 1u << 20 ? std::optional(value) : std::nullopt;
}

std::string_view word_after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos) return {};
  line.remove_prefix(at + word.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.substr(0, line.find(' '));
}

/// `#  Rank  0 Group  0 Pid   1234 on       host device  0 [0000:1b:00] NVIDIA H200`.
bool read_device(std::string_view line, Test& test) {
  const auto rank = number_after(line, " Rank ");
  const auto close = line.rfind(']');
  if (!rank || !number_after(line, " device ") || close == line.npos) return false;
  test.ranks.insert(*rank);
  const std::string host(word_after(line, " on "));
  test.hosts.insert(host);
  test.processes.insert(host + " " + std::string(word_after(line, " Pid ")));
  auto device = line.substr(close + 1);
  device.remove_prefix(std::min(device.find_first_not_of(' '), device.size()));
  device = device.substr(0, device.find_last_not_of(" \t\r") + 1);
  test.devices.emplace(device);
  return true;
}

/// What NCCL says it sends through, where its own lines are in between.
Test::Network network_in(std::string_view line) {
  using enum Test::Network;
  static constexpr std::pair<std::string_view, Test::Network> words[] = {
      {"FasTrak", fastrak},    {"Libfabric", efa},         {"provider is efa", efa},
      {"/RoCE", roce},         {"NET/IB", infiniband},     {"network IB", infiniband},
      {"NET/Socket", sockets}, {"network Socket", sockets}};
  if (line.find("NCCL INFO") == line.npos || line.find("No device") != line.npos) return unsaid;
  for (const auto& [word, network] : words)
    if (line.find(word) != line.npos) return network;
  return unsaid;
}

/// Nothing, a comment or a Markdown fence; srun may have put a rank before it (`0: #`).
bool is_remark(const std::vector<std::string>& words) {
  const auto first =
      std::ranges::find_if(words, [](const std::string& word) { return !word.ends_with(':'); });
  return first == words.end() || first->starts_with('#') || *first == "```";
}

class Reader {
 public:
  Reader(std::string_view name, const LogOptions& options) : name_(name), options_(options) {}

  Result<void> take(std::string_view line);
  Result<MeasuredLog> finish();

 private:
  Result<bool> take_header(std::string_view line, const std::vector<std::string>& words);
  bool take_row(std::string_view line, const std::vector<std::string>& words);
  void begin_test();
  void give_up_draft();

  std::string_view name_;
  const LogOptions& options_;
  std::vector<Test> tests_{1};
  std::optional<Draft> open_;  ///< a row whose end has not come yet
  std::size_t open_number_ = 0, number_ = 0;
  std::string_view open_line_;
  Lines others_, cut_, tagged_, joined_;
};

/// A header after rows is that of another test.
void Reader::begin_test() {
  if (tests_.back().rows.empty()) return;
  give_up_draft();
  tests_.emplace_back();
}

Result<bool> Reader::take_header(std::string_view line, const std::vector<std::string>& words) {
  if (const auto columns = columns_of(words)) {
    if (tests_.back().rows.empty()) tests_.back().columns = columns;
    return true;
  }
  if (line.find("Collective test starting") != line.npos) {
    begin_test();
    RS_ASSIGN(tests_.back().collective, collective_of(std::string(word_after(line, "starting:"))));
    return true;
  }
  if (line.find("Collective test concluded") != line.npos) return true;
  if (const auto threads = number_after(line, "# nThread ")) {
    begin_test();
    const auto gpus = number_after(line, " nGpus ").value_or(0);
    if (*threads <= 64 && gpus <= 64) tests_.back().gpus_per_process = *threads * gpus;
    return true;
  }
  if (const auto ranks = number_after(line, "# nRanks ")) {
    begin_test();
    tests_.back().stated_ranks = *ranks;
    return true;
  }
  if (line.find('#') != line.npos && line.find(" Rank ") != line.npos) {
    begin_test();
    if (read_device(line, tests_.back())) return true;
  }
  Test& test = tests_.back();
  if (!test.collective) test.collective = collective_in(line);  // a command that was pasted, too
  test.network = std::min(test.network, network_in(line));
  return is_remark(words);
}

void Reader::give_up_draft() {
  if (!open_) return;
  cut_.add(open_number_, open_line_);
  if (open_->row.out_of_place || open_->row.in_place)
    tests_.back().rows.push_back(std::move(open_->row));
  open_.reset();
}

bool Reader::take_row(std::string_view line, const std::vector<std::string>& words) {
  const auto& columns = tests_.back().columns;
  if (auto draft = draft_of(words, columns)) {
    give_up_draft();
    if (!draft->before.empty()) tagged_.add(number_, line);
    open_ = std::move(draft);
    open_number_ = number_, open_line_ = line;
  } else if (open_ && are_figures(words)) {
    Draft joined = *open_;
    joined.figures.insert(joined.figures.end(), words.begin(), words.end());
    read_figures(joined, columns);
    if (!joined.is_whole) return false;
    joined_.add(open_number_, open_line_);
    open_ = std::move(joined);
  } else {
    return false;
  }
  if (open_->is_whole) {
    tests_.back().rows.push_back(std::move(open_->row));
    open_.reset();
  }
  return true;
}

Result<void> Reader::take(std::string_view line) {
  ++number_;
  const auto words = words_of(line);
  if (take_row(line, words)) return {};
  RS_ASSIGN(const bool is_known, take_header(line, words));
  if (is_known) return {};
  (are_figures(words) && words.size() > 2 ? cut_ : others_).add(number_, line);
  return {};
}

Result<MeasuredLog> Reader::finish() {
  give_up_draft();
  MeasuredLog log;
  for (const Test& test : tests_)
    if (!test.rows.empty()) RS_TRY(conclude(test, name_, options_, log));
  if (log.rows.empty())
    return bad_request(std::string(name_) +
                       " holds no measured rows: expected a table of nccl-tests, what it writes "
                       "with -J, or what ringside run --json writes");
  others_.tell("1 line is no row and was not read", "lines are no rows and were not read",
               log.notes);
  cut_.tell("1 row is cut, and what is missing of it was not read",
            "rows are cut, and what is missing of them was not read", log.notes);
  tagged_.tell("1 row begins with something before its size, which was not read",
               "rows begin with something before their size, which was not read", log.notes);
  joined_.tell("1 row was put together again around other output",
               "rows were put together again around other output", log.notes);
  return log;
}

}  // namespace

Result<MeasuredLog> read_text(std::string_view text, std::string_view name,
                              const LogOptions& options) {
  Reader reader(name, options);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    RS_TRY(reader.take(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace ringside::nccl_tests
