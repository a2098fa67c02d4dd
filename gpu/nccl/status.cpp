#include "gpu/nccl/status.hpp"

#include <algorithm>
#include <cstdlib>

namespace ringside::nccl {
namespace {

/// In one line.
std::string last_error() {
  const char* const text = ncclGetLastError(nullptr);
  std::string line = text == nullptr ? "" : text;
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  std::ranges::replace(line, '\n', ' ');
  return line;
}

const char* remedy(ncclResult_t code) {
  switch (code) {
    case ncclUnhandledCudaError:
      return "NCCL_DEBUG=WARN says which call of CUDA failed";
    case ncclSystemError:
      return "NCCL_DEBUG=WARN says which call of the system failed";
    case ncclRemoteError:
      return "another rank or the network failed";
    default:
      return nullptr;
  }
}

}  // namespace

Result<void> check(ncclResult_t code, std::string_view doing) {
  if (code == ncclSuccess) return {};
  std::string sentence = "NCCL could not " + std::string(doing) + ": " + ncclGetErrorString(code);
  if (const auto why = last_error(); !why.empty()) sentence += " (" + why + ")";
  if (const char* const advice = remedy(code)) sentence += "; " + std::string(advice);
  if (code == ncclInvalidArgument || code == ncclInvalidUsage) return machine_lacks(sentence);
  return gone_wrong(sentence);
}

std::string version() {
  int code = 0;
  if (ncclGetVersion(&code) != ncclSuccess) return "of unknown version";
  const int major = code < 10000 ? code / 1000 : code / 10000;
  const int rest = code < 10000 ? code % 1000 : code % 10000;
  return std::to_string(major) + "." + std::to_string(rest / 100) + "." +
         std::to_string(rest % 100);
}

std::vector<std::string> notes() {
  std::vector<std::string> all{"NCCL " + version()};
  for (const char* const name :
       {"NCCL_ALGO", "NCCL_PROTO", "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS",
        "NCCL_MAX_CTAS", "NCCL_NVLS_ENABLE", "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL",
        "NCCL_SHM_DISABLE", "NCCL_IB_DISABLE", "NCCL_NET"})
    if (const char* const value = std::getenv(name))
      all.push_back(std::string(name) + "=" + value + " as the environment has it");
  return all;
}

}  // namespace ringside::nccl
