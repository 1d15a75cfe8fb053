"""Matrix products whose every bit is known, compared inside the device.

The operands are whole numbers of at most 64 divided by 64. Every format holds them without
rounding, and every partial sum fits the 24 bits of an FP32 accumulator, so the FP32 product is
exact whatever the order of summation, and a half-precision product is that product rounded once.
One verified FP32 product is therefore the reference of every mode, on every card. All of them are
odd but the first row of the right operand: every sum is odd, so no element is zero and none has
a zero whose sign depends on the hardware.
"""

from __future__ import annotations

from typing import Any, Optional

from envcheck.active.accelerator import Accelerator, set_precision

STEP = 64
FLIPPED_BIT = 10
_PART_ROWS = 1024
_HOST_ROWS, _HOST_COLUMNS = 8, 256
DTYPES = {"fp32": "float32", "tf32": "float32", "bf16": "bfloat16", "fp16": "float16"}


class Injection:
    """Flips one bit of one result on the device, once, to prove that it is found."""

    def __init__(self, kind: str) -> None:
        self._armed = kind == "bit-flip"
        self.done = False

    def apply(self, product: Any) -> None:
        """Flip bit 10 of the product's middle element, the first time only."""
        if not self._armed:
            return
        self._armed, self.done = False, True
        flat = bits(product.view(-1))
        middle = flat.numel() // 2
        flat[middle : middle + 1].bitwise_xor_(1 << FLIPPED_BIT)


class Operands:
    """Two random FP32 matrices on a device, and their verified product."""

    def __init__(self, unit: Accelerator, size: int, seed: int = 3) -> None:
        torch = unit.torch
        generator = torch.Generator(device=unit.device).manual_seed(seed)
        set_precision(torch, tf32=False)
        self.size = size
        self.left = _odd(torch, size, generator, unit.device)
        self.right = _odd(torch, size, generator, unit.device)
        self.right[0] -= 1.0 / STEP
        self.product = torch.mm(self.left, self.right)

    def fault(self, torch: Any) -> str:
        """``ok``, or how the FP32 product differs from what it must be."""
        rows = wrong_rows(torch, self.left, self.right, self.product)
        if rows:
            return f"{rows} of {self.size} rows differ from their projection in FP64"
        wrong = wrong_on_host(torch, self.left, self.right, self.product)
        return f"{wrong} elements differ from the host's FP64 product" if wrong else "ok"


class Products:
    """One mode of product on one device: computes it, compares it, counts wrong elements."""

    def __init__(self, torch: Any, mode: str, operands: Operands) -> None:
        dtype = getattr(torch, DTYPES[mode])
        self.mode = mode
        self.flop = 2.0 * operands.size**3
        self._torch = torch
        self._left = operands.left.to(dtype)
        self._right = operands.right.to(dtype)
        self._reference = bits(operands.product.to(dtype))
        self.out = torch.zeros_like(operands.product, dtype=dtype)
        self._differs = torch.zeros_like(operands.product, dtype=torch.bool)
        self._wrong = torch.zeros((), dtype=torch.int64, device=operands.left.device)

    def multiply(self) -> None:
        """Compute the product anew."""
        self._torch.mm(self._left, self._right, out=self.out)

    def compare(self) -> None:
        """Add to the count every element of which any bit differs; does not wait."""
        self._torch.ne(bits(self.out), self._reference, out=self._differs)
        self._wrong += self._differs.sum()

    def multiply_and_compare(self, injection: Optional[Injection] = None) -> None:
        """A product, and every bit of it compared."""
        self.multiply()
        if injection is not None:
            injection.apply(self.out)
        self.compare()

    def wrong(self) -> int:
        """Wrong elements so far; waits for the device."""
        return int(self._wrong.item())


def bits(values: Any) -> Any:
    """The same memory as whole numbers of the same width."""
    import torch

    return values.view(torch.int32 if values.element_size() == 4 else torch.int16)


def wrong_rows(torch: Any, left: Any, right: Any, product: Any) -> int:
    """Rows in which ``product @ r`` is not ``left @ (right @ r)``, all of it exact in FP64.

    No entry of ``r`` is zero, so a single wrong element always shows.
    """
    size = product.shape[1]
    weights = torch.arange(size, device=product.device, dtype=torch.float64) % 7 + 1
    weights[1::2] *= -1
    expected = _project(torch, left, _project(torch, right, weights))
    return int((_project(torch, product, weights) != expected).sum().item())


def wrong_on_host(torch: Any, left: Any, right: Any, product: Any) -> int:
    """Wrong elements of a block of 8 rows and 256 columns, computed by the CPU in FP64."""
    rows = _spread(torch, product.shape[0], _HOST_ROWS, product.device)
    columns = _spread(torch, product.shape[1], _HOST_COLUMNS, product.device)
    some_left = left.index_select(0, rows).cpu().double()
    some_right = right.index_select(1, columns).cpu().double()
    block = product.index_select(0, rows).index_select(1, columns).cpu().double()
    return int((torch.mm(some_left, some_right) != block).sum().item())


def _project(torch: Any, matrix: Any, vector: Any) -> Any:
    parts = matrix.split(_PART_ROWS)
    return torch.cat([torch.mv(part.double(), vector) for part in parts])


def _spread(torch: Any, size: int, count: int, device: Any) -> Any:
    count = min(size, count)
    return torch.arange(count, device=device) * (size // count)


def _odd(torch: Any, size: int, generator: Any, device: Any) -> Any:
    """Random odd numbers from -63 to 63, over 64."""
    half = STEP // 2
    whole = torch.randint(-half, half, (size, size), generator=generator, device=device)
    return (whole.to(torch.float32) * 2 + 1) / STEP


def measure(
    unit: Accelerator, operands: Operands, mode: str, block_s: float, injection: Injection
) -> dict[str, Any]:
    """Throughput of one mode without comparison, then compared products.

    Returns ``tflops``, ``products`` compared and ``wrong`` elements.
    """
    set_precision(unit.torch, tf32=mode == "tf32")
    products = Products(unit.torch, mode, operands)
    times, seconds = unit.rate(products.multiply, block_s)
    compared = max(4, times // 4)
    unit.seconds(lambda: products.multiply_and_compare(injection), compared)
    set_precision(unit.torch, tf32=False)
    return {
        "mode": mode,
        "tflops": round(products.flop * times / seconds / 1e12, 3),
        "products": compared,
        "wrong": products.wrong(),
    }
