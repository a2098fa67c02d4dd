#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/fake_cuda/world.hpp"

namespace fake {

/// What one rank gives another: a message, or its share of a collective.
struct Letter {
  std::vector<std::byte> data;
  std::string terms;                   ///< of a collective: what all ranks must say alike
  std::uint64_t group = 0;             ///< of the sender
  Clock at = 0;                        ///< when it was posted; 0 from other processes
  std::function<void(Clock)> taken{};  ///< somebody took it; may be null
};

/// Who waits for a letter.
struct Waiter {
  std::uint64_t group = 0;  ///< of the receiver
  std::function<void(const Letter&)> take;
};

/// A lane keeps its order: messages have one, collectives another.
struct Address {
  int from = 0, to = 0, lane = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
};

/// Letters between the ranks of one communicator. Those to other processes are files in a folder
/// that is named in its unique id; whoever takes one removes it.
class Post {
 public:
  explicit Post(std::string folder) : folder_(std::move(folder)) {}
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;
  ~Post();

  /// From here on these ranks are in this process and all others elsewhere. Waits for those; false:
  /// they do not come. Each says a line of itself.
  bool open(const std::map<int, std::string>& here, int ranks, std::vector<std::string>& said);
  void send(const Address& address, Letter letter);
  void receive(const Address& address, Waiter waiter);
  /// Sees what came from other processes; true if something did.
  bool look();
  /// A rank is gone, and takes with it what it waits for.
  void forget(int rank);
  /// Pairs of ranks that group their messages in two ways: as NCCL has it, undefined.
  std::uint64_t differing_groups() const { return differing_; }

 private:
  struct Box {
    std::deque<Letter> letters;
    std::deque<Waiter> waiters;
    std::uint64_t sent = 0, came = 0;             // from and to other processes
    std::uint64_t last_sent = 0, last_taken = 0;  // groups of the last match
  };
  struct Abroad {
    std::string path;
    std::function<void(Clock)> taken;
  };
  /// Of what this process left in the folder nothing stays, taken or not.
  void clean_up();
  bool is_here(int rank) const { return !is_spread_ || here_.contains(rank); }
  std::string path(const Address& address, std::uint64_t number) const;
  void match(const Address& address, Box& box);
  bool fetch(const Address& address, Box& box);

  std::string folder_;
  bool is_spread_ = false;
  std::map<int, std::string> here_;
  std::map<Address, Box> boxes_;
  std::vector<Abroad> abroad_;
  std::uint64_t differing_ = 0;
};

}  // namespace fake
