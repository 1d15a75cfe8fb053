// Sigmoid, forward and backward: one read of each input and one write, 16 bytes at a time.
#include "element.cuh"

namespace torchrig {
namespace {

constexpr int kThreads = 256;
constexpr int kPacksPerThread = 2;
constexpr int kPacksPerBlock = kThreads * kPacksPerThread;

template <typename T>
struct Forward {
  using Value = typename T::Compute;
  static __device__ __forceinline__ Value apply(Value input) {
    return sigmoid<T>(input);
  }
};

template <typename T>
struct Backward {
  using Value = typename T::Compute;
  static __device__ __forceinline__ Value apply(Value grad, Value output) {
    return grad * output * (Value(1) - output);
  }
};

template <typename Op, typename T>
__device__ __forceinline__ void apply_one(T* output, const T* input, int64_t index) {
  store(output[index], Op::apply(load(input[index])));
}

template <typename Op, typename T>
__device__ __forceinline__ void apply_one(T* output, const T* a, const T* b, int64_t index) {
  store(output[index], Op::apply(load(a[index]), load(b[index])));
}

template <typename Op, typename T, int kCount>
__global__ void __launch_bounds__(kThreads)
    unary_kernel(T* __restrict__ output, const T* __restrict__ input, int64_t count) {
  const int64_t packs = count / kCount;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kPacksPerBlock + threadIdx.x;
  Pack<T, kCount> values[kPacksPerThread];
#pragma unroll
  for (int k = 0; k < kPacksPerThread; ++k) {
    const int64_t pack = first + k * kThreads;
    if (pack < packs) {
      values[k] = load_pack<T, kCount>(input, pack);
    }
  }
#pragma unroll
  for (int k = 0; k < kPacksPerThread; ++k) {
    const int64_t pack = first + k * kThreads;
    if (pack < packs) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        store(values[k].elements[e], Op::apply(load(values[k].elements[e])));
      }
      store_pack<T, kCount>(output, pack, values[k]);
    }
  }
  const int64_t rest = packs * kCount + first;
  if (first < kCount && rest < count) {
    apply_one<Op>(output, input, rest);
  }
}

template <typename Op, typename T, int kCount>
__global__ void __launch_bounds__(kThreads) binary_kernel(
    T* __restrict__ output, const T* __restrict__ a, const T* __restrict__ b, int64_t count) {
  const int64_t packs = count / kCount;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kPacksPerBlock + threadIdx.x;
  Pack<T, kCount> left[kPacksPerThread];
  Pack<T, kCount> right[kPacksPerThread];
#pragma unroll
  for (int k = 0; k < kPacksPerThread; ++k) {
    const int64_t pack = first + k * kThreads;
    if (pack < packs) {
      left[k] = load_pack<T, kCount>(a, pack);
      right[k] = load_pack<T, kCount>(b, pack);
    }
  }
#pragma unroll
  for (int k = 0; k < kPacksPerThread; ++k) {
    const int64_t pack = first + k * kThreads;
    if (pack < packs) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        store(
            left[k].elements[e],
            Op::apply(load(left[k].elements[e]), load(right[k].elements[e])));
      }
      store_pack<T, kCount>(output, pack, left[k]);
    }
  }
  const int64_t rest = packs * kCount + first;
  if (first < kCount && rest < count) {
    apply_one<Op>(output, a, b, rest);
  }
}

// At least one block, so that a count below one pack is covered too.
unsigned int blocks_for(int64_t count, int pack_elements) {
  const int64_t packs = (count + pack_elements - 1) / pack_elements;
  return static_cast<unsigned int>((packs + kPacksPerBlock - 1) / kPacksPerBlock);
}

template <typename Op, typename T, int kCount>
void launch_unary(void* output, const void* input, int64_t count, cudaStream_t stream) {
  unary_kernel<Op, T, kCount><<<blocks_for(count, kCount), kThreads, 0, stream>>>(
      static_cast<T*>(output), static_cast<const T*>(input), count);
}

template <typename Op, typename T, int kCount>
void launch_binary(
    void* output, const void* a, const void* b, int64_t count, cudaStream_t stream) {
  binary_kernel<Op, T, kCount><<<blocks_for(count, kCount), kThreads, 0, stream>>>(
      static_cast<T*>(output), static_cast<const T*>(a), static_cast<const T*>(b), count);
}

} // namespace

void launch_sigmoid(
    Element element, void* output, const void* input, int64_t count, cudaStream_t stream) {
  const bool aligned = is_aligned(output) && is_aligned(input);
  with_element(element, [&](auto* tag) {
    using T = typename std::remove_pointer<decltype(tag)>::type;
    if (aligned) {
      launch_unary<Forward<T>, T, WidestPack<T>::kCount>(output, input, count, stream);
    } else {
      launch_unary<Forward<T>, T, 1>(output, input, count, stream);
    }
  });
}

void launch_sigmoid_backward(
    Element element, void* input_grad, const void* grad, const void* output, int64_t count,
    cudaStream_t stream) {
  const bool aligned = is_aligned(input_grad) && is_aligned(grad) && is_aligned(output);
  with_element(element, [&](auto* tag) {
    using T = typename std::remove_pointer<decltype(tag)>::type;
    if (aligned) {
      launch_binary<Backward<T>, T, WidestPack<T>::kCount>(
          input_grad, grad, output, count, stream);
    } else {
      launch_binary<Backward<T>, T, 1>(input_grad, grad, output, count, stream);
    }
  });
}

} // namespace torchrig
