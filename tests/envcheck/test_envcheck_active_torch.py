"""The active checks with the torch of this interpreter, on the CPU: really run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envcheck import api
from envcheck.active import memory
from envcheck.active.accelerator import Accelerator, set_precision
from envcheck.active.burn import BurnIn
from envcheck.active.matrix import Injection, Operands, Products, wrong_on_host, wrong_rows

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def unit(torch: Any) -> Accelerator:
    return Accelerator(torch, "cpu")


def envcheck(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "envcheck", "--device", "cpu", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_the_short_run_passes_and_is_replayed(torch: Any, tmp_path: Path) -> None:
    """Exit status 0; the saved facts give the same findings on any machine."""
    del torch
    facts, first, again = (str(tmp_path / name) for name in ("facts.json", "1.json", "2.json"))
    done = envcheck("--active", "--save-facts", facts, "--json", first)
    replayed = envcheck("--facts", facts, "--json", again)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert 0 == replayed.returncode
    assert json.loads(Path(first).read_text()) == json.loads(Path(again).read_text())
    device = json.loads(Path(facts).read_text())["facts"]["active"]["devices"][0]
    assert device["memory"]["tested_bytes"] >= 32 * 1024**2
    assert device["matrix"]["modes"][0]["products"] >= 4


@pytest.mark.parametrize("burn_in", [[], ["--burn-in", "1.5"]])
def test_an_injected_flip_is_found(torch: Any, burn_in: list[str]) -> None:
    """One flipped bit of one result: exit status 1, and the device is named."""
    del torch
    done = envcheck("--active", "--inject", "bit-flip", *burn_in)

    assert 1 == done.returncode
    assert "fail   Matrix products compared" in done.stdout
    assert "flipped on purpose" in done.stdout
    assert "CPU with" in done.stdout


def test_an_interrupt_ends_the_burn_in_with_what_was_seen(torch: Any, tmp_path: Path) -> None:
    """Ctrl-C in the middle: products are judged, and it says that it was cut short."""
    del torch
    report = tmp_path / "report.json"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "envcheck", "--device", "cpu", "--burn-in", "100",
            "--json", str(report),
        ],
        cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if b"wrong elements" in line:
            os.killpg(process.pid, signal.SIGINT)
            break
    process.communicate(timeout=60)
    found = {item["id"]: item for item in json.loads(report.read_text())["findings"]}

    assert 0 == process.returncode
    assert "warn" == found["active.complete"]["status"]
    assert "cut short" in found["active.complete"]["reason"]
    assert "pass" == found["active.matrix"]["status"]


def test_a_gpu_that_is_not_there_is_no_pass(torch: Any) -> None:
    """--device cuda without a GPU: the run fails; it does not go to the CPU in silence."""
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    done = envcheck("--active", "--device", "cuda")

    assert 1 == done.returncode
    assert "torch.cuda.is_available() is False" in done.stdout


def test_the_reference_is_exact(torch: Any, unit: Accelerator) -> None:
    """The FP32 product is the FP64 product, bit for bit, and no element is zero."""
    operands = Operands(unit, 256)
    exact = torch.mm(operands.left.double(), operands.right.double())

    assert torch.equal(exact, operands.product.double())
    assert not bool((operands.product == 0).any())
    assert "ok" == operands.fault(torch)


def test_operands_survive_every_format(torch: Any, unit: Accelerator) -> None:
    """BF16 and FP16 hold the operands without rounding: only the result is rounded, once."""
    operands = Operands(unit, 64)
    for name in ("bfloat16", "float16"):
        dtype = getattr(torch, name)

        assert torch.equal(operands.left, operands.left.to(dtype).float())
        assert torch.equal(operands.right, operands.right.to(dtype).float())


@pytest.mark.parametrize("bit", [0, 10, 22, 30, 31])
def test_a_wrong_reference_is_found(torch: Any, unit: Accelerator, bit: int) -> None:
    """Any flipped bit of one element shows in the FP64 projection."""
    operands = Operands(unit, 256)
    flat = operands.product.view(-1).view(torch.int32)
    flat[1234] ^= torch.tensor(-(2**31) if bit == 31 else 1 << bit, dtype=torch.int32)

    assert 1 == wrong_rows(torch, operands.left, operands.right, operands.product)
    assert "1 of 256 rows" in operands.fault(torch)


def test_the_host_agrees_on_its_block(torch: Any, unit: Accelerator) -> None:
    """A block of the product is computed apart from the device."""
    operands = Operands(unit, 256)

    assert 0 == wrong_on_host(torch, operands.left, operands.right, operands.product)
    operands.product += 1
    assert 8 * 256 == wrong_on_host(torch, operands.left, operands.right, operands.product)


def test_one_flipped_bit_is_counted_once(torch: Any, unit: Accelerator) -> None:
    """The flip is in one product only: the next ones are right again."""
    set_precision(torch, tf32=False)
    products = Products(torch, "fp32", Operands(unit, 128))
    injection = Injection("bit-flip")
    for _ in range(4):
        products.multiply_and_compare(injection)

    assert (True, 1) == (injection.done, products.wrong())


@pytest.mark.parametrize("pattern", memory.PATTERNS)
def test_memory_patterns_find_one_flipped_bit(torch: Any, pattern: str) -> None:
    """Each pattern reads back whole, and one flipped bit is found where it is."""
    chunk = torch.empty(4096, dtype=torch.int64)
    memory.fill(torch, chunk, pattern, place=3)

    assert 0 == int(memory.wrong_words(torch, chunk, pattern, place=3))
    chunk[77] ^= 1 << 40
    assert 1 == int(memory.wrong_words(torch, chunk, pattern, place=3))
    first = memory.first_wrong(torch, chunk, pattern, place=3)
    assert first is not None
    assert (3 * 4096 + 77) * 8 == first["offset_bytes"]
    assert 1 << 40 == int(first["expected"], 16) ^ int(first["found"], 16)


def test_a_stuck_address_line_is_found(torch: Any) -> None:
    """A chunk that is really another one shows: the pattern is made of the address."""
    first = torch.empty(1024, dtype=torch.int64)
    memory.fill(torch, first, "address", place=0)
    memory.fill(torch, first, "address", place=1)

    assert 1024 == int(memory.wrong_words(torch, first, "address", place=0))


def test_the_api_runs_beside_host_facts(torch: Any) -> None:
    """One report holds host and active findings."""
    del torch
    from envcheck.active.plan import Plan

    report = api.host_report(device="cpu", active=Plan(device="cpu"))

    assert {"gpu", "active"} <= {finding.id.partition(".")[0] for finding in report.findings}


def test_a_long_burn_in_answers_between_its_intervals(torch: Any, unit: Accelerator) -> None:
    """Blocks are short whatever the interval: a stop is heard, and life is shown, in between."""
    products = [Products(torch, "fp32", Operands(unit, 256))]
    lives: list[int] = []
    burning = BurnIn(unit, products, 86400.0, 2.0, Injection("none"), dict)
    found = burning.run(lambda: len(lives) >= 2, lambda: None, lambda: lives.append(1))

    assert 288.0 == found["interval_s"]
    assert (1, 0) == (len(found["intervals"]), found["wrong"])
    assert found["ran_s"] < 60
