"""The operators against torch's own, in every dtype, shape and layout."""

from __future__ import annotations

import pytest

DTYPES = ("float16", "bfloat16", "float32", "float64")
TOLERANCE = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6, "float64": 1e-14}
SHAPES = ((), (0,), (1,), (3, 0, 5), (7,), (513,), (4099,), (2, 3, 5, 7), (70_001,))


def devices():
    try:
        import torch
    except ImportError:
        return [pytest.param("cpu")]
    cuda = pytest.param("cuda", marks=pytest.mark.gpu)
    return [pytest.param("cpu"), cuda] if torch.cuda.is_available() else [pytest.param("cpu")]


@pytest.fixture(params=devices())
def device(request):
    return request.param


def relative_error(actual, expected):
    """Largest |actual - expected| relative to the expected value, over finite ones."""
    expected = expected.double()
    scale = expected.abs().clamp_min(1e-30)
    return float(((actual.double() - expected).abs() / scale).max()) if expected.numel() else 0.0


def sample(torch, shape, dtype, device, scale=6.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    return values.clamp(-9, 9).to(device=device, dtype=getattr(torch, dtype))


def assert_sigmoid(torch, ops, x, dtype):
    actual = ops.sigmoid(x)
    expected = torch.sigmoid(x.double())

    assert actual.dtype == x.dtype
    assert actual.shape == x.shape
    assert actual.device == x.device
    assert relative_error(actual, expected) <= TOLERANCE[dtype]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_shape_and_dtype(torch, ops, device, dtype, shape):
    """Any shape, empty ones too, in every floating dtype agrees with float64."""
    assert_sigmoid(torch, ops, sample(torch, shape, dtype, device), dtype)


LAYOUTS = {
    "transposed": lambda x: x.t(),
    "strided": lambda x: x[::2, 1::3],
    "offset by one element": lambda x: x.reshape(-1)[1:],
    "expanded": lambda x: x[:1].expand(5, -1),
    "flipped order of dimensions": lambda x: x.reshape(4, 25, -1).permute(2, 0, 1),
    "channels last": lambda x: x.reshape(2, 5, 10, -1).contiguous(
        memory_format=__import__("torch").channels_last
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout(torch, ops, device, dtype, layout):
    """Non-contiguous input gives the same values; the strides are those of torch's own result."""
    x = LAYOUTS[layout](sample(torch, (100, 60), dtype, device))

    assert_sigmoid(torch, ops, x, dtype)
    assert ops.sigmoid(x).stride() == torch.empty_like(x).stride()


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values(torch, ops, device, dtype):
    """Infinities, NaN, signed zeros and arguments that overflow exp are what mathematics says."""
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([inf, -inf, nan, 0.0, -0.0, 6e4, -6e4], device=device)
    x = x.to(getattr(torch, dtype))
    expected = [1.0, 0.0, nan, 0.5, 0.5, 1.0, 0.0]

    assert ops.sigmoid(x).double().cpu().tolist() == pytest.approx(expected, nan_ok=True, abs=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_accurate_over_the_whole_range(torch, ops, device, dtype):
    """The relative error stays at rounding level down to the smallest normal results."""
    lowest = {"float32": -87.0, "float64": -700.0}[dtype]
    x = torch.linspace(lowest, 40.0, 200_001, dtype=torch.float64).to(getattr(torch, dtype))
    x = x.to(device)
    expected = torch.sigmoid(x.double())

    assert relative_error(ops.sigmoid(x), expected) <= 4 * torch.finfo(x.dtype).eps


def test_a_wrong_constant_is_caught(torch, ops, device):
    """The comparison fails for a formula that is off by one constant in either place."""
    x = sample(torch, (1000,), "float32", device)
    for wrong in (1 / (1.001 + torch.exp(-x)), 1 / (1 + torch.exp(-1.001 * x))):
        assert relative_error(wrong, torch.sigmoid(x.double())) > TOLERANCE["float32"]
    assert_sigmoid(torch, ops, x, "float32")


def test_input_is_left_alone(torch, ops, device):
    """The operator does not write to its input."""
    x = sample(torch, (4099,), "float32", device)
    before = x.clone()
    ops.sigmoid(x)

    assert torch.equal(before, x)


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
def test_other_dtypes_are_refused(torch, ops, device, dtype):
    """A dtype without a kernel is refused by name."""
    x = torch.ones(3, device=device).to(getattr(torch, dtype))

    with pytest.raises(RuntimeError, match="must be float16, bfloat16, float32 or float64"):
        ops.sigmoid(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradient_agrees_with_torch(torch, ops, device, dtype):
    """Backward in every dtype, with a gradient that is not contiguous, agrees with float64."""
    x = sample(torch, (33, 65), dtype, device).requires_grad_()
    upstream = sample(torch, (65, 33), dtype, device, seed=1).t()
    ops.sigmoid(x).backward(upstream)
    reference = x.detach().double().requires_grad_()
    torch.sigmoid(reference).backward(upstream.double())
    error = (x.grad.double() - reference.grad).norm() / reference.grad.norm()

    assert float(error) <= TOLERANCE[dtype]


def test_gradcheck(torch, ops, device):
    """First and second derivatives agree with finite differences, transposed input too."""
    for shape in ((5, 7), (3, 0)):
        x = sample(torch, shape, "float64", device, scale=2.0).t().requires_grad_()

        assert torch.autograd.gradcheck(ops.sigmoid, (x,))
        assert torch.autograd.gradgradcheck(ops.sigmoid, (x,))


def gate_inputs(torch, dtype, device, shape=(37, 5, 64)):
    x = sample(torch, shape, dtype, device, scale=2.0, seed=1)
    y = sample(torch, shape, dtype, device, scale=2.0, seed=2)
    return x, y, sample(torch, shape[-1:], dtype, device, scale=2.0, seed=3)


@pytest.mark.parametrize(
    "shape", [(64,), (1, 1), (37, 5, 64), (1000, 3), (3, 1000), (0, 8), (8, 0), (129, 257)], ids=str
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gate(torch, ops, device, dtype, shape):
    """sigmoid(x) * y + bias and its three gradients agree with float64."""
    arguments = [t.requires_grad_() for t in gate_inputs(torch, dtype, device, shape)]
    wide = [t.detach().double().requires_grad_() for t in arguments]
    actual = ops.sigmoid_gate(*arguments)
    expected = torch.sigmoid(wide[0]) * wide[1] + wide[2]
    upstream = sample(torch, shape, dtype, device, seed=4)
    actual.backward(upstream)
    expected.backward(upstream.double())
    pairs = [(actual, expected), *((a.grad, w.grad) for a, w in zip(arguments, wide))]

    for got, reference in pairs:
        assert got.dtype == getattr(torch, dtype)
        distance = float((got.double() - reference).detach().norm())
        assert distance <= 2 * TOLERANCE[dtype] * float(reference.detach().norm())


def test_gate_on_transposed_input(torch, ops, device):
    """Inputs whose memory order differs from each other give the same values."""
    x, y, bias = gate_inputs(torch, "float32", device, (60, 60))
    expected = torch.sigmoid(x.t()) * y + bias

    assert torch.allclose(expected, ops.sigmoid_gate(x.t(), y, bias), atol=1e-6)


def test_gate_gradcheck(torch, ops, device):
    """All three gradients agree with finite differences."""
    inputs = [t.requires_grad_() for t in gate_inputs(torch, "float64", device, (3, 4, 5))]

    assert torch.autograd.gradcheck(ops.sigmoid_gate, inputs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, y, b: (x, y[..., :-1], b), "y must have shape"),
        (lambda x, y, b: (x, y, b[:-1]), "bias must have one dimension"),
        (lambda x, y, b: (x, y.double(), b), "y must have dtype"),
        (lambda x, y, b: (x[0, 0, 0], y[0, 0, 0], b), "at least one dimension"),
    ],
)
def test_gate_refuses_what_does_not_fit(torch, ops, device, change, message):
    """Shapes and dtypes that do not fit are refused with the argument's name."""
    arguments = change(*gate_inputs(torch, "float32", device))

    with pytest.raises(RuntimeError, match=message):
        ops.sigmoid_gate(*arguments)


def opcheck(torch):
    check = getattr(torch.library, "opcheck", None)
    if check is None:
        pytest.skip(f"torch {torch.__version__} has no torch.library.opcheck")
    return check


@pytest.mark.usefixtures("ops")
@pytest.mark.filterwarnings("ignore")
def test_opcheck(torch, device):
    """Torch's own check of schema, autograd registration, fake kernel and tracing is clean."""
    check = opcheck(torch)
    operators = torch.ops.torchrig
    for x in (
        sample(torch, (5, 7), "float32", device).requires_grad_(),
        sample(torch, (6, 4), "float32", device).t(),
        sample(torch, (6, 8), "float32", device)[::2, ::3],
        sample(torch, (0, 4), "float64", device),
    ):
        check(operators.sigmoid.default, (x,))
        check(operators.sigmoid_backward.default, (x.detach(), x.detach()))
    x, y, bias = (t.requires_grad_() for t in gate_inputs(torch, "float32", device, (6, 8)))
    check(operators.sigmoid_gate.default, (x, y, bias))
    check(operators.sigmoid_gate_backward.default, (x.detach(), x.detach(), y.detach()))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.filterwarnings("ignore")
def test_compile_takes_the_whole_graph(torch, ops, device, backend):
    """torch.compile(fullgraph=True) passes over forward and backward without a break."""
    if not hasattr(torch, "compile"):
        pytest.skip(f"torch {torch.__version__} has no torch.compile")

    def formula(x, y, bias):
        return (ops.sigmoid(x * 2) + ops.sigmoid_gate(x, y, bias)).sum()

    eager = [t.requires_grad_() for t in gate_inputs(torch, "float32", device, (16, 8))]
    traced = [t.detach().clone().requires_grad_() for t in eager]
    formula(*eager).backward()
    torch.compile(formula, fullgraph=True, backend=backend)(*traced).backward()

    for left, right in zip(eager, traced):
        assert torch.allclose(left.grad, right.grad, atol=1e-6)


def test_threads_follow_torch(torch, ops):
    """The result does not depend on torch's number of threads, and setting it works."""
    x = sample(torch, (200_000,), "float32", "cpu")
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = ops.sigmoid(x)
    finally:
        torch.set_num_threads(threads)

    assert torch.equal(alone, ops.sigmoid(x))


@pytest.mark.gpu
def test_current_stream_is_used(torch, ops):
    """Work goes to the caller's stream: it sees what that stream has written before."""
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU")
    stream = torch.cuda.Stream()
    x = torch.zeros(1 << 24, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.fill_(3.0)
        y = ops.sigmoid(x)
    stream.synchronize()

    assert float(y.min()) == pytest.approx(0.95257413, rel=1e-6)
