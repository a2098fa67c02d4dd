#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "viz/stage/model.hpp"

namespace ringside::stage {

/// Time across a stretch of pixels: both ways exact to the pixel's share.
struct TimeAxis {
  TimeWindow window;  ///< from < to
  double left = 0, right = 1;

  double x(TimePoint t) const;
  TimePoint at(double x) const;  ///< clamped to the window
  /// Time that `pixels` stand for.
  Duration span(double pixels) const;
};

/// Round moments, 1, 2 or 5 times a power of ten apart, at least `least_pixels` from each other.
std::vector<TimePoint> round_moments(const TimeAxis& axis, double least_pixels);

/// Transfers as bars: a row a sender, lanes in it where several leave at once.
struct Bar {
  TransferId id;
  std::uint32_t row = 0, lane = 0;
  TimePoint begin, read, arrival;  ///< as the span says
};

/// All bars of a run, laid out in rows. Local transfers are not shown: they cross no wire.
class SpaceTime {
 public:
  explicit SpaceTime(const StagedRun& run);

  std::uint32_t rows() const { return static_cast<std::uint32_t>(row_begin_.size()) - 1; }
  std::uint32_t lanes() const { return lanes_; }  ///< in every row, so that bars are equally high
  std::span<const Bar> row(std::uint32_t r) const {
    return std::span(bars_).subspan(row_begin_[r], row_begin_[r + 1] - row_begin_[r]);
  }
  /// The bar there: of those in the lane the one that covers `t` until its arrival.
  std::optional<TransferId> hit(std::uint32_t row, std::uint32_t lane, TimePoint t) const;
  const Bar* find(TransferId id) const;  ///< null for a local one

  /// More lanes would be hairlines: later bars share them.
  static constexpr std::uint32_t most_lanes = 8;

 private:
  std::vector<Bar> bars_;  // by row, then begin, then id
  std::vector<std::uint32_t> row_begin_;
  std::vector<std::uint32_t> bar_of_;  // by TransferId; UINT32_MAX: none
  std::uint32_t lanes_ = 1;
};

}  // namespace ringside::stage
