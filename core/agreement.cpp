#include "core/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/assert.hpp"

namespace ringside {
namespace {

// Words between processes of one program: numbers as they lie in memory, texts after their length.

void put(std::string& to, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to.append(bytes, sizeof number);
}

void put(std::string& to, std::string_view text) {
  put(to, text.size());
  to += text;
}

class Reader {
 public:
  explicit Reader(std::string_view words) : rest_(words) {}

  std::uint64_t number() {
    const auto bytes = take(sizeof(std::uint64_t));
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }

 private:
  std::string_view take(std::size_t size) {
    RS_ASSERT(size <= rest_.size(), "another process said less than it announced");
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

enum class Said : std::uint64_t { done, error };

std::string error_words(const Error& error) {
  std::string words;
  put(words, static_cast<std::uint64_t>(Said::error));
  put(words, static_cast<std::uint64_t>(error.kind));
  put(words, std::string_view(error.message));
  return words;
}

std::string finding_words(const Finding& finding) {
  std::string words;
  put(words, static_cast<std::uint64_t>(Said::done));
  put(words, finding.comparison.checked);
  put(words, finding.comparison.wrong);
  put(words, std::string_view(finding.comparison.first));
  put(words, finding.digest);
  put(words, finding.measurement.iterations.size());
  for (const Duration d : finding.measurement.iterations)
    put(words, static_cast<std::uint64_t>(d.picoseconds));
  return words;
}

Finding read_finding(Reader& words) {
  Finding finding;
  finding.comparison.checked = words.number();
  finding.comparison.wrong = words.number();
  finding.comparison.first = words.text();
  finding.digest = words.number();
  finding.measurement.iterations.resize(words.number());
  for (Duration& d : finding.measurement.iterations)
    d.picoseconds = static_cast<std::int64_t>(words.number());
  return finding;
}

/// One reader a process, past the verdict; or the first error.
Result<std::vector<Reader>> no_errors(const std::vector<std::string>& said) {
  std::vector<Reader> readers(said.begin(), said.end());
  for (Reader& words : readers) {
    if (static_cast<Said>(words.number()) == Said::done) continue;
    const auto kind = static_cast<ErrorKind>(words.number());
    return tl::unexpected<Error>(Error{kind, words.text()});
  }
  return readers;
}

void add(Finding& all, const Finding& one, std::size_t process) {
  all.comparison += one.comparison;
  if (one.digest != all.digest) {
    all.comparison += {0, 1,
                       "the outputs of process " + std::to_string(process) +
                           " and of process 0 differ in their bits"};
  }
  auto& slowest = all.measurement.iterations;
  slowest.resize(std::max(slowest.size(), one.measurement.iterations.size()));
  for (std::size_t i = 0; i < one.measurement.iterations.size(); ++i)
    slowest[i] = std::max(slowest[i], one.measurement.iterations[i]);
}

}  // namespace

Result<void> agree(Backend& backend, const Result<void>& mine) {
  std::string words;
  put(words, static_cast<std::uint64_t>(Said::done));
  RS_ASSIGN(const auto said, backend.share(mine ? words : error_words(mine.error())));
  RS_TRY(no_errors(said));
  return {};
}

Result<Finding> agree(Backend& backend, const Result<Finding>& mine) {
  RS_ASSIGN(const auto said,
            backend.share(mine ? finding_words(*mine) : error_words(mine.error())));
  RS_ASSIGN(auto readers, no_errors(said));
  Finding all = read_finding(readers.front());
  for (std::size_t p = 1; p < readers.size(); ++p) add(all, read_finding(readers[p]), p);
  auto slowest = std::move(all.measurement.iterations);
  all.measurement = mine->measurement;
  all.measurement.iterations = std::move(slowest);
  return all;
}

std::vector<Rank> owned_ranks(const Backend& backend, std::uint32_t ranks) {
  std::vector<Rank> owned;
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (backend.owns(Rank{r})) owned.push_back({r});
  return owned;
}

}  // namespace ringside
