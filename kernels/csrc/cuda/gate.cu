// sigmoid(x) * y + bias. A thread keeps one pack of columns and walks down the rows, so the bias is
// read once and its gradient is summed in registers; no pass over memory is added for either.
#include "element.cuh"

namespace torchrig {
namespace {

constexpr int kThreads = 256;
constexpr int kRowsAtOnce = 2;       // rows in flight in each thread
constexpr int kBlocksPerProcessor = 8; // of 256 threads: all that one multiprocessor holds
constexpr int64_t kMostBlocksAlongRows = 65535;

// `lanes` threads lie along the columns, the others along the rows.
struct Layout {
  int64_t column_packs;
  unsigned int lanes;
  unsigned int column_blocks;
  unsigned int rows_per_block() const {
    return kThreads / lanes;
  }
};

Layout lay_out(GateShape shape, int pack_elements) {
  Layout layout;
  layout.column_packs = shape.columns / pack_elements;
  layout.lanes = 1;
  while (layout.lanes < 32 && layout.lanes < layout.column_packs) {
    layout.lanes *= 2;
  }
  layout.column_blocks =
      static_cast<unsigned int>((layout.column_packs + layout.lanes - 1) / layout.lanes);
  return layout;
}

int64_t blocks_along_rows(GateShape shape, const Layout& layout) {
  const int64_t at_once = static_cast<int64_t>(layout.rows_per_block()) * kRowsAtOnce;
  const int64_t blocks = (shape.rows + at_once - 1) / at_once;
  return blocks < kMostBlocksAlongRows ? blocks : kMostBlocksAlongRows;
}

template <typename T, int kCount>
__global__ void __launch_bounds__(kThreads) gate_kernel(
    T* __restrict__ output, const T* __restrict__ x, const T* __restrict__ y,
    const T* __restrict__ bias, int64_t rows, int64_t column_packs) {
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= column_packs) {
    return;
  }
  const Pack<T, kCount> offset = load_pack<T, kCount>(bias, column);
  const int64_t step = static_cast<int64_t>(gridDim.y) * blockDim.y;
  int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  for (; row < rows; row += step * kRowsAtOnce) {
    Pack<T, kCount> left[kRowsAtOnce];
    Pack<T, kCount> right[kRowsAtOnce];
#pragma unroll
    for (int k = 0; k < kRowsAtOnce; ++k) {
      if (row + k * step < rows) {
        const int64_t pack = (row + k * step) * column_packs + column;
        left[k] = load_pack<T, kCount>(x, pack);
        right[k] = load_pack<T, kCount>(y, pack);
      }
    }
#pragma unroll
    for (int k = 0; k < kRowsAtOnce; ++k) {
      if (row + k * step < rows) {
#pragma unroll
        for (int e = 0; e < kCount; ++e) {
          store(
              left[k].elements[e],
              sigmoid<T>(load(left[k].elements[e])) * load(right[k].elements[e]) +
                  load(offset.elements[e]));
        }
        store_pack<T, kCount>(output, (row + k * step) * column_packs + column, left[k]);
      }
    }
  }
}

// Adds up `sums` over the threads of a block that share a column pack; the first of them writes.
template <typename Value, int kCount>
__device__ void reduce_and_write(
    Value (&sums)[kCount], Value* partial_sums, int64_t column, int64_t column_packs) {
  __shared__ Value shared[kThreads * kCount];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
#pragma unroll
  for (int e = 0; e < kCount; ++e) {
    shared[e * kThreads + thread] = sums[e];
  }
  for (unsigned int half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        shared[e * kThreads + thread] += shared[e * kThreads + thread + half * blockDim.x];
      }
    }
  }
  if (threadIdx.y == 0 && column < column_packs) {
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      const int64_t target = (blockIdx.y * column_packs + column) * kCount + e;
      partial_sums[target] = shared[e * kThreads + thread];
    }
  }
}

template <typename T, int kCount>
__global__ void __launch_bounds__(kThreads) gate_backward_kernel(
    T* __restrict__ x_grad, T* __restrict__ y_grad,
    typename T::Compute* __restrict__ partial_sums, const T* __restrict__ grad,
    const T* __restrict__ x, const T* __restrict__ y, int64_t rows, int64_t column_packs) {
  using Value = typename T::Compute;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.y) * blockDim.y;
  const int64_t end = column < column_packs ? rows : 0;
  Value sums[kCount] = {};
  for (int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y; row < end;
       row += step) {
    const int64_t pack = row * column_packs + column;
    const Pack<T, kCount> upstream = load_pack<T, kCount>(grad, pack);
    Pack<T, kCount> left = load_pack<T, kCount>(x, pack);
    Pack<T, kCount> right = load_pack<T, kCount>(y, pack);
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      const Value g = load(upstream.elements[e]);
      const Value s = sigmoid<T>(load(left.elements[e]));
      sums[e] += g;
      store(left.elements[e], g * s * load(right.elements[e]) * (Value(1) - s));
      store(right.elements[e], g * s);
    }
    store_pack<T, kCount>(x_grad, pack, left);
    store_pack<T, kCount>(y_grad, pack, right);
  }
  reduce_and_write<Value, kCount>(sums, partial_sums, column, column_packs);
}

