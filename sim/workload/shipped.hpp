#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/assert.hpp"
#include "core/file.hpp"
#include "core/suggest.hpp"

namespace ringside::sim {

/// What the shipped files of one kind hold; `read` is read_model or read_gpu.
template <typename Texts, typename Read>
auto read_shipped(const Texts& texts, Read read) {
  std::vector<typename decltype(read("", ""))::value_type> all;
  for (const auto& text : texts) {
    auto one = read(text.toml, std::string(text.name) + ".toml");
    RS_ASSERT(one, one ? "" : one.error().message);
    RS_ASSERT(one->name == text.name, "what is shipped is named as its file");
    all.push_back(*std::move(one));
  }
  return all;
}

/// One of `all` by name or alias, or the file of that path. `what` it is, for the error.
template <typename T, typename Read>
Result<T> find_shipped(std::vector<T> all, std::string_view wanted, std::string_view what,
                       Read read) {
  if (wanted.find('/') != std::string_view::npos || wanted.ends_with(".toml")) {
    RS_ASSIGN(const auto text, read_file(std::string(wanted), Bytes{2U << 20}));
    return read(text, wanted);
  }
  std::vector<std::string_view> names;
  for (auto& one : all) {
    if (one.name == wanted) return std::move(one);
    if (std::find(one.aliases.begin(), one.aliases.end(), wanted) != one.aliases.end())
      return std::move(one);
  }
  for (const auto& one : all) names.push_back(one.name);
  return bad_request(unknown(what, wanted, names));
}

}  // namespace ringside::sim
