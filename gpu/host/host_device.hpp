#pragma once

/// Functions that CPUs and GPUs share, bit for bit; without nvcc they are functions like any other.
#if defined(__CUDACC__)
#define RS_HOST_DEVICE __host__ __device__
#else
#define RS_HOST_DEVICE
#endif

/// Before a loop over registers, which must have no loop left.
#if defined(__CUDA_ARCH__)
#define RS_UNROLL _Pragma("unroll")
#else
#define RS_UNROLL
#endif
