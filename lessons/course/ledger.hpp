#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside::lessons {

/// One attempt.
struct GivenAnswer {
  std::string answer{};  ///< as it was typed
  bool right = false;
  std::string misconception{};
  friend bool operator==(const GivenAnswer&, const GivenAnswer&) = default;
};
/// What was done at one question.
struct QuestionRecord {
  std::string beat{};
  std::vector<GivenAnswer> answers{};
  std::uint32_t hints = 0;
  bool revealed = false, skipped = false;
  friend bool operator==(const QuestionRecord&, const QuestionRecord&) = default;
};
/// One sitting.
struct Record {
  std::string lesson{};  ///< `ring`
  std::uint64_t seed = 0;
  std::string beat{};  ///< the one it was left at
  bool finished = false;
  std::vector<QuestionRecord> questions{};
  friend bool operator==(const Record&, const Record&) = default;
};

/// A learner's progress: one record a lesson and seed, the latest last.
struct Ledger {
  std::vector<Record> records{};
  const Record* find(std::string_view lesson, std::uint64_t seed) const;  ///< null: none
  void put(Record record);  ///< replaces one of the same lesson and seed
};

std::string to_json(const Ledger& ledger);
/// Errors: one sentence that names the file and what was expected.
Result<Ledger> ledger_from_json(std::string_view json, std::string_view file);
/// An absent file is an empty ledger.
Result<Ledger> read_ledger(const std::string& file);
/// By a temporary file and a rename: never half-written.
Result<void> write_ledger(const Ledger& ledger, const std::string& file);

}  // namespace ringside::lessons
