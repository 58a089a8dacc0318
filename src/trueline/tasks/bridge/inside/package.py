"""OSWorld's package, imported so that what wants the network, or a part that is not installed, is seen and refused."""

from __future__ import annotations

import importlib
import logging
import os
import socket
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

_LOCAL = ("127.0.0.1", "localhost", "::1", "", "0.0.0.0")  # noqa: S104 - names, nothing is bound


class Refusals:
    """What was asked for and is not there, in order."""

    def __init__(self) -> None:
        self.phase = "import"
        self.found: list[dict[str, str]] = []

    def note(self, kind: str, name: str) -> None:
        """Note something refused."""
        entry = {"phase": self.phase, "kind": kind, "name": name[:300]}
        if entry not in self.found and len(self.found) < 100:
            self.found.append(entry)


class InstalledPackage:
    """The parts of OSWorld's package that evaluations use."""

    def __init__(self) -> None:
        """Import it. The current folder must be an empty one: settings are looked up there."""
        self.refusals = Refusals()
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        _refuse_hosts(self.refusals)
        sys.modules["easyocr"] = _no_easyocr(self.refusals)
        self.controller: Any = importlib.import_module("desktop_env.controllers.python").PythonController
        self.setup_controller: Any = importlib.import_module("desktop_env.controllers.setup").SetupController
        self.getters: Any = importlib.import_module("desktop_env.evaluators.getters")
        self.metrics: Any = importlib.import_module("desktop_env.evaluators.metrics")
        _watch_pages(self.refusals)

    def metric(self, name: str) -> Callable[..., Any] | None:
        """The function of this name."""
        found = None if name.startswith("_") else getattr(self.metrics, name, None)
        return found if callable(found) else None

    def getter(self, name: str) -> Callable[..., Any] | None:
        """The getter of this type."""
        found = getattr(self.getters, f"get_{name}", None)
        return found if callable(found) else None

    def names(self) -> dict[str, list[str]]:
        """Every metric and getter."""
        metrics = [name for name in _functions(self.metrics) if not name.startswith("_")]
        getters = [name.removeprefix("get_") for name in _functions(self.getters) if name.startswith("get_")]
        return {"metrics": metrics, "getters": getters}


def _functions(module: types.ModuleType) -> list[str]:
    return sorted(name for name, value in vars(module).items() if isinstance(value, types.FunctionType))


def _refuse_hosts(refusals: Refusals) -> None:
    """One place sees everything that would leave the machine: names are looked up before they are connected to."""
    original = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
        if name not in _LOCAL:
            refusals.note("host", name)
            raise socket.gaierror(socket.EAI_NONAME, f"no network for {name}")
        return original(host, *args, **kwargs)

    socket.getaddrinfo = getaddrinfo


def _no_easyocr(refusals: Refusals) -> types.ModuleType:
    """A stand-in for a package that brings a deep-learning framework for a single metric."""
    module = types.ModuleType("easyocr")

    def reader(*_args: Any, **_kwargs: Any) -> Any:
        refusals.note("package", "easyocr")
        raise RuntimeError("easyocr is not installed")

    vars(module)["Reader"] = reader
    return module


def _watch_pages(refusals: Refusals) -> None:
    """Note the pages that the desktop's browser was sent to and could not open."""
    page: Any = importlib.import_module("playwright.sync_api").Page
    original = page.goto

    def goto(self: Any, url: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, url, *args, **kwargs)
        except Exception:
            refusals.note("page", str(url))
            raise

    page.goto = goto


def set_time_zone(name: str | None) -> None:
    """Let getters of relative dates know where the desktop is, instead of asking a web service for its address."""
    if name is not None:
        module: Any = importlib.import_module("desktop_env.evaluators.getters.misc")
        module.get_timezone_from_ip = lambda: name


def quiet_environment() -> None:
    """What libraries read from the environment when they are imported."""
    for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "NUMBA"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    os.environ.update(TLDEXTRACT_CACHE="/tmp/tld", NUMBA_CACHE_DIR="/tmp/numba", MPLCONFIGDIR="/tmp/mpl")  # noqa: S108
