"""The distribution's Chromium, headless, and a report in both languages on disk."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser that was installed with the system; CI may not go without."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        reason = "no Chromium: apt-get install -y chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI may not skip this: {reason}")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where the pages lie: everything, in each language, and the same full of hostile text."""
    from page_helpers import HOSTILE, poisoned, whole

    from report.page import html

    data = whole(tmp_path_factory.mktemp("runs"))
    made = {"en": html.render(data), "zh": html.render(data, language="zh"),
            "hostile": html.render(poisoned(data, HOSTILE * 20))}  # fmt: skip
    folder = tmp_path_factory.mktemp("pages")
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page.html, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}
