"""The docker engine: one container per environment, one exec per trial."""

from __future__ import annotations

import itertools
import os
import sys
import weakref
from types import TracebackType
from typing import Any, Mapping, Sequence

from core.errors import EngineError
from engines import container
from engines.base import Outcome, Target
from engines.client import connect
from engines.exec_stream import Exec, run_in
from engines.gpu import GpuAccess, device_requests, prove_gpu
from engines.verdict import judge

INTERPRETER = "/opt/venv/bin/python"
KILL_AFTER_S = 10.0
BACKSTOP_S = 30.0
HOUSEKEEPING_S = 60.0
_HANDED_ON = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")
_OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


class DockerEngine:
    """Runs environments from their images.

    Args:
        limits: what each container may use.
        interpreter: path of Python in the images.
        client: a Docker SDK client; by default one is made when the first session opens.
    """

    name = "docker"
    managed = True

    def __init__(
        self,
        *,
        limits: container.Limits | None = None,
        interpreter: str = INTERPRETER,
        client: Any = None,
    ) -> None:
        self._limits = limits or container.Limits()
        self._interpreter = interpreter
        self._client = client
        self._gpu: GpuAccess | None = None

    def open(self, target: Target, *, device: str, label: str) -> DockerSession:
        """Start the environment's container.

        Raises:
            EngineError: no engine, no such image, or no GPU inside although ``cuda`` was asked.
        """
        if target.image is None:
            raise EngineError(
                f"The environment {target.environment} has no image.",
                remedy=f"Build it: invoke build --env {target.environment}.",
            )
        self._client = self._client or connect()
        if device == "cuda" and self._gpu is None:
            self._gpu = prove_gpu(self._client, target.image)
        gpu = self._gpu if device == "cuda" else None
        return DockerSession(self._client, target, label, self._limits, self._interpreter, gpu)


