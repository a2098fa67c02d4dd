#pragma once

#include <cstddef>
#include <cstdint>

// How a test in the same process speaks to the fake. A test links the real runtime and finds these
// with dlsym, so that it still starts (and skips) where the fake is not loaded.

/// The exit status of a program that left something behind, or did what no program may.
#define RINGSIDE_FAKE_CUDA_FOUND_SOMETHING 86

extern "C" {
/// Another machine from here on, as RINGSIDE_FAKE_CUDA describes one. Returns how much was found
/// wrong on the one before (leaks, touched freed memory, ...), a line each in `report`.
int ringside_fake_cuda_restart(const char* config, char* report, std::size_t size);
/// How often a function was called since then.
std::uint64_t ringside_fake_cuda_calls(const char* name);
/// Whether the failure that `fail=` orders has come.
int ringside_fake_cuda_has_failed();
/// The NUMA node that the latest pinned memory was to come from, where the kernel may be asked;
/// negative: any.
int ringside_fake_cuda_host_node();
/// The names of all functions called since then, each followed by a space; returns their length.
std::size_t ringside_fake_cuda_called(char* names, std::size_t size);
}
