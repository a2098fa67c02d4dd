#pragma once

/// Functions that CPUs and GPUs share, bit for bit; without nvcc they are functions like any other.
#if defined(__CUDACC__)
#define RS_HOST_DEVICE __host__ __device__
#else
#define RS_HOST_DEVICE
#endif
