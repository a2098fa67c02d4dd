#include "viz/scenario/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "viz/scenario/in_parallel.hpp"

namespace ringside::scenario {
namespace {

/// What one thread does at a time: one algorithm at one size, or all where the fastest is wanted.
struct Part {
  Bytes size;
  std::span<const Algorithm* const> entrants;
  bool is_done = false;
  std::optional<Sweep::Kept> kept{};
  std::vector<Contest::LeftOut> left_out{};
  std::optional<Error> error{};
};

std::vector<Part> parts_of(const Contest& contest, std::span<const Bytes> sizes) {
  std::vector<Part> parts;
  const auto entrants = contest.entrants();
  for (const Bytes size : sizes) {
    if (contest.wants_fastest()) parts.push_back({size, entrants});
    for (std::size_t e = 0; e < entrants.size() && !contest.wants_fastest(); ++e)
      parts.push_back({size, entrants.subspan(e, 1)});
  }
  return parts;
}

class Crew {
 public:
  Crew(Contest& contest, std::span<Part> parts, const Sweep::Keep& keep,
       const Sweep::Conduct& conduct)
      : contest_(contest),
        parts_(parts),
        keep_(keep),
        conduct_(conduct),
        first_wrong_(parts.size()) {}

  void work() {
    in_parallel(parts_.size(), threads_for(contest_.ranks(), conduct_.threads),
                [&](std::size_t at) {
                  if (at < first_wrong_ && !conduct_.is_stopped()) take(at);
                });
  }

 private:
  void take(std::size_t at) {
    Part& part = parts_[at];
    const auto patience = [this](std::uint64_t) { return !conduct_.is_stopped(); };
    const auto kept = contest_.run({part.size, part.entrants, patience}, part.left_out,
                                   [&](Contest::Run& run) -> Result<void> {
                                     RS_ASSIGN(part.kept, keep_(run));
                                     return {};
                                   });
    const std::scoped_lock lock(mutex_);
    if (conduct_.is_stopped()) return;  // it may have been cut short
    part.is_done = true;
    if (!kept) {
      part.error = kept.error();
      first_wrong_ = std::min<std::size_t>(first_wrong_, at);
    }
    conduct_.progress(++done_, parts_.size(), part.size);
  }

  Contest& contest_;
  std::span<Part> parts_;
  const Sweep::Keep& keep_;
  const Sweep::Conduct& conduct_;
  std::atomic<std::size_t> first_wrong_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

Result<Sweep::Outcome> Sweep::run(Contest& contest, std::span<const Bytes> sizes, const Keep& keep,
                                  const Conduct& conduct) {
  auto parts = parts_of(contest, sizes);
  Crew(contest, parts, keep, conduct).work();
  Outcome outcome{.kept = {}, .notes = {}, .of = parts.size()};
  for (auto part = parts.begin(); part != parts.end();) {
    std::vector<Contest::LeftOut> left_out;
    const Bytes size = part->size;
    for (; part != parts.end() && part->size == size; ++part) {
      if (!part->is_done) continue;
      if (part->error) return tl::unexpected(*part->error);
      ++outcome.done;
      if (part->kept) outcome.kept.push_back(*std::move(part->kept));
      left_out.insert(left_out.end(), part->left_out.begin(), part->left_out.end());
    }
    for (auto& note : Contest::notes_of(left_out, size)) outcome.notes.push_back(std::move(note));
  }
  return outcome;
}

}  // namespace ringside::scenario
