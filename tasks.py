"""The front door: one thin task per verb. What a verb does stands in ``verbs/``.

    invoke --list
    invoke build run-all            the main job
    invoke VERB --help              a verb's options

Heavy imports happen inside the tasks, so that ``invoke --list`` answers at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.context import Context
from invoke.tasks import task

sys.path.insert(0, str(Path(__file__).resolve().parent))

if TYPE_CHECKING:
    from verbs.ground import Ground

_settled: list[tuple[Ground, tuple[str, ...]]] = []
"""What ``build`` settled on this command line, for the ``run-all`` that follows it."""

_ENV = "an environment of the table; repeat for more (default: the table's defaults)"
_ENGINE = "docker, venv or host (default: docker; venv where there is no Docker engine at all)"
_DEVICE = "auto, cpu or cuda: what the environments will run on"
_PYTHON = "Python version for the venv engine, such as 3.10"
_IGNORE = "go on although a check failed"


@task
def validate(_: Context) -> None:
    """Judge the environment table and its locks."""
    from verbs import front, table

    front.speak(table.validate)


@task(
    help={
        "env": "print this environment's Dockerfile instead of writing the committed files",
        "builder": "buildkit or classic",
        "output": "a file, or - for standard output (default with --env)",
        "check": "write nothing; fail when the file is stale",
    }
)
def render(
    _: Context,
    env: str | None = None,
    builder: str = "buildkit",
    output: str | None = None,
    check: bool = False,
) -> None:
    """Render a Dockerfile from the template."""
    from verbs import front, table

    front.speak(table.render, name=env, builder=builder, output=output, check=check)


@task(
    iterable=["env"],
    help={
        "env": "an environment; repeat for more (default: all)",
        "check": "write nothing; fail when a lock is stale",
        "upgrade": "take newer versions of what the table does not fix",
    },
)
def lock(
    _: Context, env: list[str] | None = None, check: bool = False, upgrade: bool = False
) -> None:
    """Resolve the environments' packages to versions and hashes."""
    from verbs import front, table

    front.speak(table.lock, env or [], check=check, upgrade=upgrade)


@task(
    help={
        "suite": "bullseye (Python 3.9), bookworm (3.11), trixie (3.13), jammy (3.10), ...",
        "cuda": "with the distribution's CUDA toolkit: bullseye 11.2, bookworm 11.8, trixie 12.4",
        "tag": "the image's name (default: torchrig/base:SUITE)",
        "mirror": "the distribution's mirror (default: this host's own)",
        "force": "make it again",
    }
)
def base(
    _: Context,
    suite: str = "bullseye",
    cuda: bool = False,
    tag: str | None = None,
    mirror: str | None = None,
    force: bool = False,
) -> None:
    """Make a local base image, for hosts that reach no image registry (needs root)."""
    from verbs import front, images

    front.speak(images.base, suite=suite, cuda=cuda, tag=tag, mirror=mirror, force=force)


@task(
    iterable=["env"],
    help={
        "env": _ENV,
        "engine": _ENGINE,
        "device": _DEVICE,
        "python": _PYTHON,
        "ignore-checks": _IGNORE,
        "base": "image to build on instead of the table's",
        "registry": "prefix of every image that is pulled, such as nvcr.io/",
        "index": "package index to install from",
        "extra-index": "a second package index",
        "apt-mirror": "scheme and host that replace those of the base's apt sources",
        "ca": "PEM file to trust while packages are downloaded",
        "builder": "auto, buildkit or classic",
        "network": "network of the build's steps",
        "force": "build although nothing changed",
    },
)
def build(
    _: Context,
    env: list[str] | None = None,
    engine: str | None = None,
    device: str = "auto",
    python: str | None = None,
    ignore_checks: bool = False,
    base: str | None = None,
    registry: str | None = None,
    index: str | None = None,
    extra_index: str | None = None,
    apt_mirror: str | None = None,
    ca: str | None = None,
    builder: str | None = None,
    network: str | None = None,
    force: bool = False,
) -> None:
    """Build, prove and name each environment."""
    from verbs import build as verb
    from verbs import front

    given = {
        "base": base,
        "registry": registry,
        "index": index,
        "extra_index": extra_index,
        "apt_mirror": apt_mirror,
        "ca": Path(ca) if ca else None,
        "builder": builder,
        "network": network,
        "force": force or None,
    }

    def go() -> int:
        _settled[:] = [
            verb.build(
                names=env or [],
                engine=engine,
                device=device,
                python=python,
                override=ignore_checks,
                image_options=given,
            )
        ]
        return 0

    front.speak(go)


