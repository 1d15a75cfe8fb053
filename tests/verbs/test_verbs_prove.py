from __future__ import annotations

from core.records import Finding
from core.status import CheckStatus
from verbs.prove import stopping, summary


def finding(name: str, status: CheckStatus) -> Finding:
    return Finding(name, name, status, "a", "b", reason="because", remedy="do this")


def test_a_card_without_code_costs_rows_and_does_not_stop_the_run() -> None:
    """1.13.1 on a Hopper card is unsupported; a wrong torch must not be measured."""
    findings = [
        finding("device.architecture", CheckStatus.FAIL),
        finding("toolchain.nvcc", CheckStatus.FAIL),
        finding("torch.version", CheckStatus.FAIL),
        finding("torch.numpy", CheckStatus.WARN),
    ]

    assert ["torch.version"] == [f.id for f in stopping(findings)]
    assert "envcheck: 1 warned, 3 failed" == summary(findings)
