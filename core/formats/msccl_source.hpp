#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/msccl_xml.hpp"

namespace pugi {
class xml_node;
}

namespace ringside {

/// MSCCL's names of collectives. `custom` stands for whatever the steps do.
struct MscclCollective {
  std::string_view name;
  CollectiveKind kind;
};
std::optional<CollectiveKind> msccl_collective(std::string_view name);
std::string_view msccl_name(CollectiveKind kind);  ///< `allreduce`, ...; else `custom`

/// Reads attributes of one file's elements; every error is one sentence that starts with its name.
class MscclSource {
 public:
  struct Range {
    std::int64_t least;
    std::uint64_t most;
    std::optional<std::int64_t> missing = {};  ///< what an attribute that is not there stands for
  };

  explicit MscclSource(std::string_view name) : file_(name) {}

  tl::unexpected<Error> refuse(const std::string& where, const std::string& what) const;
  Result<std::uint64_t> large(const pugi::xml_node& node, const char* key, const std::string& where,
                              Range range) const;
  /// The same in 32 bits; -1 is UINT32_MAX ("none").
  Result<std::uint32_t> number(const pugi::xml_node& node, const char* key,
                               const std::string& where, Range range) const;
  /// What counts from 0 without gaps.
  Result<void> counts(const pugi::xml_node& node, const char* key, const std::string& where,
                      std::size_t due) const;

 private:
  std::string file_;
};

/// The root element.
struct MscclRoot {
  MscclHeader header;
  CollectiveSpec spec;
  bool is_custom = false;
  std::vector<std::string> notes;
};
Result<MscclRoot> read_msccl_root(const pugi::xml_node& algo, const MscclSource& source);

}  // namespace ringside
