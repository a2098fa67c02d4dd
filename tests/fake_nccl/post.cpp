#include "tests/fake_nccl/post.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

namespace fake {
namespace {

namespace fs = std::filesystem;
constexpr auto patience = std::chrono::seconds(60);

/// A file that is there is complete.
void write_file(const std::string& path, const std::string& head, const void* data,
                std::size_t size) {
  {
    std::ofstream file(path + ".part", std::ios::binary);
    file << head << '\n';
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  fs::rename(path + ".part", path);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Post::~Post() {
  clean_up();
}

void Post::clean_up() {
  if (!is_spread_) return;
  std::error_code ignored;
  for (const Abroad& letter : abroad_) fs::remove(letter.path, ignored);
  for (const auto& [rank, line] : here_)
    fs::remove(folder_ + "/hello-" + std::to_string(rank), ignored);
  fs::remove(folder_, ignored);  // the last one can
}

bool Post::open(const std::map<int, std::string>& here, int ranks, std::vector<std::string>& said) {
  here_ = here;
  is_spread_ = static_cast<int>(here.size()) < ranks;
  said.assign(static_cast<std::size_t>(ranks), "");
  for (const auto& [rank, line] : here) said[static_cast<std::size_t>(rank)] = line;
  if (!is_spread_) return true;
  fs::create_directories(folder_);
  for (const auto& [rank, line] : here)
    write_file(folder_ + "/hello-" + std::to_string(rank), line, nullptr, 0);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto path = folder_ + "/hello-" + std::to_string(rank);
    while (!fs::exists(path)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    auto text = read_file(path);
    if (!text.empty()) text.pop_back();
    said[static_cast<std::size_t>(rank)] = text;
  }
  return true;
}

std::string Post::path(const Address& a, std::uint64_t number) const {
  return folder_ + "/" + std::to_string(a.lane) + "-" + std::to_string(a.from) + "-" +
         std::to_string(a.to) + "-" + std::to_string(number);
}

void Post::send(const Address& address, Letter letter) {
  Box& box = boxes_[address];
  if (is_here(address.to)) {
    box.letters.push_back(std::move(letter));
    return match(address, box);
  }
  const auto where = path(address, box.sent++);
  write_file(where, std::to_string(letter.group) + " " + letter.terms, letter.data.data(),
             letter.data.size());
  abroad_.push_back({where, std::move(letter.taken)});
}

void Post::receive(const Address& address, Waiter waiter) {
  Box& box = boxes_[address];
  box.waiters.push_back(std::move(waiter));
  match(address, box);
}

void Post::match(const Address& address, Box& box) {
  while (!box.letters.empty() && !box.waiters.empty()) {
    const Letter letter = std::move(box.letters.front());
    const Waiter waiter = std::move(box.waiters.front());
    box.letters.pop_front();
    box.waiters.pop_front();
    if (address.lane == 0)
      differing_ += (letter.group == box.last_sent) != (waiter.group == box.last_taken);
    box.last_sent = letter.group;
    box.last_taken = waiter.group;
    waiter.take(letter);
    if (letter.taken) letter.taken(letter.at);
  }
}

bool Post::fetch(const Address& address, Box& box) {
  const auto where = path(address, box.came);
  if (!fs::exists(where)) return false;
  const auto text = read_file(where);
  fs::remove(where);
  ++box.came;
  const auto line = text.find('\n'), space = text.find(' ');
  Letter letter;
  letter.group = std::stoull(text.substr(0, space));
  letter.terms = text.substr(space + 1, line - space - 1);
  const auto* const data = reinterpret_cast<const std::byte*>(text.data());
  letter.data.assign(data + line + 1, data + text.size());
  box.letters.push_back(std::move(letter));
  match(address, box);
  return true;
}

bool Post::look() {
  if (!is_spread_) return false;
  bool came = false;
  for (auto& [address, box] : boxes_)
    while (!is_here(address.from) && !box.waiters.empty() && fetch(address, box)) came = true;
  std::vector<Abroad> gone;
  std::erase_if(abroad_, [&](Abroad& letter) {
    const bool is_gone = !fs::exists(letter.path);
    if (is_gone) gone.push_back(std::move(letter));
    return is_gone;
  });
  for (const Abroad& letter : gone)
    if (letter.taken) letter.taken(0);
  return came || !gone.empty();
}

void Post::forget(int rank) {
  for (auto& [address, box] : boxes_) {
    if (address.from == rank) box.letters.clear();
    if (address.to == rank) box.waiters.clear();
  }
  clean_up();
  abroad_.clear();
}

}  // namespace fake
