"""The demo's result folder: one for all of its parts, and never a folder made by something else."""

from __future__ import annotations

from pathlib import Path

from trueline.errors import InputError

_MARKERS = ("DEMO.txt", "SIMULATED.txt")
_TEXT = """\
Made by trueline demo. The agent was simulated; desktops, injections, checks and guard were real.
In study/ no agent ran: every score there is drawn from a random generator.
"""


def claim_folder(out: Path) -> None:
    """Make the folder, or check that an earlier demo made it.

    Raises:
        InputError: It is another folder.
    """
    if out.exists() and not any((out / marker).is_file() for marker in _MARKERS):
        raise InputError(f"{out}: exists and was not made by trueline demo; name another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    (out / _MARKERS[0]).write_text(_TEXT)
