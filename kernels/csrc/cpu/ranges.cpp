// Plain loops that the compiler vectorises. No torch header is included: this file compiles in a
// second and each loop is cloned for AVX-512, AVX2 and the baseline, chosen at load time.
#include "ranges.h"

#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define TORCHRIG_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TORCHRIG_CLONES
#endif
#define TORCHRIG_INLINE inline __attribute__((always_inline))

namespace torchrig {
namespace {

// exp(t) = 2^n * exp(r) with n = round(t / ln 2) and |r| <= ln(2) / 2, where the Taylor series to
// degree 7 (float) or 13 (double) is exact to within the rounding of its type. `kShifter` is
// 1.5 * 2^(mantissa bits): adding it rounds to an integer, which its low bits then hold. Outside
// [kLowest, kHighest] the sigmoid is 1, or below the smallest normal number and given as 0.
struct FloatExp {
  using Value = float;
  using Bits = int32_t;
  static constexpr Value kLowest = -87.0f;
  static constexpr Value kHighest = 88.0f;
  static constexpr Value kShifter = 12582912.0f;
  static constexpr Value kLn2High = 0.693359375f;
  static constexpr Value kLn2Low = -2.12194440054690583e-4f;
  static constexpr int kMantissa = 23;
  static constexpr Bits kExponentBias = 127;
  static constexpr int kDegree = 7;
};

struct DoubleExp {
  using Value = double;
  using Bits = int64_t;
  static constexpr Value kLowest = -708.0;
  static constexpr Value kHighest = 709.0;
  static constexpr Value kShifter = 6755399441055744.0;
  static constexpr Value kLn2High = 6.93147180369123816490e-01;
  static constexpr Value kLn2Low = 1.90821492927058770002e-10;
  static constexpr int kMantissa = 52;
  static constexpr Bits kExponentBias = 1023;
  static constexpr int kDegree = 13;
};

constexpr double kReciprocalFactorial[] = {
    1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
    1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

template <typename E>
TORCHRIG_INLINE typename E::Value exponential(typename E::Value t) {
  using Value = typename E::Value;
  using Bits = typename E::Bits;
  constexpr Value kLog2E = static_cast<Value>(1.44269504088896340736);
  const Value shifted = t * kLog2E + E::kShifter;
  const Value n = shifted - E::kShifter;
  const Value r = (t - n * E::kLn2High) - n * E::kLn2Low;
  Value series = static_cast<Value>(kReciprocalFactorial[E::kDegree]);
#pragma GCC unroll 16
  for (int k = E::kDegree - 1; k >= 0; --k) {
    series = series * r + static_cast<Value>(kReciprocalFactorial[k]);
  }
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = static_cast<Bits>(
      static_cast<typename std::make_unsigned<Bits>::type>(bits + E::kExponentBias)
      << E::kMantissa);
  Value scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return series * scale;
}

template <typename E>
TORCHRIG_INLINE typename E::Value sigmoid_value(typename E::Value x) {
  using Value = typename E::Value;
  const Value t = -x;
  Value clamped = t < E::kLowest ? E::kLowest : t;
  clamped = clamped > E::kHighest ? E::kHighest : clamped;
  const Value value = Value(1) / (Value(1) + exponential<E>(clamped));
  return t > E::kHighest ? Value(0) : value;
}

template <typename E, typename Value>
TORCHRIG_INLINE void forward(Value* output, const Value* input, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    output[i] = sigmoid_value<E>(input[i]);
  }
}

template <typename Value>
TORCHRIG_INLINE void backward(
    Value* input_grad, const Value* grad, const Value* output, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    input_grad[i] = grad[i] * output[i] * (Value(1) - output[i]);
  }
}

template <typename E, typename Value>
TORCHRIG_INLINE void gate(
    Value* output, const Value* x, const Value* y, const Value* bias, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    output[i] = sigmoid_value<E>(x[i]) * y[i] + bias[i];
  }
}

template <typename E, typename Value>
TORCHRIG_INLINE void gate_backward(
    Value* x_grad, Value* y_grad, const Value* grad, const Value* x, const Value* y,
    int64_t count) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const Value s = sigmoid_value<E>(x[i]);
    const Value through_y = grad[i] * s;
    x_grad[i] = through_y * y[i] * (Value(1) - s);
    y_grad[i] = through_y;
  }
}

} // namespace

TORCHRIG_CLONES void sigmoid_range(float* output, const float* input, int64_t count) {
  forward<FloatExp>(output, input, count);
}

TORCHRIG_CLONES void sigmoid_range(double* output, const double* input, int64_t count) {
  forward<DoubleExp>(output, input, count);
}

TORCHRIG_CLONES void sigmoid_backward_range(
    float* input_grad, const float* grad, const float* output, int64_t count) {
  backward(input_grad, grad, output, count);
}

TORCHRIG_CLONES void sigmoid_backward_range(
    double* input_grad, const double* grad, const double* output, int64_t count) {
  backward(input_grad, grad, output, count);
}

TORCHRIG_CLONES void sigmoid_gate_range(
    float* output, const float* x, const float* y, const float* bias, int64_t count) {
  gate<FloatExp>(output, x, y, bias, count);
}

TORCHRIG_CLONES void sigmoid_gate_range(
    double* output, const double* x, const double* y, const double* bias, int64_t count) {
  gate<DoubleExp>(output, x, y, bias, count);
}

TORCHRIG_CLONES void sigmoid_gate_backward_range(
    float* x_grad, float* y_grad, const float* grad, const float* x, const float* y,
    int64_t count) {
  gate_backward<FloatExp>(x_grad, y_grad, grad, x, y, count);
}

TORCHRIG_CLONES void sigmoid_gate_backward_range(
    double* x_grad, double* y_grad, const double* grad, const double* x, const double* y,
    int64_t count) {
  gate_backward<DoubleExp>(x_grad, y_grad, grad, x, y, count);
}

} // namespace torchrig
