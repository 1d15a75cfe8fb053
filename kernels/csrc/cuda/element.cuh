// Element types as they lie in memory, and the arithmetic on them.
#pragma once

#include "launch.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace torchrig {

struct Float16 {
  using Compute = float;
  unsigned short bits;
};

struct BFloat16 {
  using Compute = float;
  unsigned short bits;
};

struct Float32 {
  using Compute = float;
  float value;
};

struct Float64 {
  using Compute = double;
  double value;
};

__device__ __forceinline__ float load(Float16 element) {
  return __half2float(__ushort_as_half(element.bits));
}
__device__ __forceinline__ float load(BFloat16 element) {
  return __uint_as_float(static_cast<unsigned int>(element.bits) << 16);
}
__device__ __forceinline__ float load(Float32 element) {
  return element.value;
}
__device__ __forceinline__ double load(Float64 element) {
  return element.value;
}

__device__ __forceinline__ void store(Float16& element, float value) {
  element.bits = __half_as_ushort(__float2half_rn(value));
}
__device__ __forceinline__ void store(BFloat16& element, float value) {
#if __CUDA_ARCH__ >= 800
  element.bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
  const unsigned int bits = __float_as_uint(value);
  const unsigned int rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  element.bits = static_cast<unsigned short>(value != value ? 0x7fffu : rounded);
#endif
}
__device__ __forceinline__ void store(Float32& element, float value) {
  element.value = value;
}
__device__ __forceinline__ void store(Float64& element, double value) {
  element.value = value;
}

// The division is the fast one (2 ulp), exact enough because 1 + exp(-x) is never tiny; it gives 0
// where exp(-x) is above 2^126, and there the sigmoid is below the smallest normal number.
template <typename T>
__device__ __forceinline__ float sigmoid(float x) {
  return __fdividef(1.0f, 1.0f + expf(-x));
}
template <>
__device__ __forceinline__ float sigmoid<Float16>(float x) {
  return __fdividef(1.0f, 1.0f + __expf(-x));
}
template <>
__device__ __forceinline__ float sigmoid<BFloat16>(float x) {
  return __fdividef(1.0f, 1.0f + __expf(-x));
}
template <typename T>
__device__ __forceinline__ double sigmoid(double x) {
  return 1.0 / (1.0 + exp(-x));
}

// kCount elements that are loaded and stored at once.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T elements[kCount];
};

template <typename T>
struct WidestPack {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(T)); // 16 bytes
};

template <typename T, int kCount>
__device__ __forceinline__ Pack<T, kCount> load_pack(const T* base, int64_t pack) {
  return reinterpret_cast<const Pack<T, kCount>*>(base)[pack];
}

template <typename T, int kCount>
__device__ __forceinline__ void store_pack(T* base, int64_t pack, const Pack<T, kCount>& value) {
  reinterpret_cast<Pack<T, kCount>*>(base)[pack] = value;
}

inline bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

// Calls `body` with a null pointer of the element's type.
template <typename Body>
void with_element(Element element, const Body& body) {
  switch (element) {
    case Element::kFloat16:
      return body(static_cast<Float16*>(nullptr));
    case Element::kBFloat16:
      return body(static_cast<BFloat16*>(nullptr));
    case Element::kFloat32:
      return body(static_cast<Float32*>(nullptr));
    case Element::kFloat64:
      return body(static_cast<Float64*>(nullptr));
  }
}

} // namespace torchrig
