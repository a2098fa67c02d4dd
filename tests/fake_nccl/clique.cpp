#include "tests/fake_nccl/clique.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "tests/fake_cuda/access.hpp"

namespace fake {
namespace {

constexpr Clock launch_cost = 5'000'000, byte_cost = 10;  // picoseconds

/// How one call's bytes lie in memory.
struct Range {
  const std::byte* begin;
  std::size_t bytes;
  bool is_written;
};

bool overlap(const Range& a, const Range& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

}  // namespace

Trouble trouble_of_environment() {
  Trouble trouble;
  const char* const text = std::getenv("RINGSIDE_FAKE_NCCL");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const auto item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const auto value = std::string(item.substr(std::min(item.size(), item.find('=') + 1)));
    if (item.starts_with("lose=")) trouble.lose = std::stoull(value);
    if (item.starts_with("error=")) trouble.error = std::stoull(value);
    trouble.abort_hangs |= item == "abort=hang";
    trouble.init_hangs |= item == "init=hang";
  }
  return trouble;
}

}  // namespace fake

using fake::Call;
using fake::Clock;
using fake::Group;
using fake::Kind;

/// Each call within memory of its device; in a group nothing is received where something else is
/// received or sent from.
bool ncclComm::check_memory(const Group& group) const {
  std::vector<fake::Range> messages;
  for (const Call& call : group.calls) {
    const fake::Touch reads{call.source, call.source_bytes(rank, clique->ranks), false},
        writes{call.target, call.target_bytes(rank, clique->ranks), true};
    for (const auto& touch : {reads, writes}) {
      const auto code = fake::check_touch(*world, device, touch, fake::Toucher::kernel);
      if (code != cudaSuccess) world->sticky = code;
      if (code != cudaSuccess) return false;
      if (call.kind != Kind::send && call.kind != Kind::receive) continue;
      if (touch.bytes > 0)
        messages.push_back(
            {static_cast<const std::byte*>(touch.at), touch.bytes, touch.is_written});
    }
  }
  for (std::size_t i = 0; i < messages.size(); ++i)
    for (std::size_t j = 0; j < messages.size(); ++j)
      if (i != j && messages[i].is_written && overlap(messages[i], messages[j])) {
        world->violation("rank " + std::to_string(rank) +
                         " uses in one group what the group receives");
        return false;
      }
  return true;
}

void ncclComm::arrive(const std::shared_ptr<Group>& group, Clock at) {
  if (is_aborted) return done(group, at);
  group->latest = at;
  group->cost = fake::launch_cost;
  group->left = group->calls.size();
  if (!check_memory(*group)) return;
  if (trouble.error > 0 && groups >= trouble.error) {
    error = ncclRemoteError;
    return;
  }
  for (const Call& call : group->calls) post(group, call, at);
}

void ncclComm::done(const std::shared_ptr<Group>& group, Clock at) {
  group->latest = std::max(group->latest, at);
  if (group->left > 1) {
    --group->left;
    return;
  }
  group->left = 0;
  group->over->passed = true;
  group->over->at = group->latest + group->cost;
  std::erase(under_way, group);
}

void ncclComm::post(const std::shared_ptr<Group>& group, const Call& call, Clock at) {
  const auto bytes = call.source_bytes(rank, clique->ranks);
  group->cost += fake::byte_cost * static_cast<Clock>(bytes);
  const auto* const from = static_cast<const std::byte*>(call.source);
  if (call.kind == Kind::send) {
    if (++sends == trouble.lose) return;
    fake::Letter letter{{from, from + bytes}, "", group->number, at, {}};
    letter.taken = [this, group](Clock when) { done(group, when); };
    clique->post.send({rank, call.peer, 0}, std::move(letter));
  } else if (call.kind == Kind::receive) {
    const auto wanted = call.target_bytes(rank, clique->ranks);
    clique->post.receive({call.peer, rank, 0},
                         {group->number, [this, group, call, wanted](const fake::Letter& l) {
                            if (l.data.size() != wanted)
                              world->violation("rank " + std::to_string(rank) + " receives " +
                                               std::to_string(wanted) + " B, but " +
                                               std::to_string(l.data.size()) + " B are sent");
                            if (l.data.size() < wanted) return;  // waits for the rest
                            if (wanted > 0) std::memcpy(call.target, l.data.data(), wanted);
                            done(group, l.at);
                          }});
  } else {
    post_collective(group, call, at);
  }
  if (const auto differing = clique->post.differing_groups(); differing > 0)
    world->violation("two ranks group their messages in two ways");
}

/// Each rank gives its share to all; done is who has all shares.
void ncclComm::post_collective(const std::shared_ptr<Group>& group, const Call& call, Clock at) {
  const auto bytes = call.source_bytes(rank, clique->ranks);
  const auto* const from = static_cast<const std::byte*>(call.source);
  const auto terms = std::to_string(static_cast<int>(call.kind)) + "/" +
                     std::to_string(call.count) + "/" + std::to_string(call.type) + "/" +
                     std::to_string(call.op) + "/" + std::to_string(call.peer);
  struct Shares {
    std::vector<std::vector<std::byte>> all;
    int missing;
  };
  const auto n = clique->ranks;
  const auto shares =
      std::make_shared<Shares>(Shares{std::vector<std::vector<std::byte>>(std::size_t(n)), n});
  fake::Reducing reducing{*fake::element_type(call.type)};
  using Op = ringside::ReduceOp;
  constexpr Op plain[] = {Op::sum, Op::prod, Op::max, Op::min, Op::avg};
  if (call.op < ncclNumOps)
    reducing.op = plain[call.op];
  else
    reducing = ops[static_cast<std::size_t>(call.op - ncclNumOps)];
  for (int peer = 0; peer < n; ++peer) {
    clique->post.send({rank, peer, 1}, {{from, from + bytes}, terms, group->number, at, {}});
    clique->post.receive({peer, rank, 1},
                         {group->number, [=, this](const fake::Letter& letter) {
                            if (letter.terms != terms) {
                              world->violation("ranks do not call the same collective: " + terms +
                                               " and " + letter.terms);
                              return;  // and all wait for ever
                            }
                            shares->all[std::size_t(peer)] = letter.data;
                            group->latest = std::max(group->latest, letter.at);
                            if (--shares->missing > 0) return;
                            const auto result = fake::result_of(call, rank, shares->all, reducing);
                            if (!result.empty())
                              std::memcpy(call.target, result.data(), result.size());
                            done(group, letter.at);
                          }});
  }
}
