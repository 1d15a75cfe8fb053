// What the CPU, CUDA, Meta and Autograd kernels of torchrig's operators share.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/util/Exception.h>

#include <sstream>
#include <string>
#include <tuple>

namespace torchrig {

using at::Tensor;
using GateGradients = std::tuple<Tensor, Tensor, Tensor>;

// A shape for a message. Symbolic sizes, which only tracing has, are not printed: printing them
// ended the process on one build (torch 2.11, gcc 13).
inline std::string shape_of(const Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
    return "a symbolic shape";
  }
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

inline void check_floating(const Tensor& tensor, const char* op, const char* name) {
  const auto type = tensor.scalar_type();
  TORCH_CHECK(
      type == at::kHalf || type == at::kBFloat16 || type == at::kFloat || type == at::kDouble,
      "torchrig::", op, ": ", name, " must be float16, bfloat16, float32 or float64, not ", type);
}

inline void check_alike(
    const Tensor& tensor, const Tensor& model, const char* op, const char* name) {
  TORCH_CHECK(
      tensor.scalar_type() == model.scalar_type(),
      "torchrig::", op, ": ", name, " must have dtype ", model.scalar_type(), ", not ",
      tensor.scalar_type());
  TORCH_CHECK(
      tensor.device() == model.device(),
      "torchrig::", op, ": ", name, " must be on ", model.device(), ", not on ", tensor.device());
}

inline void check_same(
    const Tensor& tensor, const Tensor& model, const char* op, const char* name) {
  check_alike(tensor, model, op, name);
  TORCH_CHECK(
      tensor.sym_sizes() == model.sym_sizes(),
      "torchrig::", op, ": ", name, " must have shape ", shape_of(model), ", not ",
      shape_of(tensor));
}

inline void check_gate(const Tensor& x, const Tensor& y, const Tensor& bias, const char* op) {
  check_floating(x, op, "x");
  check_same(y, x, op, "y");
  check_alike(bias, x, op, "bias");
  TORCH_CHECK(x.dim() >= 1, "torchrig::", op, ": x must have at least one dimension");
  TORCH_CHECK(
      bias.dim() == 1 && bias.sym_size(0) == x.sym_size(-1),
      "torchrig::", op, ": bias must have one dimension, the last one of x, whose shape is ",
      shape_of(x), "; it has shape ", shape_of(bias));
}

// A fresh tensor of the same shape whose strides are those of every output here: the input's own
// where its memory is dense, and the densest equivalent where it is not.
inline Tensor output_like(const Tensor& tensor) {
  return at::empty_like(tensor);
}

// `tensor` itself where it already has the strides of `model`, which is dense; otherwise a copy.
inline Tensor with_layout_of(const Tensor& tensor, const Tensor& model) {
  if (tensor.strides() == model.strides()) {
    return tensor;
  }
  return at::empty_like(model).copy_(tensor);
}

// Operators through the dispatcher, so that autograd and tracing see them.
Tensor call_sigmoid(const Tensor& self);
Tensor call_sigmoid_backward(const Tensor& grad, const Tensor& output);
Tensor call_sigmoid_gate(const Tensor& x, const Tensor& y, const Tensor& bias);
GateGradients call_sigmoid_gate_backward(const Tensor& grad, const Tensor& x, const Tensor& y);

} // namespace torchrig
