"""What the endpoints share: the desktop, the limits, and what is known of the desktop's surroundings."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from trueline.desktop.perturbations.model import Applied
from trueline.desktop.serve.recording import RecordingSession
from trueline.desktop.serve.settings import ServeSettings
from trueline.desktop.types import CommandResult, Desktop

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)


@dataclass
class ServedDesktop:
    """One desktop that is served."""

    desktop: Desktop
    settings: ServeSettings
    perturbation: Applied | None = None
    """The perturbation that is applied to the desktop."""
    recording: RecordingSession = field(default_factory=RecordingSession)
    acting: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held over all actions of one request."""
    _environment: Mapping[str, str] | None = None

    async def run(self, *argv: str) -> CommandResult:
        """Run a small program of ours inside; what it says does not depend on the desktop's language."""
        return await self.desktop.run(argv, env={"LC_ALL": "C.UTF-8"})

    async def environment(self) -> Mapping[str, str]:
        """The variables that programs inside find."""
        if self._environment is None:
            pairs = [word.partition("=") for word in (await self.run("env", "-0")).text.split("\0")]
            self._environment = {name: value for name, equals, value in pairs if equals}
        return self._environment

    async def home(self) -> str:
        """The home folder inside."""
        return (await self.environment()).get("HOME", "/")

    async def path(self, path: str) -> str:
        """A whole path inside: `~` and `$VARIABLES` mean what they mean there, relative ones start at home."""
        environment = await self.environment()
        home = environment.get("HOME", "/")
        whole = home + path[1:] if path == "~" or path.startswith("~/") else path
        whole = _VARIABLE.sub(lambda match: environment.get(match[1] or match[2], match[0]), whole)
        return os.path.join(home, whole)
