#include "core/formats/measured_log.hpp"

#include "core/formats/nccl_tests.hpp"

namespace ringside {

Result<MeasuredLog> read_measured(std::string_view text, std::string_view name,
                                  const LogOptions& options) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return nccl_tests::read_json(text, name, options);
  return nccl_tests::read_text(text, name, options);
}

}  // namespace ringside
