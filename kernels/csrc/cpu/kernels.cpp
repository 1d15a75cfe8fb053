// CPU kernels. TensorIterator brings torch's own threads, broadcasting and strides; the loops are
// in ranges.cpp. float16 and bfloat16 are computed in float, a chunk at a time.
#include "../ops.h"
#include "ranges.h"

#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/ops/sum.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <type_traits>
#include <vector>

namespace torchrig {
namespace {

constexpr int64_t kChunk = 512; // elements in each of a loop's buffers; they stay in the L1 cache

template <typename T>
using Compute = typename std::conditional<std::is_same<T, double>::value, double, float>::type;

template <typename T>
void gather(Compute<T>* buffer, const char* source, int64_t stride, int64_t count) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    const T* values = reinterpret_cast<const T*>(source);
    for (int64_t i = 0; i < count; ++i) {
      buffer[i] = static_cast<Compute<T>>(values[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    buffer[i] = static_cast<Compute<T>>(*reinterpret_cast<const T*>(source + i * stride));
  }
}

template <typename T>
void scatter(char* target, int64_t stride, const Compute<T>* buffer, int64_t count) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    T* values = reinterpret_cast<T*>(target);
    for (int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<T>(buffer[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<T*>(target + i * stride) = static_cast<T>(buffer[i]);
  }
}

template <typename T, int kArguments>
bool runs_in_place(const int64_t* strides) {
  if (!std::is_same<T, Compute<T>>::value) {
    return false;
  }
  return std::all_of(strides, strides + kArguments, [](int64_t stride) {
    return stride == static_cast<int64_t>(sizeof(T));
  });
}

// Runs `range(arguments, count)` over one stretch of elements; `arguments` are the kOutputs
// outputs followed by the kInputs inputs, each a dense array of the computing type.
template <typename T, int kOutputs, int kInputs, typename Range>
void run_stretch(char** data, const int64_t* strides, int64_t count, const Range& range) {
  constexpr int kArguments = kOutputs + kInputs;
  std::array<Compute<T>*, kArguments> arguments;
  if (runs_in_place<T, kArguments>(strides)) {
    for (int a = 0; a < kArguments; ++a) {
      arguments[a] = reinterpret_cast<Compute<T>*>(data[a]);
    }
    range(arguments, count);
    return;
  }
  alignas(64) Compute<T> buffers[kArguments][kChunk];
  for (int a = 0; a < kArguments; ++a) {
    arguments[a] = buffers[a];
  }
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t length = std::min(kChunk, count - start);
    for (int a = kOutputs; a < kArguments; ++a) {
      gather<T>(buffers[a], data[a] + start * strides[a], strides[a], length);
    }
    range(arguments, length);
    for (int a = 0; a < kOutputs; ++a) {
      scatter<T>(data[a] + start * strides[a], strides[a], buffers[a], length);
    }
  }
}

template <int kOutputs, int kInputs, typename Range>
void run(at::TensorIterator iterator, const Range& range) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, iterator.common_dtype(), "torchrig", [&] {
        iterator.for_each([&](char** data, const int64_t* strides, int64_t count) {
          run_stretch<scalar_t, kOutputs, kInputs>(data, strides, count, range);
        });
      });
}

at::TensorIterator iterate(
    std::initializer_list<const Tensor*> outputs, std::initializer_list<const Tensor*> inputs) {
  at::TensorIteratorConfig config;
  config.resize_outputs(false).promote_inputs_to_common_dtype(true);
  for (const Tensor* output : outputs) {
    config.add_output(*output);
  }
  for (const Tensor* input : inputs) {
    config.add_input(*input);
  }
  return config.build();
}

Tensor sigmoid_cpu(const Tensor& self) {
  check_floating(self, "sigmoid", "self");
  Tensor output = output_like(self);
  run<1, 1>(iterate({&output}, {&self}), [](const auto& a, int64_t count) {
    sigmoid_range(a[0], a[1], count);
  });
  return output;
}

Tensor sigmoid_backward_cpu(const Tensor& grad, const Tensor& output) {
  check_floating(output, "sigmoid_backward", "output");
  check_same(grad, output, "sigmoid_backward", "grad");
  Tensor input_grad = output_like(output);
  run<1, 2>(
      iterate({&input_grad}, {&grad, &output}),
      [](const auto& a, int64_t count) { sigmoid_backward_range(a[0], a[1], a[2], count); });
  return input_grad;
}

Tensor sigmoid_gate_cpu(const Tensor& x, const Tensor& y, const Tensor& bias) {
  check_gate(x, y, bias, "sigmoid_gate");
  Tensor output = output_like(x);
  run<1, 3>(
      iterate({&output}, {&x, &y, &bias}),
      [](const auto& a, int64_t count) { sigmoid_gate_range(a[0], a[1], a[2], a[3], count); });
  return output;
}

Tensor sum_over_rows(const Tensor& grad) {
  std::vector<int64_t> rows(grad.dim() - 1);
  std::iota(rows.begin(), rows.end(), 0);
  return rows.empty() ? grad.clone() : at::sum(grad, rows);
}

GateGradients sigmoid_gate_backward_cpu(const Tensor& grad, const Tensor& x, const Tensor& y) {
  check_floating(x, "sigmoid_gate_backward", "x");
  check_same(grad, x, "sigmoid_gate_backward", "grad");
  check_same(y, x, "sigmoid_gate_backward", "y");
  Tensor x_grad = output_like(x);
  Tensor y_grad = output_like(x);
  run<2, 3>(
      iterate({&x_grad, &y_grad}, {&grad, &x, &y}),
      [](const auto& a, int64_t count) {
        sigmoid_gate_backward_range(a[0], a[1], a[2], a[3], a[4], count);
      });
  return std::make_tuple(x_grad, y_grad, sum_over_rows(grad));
}

} // namespace

TORCH_LIBRARY_IMPL(torchrig, CPU, m) {
  m.impl("sigmoid", &sigmoid_cpu);
  m.impl("sigmoid_backward", &sigmoid_backward_cpu);
  m.impl("sigmoid_gate", &sigmoid_gate_cpu);
  m.impl("sigmoid_gate_backward", &sigmoid_gate_backward_cpu);
}

} // namespace torchrig
