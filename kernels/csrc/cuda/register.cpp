// CUDA kernels: checks, device guard, current stream, launch, launch check.
#include "../ops.h"
#include "launch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

namespace torchrig {
namespace {

Element element_of(const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kHalf:
      return Element::kFloat16;
    case at::kBFloat16:
      return Element::kBFloat16;
    case at::kDouble:
      return Element::kFloat64;
    default:
      return Element::kFloat32;
  }
}

int multiprocessors(const Tensor& tensor) {
  int count = 0;
  C10_CUDA_CHECK(cudaDeviceGetAttribute(
      &count, cudaDevAttrMultiProcessorCount, tensor.device().index()));
  return count;
}

// `result`, computed row by row, with the strides that every output for `x` has.
Tensor restore_layout(const Tensor& result, const Tensor& x) {
  return x.is_contiguous() ? result : output_like(x).copy_(result);
}

GateShape gate_shape(const Tensor& x) {
  return {x.numel() / x.size(-1), x.size(-1)};
}

Tensor sigmoid_cuda(const Tensor& self) {
  check_floating(self, "sigmoid", "self");
  const c10::cuda::CUDAGuard guard(self.device());
  Tensor output = output_like(self);
  if (self.numel() == 0) {
    return output;
  }
  const Tensor input = with_layout_of(self, output);
  launch_sigmoid(
      element_of(self), output.data_ptr(), input.data_ptr(), self.numel(),
      c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return output;
}

Tensor sigmoid_backward_cuda(const Tensor& grad, const Tensor& output) {
  check_floating(output, "sigmoid_backward", "output");
  check_same(grad, output, "sigmoid_backward", "grad");
  const c10::cuda::CUDAGuard guard(output.device());
  Tensor input_grad = output_like(output);
  if (output.numel() == 0) {
    return input_grad;
  }
  const Tensor grad_dense = with_layout_of(grad, input_grad);
  const Tensor output_dense = with_layout_of(output, input_grad);
  launch_sigmoid_backward(
      element_of(output), input_grad.data_ptr(), grad_dense.data_ptr(), output_dense.data_ptr(),
      output.numel(), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return input_grad;
}

Tensor sigmoid_gate_cuda(const Tensor& x, const Tensor& y, const Tensor& bias) {
  check_gate(x, y, bias, "sigmoid_gate");
  const c10::cuda::CUDAGuard guard(x.device());
  if (x.numel() == 0) {
    return output_like(x);
  }
  const Tensor x_rows = x.contiguous();
  const Tensor y_rows = y.contiguous();
  const Tensor bias_row = bias.contiguous();
  Tensor result = at::empty_like(x_rows);
  launch_sigmoid_gate(
      element_of(x), result.data_ptr(), x_rows.data_ptr(), y_rows.data_ptr(),
      bias_row.data_ptr(), gate_shape(x), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return restore_layout(result, x);
}

GateGradients sigmoid_gate_backward_cuda(const Tensor& grad, const Tensor& x, const Tensor& y) {
  check_floating(x, "sigmoid_gate_backward", "x");
  check_same(grad, x, "sigmoid_gate_backward", "grad");
  check_same(y, x, "sigmoid_gate_backward", "y");
  const c10::cuda::CUDAGuard guard(x.device());
  if (x.numel() == 0) {
    return std::make_tuple(
        output_like(x), output_like(x), at::zeros({x.size(-1)}, x.options()));
  }
  const Tensor grad_rows = grad.contiguous();
  const Tensor x_rows = x.contiguous();
  const Tensor y_rows = y.contiguous();
  Tensor x_grad = at::empty_like(x_rows);
  Tensor y_grad = at::empty_like(x_rows);
  const GateShape shape = gate_shape(x);
  const int64_t partial_rows = gate_partial_rows(element_of(x), shape, multiprocessors(x));
  const auto sum_type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  Tensor partial_sums = at::empty({partial_rows, shape.columns}, x.options().dtype(sum_type));
  launch_sigmoid_gate_backward(
      element_of(x), x_grad.data_ptr(), y_grad.data_ptr(), partial_sums.data_ptr(),
      grad_rows.data_ptr(), x_rows.data_ptr(), y_rows.data_ptr(), shape, partial_rows,
      c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return std::make_tuple(
      restore_layout(x_grad, x),
      restore_layout(y_grad, x),
      at::sum(partial_sums, {0}).to(x.scalar_type()));
}

} // namespace

TORCH_LIBRARY_IMPL(torchrig, CUDA, m) {
  m.impl("sigmoid", &sigmoid_cuda);
  m.impl("sigmoid_backward", &sigmoid_backward_cuda);
  m.impl("sigmoid_gate", &sigmoid_gate_cuda);
  m.impl("sigmoid_gate_backward", &sigmoid_gate_backward_cuda);
}

} // namespace torchrig
