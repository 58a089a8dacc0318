"""Where OSWorld's own package is installed: an environment of its own, because its packages clash with ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import trueline
from trueline.errors import InputError
from trueline.text import printable

VARIABLE = "TRUELINE_OSWORLD"
PACKAGE, VERSION = "desktop-env", "1.0.2"
INSTALL = "trueline tasks install-osworld"
"""The command that makes the environment."""
_CHECKOUT = ".venv-osworld"


class NoEnvironment(InputError):
    """The environment is not there, or is not what it must be."""


@dataclass(frozen=True)
class OSWorldEnvironment:
    """A virtual environment that has OSWorld's package."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin/python"

    @property
    def home(self) -> Path:
        """The installation that its interpreter comes from.

        Raises:
            NoEnvironment: The environment is damaged.
        """
        try:
            lines = (self.folder / "pyvenv.cfg").read_text("utf-8").splitlines()
        except OSError as error:
            raise NoEnvironment(
                f"{self.folder}: not a virtual environment ({error.strerror}); run: {INSTALL}"
            ) from None
        values = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
        home = Path(values.get("home", ""))
        if not home.is_absolute():
            raise NoEnvironment(f"{self.folder}/pyvenv.cfg: names no `home`; run: {INSTALL}")
        return home.parent


def environment_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the environment is, or would be installed.

    $TRUELINE_OSWORLD, else `.venv-osworld` of a checkout of Trueline, else a folder of the user's data.
    """
    if named := environ.get(VARIABLE):
        return Path(named).expanduser().absolute()
    checkout = Path(trueline.__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "scripts/setup").is_file():
        return checkout / _CHECKOUT
    shared = Path(environ.get("XDG_DATA_HOME", ""))
    base = shared if shared.is_absolute() else Path("~/.local/share").expanduser()
    return base / "trueline/osworld"


def find_environment(folder: Path | None = None) -> OSWorldEnvironment:
    """The environment that is installed; nothing is started.

    Raises:
        NoEnvironment: It is not there; the message holds the command that installs it.
    """
    folder = folder or environment_folder()
    found = OSWorldEnvironment(folder)
    if not found.python.exists():
        raise NoEnvironment(f"OSWorld's package is not installed in {printable(str(folder))}; run: {INSTALL}")
    name = PACKAGE.replace("-", "_")
    versions = sorted(
        path.name.removeprefix(f"{name}-").removesuffix(".dist-info")
        for path in folder.glob(f"lib/python*/site-packages/{name}-*.dist-info")
    )
    if versions != [VERSION]:
        has = f"holds {PACKAGE} {', '.join(map(printable, versions))}" if versions else f"lacks {PACKAGE}"
        raise NoEnvironment(f"{printable(str(folder))}: {has}, and {VERSION} is needed; run: {INSTALL}")
    return found
