#include "tests/fake_cuda/world.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/fake_cuda/control.hpp"

namespace fake {
namespace {

thread_local int device_of_thread = 0;
thread_local std::uint64_t world_of_thread = 0;
thread_local cudaError_t last_error = cudaSuccess;

std::uint64_t worlds = 0;
World* the_world = nullptr;

Config config_of(const char* text) {
  std::string complaint;
  const auto config = parse_config(text == nullptr ? "" : text, complaint);
  if (config) return *config;
  std::fprintf(stderr, "%s\n", complaint.c_str());
  std::exit(2);
}

/// What a failing call of this name returns, where nobody says otherwise.
cudaError_t usual_failure(const std::string& name) {
  if (name.find("Malloc") != std::string::npos || name.find("Alloc") != std::string::npos)
    return cudaErrorMemoryAllocation;
  if (name.find("PeerAccess") != std::string::npos) return cudaErrorPeerAccessUnsupported;
  if (name == "cudaSetDevice") return cudaErrorDevicesUnavailable;
  if (name == "cudaLaunchCooperativeKernel") return cudaErrorCooperativeLaunchTooLarge;
  if (name.find("Synchronize") != std::string::npos || name.find("Query") != std::string::npos)
    return cudaErrorLaunchFailure;
  return cudaErrorUnknown;
}

/// Kernels that still run get a little time, then they are left alone.
void let_end(World& world, std::unique_lock<std::mutex>& lock) {
  const auto begin = std::chrono::steady_clock::now();
  while (!world.scheduler.is_idle() && !world.scheduler.is_stalled() &&
         std::chrono::steady_clock::now() - begin < std::chrono::seconds(5))
    world.scheduler.run(
        lock, [&] { return world.scheduler.is_idle(); }, 1000);
}

/// At the end of the program: what it left behind decides its exit status.
[[gnu::destructor]] void conclude() {
  if (the_world == nullptr) return;
  std::unique_lock lock(world_mutex());
  const auto findings = the_world->findings();
  for (const auto& finding : findings) std::fprintf(stderr, "fake CUDA: %s\n", finding.c_str());
  if (!the_world->config.fail.empty())
    std::fprintf(stderr, "fake CUDA: %s was called %llu times; call %llu %s\n",
                 the_world->config.fail.c_str(),
                 static_cast<unsigned long long>(the_world->calls[the_world->config.fail]),
                 static_cast<unsigned long long>(the_world->config.fail_call),
                 the_world->has_failed ? "failed as asked" : "never came");
  if (findings.empty()) return;
  std::fflush(nullptr);
  _exit(RINGSIDE_FAKE_CUDA_FOUND_SOMETHING);
}

cudaError_t checked(World& world, const char* name, Manner manner, const Body& body,
                    std::unique_lock<std::mutex>& lock) {
  const auto count = ++world.calls[name];
  const bool fails = world.config.fail == name && world.config.fail_call == count;
  if (fails) world.has_failed = true;
  const auto injected = world.config.fail_code != 0
                            ? static_cast<cudaError_t>(world.config.fail_code)
                            : usual_failure(name);
  if (fails && manner != Manner::release) return injected;
  if (world.config.driver == -1 && manner == Manner::usual) return cudaErrorInsufficientDriver;
  if (world.sticky != cudaSuccess && manner == Manner::usual) return world.sticky;
  const cudaError_t code = body(world, lock);
  if (fails) return injected;
  return world.sticky != cudaSuccess && manner == Manner::release ? world.sticky : code;
}

}  // namespace

World::World(const Config& pretended, std::mutex& mutex)
    : config(pretended),
      registry(pretended.seed),
      scheduler(pretended.seed, pretended.stall, mutex),
      enabled(static_cast<std::size_t>(std::max(config.devices, 0)),
              std::vector<bool>(static_cast<std::size_t>(std::max(config.devices, 0)))) {}

World::~World() {
  for (const auto stream : streams) delete stream;
  for (const auto event : events) delete event;
  for (const auto graph : graphs) delete graph;
  for (const auto exec : graph_execs) delete exec;
}

cudaError_t World::violation(const std::string& what, cudaError_t code) {
  if (violations.size() < 100) violations.push_back(what);
  return code;
}

std::vector<std::string> World::findings() const {
  auto all = registry.leaks();
  const auto count = [&](std::size_t number, const char* what) {
    if (number > 0) all.push_back("never destroyed: " + std::to_string(number) + what);
  };
  count(streams.size(), " stream(s)");
  count(events.size(), " event(s)");
  count(graphs.size(), " graph(s)");
  count(graph_execs.size(), " executable graph(s)");
  for (const auto& [what, number] : guests)
    count(static_cast<std::size_t>(std::max<std::int64_t>(number, 0)), what.c_str());
  all.insert(all.end(), violations.begin(), violations.end());
  return all;
}

int& current_device() {
  if (world_of_thread != worlds) device_of_thread = 0;
  world_of_thread = worlds;
  return device_of_thread;
}

std::mutex& world_mutex() {
  static std::mutex mutex;
  return mutex;
}

World& world() {
  if (the_world == nullptr) {
    the_world = new World(config_of(std::getenv("RINGSIDE_FAKE_CUDA")), world_mutex());
    ++worlds;
  }
  return *the_world;
}

cudaError_t call(const char* name, Manner manner, const Body& body) {
  std::unique_lock lock(world_mutex());
  const cudaError_t code = checked(world(), name, manner, body, lock);
  if (code != cudaSuccess && code != cudaErrorNotReady) last_error = code;
  return code;
}

}  // namespace fake

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(fake::last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return fake::last_error;
}

int ringside_fake_cuda_restart(const char* config, char* report, std::size_t size) {
  const auto next = fake::config_of(config);  // may end the program: not with the lock
  std::unique_lock lock(fake::world_mutex());
  fake::World& before = fake::world();
  fake::let_end(before, lock);
  std::string text;
  for (const auto& finding : before.findings()) text += finding + "\n";
  if (size > 0) {
    std::strncpy(report, text.c_str(), size - 1);
    report[size - 1] = '\0';
  }
  const int findings = static_cast<int>(before.findings().size());
  delete fake::the_world;
  fake::the_world = new fake::World(next, fake::world_mutex());
  ++fake::worlds;
  fake::last_error = cudaSuccess;
  return findings;
}

std::uint64_t ringside_fake_cuda_calls(const char* name) {
  const std::lock_guard lock(fake::world_mutex());
  return fake::world().calls[name];
}

int ringside_fake_cuda_host_node() {
  const std::lock_guard lock(fake::world_mutex());
  return fake::world().host_node;
}
int ringside_fake_cuda_has_failed() {
  const std::lock_guard lock(fake::world_mutex());
  return fake::world().has_failed ? 1 : 0;
}

std::size_t ringside_fake_cuda_called(char* names, std::size_t size) {
  const std::lock_guard lock(fake::world_mutex());
  std::string text;
  for (const auto& [name, count] : fake::world().calls) text += name + " ";
  if (size > 0) {
    std::strncpy(names, text.c_str(), size - 1);
    names[size - 1] = '\0';
  }
  return text.size();
}

}  // extern "C"
