#include "gpu/mpi/world.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "core/farewell.hpp"
#include "gpu/mpi/shared_window.hpp"

namespace ringside::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int tag = 0;
/// How long one who gives up waits for the others to answer; part of the time they may take.
constexpr auto grace = std::chrono::milliseconds(500);
/// The same where mpirun will not wait long before it kills.
constexpr auto last_grace = std::chrono::milliseconds(200);
constexpr int spins_before_yield = 50;
/// A look at MPI finds what an earlier one fetched, and then fetches what has come since: so many
/// find all that lay there before the first, even where it has been piling up.
constexpr int looks_for_all = 100;
/// Whoever has not looked for longer was not waiting, but stopped.
constexpr auto longest_gap = std::chrono::milliseconds(100);
constexpr unsigned seconds_to_end = 60;

World* the_world = nullptr;  // MPI itself is one for the whole process

// A signal does no more than leave word here: whoever waits looks every millisecond.
volatile std::sig_atomic_t waits = 0, told_to_end = 0;

/// Without a wait, and the second time, it ends the process as ever.
extern "C" void take_sigterm(int signal) {
  std::signal(signal, SIG_DFL);
  if (waits > 0)
    told_to_end = 1;
  else
    std::raise(signal);
}

void listen_to_sigterm() {
  const auto before = std::signal(SIGTERM, take_sigterm);
  if (before != SIG_DFL) std::signal(SIGTERM, before);  // somebody else listens
}

Duration duration(Clock::duration d) {
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

Clock::duration clock_duration(Duration d) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::nanoseconds(d.picoseconds / 1000));
}

/// One letter from each other process, as they come.
class Mailbox {
 public:
  Mailbox(MPI_Comm comm, std::uint32_t rank, std::uint32_t size)
      : coming_(size), comm_(comm), letters_(size) {
    for (std::uint32_t p = 0; p < size; ++p)
      if (p != rank) silent_.push_back(p);
  }

  /// Takes what has arrived. True if something has.
  bool look() {
    const auto before = silent_.size();
    silent_.erase(
        std::remove_if(silent_.begin(), silent_.end(), [&](std::uint32_t p) { return take(p); }),
        silent_.end());
    return silent_.size() != before;
  }
  const std::vector<std::uint32_t>& silent() const { return silent_; }
  std::vector<std::string>& letters() { return letters_; }

 private:
  bool take(std::uint32_t from) {
    auto& [letter, request] = coming_[from];
    int here = 0, size = 0;
    if (request == MPI_REQUEST_NULL) {
      MPI_Message message{};
      MPI_Status status{};
      MPI_Improbe(static_cast<int>(from), tag, comm_, &here, &message, &status);
      if (here == 0) return false;
      MPI_Get_count(&status, MPI_BYTE, &size);
      letter.resize(static_cast<std::size_t>(size));
      MPI_Imrecv(letter.data(), size, MPI_BYTE, &message, &request);
    }
    MPI_Test(&request, &here, MPI_STATUS_IGNORE);
    if (here != 0) letters_[from] = std::move(letter);
    return here != 0;
  }

  struct Coming {
    std::string letter{};
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::vector<Coming> coming_;  // by process
  MPI_Comm comm_;
  std::vector<std::string> letters_;  // by process
  std::vector<std::uint32_t> silent_;
};

std::vector<MPI_Request> send_to_all(const std::string& letter, const World& world, MPI_Comm comm) {
  std::vector<MPI_Request> requests;
  for (std::uint32_t step = 1; step < world.size(); ++step) {
    const auto to = static_cast<int>((world.rank() + step) % world.size());
    MPI_Isend(letter.data(), static_cast<int>(letter.size()), MPI_BYTE, to, tag, comm,
              &requests.emplace_back());
  }
  return requests;
}

std::string list(const std::vector<std::uint32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

// An alarm says whether it is the answer to another one, and then all that the process waits for, a
// line each: process, order, `transfer 3 ...`.

constexpr char first_to_say = '!', answer = '-';

std::string alarm_of(const std::vector<Awaited>& awaited, bool is_answer) {
  std::string text(1, is_answer ? answer : first_to_say);
  for (const auto& [process, what, order] : awaited)
    text += std::to_string(process) + " " + std::to_string(order) + " " + what + "\n";
  return text;
}

std::vector<Awaited> read_alarm(const std::string& text) {
  std::vector<Awaited> awaited;
  std::istringstream lines(text.empty() ? text : text.substr(1));
  for (Awaited one; lines >> one.process >> one.order && std::getline(lines >> std::ws, one.what);)
    awaited.push_back(one);
  return awaited;
}

/// Of all that is waited for, what must come first; what a silent process should have done comes
/// before all else.
std::string root_of(const std::vector<std::string>& alarms,
                    const std::vector<std::uint32_t>& silent) {
  std::vector<Awaited> all;
  for (const auto& alarm : alarms)
    for (auto& one : read_alarm(alarm)) all.push_back(std::move(one));
  const auto key = [&](const Awaited& one) {
    const bool is_silent = std::find(silent.begin(), silent.end(), one.process) != silent.end();
    return std::pair(!is_silent, one.order);
  };
  const auto root = std::min_element(all.begin(), all.end(),
                                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return root == all.end() ? "nothing has happened" : root->what;
}

}  // namespace

World::World() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (MPI_Comm* comm : {&data_, &words_, &alarms_}) MPI_Comm_dup(MPI_COMM_WORLD, comm);
  rank_ = static_cast<std::uint32_t>(rank);
  size_ = static_cast<std::uint32_t>(size);
  last_heard_ = Clock::now();
}

Result<World*> World::join() {
  if (the_world != nullptr) return the_world;
  int provided = 0, has_ended = 0;
  MPI_Finalized(&has_ended);
  if (has_ended != 0) return machine_lacks("a process that has left MPI cannot join it again");
  // Open MPI looks for GPUs by way of any X server, and ends with it.
  setenv("HWLOC_COMPONENTS", "-gl", 0);
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return machine_lacks("MPI could not be initialised");
  listen_to_sigterm();
  static World world;
  return the_world = &world;
}

World* World::joined() {
  return the_world;
}

Result<std::vector<std::string>> World::exchange(const std::string& letter, Duration timeout) {
  if (has_given_up_) return gone_wrong(complaint_);
  last_timeout_ = timeout;
  Patience patience(*this, timeout + duration(Clock::now() - last_heard_));
  auto requests = send_to_all(letter, *this, words_);
  Mailbox mailbox(words_, rank_, size_);
  int sent = 0;
  const auto is_done = [&] {
    if (sent == 0)
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &sent, MPI_STATUSES_IGNORE);
    return sent != 0 && mailbox.silent().empty();
  };
  while (!is_done()) {
    if (mailbox.look())
      patience.refresh();
    else if (patience.is_over()) {
      const auto& silent = mailbox.silent();
      const auto from = silent.empty() ? rank_ : silent.front();
      return tl::unexpected<Error>(give_up({{from, absence(from)}}, patience.waited()));
    }
  }
  mailbox.letters()[rank_] = letter;
  last_heard_ = Clock::now();
  return std::move(mailbox.letters());
}

