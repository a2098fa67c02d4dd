#include "viz/window/worker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ringside::window {
namespace {

namespace fs = std::filesystem;

std::string program_beside() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).replace_filename("ringside").string();
}

/// In the child: only what is safe between fork and exec.
[[noreturn]] void become(char* const* argv, int said, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the window may be killed: nothing stays behind
  if (getppid() != parent) _exit(127);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(said, STDERR_FILENO);
  execv(argv[0], argv);
  _exit(127);
}

}  // namespace

Result<Worker> Worker::start(const std::vector<std::string>& words) {
  std::vector<std::string> all{program_beside()};
  all.insert(all.end(), words.begin(), words.end());
  if (access(all.front().c_str(), X_OK) != 0)
    return machine_lacks(all.front() + " cannot be started: " + std::strerror(errno));
  std::vector<char*> argv;
  for (auto& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int said = memfd_create("said", MFD_CLOEXEC);
  if (said < 0) return machine_lacks(std::string("no room for a worker: ") + std::strerror(errno));
  const pid_t parent = getpid(), child = fork();
  if (child == 0) become(argv.data(), said, parent);
  if (child > 0) return Worker(child, said);
  const std::string why = std::strerror(errno);
  close(said);
  return machine_lacks("no process can be started: " + why);
}

Worker::Worker(Worker&& other) noexcept
    : child_(std::exchange(other.child_, -1)), said_(std::exchange(other.said_, -1)) {}

Worker::~Worker() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (said_ >= 0) close(said_);
}

std::optional<Result<void>> Worker::ended() {
  int status = 0;
  if (child_ < 0 || waitpid(child_, &status, WNOHANG) == 0) return std::nullopt;
  child_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Result<void>{};
  std::string sentence = last_words();
  if (sentence.empty())
    sentence = WIFSIGNALED(status)
                   ? "the run here was ended by signal " + std::to_string(WTERMSIG(status))
                   : "the run here ended with status " + std::to_string(WEXITSTATUS(status));
  return Result<void>{bad_request(sentence)};
}

/// The first line, which is all that our programs say when they refuse.
std::string Worker::last_words() const {
  constexpr std::string_view prefix = "ringside: ";
  std::array<char, 1024> text{};
  const ssize_t length = pread(said_, text.data(), text.size(), 0);
  std::string_view line(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  line = line.substr(0, line.find('\n'));
  if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  return std::string(line);
}

Result<PrivateFolder> PrivateFolder::make() {
  std::error_code none;
  std::string path = (fs::temp_directory_path(none) / "ringside-XXXXXX").string();
  if (mkdtemp(path.data()) != nullptr) return PrivateFolder(path);
  return machine_lacks("no folder can be made in " + fs::path(path).parent_path().string() + ": " +
                       std::strerror(errno));
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ringside::window