template <typename T>
bool fits_wide(GateShape shape) {
  return shape.columns % WidestPack<T>::kCount == 0;
}

template <typename T, int kCount>
void launch_gate(
    void* output, const void* x, const void* y, const void* bias, GateShape shape,
    cudaStream_t stream) {
  const Layout layout = lay_out(shape, kCount);
  const dim3 block(layout.lanes, layout.rows_per_block());
  const dim3 grid(
      layout.column_blocks, static_cast<unsigned int>(blocks_along_rows(shape, layout)));
  gate_kernel<T, kCount><<<grid, block, 0, stream>>>(
      static_cast<T*>(output), static_cast<const T*>(x), static_cast<const T*>(y),
      static_cast<const T*>(bias), shape.rows, layout.column_packs);
}

template <typename T, int kCount>
void launch_gate_backward(
    void* x_grad, void* y_grad, void* partial_sums, const void* grad, const void* x,
    const void* y, GateShape shape, int64_t partial_rows, cudaStream_t stream) {
  const Layout layout = lay_out(shape, kCount);
  const dim3 block(layout.lanes, layout.rows_per_block());
  const dim3 grid(layout.column_blocks, static_cast<unsigned int>(partial_rows));
  gate_backward_kernel<T, kCount><<<grid, block, 0, stream>>>(
      static_cast<T*>(x_grad), static_cast<T*>(y_grad),
      static_cast<typename T::Compute*>(partial_sums), static_cast<const T*>(grad),
      static_cast<const T*>(x), static_cast<const T*>(y), shape.rows, layout.column_packs);
}

} // namespace

void launch_sigmoid_gate(
    Element element, void* output, const void* x, const void* y, const void* bias,
    GateShape shape, cudaStream_t stream) {
  const bool aligned =
      is_aligned(output) && is_aligned(x) && is_aligned(y) && is_aligned(bias);
  with_element(element, [&](auto* tag) {
    using T = typename std::remove_pointer<decltype(tag)>::type;
    if (aligned && fits_wide<T>(shape)) {
      launch_gate<T, WidestPack<T>::kCount>(output, x, y, bias, shape, stream);
    } else {
      launch_gate<T, 1>(output, x, y, bias, shape, stream);
    }
  });
}

int64_t gate_partial_rows(Element element, GateShape shape, int multiprocessors) {
  int64_t rows = 1;
  with_element(element, [&](auto* tag) {
    using T = typename std::remove_pointer<decltype(tag)>::type;
    const Layout layout = lay_out(shape, fits_wide<T>(shape) ? WidestPack<T>::kCount : 1);
    const int64_t wanted =
        (static_cast<int64_t>(multiprocessors) * kBlocksPerProcessor + layout.column_blocks - 1) /
        layout.column_blocks;
    const int64_t useful =
        (shape.rows + layout.rows_per_block() - 1) / layout.rows_per_block();
    rows = wanted < useful ? wanted : useful;
  });
  return rows < kMostBlocksAlongRows ? rows : kMostBlocksAlongRows;
}

void launch_sigmoid_gate_backward(
    Element element, void* x_grad, void* y_grad, void* partial_sums, const void* grad,
    const void* x, const void* y, GateShape shape, int64_t partial_rows, cudaStream_t stream) {
  const bool aligned = is_aligned(x_grad) && is_aligned(y_grad) && is_aligned(grad) &&
      is_aligned(x) && is_aligned(y);
  with_element(element, [&](auto* tag) {
    using T = typename std::remove_pointer<decltype(tag)>::type;
    if (aligned && fits_wide<T>(shape)) {
      launch_gate_backward<T, WidestPack<T>::kCount>(
          x_grad, y_grad, partial_sums, grad, x, y, shape, partial_rows, stream);
    } else {
      launch_gate_backward<T, 1>(
          x_grad, y_grad, partial_sums, grad, x, y, shape, partial_rows, stream);
    }
  });
}

} // namespace torchrig
