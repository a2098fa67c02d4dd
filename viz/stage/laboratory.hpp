#pragma once

#include <memory>
#include <string>

#include "lessons/course/laboratory.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// What lessons run, each share string staged once; the window draws the very runs that answers
/// are taken from. Not thread-safe. Copies share.
class Shelf {
 public:
  Shelf();
  /// Errors: what parse_share_string and stage_run refuse.
  Result<Run> run(const std::string& share) const;
  /// Its runs for lessons; outlives the shelf.
  lessons::Laboratory laboratory() const;

 private:
  struct Places;
  std::shared_ptr<Places> places_;
};

/// A staged run as lessons ask about it.
lessons::ExperimentPtr experiment(const Run& run);

}  // namespace ringside::stage
