#pragma once

/// Functions that CPUs and GPUs share, bit for bit; without nvcc they are functions like any other.
#if defined(__CUDACC__)
#define RS_HOST_DEVICE __host__ __device__
#else
#define RS_HOST_DEVICE
#endif

/// Before a loop over registers, which must have no loop left; and before one whose turns nobody
/// knows, of which compilers would make four, and four times four where they nest.
#if defined(__CUDA_ARCH__)
#define RS_UNROLL _Pragma("unroll")
#define RS_NO_UNROLL _Pragma("unroll 1")
#else
#define RS_UNROLL
#define RS_NO_UNROLL
#endif
