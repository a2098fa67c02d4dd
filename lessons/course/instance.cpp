#include "lessons/course/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/suggest.hpp"
#include "lessons/course/asking.hpp"

namespace ringside::lessons {
namespace {

tl::unexpected<Error> fail(const Lesson& lesson, std::uint32_t line, const std::string& sentence) {
  return bad_request(fmt::format("{}:{}: {}", lesson.file, line, sentence));
}

/// A number as a text writes it.
Result<std::string> written(const Quantity& quantity, const Mention& mention) {
  if (mention.format.empty()) return show(quantity.value, quantity.unit);
  RS_ASSIGN(const Unit unit, parse_unit(mention.format));
  return show(quantity.value, unit);
}

tl::unexpected<Error> no_such(const Mention& mention, const Values& values) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : values) known.push_back(name);
  return bad_request(unknown("number", mention.name, known));
}

/// In a share string or a moment: exact.
Result<std::string> filled_exactly(std::string_view text, const Values& values) {
  return filled(text, [&](const Mention& mention) -> Result<std::string> {
    const auto found = values.find(mention.name);
    if (found == values.end()) return no_such(mention, values);
    Quantity quantity = found->second;
    if (!mention.format.empty()) {
      RS_ASSIGN(quantity.unit, parse_unit(mention.format));
    }
    return in_share(quantity);
  });
}

}  // namespace

Instance::Instance(const Lesson& lesson, std::uint64_t seed, const Laboratory& laboratory)
    : lesson_(std::make_shared<const Lesson>(lesson)), seed_(seed), laboratory_(laboratory) {}

Result<Instance> Instance::make(const Lesson& lesson, std::uint64_t seed,
                                const Laboratory& laboratory) {
  Instance made(lesson, seed, laboratory);
  RS_TRY(made.draw(lesson.numbers, "", made.values_));
  made.scenes_.resize(lesson.beats.size());
  made.asked_.resize(lesson.beats.size());
  for (std::size_t i = 0; i < lesson.beats.size(); ++i) {
    RS_TRY(made.ask(i));
    RS_TRY(made.set_scene(i));
  }
  return made;
}

Result<Quantity> Instance::evaluate(const Values& values, const Expression& expression) const {
  const auto run = [&](std::string_view name) -> Result<ExperimentPtr> {
    for (const NamedRun& one : lesson_->runs) {
      if (one.name != name) continue;
      RS_ASSIGN(const std::string share, filled_exactly(one.share, values));
      return laboratory_.run(share);
    }
    std::vector<std::string_view> known;
    for (const NamedRun& one : lesson_->runs) known.push_back(one.name);
    return bad_request(unknown("run", name, known));
  };
  auto value = lessons::evaluate(expression.text, Scope{values, run});
  if (!value)
    return fail(*lesson_, expression.line,
                in_quotes(expression.text) + ": " + value.error().message);
  return *value;
}

Result<Quantity> Instance::evaluate(std::size_t i, const Expression& expression) const {
  return evaluate(asked_[i] ? asked_[i]->values : values_, expression);
}

Result<void> Instance::draw(const Numbers& numbers, std::string_view salt, Values& values) const {
  for (const Variable& variable : numbers.vars)
    values[variable.name] =
        variable.values[drawn(seed_, std::string(salt) + variable.name, variable.values.size())];
  for (const Definition& definition : numbers.lets) {
    RS_ASSIGN(const Quantity made, evaluate(values, definition.value));
    values[definition.name] = made;
  }
  return {};
}

Result<std::string> Instance::share(std::string_view run) const {
  for (const NamedRun& one : lesson_->runs) {
    if (one.name != run) continue;
    auto share = filled_exactly(one.share, values_);
    if (!share) return fail(*lesson_, one.line, share.error().message);
    return share;
  }
  return bad_request("the lesson has no run " + in_quotes(run));
}

Result<void> Instance::set_scene(std::size_t i) {
  const Beat& beat = lesson_->beats[i];
  Scene& scene = scenes_[i];
  if (i > 0) scene.run = scenes_[i - 1].run;
  if (!beat.run.empty()) {
    RS_ASSIGN(scene.run, share(beat.run));
  }
  if (!beat.rival.empty()) {
    RS_ASSIGN(scene.rival, share(beat.rival));
  }
  const Values& values = asked_[i] ? asked_[i]->values : values_;
  const auto moment_of = [&](const std::string& text) -> Result<std::string> {
    auto moment = filled_exactly(text, values);
    if (!moment) return fail(*lesson_, beat.line, moment.error().message);
    return moment;
  };
  RS_ASSIGN(scene.at, moment_of(beat.at));
  RS_ASSIGN(scene.play, moment_of(beat.play));
  return {};
}

Result<void> Instance::ask(std::size_t i) {
  const Beat& beat = lesson_->beats[i];
  if (!beat.ask) return {};
  Values values = values_;
  RS_TRY(draw(beat.ask->own, beat.id + "/", values));
  const Worker worker{*lesson_, seed_, beat.id, values,
                      [this](const Values& names, const Expression& expression) {
                        return evaluate(names, expression);
                      }};
  RS_ASSIGN(asked_[i], worker.ask(*beat.ask));
  return {};
}

std::optional<std::size_t> Instance::find(std::string_view beat) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (this->beat(i).id == beat) return i;
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(beat.data(), beat.data() + beat.size(), number);
  if (failure == std::errc{} && end == beat.data() + beat.size() && number >= 1 && number <= size())
    return number - 1;
  return std::nullopt;
}

Result<std::string> Instance::fill(std::size_t i, const Markdown& text) const {
  const Values& values = asked_[i] ? asked_[i]->values : values_;
  return filled(text.text, [&](const Mention& mention) -> Result<std::string> {
    if (mention.name == "answer" && asked_[i]) {
      const Asked& asked = *asked_[i];
      if (mention.format.empty() || asked.expected.size() != 1) return right_answer(asked);
      return written({asked.expected[0].value, asked.expected[0].unit}, mention);
    }
    const auto found = values.find(mention.name);
    if (found == values.end()) return no_such(mention, values);
    return written(found->second, mention);
  });
}

namespace {

const BeatText& text_of(const Instance& instance, std::size_t i, Language language) {
  static const BeatText nothing;
  const auto* text = instance.lesson().text(language).find(instance.beat(i).id);
  return text == nullptr ? nothing : *text;
}

std::string or_its_error(const Result<std::string>& text) {
  return text ? *text : text.error().message;
}

}  // namespace

std::string Instance::body(std::size_t i, Language language) const {
  return or_its_error(fill(i, text_of(*this, i, language).body));
}

std::string Instance::choice(std::size_t i, std::string_view id, Language language) const {
  const auto& choices = text_of(*this, i, language).choices;
  const auto found = choices.find(std::string(id));
  return found == choices.end() ? std::string(id) : or_its_error(fill(i, found->second));
}

std::string Instance::hint(std::size_t i, std::size_t nth, Language language) const {
  return nth < hint_count ? or_its_error(fill(i, text_of(*this, i, language).hints[nth])) : "";
}

std::string Instance::response(std::size_t i, const Verdict& verdict, Language language) const {
  const BeatText& text = text_of(*this, i, language);
  if (verdict.right) return or_its_error(fill(i, text.right));
  const auto found = text.misled.find(verdict.misconception);
  return or_its_error(fill(i, found == text.misled.end() ? text.wrong : found->second));
}

std::string Instance::notes(std::size_t i, Language language) const {
  return or_its_error(fill(i, text_of(*this, i, language).notes));
}

}  // namespace ringside::lessons
