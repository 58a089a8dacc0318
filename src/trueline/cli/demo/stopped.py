"""What a guard stopped in recorded episodes, with the proposal drawn on the screen it was meant for."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from trueline.cli.output import write_file


class Stopped(NamedTuple):
    """One proposal that was not let through."""

    episode: str
    step: int
    reason: str
    picture: str


def picture_stops(results: Path, out: Path) -> list[Stopped]:
    """Find them below a result folder and write their pictures."""
    from trueline.guard.annotation import annotate
    from trueline.records import read_episode
    from trueline.records.layout import ATTEMPTS

    found: list[Stopped] = []
    for path in sorted(results.rglob("episode.json")):
        if ATTEMPTS in path.parts:
            continue
        folder = path.parent
        name = str(folder.relative_to(results))
        for step in read_episode(folder).record.steps:
            for attempt in step.attempts:
                shot = step.observation.screenshot if step.observation else None
                if attempt.ran or attempt.verdict is None or shot is None or shot.file is None:
                    continue
                png = (folder / shot.file).read_bytes()
                drawn = annotate(png, attempt.proposal.actions, seed=attempt.proposal.id)
                out.mkdir(parents=True, exist_ok=True)
                picture = out / f"{len(found) + 1:02d}.png"
                write_file(picture, drawn.png if drawn else png)
                found.append(Stopped(name, step.number, attempt.verdict.reason, str(picture)))
    return found