@task(
    name="run-all",
    iterable=["env", "workload"],
    help={
        "env": _ENV,
        "workload": "a workload (matmul) or one of its variants (sigmoid/builtin); repeat for more",
        "preset": "smoke, quick (default), full or published",
        "engine": _ENGINE,
        "device": _DEVICE,
        "python": _PYTHON,
        "rounds": "rounds over all cells (default: the preset's)",
        "seed": "seed of the order and of the inputs (default: random, and written down)",
        "timeout": "seconds until a trial is ended (default: from its estimate)",
        "memory": "memory limit of a container, such as 16g",
        "out": "folder for runs",
        "resume": "folder of a run to go on with",
        "ignore-checks": _IGNORE,
    },
)
def run_all(
    _: Context,
    env: list[str] | None = None,
    workload: list[str] | None = None,
    preset: str | None = None,
    engine: str | None = None,
    device: str | None = None,
    python: str | None = None,
    rounds: str | None = None,
    seed: str | None = None,
    timeout: str | None = None,
    memory: str | None = None,
    out: str = "torchrig-runs",
    resume: str | None = None,
    ignore_checks: bool = False,
) -> None:
    """Run the suite in every environment and merge the outputs into a report."""
    from verbs import front
    from verbs import run_all as verb
    from verbs.numbers import seconds, whole

    ground, built = _settled[0] if _settled else (None, ())

    def go() -> int:
        planned = {
            "--env": env, "--workload": workload, "--preset": preset, "--engine": engine,
            "--device": device, "--python": python, "--rounds": rounds, "--seed": seed,
            "--timeout": timeout,
        }  # fmt: skip
        if resume:
            verb.refuse_with_resume([name for name, value in planned.items() if value])
        options = verb.RunOptions(
            names=tuple(env or built),
            workloads=tuple(workload or ()),
            preset=preset or "quick",
            engine=engine,
            device=device or "auto",
            python=python,
            rounds=whole("--rounds", rounds, least=1),
            seed=whole("--seed", seed, least=0),
            timeout_s=seconds("--timeout", timeout),
            memory=memory,
            out=Path(out),
            override=ignore_checks,
        )
        return verb.resume(Path(resume), options) if resume else verb.run_all(options, ground)

    front.speak(go)


@task(
    positional=["run"],
    help={
        "run": "folder of a run",
        "allow-other-device": "merge results of devices with different names",
        "lang": "language of report.html: en or zh",
        "csv": "write the rows to this file as CSV too",
    },
)
def report(
    _: Context,
    run: str,
    allow_other_device: bool = False,
    lang: str = "en",
    csv: str | None = None,
) -> None:
    """Merge a run's results anew and show them."""
    from verbs import front
    from verbs import report as verb

    front.speak(
        verb.report,
        Path(run),
        allow_other_device=allow_other_device,
        language=lang,
        csv=Path(csv) if csv else None,
    )


@task(
    help={
        "run": "folder of a run, or a report.json, to hold the claims against",
        "article": "only this article's claims, or a TOML file of your own",
        "json": "write the judgement to a file (- for standard output)",
    },
)
def claims(
    _: Context, run: str | None = None, article: str | None = None, json: str | None = None
) -> None:
    """Judge published claims: their arithmetic, the card's limits, and a run."""
    from verbs import claims as verb
    from verbs import front

    front.speak(verb.claims, run=Path(run) if run else None, article=article, json=json)


@task(
    iterable=["env"],
    help={
        "env": "judge this environment from inside instead of the host; repeat for more",
        "engine": _ENGINE,
        "device": "auto, cpu or cuda: cuda requires a GPU, cpu ignores it",
        "profile": "what kind of host to expect, such as rtx4090d",
        "facts": "judge a saved host instead of this one",
        "save-facts": "write what was read to a file (- for standard output)",
        "json": "write facts and findings to a file (- for standard output)",
        "junit": "write a JUnit report to a file (- for standard output)",
        "strict": "warnings fail",
        "identify": "keep UUIDs, hosts and home folders in what is written",
        "probe-image": "image whose container looks for the card (default: one that was built)",
        "active": "load the GPUs and compare what they compute, about 10 s each",
        "burn-in": "--active for this many seconds",
        "inject": "bit-flip: prove that --active finds a fault",
        "list": "every check and what it looks at",
    },
)
def envcheck(
    _: Context,
    env: list[str] | None = None,
    engine: str | None = None,
    device: str = "auto",
    profile: str | None = None,
    facts: str | None = None,
    save_facts: str | None = None,
    json: str | None = None,
    junit: str | None = None,
    strict: bool = False,
    identify: bool = False,
    probe_image: str | None = None,
    active: bool = False,
    burn_in: str | None = None,
    inject: str | None = None,
    list_: bool = False,
) -> None:
    """Say whether this host, or an environment, is right, and what to do if not."""
    from verbs import check, front

    options = {
        "--device": device,
        "--profile": profile,
        "--facts": facts,
        "--save-facts": save_facts,
        "--json": json,
        "--junit": junit,
        "--probe-image": probe_image,
        "--burn-in": burn_in,
        "--inject": inject,
    }
    flags = {"--strict": strict, "--identify": identify, "--active": active, "--list": list_}
    arguments = [part for name, value in options.items() if value for part in (name, value)]
    arguments += [name for name, on in flags.items() if on]
    front.speak(check.envcheck, arguments=arguments, names=env or [], engine=engine)


@task(name="list", help={"json": "as JSON"})
def list_(_: Context, json: bool = False) -> None:
    """Show environments, workloads, variants and presets with estimated times."""
    from verbs import front, table

    front.speak(table.list_all, as_json=json)


@task
def images(_: Context) -> None:
    """Show the images that were built and passed their checks."""
    from verbs import front
    from verbs import images as verb

    front.speak(verb.images)


@task
def clean(_: Context) -> None:
    """Remove containers that a crash left behind; only those that carry our label."""
    from verbs import front
    from verbs import images as verb

    front.speak(verb.clean)
