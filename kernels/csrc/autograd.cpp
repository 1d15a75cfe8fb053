// Derivatives. The backward of sigmoid is differentiable itself; that of the gate is not.
#include "ops.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace torchrig {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SigmoidBackward : public torch::autograd::Function<SigmoidBackward> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& grad, const Tensor& output) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({grad, output});
    return call_sigmoid_backward(grad, output);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const Tensor& grad = saved[0];
    const Tensor& output = saved[1];
    return {call_sigmoid_backward(grads[0], output), grads[0] * grad * (1 - 2 * output)};
  }
};

class Sigmoid : public torch::autograd::Function<Sigmoid> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& self) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    Tensor output = call_sigmoid(self);
    context->save_for_backward({output});
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    return {call_sigmoid_backward(grads[0], context->get_saved_variables()[0])};
  }
};

class SigmoidGateBackward : public torch::autograd::Function<SigmoidGateBackward> {
 public:
  static variable_list forward(
      AutogradContext* /*context*/, const Tensor& grad, const Tensor& x, const Tensor& y) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    Tensor x_grad, y_grad, bias_grad;
    std::tie(x_grad, y_grad, bias_grad) = call_sigmoid_gate_backward(grad, x, y);
    return {x_grad, y_grad, bias_grad};
  }

  static variable_list backward(AutogradContext* /*context*/, const variable_list& /*grads*/) {
    TORCH_CHECK(false, "torchrig::sigmoid_gate has no second derivative");
  }
};

class SigmoidGate : public torch::autograd::Function<SigmoidGate> {
 public:
  static Tensor forward(
      AutogradContext* context, const Tensor& x, const Tensor& y, const Tensor& bias) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x, y});
    return call_sigmoid_gate(x, y, bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto saved = context->get_saved_variables();
    Tensor x_grad, y_grad, bias_grad;
    std::tie(x_grad, y_grad, bias_grad) =
        call_sigmoid_gate_backward(grads[0], saved[0], saved[1]);
    return {x_grad, y_grad, bias_grad};
  }
};

Tensor sigmoid_autograd(const Tensor& self) {
  return Sigmoid::apply(self);
}

Tensor sigmoid_backward_autograd(const Tensor& grad, const Tensor& output) {
  return SigmoidBackward::apply(grad, output);
}

Tensor sigmoid_gate_autograd(const Tensor& x, const Tensor& y, const Tensor& bias) {
  return SigmoidGate::apply(x, y, bias);
}

GateGradients sigmoid_gate_backward_autograd(
    const Tensor& grad, const Tensor& x, const Tensor& y) {
  const variable_list grads = SigmoidGateBackward::apply(grad, x, y);
  return std::make_tuple(grads[0], grads[1], grads[2]);
}

} // namespace

TORCH_LIBRARY_IMPL(torchrig, Autograd, m) {
  m.impl("sigmoid", &sigmoid_autograd);
  m.impl("sigmoid_backward", &sigmoid_backward_autograd);
  m.impl("sigmoid_gate", &sigmoid_gate_autograd);
  m.impl("sigmoid_gate_backward", &sigmoid_gate_backward_autograd);
}

} // namespace torchrig
