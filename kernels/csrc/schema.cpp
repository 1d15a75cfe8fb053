// The operators, declared once; each backend registers its kernels beside them.
#include "ops.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace torchrig {

Tensor call_sigmoid(const Tensor& self) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("torchrig::sigmoid", "")
                             .typed<Tensor(const Tensor&)>();
  return op.call(self);
}

Tensor call_sigmoid_backward(const Tensor& grad, const Tensor& output) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("torchrig::sigmoid_backward", "")
                             .typed<Tensor(const Tensor&, const Tensor&)>();
  return op.call(grad, output);
}

Tensor call_sigmoid_gate(const Tensor& x, const Tensor& y, const Tensor& bias) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("torchrig::sigmoid_gate", "")
                             .typed<Tensor(const Tensor&, const Tensor&, const Tensor&)>();
  return op.call(x, y, bias);
}

GateGradients call_sigmoid_gate_backward(const Tensor& grad, const Tensor& x, const Tensor& y) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("torchrig::sigmoid_gate_backward", "")
                             .typed<GateGradients(const Tensor&, const Tensor&, const Tensor&)>();
  return op.call(grad, x, y);
}

namespace {

Tensor sigmoid_meta(const Tensor& self) {
  check_floating(self, "sigmoid", "self");
  return output_like(self);
}

Tensor sigmoid_backward_meta(const Tensor& grad, const Tensor& output) {
  check_floating(output, "sigmoid_backward", "output");
  check_same(grad, output, "sigmoid_backward", "grad");
  return output_like(output);
}

Tensor sigmoid_gate_meta(const Tensor& x, const Tensor& y, const Tensor& bias) {
  check_gate(x, y, bias, "sigmoid_gate");
  return output_like(x);
}

GateGradients sigmoid_gate_backward_meta(const Tensor& grad, const Tensor& x, const Tensor& y) {
  check_floating(x, "sigmoid_gate_backward", "x");
  check_same(grad, x, "sigmoid_gate_backward", "grad");
  check_same(y, x, "sigmoid_gate_backward", "y");
  return std::make_tuple(
      output_like(x), output_like(x), at::empty_symint({x.sym_size(-1)}, x.options()));
}

} // namespace

TORCH_LIBRARY(torchrig, m) {
  m.def("sigmoid(Tensor self) -> Tensor");
  m.def("sigmoid_backward(Tensor grad, Tensor output) -> Tensor");
  m.def("sigmoid_gate(Tensor x, Tensor y, Tensor bias) -> Tensor");
  m.def("sigmoid_gate_backward(Tensor grad, Tensor x, Tensor y) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(torchrig, Meta, m) {
  m.impl("sigmoid", &sigmoid_meta);
  m.impl("sigmoid_backward", &sigmoid_backward_meta);
  m.impl("sigmoid_gate", &sigmoid_gate_meta);
  m.impl("sigmoid_gate_backward", &sigmoid_gate_backward_meta);
}

} // namespace torchrig
