#pragma once

#include <SFML/System/Vector2.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ringside::window {

/// What a window shows: RGBA, row by row from the top.
struct Pixels {
  sf::Vector2u size;
  std::vector<std::uint8_t> rgba;
};

/// As PNG, whatever the name. Written beside it, then renamed: nothing half-written is ever seen.
/// Errors: it cannot be written.
Result<void> save_png(const std::string& path, const Pixels& pixels);

/// One sentence if save_png(path) could not write. Nothing stays behind.
Result<void> check_picture(const std::string& path);

/// A film, frame by frame: `.mp4` or `.gif` through ffmpeg, else a folder of PNG files.
class Recorder {
 public:
  /// One sentence if start(path) would be in vain. Nothing stays behind. Errors (machine): a film
  /// was asked for, and ffmpeg is not installed.
  static Result<void> check(const std::string& path);
  /// Errors: as check's.
  static Result<Recorder> start(const std::string& path, sf::Vector2u size, double frame_seconds);
  Recorder(Recorder&& other) noexcept;
  Recorder& operator=(Recorder&&) = delete;
  ~Recorder();
  Result<void> add(const Pixels& pixels);  ///< of another size: an error
  Result<void> finish();

 private:
  explicit Recorder(std::string path) : path_(std::move(path)) {}
  std::string path_, part_;  // part_: what ffmpeg writes, renamed at the end; empty for a folder
  sf::Vector2u size_;
  unsigned frames_ = 0;
  int pipe_ = -1, encoder_ = 0;  // its process
};

}  // namespace ringside::window
