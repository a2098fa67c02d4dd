// A homework as the JSON file that a student fills in and hands in.

#include <nlohmann/json.hpp>

#include "core/formats/json_reader.hpp"
#include "lessons/course/homework.hpp"

namespace ringside::lessons {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t max_depth = 4;  // file, questions, question, list
constexpr std::uint64_t most_seed = std::uint64_t{1} << 53;

Json as_lines(const std::string& text) {
  Json lines = Json::array();
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

Json as_json(const HomeworkItem& item) {
  Json json{{"beat", item.beat}, {"question", as_lines(item.question)}, {"given", item.given}};
  if (!item.choices.empty()) json["choices"] = item.choices;
  json["how"] = item.how;
  json["answer"] = item.is_schedule ? as_lines(item.answer) : Json(item.answer);
  json["schedule"] = item.is_schedule;
  json["attempts"] = item.attempts;
  json["hints"] = item.hints;
  return json;
}

class Reader : JsonReader<Json> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::parse;

  Result<Homework> homework(const Json& json) {
    const JsonPath root;
    RS_TRY(keys(json, root,
                {"ringside", "kind", "note", "lesson", "student", "seed", "language", "questions",
                 "seal"}));
    RS_TRY(number(json, root, "ringside", {1, 1}));
    RS_ASSIGN(const auto kind, word(json, root, "kind"));
    if (kind != "homework") return refuse({&root, "kind"}, "\"homework\"", json["kind"]);
    Homework homework;
    RS_ASSIGN(homework.lesson, word(json, root, "lesson"));
    RS_ASSIGN(homework.student, word(json, root, "student"));
    RS_TRY(prefixed(check_student(homework.student), {&root, "student"}));
    RS_ASSIGN(homework.seed, number<std::uint64_t>(json, root, "seed", {0, most_seed}));
    RS_ASSIGN(const auto language, word(json, root, "language"));
    RS_ASSIGN(homework.language, prefixed(parse_language(language), {&root, "language"}));
    RS_ASSIGN(homework.seal, word(json, root, "seal"));
    const auto found = json.find("questions");
    const JsonPath at{&root, "questions"};
    if (found == json.end()) return missing(root, "questions");
    if (!found->is_array() || found->size() > most_items)
      return refuse(at, "an array of at most " + std::to_string(most_items) + " questions", *found);
    for (std::size_t i = 0; i < found->size(); ++i) {
      RS_ASSIGN(homework.items.emplace_back(), item((*found)[i], {&at, {}, i}));
    }
    return homework;
  }

 private:
  Result<HomeworkItem> item(const Json& json, const JsonPath& at) const {
    RS_TRY(keys(json, at,
                {"beat", "question", "given", "choices", "how", "answer", "schedule", "attempts",
                 "hints"}));
    HomeworkItem item;
    RS_ASSIGN(item.beat, word(json, at, "beat"));
    RS_ASSIGN(const auto question, texts(json, at, "question"));
    for (const auto& line : question) item.question += line + "\n";
    RS_ASSIGN(item.given, word(json, at, "given"));
    RS_ASSIGN(item.choices, texts(json, at, "choices"));
    RS_ASSIGN(item.how, word(json, at, "how"));
    RS_ASSIGN(item.answer, answer(json, at));
    RS_ASSIGN(item.is_schedule, flag(json, at, "schedule"));
    RS_ASSIGN(item.attempts, texts(json, at, "attempts"));
    if (item.attempts.size() > most_attempts)
      return refuse({&at, "attempts"},
                    "at most " + std::to_string(most_attempts) + " attempts are recorded");
    RS_ASSIGN(item.hints, number(json, at, "hints", {0, hint_count, 0}));
    return item;
  }

  Result<std::vector<std::string>> texts(const Json& json, const JsonPath& at,
                                         std::string_view key) const {
    std::vector<std::string> list;
    const auto found = json.find(key);
    if (found == json.end()) return list;
    if (!found->is_array()) return refuse({&at, key}, "a list of texts in quotes", *found);
    for (const Json& text : *found) {
      if (!text.is_string()) return refuse({&at, key}, "texts in quotes", text);
      list.push_back(text.get<std::string>());
    }
    return list;
  }

  /// As people write it: in quotes, a bare number, or a list of lines.
  Result<std::string> answer(const Json& json, const JsonPath& at) const {
    const auto found = json.find("answer");
    if (found == json.end() || found->is_null()) return std::string();
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number()) return found->dump();
    if (!found->is_array())
      return refuse({&at, "answer"}, "an answer in quotes, or a list of lines", *found);
    RS_ASSIGN(const auto lines, texts(json, at, "answer"));
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    return text;
  }
};

}  // namespace

std::string to_json(const Homework& homework) {
  Json questions = Json::array();
  for (const auto& item : homework.items) questions.push_back(as_json(item));
  const Json json{{"ringside", 1},
                  {"kind", "homework"},
                  {"note",
                   "Fill in each \"answer\", here or with: ringside learn --homework FILE. "
                   "Leave the rest as it is: the seal tells."},
                  {"lesson", homework.lesson},
                  {"student", homework.student},
                  {"seed", homework.seed},
                  {"language", name(homework.language)},
                  {"questions", questions},
                  {"seal", seal_of(homework)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Homework> homework_from_json(std::string_view text, std::string_view file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  RS_ASSIGN(const Json json, Reader::parse(text, file, {"homework", most_homework, max_depth}));
  return Reader(file).homework(json);
}

}  // namespace ringside::lessons
