// The arithmetic over plain arrays, compiled for several instruction sets.
#pragma once

#include <cstdint>

namespace torchrig {

// output[i] = 1 / (1 + exp(-input[i])); output may be input.
void sigmoid_range(float* output, const float* input, int64_t count);
void sigmoid_range(double* output, const double* input, int64_t count);

// input_grad[i] = grad[i] * output[i] * (1 - output[i])
void sigmoid_backward_range(
    float* input_grad, const float* grad, const float* output, int64_t count);
void sigmoid_backward_range(
    double* input_grad, const double* grad, const double* output, int64_t count);

// output[i] = sigmoid(x[i]) * y[i] + bias[i]
void sigmoid_gate_range(
    float* output, const float* x, const float* y, const float* bias, int64_t count);
void sigmoid_gate_range(
    double* output, const double* x, const double* y, const double* bias, int64_t count);

// x_grad[i] = grad[i] * y[i] * s * (1 - s) and y_grad[i] = grad[i] * s, with s = sigmoid(x[i])
void sigmoid_gate_backward_range(
    float* x_grad, float* y_grad, const float* grad, const float* x, const float* y,
    int64_t count);
void sigmoid_gate_backward_range(
    double* x_grad, double* y_grad, const double* grad, const double* x, const double* y,
    int64_t count);

} // namespace torchrig
