// Markdown of lessons, expressions and typed amounts: any bytes will do.

#include <cstdlib>

#include "lessons/course/expression.hpp"
#include "lessons/course/markdown.hpp"
#include "lessons/course/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace ringside;
  using namespace ringside::lessons;
  const std::string_view text(data, size);
  for (const Block& block : parse_markdown(text))
    if (block.kind == BlockKind::table ? block.rows.empty() : !block.rows.empty()) std::abort();
  const auto same = filled(text, [](const Mention& one) -> Result<std::string> {
    return "{" + one.name + (one.format.empty() ? "" : ":" + one.format) + "}";
  });
  if (!same) std::abort();
  const auto unit = static_cast<Unit>(size % 8);
  if (const auto amount = parse_amount(text, unit); amount && show(*amount, unit).empty())
    std::abort();
  const Values names{{"n", {4, Unit::none}}, {"S", {1e6, Unit::bytes}}};
  const auto value = evaluate(text, Scope{names, [](std::string_view) -> Result<ExperimentPtr> {
                                            return bad_request("closed");
                                          }});
  if (!value && value.error().message.empty()) std::abort();
  return 0;
}
