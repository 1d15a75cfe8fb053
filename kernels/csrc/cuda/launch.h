// Launchers of the CUDA kernels. Each works on dense device arrays of one type, queues its work on
// `stream` and returns; the caller checks for a launch error. No torch header is needed here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace torchrig {

enum class Element { kFloat16, kBFloat16, kFloat32, kFloat64 };

// output[i] = sigmoid(input[i])
void launch_sigmoid(
    Element element, void* output, const void* input, int64_t count, cudaStream_t stream);

// input_grad[i] = grad[i] * output[i] * (1 - output[i])
void launch_sigmoid_backward(
    Element element, void* input_grad, const void* grad, const void* output, int64_t count,
    cudaStream_t stream);

// Row-major matrices of `rows` x `columns`; bias holds one value per column.
struct GateShape {
  int64_t rows;
  int64_t columns;
};

// output[r][c] = sigmoid(x[r][c]) * y[r][c] + bias[c]
void launch_sigmoid_gate(
    Element element, void* output, const void* x, const void* y, const void* bias,
    GateShape shape, cudaStream_t stream);

// How many rows `partial_sums` must have: one per block along the rows.
int64_t gate_partial_rows(Element element, GateShape shape, int multiprocessors);

// x_grad and y_grad of the gate, and sums of grad over the rows of each block. `partial_sums` has
// `partial_rows` x `columns` values of double for float64 and of float otherwise; their sum over
// its rows is the gradient of the bias.
void launch_sigmoid_gate_backward(
    Element element, void* x_grad, void* y_grad, void* partial_sums, const void* grad,
    const void* x, const void* y, GateShape shape, int64_t partial_rows, cudaStream_t stream);

} // namespace torchrig
