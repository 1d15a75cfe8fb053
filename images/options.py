"""How an image is built: what a user may set, checked before anything starts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from core.errors import InputError
from engines.cmd import hide_credentials
from images.schema import Environment, is_image_reference

PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy")
CA_VARIABLES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_PREFIX = re.compile(r"[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:/[a-z0-9._-]+)*/?")


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Everything that one ``invoke build`` may change.

    Args:
        base: image to build on instead of the table's.
        registry: prefix of every image pulled, such as ``nvcr.io/``.
        index: package index (PEP 503) that replaces the default one.
        extra_index: a second package index beside it.
        apt_mirror: scheme and host that replace those of the base's apt sources.
        ca: PEM file to trust while packages are downloaded.
        proxies: proxy variables, passed as predefined build arguments and not kept.
        builder: ``auto`` takes BuildKit where the buildx plug-in answers, else the classic one.
        network: the network of the build's steps, as ``docker build --network`` takes it.
        uid: user id that the image runs as.
        force: build again even when nothing has changed.
    """

    base: str | None = None
    registry: str = ""
    index: str = ""
    extra_index: str = ""
    apt_mirror: str = ""
    ca: Path | None = None
    proxies: Mapping[str, str] = field(default_factory=dict)
    builder: Literal["auto", "buildkit", "classic"] = "auto"
    network: str = "default"
    uid: int = 1000
    force: bool = False

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], **given: Any) -> BuildOptions:
        """Options from the usual variables, with what was given (and is not None) on top.

        The variables: UV_DEFAULT_INDEX or PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, the proxy
        variables in both cases of letters, and the first of ``CA_VARIABLES`` that names a file.
        """
        found = cls(
            index=environ.get("UV_DEFAULT_INDEX") or environ.get("PIP_INDEX_URL", ""),
            extra_index=environ.get("PIP_EXTRA_INDEX_URL", ""),
            ca=_ca_file(environ),
            proxies=_proxies(environ),
        )
        return replace(found, **{key: value for key, value in given.items() if value is not None})

    def base_image(self, environment: Environment) -> str:
        """The full reference of the image that this environment is built on.

        Raises:
            InputError: the base or the prefix is not in the form of one.
        """
        return self.prefix + self.base_name(environment)

    def base_name(self, environment: Environment) -> str:
        """The base without the registry prefix; a local base takes none."""
        name = self.base or environment.base
        if not is_image_reference(name):
            raise InputError(
                f"--base {name!r} is not an image reference.",
                remedy="Give one such as torchrig/base:bullseye or nvidia/cuda:12.4.1-devel.",
            )
        return name

    @property
    def prefix(self) -> str:
        """The registry prefix with its closing slash; empty where a base was given."""
        if not self.registry or self.base:
            return ""
        if not _PREFIX.fullmatch(self.registry):
            raise InputError(
                f"--registry {self.registry!r} is not a registry prefix.",
                remedy="Give a host and perhaps a path, such as registry.example.com/hub, "
                "without a scheme.",
            )
        return self.registry.rstrip("/") + "/"

    def arguments(self, environment: Environment) -> dict[str, str]:
        """Build arguments, proxies apart; everything that can be refused is refused here.

        Raises:
            InputError: an address is not one, or holds credentials, which an image would keep.
        """
        if self.ca is not None and not self.ca.is_file():
            raise InputError(
                f"--ca {self.ca} is not a file.", remedy="Name a PEM file with the certificates."
            )
        if self.builder not in ("auto", "buildkit", "classic"):
            raise InputError(
                f"There is no builder {self.builder!r}.",
                remedy="Choose auto, buildkit or classic.",
            )
        if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9_.:-]*", self.network):
            raise InputError(
                f"--network {self.network!r} is not a network.",
                remedy="Give default, none, host or a network's name.",
            )
        return {
            "REGISTRY": self.prefix,
            "BASE_IMAGE": self.base_name(environment),
            "PIP_INDEX_URL": _address("--index", self.index),
            "PIP_EXTRA_INDEX_URL": _address("--extra-index", self.extra_index),
            "APT_MIRROR": _address("--apt-mirror", self.apt_mirror),
            "UID": str(_user_id(self.uid)),
        }


def _address(option: str, text: str) -> str:
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or re.search(r"[\s'\"#$\\`]", text)):
        raise InputError(
            f"{option} {hide_credentials(text)!r} is not an address.",
            remedy="Give one that begins with https://.",
        )
    if parts.username or parts.password:
        raise InputError(
            f"{option} holds a user name or a password.",
            why=f"The image's history would keep it (host {parts.hostname}).",
            remedy="Use an index that needs none, such as a local proxy of the private one.",
        )
    return text


def _user_id(uid: int) -> int:
    if not 1 <= uid <= 65533:
        raise InputError(
            f"The user id {uid} is not an ordinary user's.",
            remedy="Give one from 1 to 65533; 1000 is the default.",
        )
    return uid


def _ca_file(environ: Mapping[str, str]) -> Path | None:
    named = [Path(environ[name]) for name in CA_VARIABLES if environ.get(name)]
    return next((path for path in named if path.is_file()), None)


def _proxies(environ: Mapping[str, str]) -> dict[str, str]:
    names = [name for lower in PROXIES for name in (lower, lower.upper())]
    return {name: environ[name] for name in names if environ.get(name)}