class DockerSession:
    """An environment's container, kept up between trials and replaced when it is lost."""

    def __init__(
        self,
        client: Any,
        target: Target,
        label: str,
        limits: container.Limits,
        interpreter: str,
        gpu: GpuAccess | None,
    ) -> None:
        self._client = client
        self._target = target
        self._label = label
        self._limits = limits
        self._interpreter = interpreter
        self._gpu = gpu
        self._numbers = itertools.count()
        self._names: set[str] = set()
        self._container: Any = None
        self._oom_kills = 0
        self._remove_at_exit = weakref.finalize(self, _remove, client, self._names)
        self.identity: Mapping[str, Any] = self._identify()
        self._replace()

    def python(
        self, args: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None = None
    ) -> Outcome:
        """Run the image's Python in a fresh process with a temporary folder of its own.

        At ``timeout_s`` the process group gets SIGTERM, ten seconds later SIGKILL; should the
        engine not report its end another 30 s later, the container is removed. A container that
        is gone is replaced before the next command.
        """
        from docker.errors import DockerException

        try:
            self._ensure_up()
        except (DockerException, OSError, EngineError) as error:
            return Outcome(-1, b"", "", timed_out=False, lost=True, reason=str(error), elapsed_s=0)
        folder = f"{container.SCRATCH}/trial-{next(self._numbers)}"
        self._keep_house(["mkdir", "-m", "700", folder])
        done = run_in(
            self._client,
            self._container.id,
            self._limited(args, timeout_s),
            deadline_s=timeout_s + KILL_AFTER_S + BACKSTOP_S,
            env=self._environment(folder, env),
            workdir=folder,
        )
        running, oom = self._aftermath(done)
        outcome = judge(done, timeout_s, running=running, oom=oom)
        if outcome.lost or outcome.timed_out:
            self._discard()
        else:
            self._keep_house(["rm", "-rf", folder])
        return outcome

    def close(self) -> None:
        """Remove the container, whatever runs in it."""
        self._remove_at_exit()
        self._container = None

    def __enter__(self) -> DockerSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _identify(self) -> dict[str, Any]:
        from docker.errors import ImageNotFound

        try:
            image = self._client.images.get(self._target.image)
        except ImageNotFound as error:
            raise EngineError(
                f"The image {self._target.image} is not on this engine.",
                remedy=f"Build it: invoke build --env {self._target.environment}.",
            ) from error
        version = self._client.version()
        return {
            "engine": "docker",
            "managed": True,
            "engine_version": version.get("Version", ""),
            "engine_api": version.get("ApiVersion", ""),
            "image": self._target.image,
            "image_id": image.id,
            "image_digests": list(image.attrs.get("RepoDigests") or ()),
            "gpu_method": self._gpu.method if self._gpu else None,
            "memory_limit": self._limits.memory,
        }

    def _replace(self) -> None:
        """Create and start a container; leave none behind when that is interrupted."""
        from docker.errors import APIError

        name = container.new_name(self._label, self._target.environment)
        self._names.add(name)
        try:
            self._container = self._client.containers.create(
                **container.options(
                    self.identity["image_id"],
                    name=name,
                    label=self._label,
                    limits=self._limits,
                    gpu=device_requests(self._gpu),
                )
            )
            self._container.start()
            self._oom_kills = 0
        except APIError as error:
            self._discard()
            raise EngineError(
                f"The container for {self._target.environment} could not be started.",
                why=f"{error.explanation or error}.",
                remedy="Run `invoke envcheck` for the state of the engine, then try again.",
            ) from error
        except BaseException:
            self._discard()
            raise

    def _ensure_up(self) -> None:
        if not self._remove_at_exit.alive:
            raise EngineError("This session is closed.", remedy="Open the environment again.")
        if self._container is None or not self._running():
            self._discard()
            self._replace()

    def _running(self) -> bool:
        from docker.errors import DockerException

        try:
            self._container.reload()
        except (DockerException, OSError):
            return False
        return bool(self._container.status == "running")

    def _discard(self) -> None:
        _remove(self._client, self._names)
        self._container = None

    def _limited(self, args: Sequence[str], timeout_s: float) -> list[str]:
        limit = ["timeout", f"--kill-after={KILL_AFTER_S:g}", f"{timeout_s:.3f}"]
        return [*limit, self._interpreter, *args]

    def _environment(self, folder: str, extra: Mapping[str, str] | None) -> dict[str, str]:
        handed_on = {key: os.environ[key] for key in _HANDED_ON if key in os.environ}
        own = {"HOME": folder, "TMPDIR": folder, "USER": "torchrig"}
        return {**(handed_on if self._gpu else {}), **own, **(extra or {})}

    def _keep_house(self, argv: Sequence[str]) -> Exec:
        return run_in(self._client, self._container.id, argv, deadline_s=HOUSEKEEPING_S)

    def _aftermath(self, done: Exec) -> tuple[bool, bool]:
        """Whether the container still runs commands, and whether memory killed one meanwhile."""
        if done.returncode == 0:
            return True, False
        if done.hung:
            return False, False
        look = self._keep_house(["cat", *_OOM_COUNTERS])
        words = look.stdout.decode("ascii", "replace").split()
        kills = sum(int(n) for key, n in itertools.pairwise(words) if key == "oom_kill")
        rose, self._oom_kills = kills > self._oom_kills, max(kills, self._oom_kills)
        return not look.fault and self._running(), rose


def _remove(client: Any, names: set[str]) -> None:
    for name in sorted(names):
        if _removed(client, name):
            names.discard(name)


def _removed(client: Any, name: str) -> bool:
    from docker.errors import APIError, DockerException, NotFound

    try:
        client.api.remove_container(name, force=True, v=True)
    except NotFound:
        return True
    except APIError as error:
        return _being_removed(client, name, error)
    except (DockerException, OSError) as error:
        sys.stderr.write(f"The container {name} could not be removed: {error}\n")
        return False
    return True


def _being_removed(client: Any, name: str, error: Exception) -> bool:
    """Wait for a removal that someone else began; report any other refusal."""
    from docker.errors import NotFound

    if "already in progress" not in str(error):
        sys.stderr.write(f"The container {name} could not be removed: {error}\n")
        return False
    try:
        client.api.wait(name, timeout=HOUSEKEEPING_S, condition="removed")
    except (NotFound, OSError):
        return True
    return True
