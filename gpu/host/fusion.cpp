#include "gpu/host/fusion.hpp"

#include <map>
#include <utility>

namespace ringside::host {
namespace {

/// What a place holds: the chunks that were combined to give it, in order.
using Chain = std::vector<const std::byte*>;
using Key = std::pair<std::byte*, std::uint32_t>;

Key key(const Place& place) {
  return {place.chunk, place.chunk == nullptr ? place.number : 0};
}

class Symbols {
 public:
  /// False where it cannot be said as a chain.
  bool apply(const Operation& op) {
    const auto source = value(op.source);
    if (source.empty()) return false;
    if (op.kind == Operation::Kind::copy) return set(op.target, source);
    if (op.kind != Operation::Kind::reduce) return false;
    const auto with = value(op.with);
    if (with.empty() || (source.size() > 1 && with.size() > 1)) return false;
    auto chain = source.size() > 1 ? source : with;
    chain.push_back(source.size() > 1 ? with.front() : source.front());
    return set(op.target, chain);
  }

  std::optional<Fusion> fusion() const {
    Fusion fusion;
    for (const auto& [place, chain] : written_) {
      if (place.first == nullptr) continue;  // the room: nobody looks at it afterwards
      if (!fusion.targets.empty() && chain != fusion.sources) return std::nullopt;
      fusion.targets.push_back(place.first);
      fusion.sources = chain;
    }
    if (fusion.targets.empty()) return std::nullopt;
    return fusion;
  }

 private:
  Chain value(const Place& place) const {
    const auto found = written_.find(key(place));
    if (found != written_.end()) return found->second;
    return place.chunk == nullptr ? Chain{} : Chain{place.chunk};
  }
  bool set(const Place& place, Chain chain) {
    written_[key(place)] = std::move(chain);
    return true;
  }

  std::map<Key, Chain> written_;
};

}  // namespace

std::optional<Fusion> fuse(const SlicePlan& plan, const Strand& strand) {
  // A tree of many operations would be found out only after long chains had been copied about.
  constexpr std::uint32_t most_operations = 512;
  if (strand.last - strand.first > most_operations || strand.elements == 0) return std::nullopt;
  Symbols symbols;
  for (auto i = strand.first; i < strand.last; ++i) {
    const Operation& op = plan.operations[i];
    if (op.elements != strand.elements || !symbols.apply(op)) return std::nullopt;
  }
  return symbols.fusion();
}

}  // namespace ringside::host
