#include "gpu/host/scheduling.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ringside::host {

#if defined(__linux__)

namespace {

/// As sched_setattr(2) takes it: glibc has no name for it before 2.41.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t slice = 0;  // nanoseconds, since Linux 6.12
  std::uint64_t deadline = 0, period = 0;
};

constexpr std::uint32_t scheduled_by_default = 0;
constexpr std::uint64_t shortest_slice = 100'000;  // the kernel grants no shorter one

/// The slice it had before, 0 if that was not changed.
std::uint64_t change_slice(std::uint64_t slice) {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return 0;
  const auto before = attributes.slice;
  if (attributes.policy != scheduled_by_default || before == slice) return 0;
  attributes.slice = slice;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? before : 0;
}

}  // namespace

ShortSlices::ShortSlices() : before_(change_slice(shortest_slice)) {}

ShortSlices::~ShortSlices() {
  if (before_ > 0) change_slice(before_);
}

#else

ShortSlices::ShortSlices() = default;
ShortSlices::~ShortSlices() = default;

#endif

}  // namespace ringside::host
