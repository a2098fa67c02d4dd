#include "viz/window/picture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <SFML/Graphics/Image.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/file.hpp"

namespace ringside::window {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_write(const std::string& path, const std::string& why) {
  return bad_request("cannot write " + path + ": " + why);
}

std::string extension(const std::string& path) {
  return fs::path(path).extension().string();
}

/// What turns raw pictures into a film of that kind.
std::vector<std::string> encoder(const std::string& kind, sf::Vector2u size, double frame_seconds) {
  std::vector<std::string> words{"ffmpeg",   "-loglevel",
                                 "error",    "-y",
                                 "-f",       "rawvideo",
                                 "-pix_fmt", "rgba",
                                 "-s",       fmt::format("{}x{}", size.x, size.y),
                                 "-r",       fmt::format("{:.4f}", 1 / frame_seconds),
                                 "-i",       "-"};
  const std::vector<std::string> as_gif{
      "-filter_complex",
      "fps=25,split[all][sample];[sample]palettegen[colours];[all][colours]paletteuse=dither=none"};
  const std::vector<std::string> as_mp4{
      "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"};
  const auto& more = kind == ".gif" ? as_gif : as_mp4;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool is_installed(const char* program) {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const auto end = std::min(folders.find(':', begin), folders.size());
    if (access((folders.substr(begin, end - begin) + "/" + program).c_str(), X_OK) == 0)
      return true;
    begin = end + 1;
  }
  return false;
}

/// Starts it with a pipe as its input. Its process, or -1.
int spawn(std::vector<std::string> words, int& input) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[0]);
  input = ends[1];
  return child;
}

bool write_all(int to, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto n = write(to, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

/// A rename would put a file in the place of a device such as /dev/null.
Result<void> check_replaceable(const std::string& path) {
  std::error_code none;
  const auto kind = fs::status(path, none).type();
  if (kind == fs::file_type::not_found || kind == fs::file_type::none ||
      kind == fs::file_type::regular)
    return {};
  return bad_request("cannot write " + path + ": it is there, and no regular file");
}

bool is_film(const std::string& path) {
  return extension(path) == ".mp4" || extension(path) == ".gif";
}

/// Folders are made as needed, inside the first that is there.
Result<void> check_folder(const std::string& path) {
  std::error_code none;
  fs::path there = fs::absolute(path, none);
  while (!fs::exists(there, none) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, none))
    return cannot_write(path, there.string() + " is there, and no folder");
  if (access(there.c_str(), W_OK | X_OK) != 0) return cannot_write(path, std::strerror(errno));
  return {};
}

}  // namespace

Result<void> check_picture(const std::string& path) {
  RS_TRY(check_replaceable(path));
  return check_writable(path);
}

Result<void> save_png(const std::string& path, const Pixels& pixels) {
  RS_TRY(check_replaceable(path));
  sf::Image image;
  image.create(pixels.size.x, pixels.size.y, pixels.rgba.data());
  const std::string part = path + ".part.png";
  std::error_code failed;
  if (!image.saveToFile(part)) return cannot_write(path, std::strerror(errno));
  fs::rename(part, path, failed);
  if (!failed) return {};
  const auto why = failed.message();
  fs::remove(part, failed);
  return cannot_write(path, why);
}

Result<void> Recorder::check(const std::string& path) {
  if (!is_film(path)) {
    if (extension(path).empty()) return check_folder(path);
    return bad_request(path +
                       ": a film is a .mp4 or a .gif, or a folder of PNG pictures (a name without "
                       "a dot)");
  }
  RS_TRY(check_picture(path));
  if (is_installed("ffmpeg")) return {};
  return machine_lacks(
      "a film needs ffmpeg, which is not installed: as root, apt-get install "
      "ffmpeg; or take a folder of pictures, --record frames");
}

Result<Recorder> Recorder::start(const std::string& path, sf::Vector2u size, double frame_seconds) {
  RS_TRY(check(path));
  Recorder recorder(path);
  recorder.size_ = size;
  if (!is_film(path)) {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed) return cannot_write(path, failed.message());
    return recorder;
  }
  const auto kind = extension(path);
  recorder.part_ = path + ".part" + kind;
  auto words = encoder(kind, size, frame_seconds);
  words.push_back(recorder.part_);
  signal(SIGPIPE, SIG_IGN);
  recorder.encoder_ = spawn(words, recorder.pipe_);
  if (recorder.encoder_ < 0) return machine_lacks("could not start ffmpeg");
  return recorder;
}

Recorder::Recorder(Recorder&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      size_(other.size_),
      frames_(other.frames_),
      pipe_(std::exchange(other.pipe_, -1)),
      encoder_(std::exchange(other.encoder_, 0)) {}

Recorder::~Recorder() {
  if (pipe_ >= 0) close(pipe_);
  if (encoder_ > 0) waitpid(encoder_, nullptr, 0);
}

Result<void> Recorder::add(const Pixels& pixels) {
  ++frames_;
  if (pixels.size != size_)
    return gone_wrong("the window changed its size while " + path_ + " was recorded");
  if (part_.empty()) return save_png(fmt::format("{}/frame_{:05}.png", path_, frames_), pixels);
  if (!write_all(pipe_, pixels.rgba))
    return cannot_write(path_, "ffmpeg stopped; it says why above");
  return {};
}

Result<void> Recorder::finish() {
  if (part_.empty()) return {};
  close(std::exchange(pipe_, -1));
  int status = 0;
  waitpid(std::exchange(encoder_, 0), &status, 0);
  if (status != 0) return cannot_write(path_, "ffmpeg failed; it says why above");
  std::error_code failed;
  fs::rename(part_, path_, failed);
  if (failed) return cannot_write(path_, failed.message());
  return {};
}

}  // namespace ringside::window