Result<std::vector<std::string>> World::share(std::string_view words, Duration timeout) {
  RS_ASSIGN(auto letters, exchange(letter_with(words), timeout));
  return words_in(std::move(letters));
}

Result<void> World::meet(Duration timeout) {
  RS_TRY(share("", timeout));
  return {};
}

bool World::is_given_up() const {
  int here = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, alarms_, &here, MPI_STATUS_IGNORE);
  return here != 0;
}

Error World::give_up(const std::vector<Awaited>& awaited, Duration waited) {
  has_given_up_ = true;
  bool was_told = false;
  for (int i = 0; i < looks_for_all && !was_told; ++i) was_told = is_given_up();
  alarm_ = alarm_of(awaited, was_told);
  send_to_all(alarm_, *this, alarms_);  // whether they arrive decides nothing any more
  Mailbox mailbox(alarms_, rank_, size_);
  for (const auto end = Clock::now() + (told_to_end != 0 ? last_grace : grace);
       Clock::now() < end && !mailbox.silent().empty();)
    if (!mailbox.look()) std::this_thread::yield();
  mailbox.letters()[rank_] = alarm_;
  // The lowest of those who were not told speaks: one who wakes up late is told.
  const auto& said = mailbox.letters();
  const auto speaker = std::find_if(said.begin(), said.end(), [](const std::string& alarm) {
    return !alarm.empty() && alarm.front() == first_to_say;
  });
  speaks_for_all_ = !was_told && speaker - said.begin() == rank_;
  const auto& silent = mailbox.silent();
  const auto end =
      silent.empty()
          ? std::string("all ranks answer: a message was lost, or the time was too short")
          : list(silent) + (silent.size() == 1 ? " does" : " do") + " not answer";
  const auto what = root_of(mailbox.letters(), silent);
  complaint_ = (told_to_end != 0 ? "told to end after " : "after ") + to_string(waited) + " " +
               what + "; " + end;
  return {ErrorKind::wrong, complaint_};
}

void World::abort(int status, std::string_view complaint) const {
  if (speaks_for_all_)
    std::fprintf(stderr, "ringside: %.*s\n", static_cast<int>(complaint.size()), complaint.data());
  std::fflush(stderr);
  // Time for mpirun to pass the sentence on; and for the one who speaks to do so.
  std::this_thread::sleep_for(speaks_for_all_ ? grace / 5 : 4 * grace);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // not reached
}

int World::leave(int status, std::string_view complaint) {
  if (has_given_up_) abort(std::max(status, 1), complaint.empty() ? complaint_ : complaint);
  const auto all = leave_together({status, std::string(complaint)}, [&](const std::string& letter) {
    return exchange(letter, last_timeout_);
  });
  if (!all) abort(1, all.error().message);
  if (rank_ == 0 && !all->complaint.empty())
    std::fprintf(stderr, "ringside: %s\n", all->complaint.c_str());
  ::alarm(seconds_to_end);  // MPI waits for all here, and knows no limit
  SharedWindow::free_kept();
  MPI_Finalize();
  ::alarm(0);
  the_world = nullptr;
  return all->status;
}

Patience::Patience(const World& world, Duration timeout)
    : world_(world), limit_(clock_duration(timeout)) {
  limit_ -= std::min<Clock::duration>(grace, limit_ / 4);
  waits = waits + 1;
}

Patience::~Patience() {
  waits = waits - 1;
}

bool Patience::is_over() {
  if (idle_++ == 0) begin_ = looked_ = Clock::now();
  if (idle_ < spins_before_yield) return false;
  std::this_thread::yield();
  const auto now = Clock::now();
  const auto gap = now - looked_;
  if (gap < std::chrono::milliseconds(1)) return false;
  if (gap > longest_gap) begin_ += gap;
  looked_ = now;
  return now - begin_ > limit_ || told_to_end != 0 || world_.is_given_up();
}

Duration Patience::waited() const {
  return duration(Clock::now() - begin_);
}

}  // namespace ringside::mpi
