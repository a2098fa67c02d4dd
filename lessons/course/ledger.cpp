#include "lessons/course/ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/formats/json_reader.hpp"

namespace ringside::lessons {
namespace {

using Json = nlohmann::ordered_json;
constexpr Bytes most_ledger{16u << 20};

Json to_json(const Record& record) {
  Json questions = Json::array();
  for (const QuestionRecord& question : record.questions) {
    Json answers = Json::array();
    for (const GivenAnswer& given : question.answers) {
      Json answer{{"answer", given.answer}, {"right", given.right}};
      if (!given.misconception.empty()) answer["misconception"] = given.misconception;
      answers.push_back(std::move(answer));
    }
    questions.push_back({{"beat", question.beat},
                         {"answers", std::move(answers)},
                         {"hints", question.hints},
                         {"revealed", question.revealed},
                         {"skipped", question.skipped}});
  }
  return {{"lesson", record.lesson},
          {"seed", record.seed},
          {"beat", record.beat},
          {"finished", record.finished},
          {"questions", std::move(questions)}};
}

QuestionRecord question_of(const Json& json) {
  QuestionRecord question;
  json.at("beat").get_to(question.beat);
  json.at("hints").get_to(question.hints);
  json.at("revealed").get_to(question.revealed);
  json.at("skipped").get_to(question.skipped);
  for (const Json& answer : json.at("answers"))
    question.answers.push_back({answer.at("answer").get<std::string>(),
                                answer.at("right").get<bool>(),
                                answer.value("misconception", std::string())});
  return question;
}

Record record_of(const Json& json) {
  Record record;
  json.at("lesson").get_to(record.lesson);
  json.at("seed").get_to(record.seed);
  json.at("beat").get_to(record.beat);
  json.at("finished").get_to(record.finished);
  for (const Json& question : json.at("questions"))
    record.questions.push_back(question_of(question));
  return record;
}

}  // namespace

const Record* Ledger::find(std::string_view lesson, std::uint64_t seed) const {
  for (const Record& record : records)
    if (record.lesson == lesson && record.seed == seed) return &record;
  return nullptr;
}

void Ledger::put(Record record) {
  std::erase_if(records, [&](const Record& old) {
    return old.lesson == record.lesson && old.seed == record.seed;
  });
  records.push_back(std::move(record));
}

std::string to_json(const Ledger& ledger) {
  Json records = Json::array();
  for (const Record& record : ledger.records) records.push_back(to_json(record));
  const Json json{{"ringside", 1}, {"kind", "ledger"}, {"records", std::move(records)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Ledger> ledger_from_json(std::string_view text, std::string_view file) {
  try {
    if (nests_deeper_than(8, text)) throw std::invalid_argument("depth");
    const Json json = Json::parse(text);
    if (json.at("kind") != "ledger") throw std::invalid_argument("kind");
    Ledger ledger;
    for (const Json& record : json.at("records")) ledger.records.push_back(record_of(record));
    return ledger;
  } catch (const std::exception&) {
    return bad_request(std::string(file) +
                       " is no ledger of lessons: a JSON object with \"kind\": \"ledger\" and "
                       "\"records\" was expected; name another with --ledger FILE");
  }
}

Result<Ledger> read_ledger(const std::string& file) {
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return Ledger{};
  RS_ASSIGN(const std::string text, read_file(file, most_ledger));
  return ledger_from_json(text, file);
}

Result<void> write_ledger(const Ledger& ledger, const std::string& file) {
  return write_file(file, to_json(ledger));
}

}  // namespace ringside::lessons
