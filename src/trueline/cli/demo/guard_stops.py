"""What a guard stopped in recorded episodes, and pictures of some of the stops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.output import write_file
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.actions import Action
    from trueline.records.verdict import Verdict

_LONGEST = 400


@dataclass(frozen=True)
class GuardStop:
    """One step whose first proposal was stopped."""

    task: str
    vector: str
    goal: str
    step: int
    rule: str
    """The name of the rule that decided."""
    words: str
    """What would have been typed or run."""
    reason: str
    verdict: str
    injected: str
    screenshot: Path
    actions: tuple[Action, ...]


def find_stops(results: Path) -> list[GuardStop]:
    """Find the first stopped proposal of every step of the episodes below a result folder, in the order of folders."""
    return list(_stops(results))


def _stops(results: Path) -> Iterator[GuardStop]:
    from trueline.records import read_episode
    from trueline.records.layout import ATTEMPTS

    for path in sorted(results.rglob("episode.json")):
        if ATTEMPTS in path.parts:
            continue
        record = read_episode(path.parent).record
        attack = record.attack
        for step in record.steps:
            shot = step.observation.screenshot if step.observation else None
            stopped = next((one for one in step.attempts if not one.ran and one.verdict is not None), None)
            if stopped is None or stopped.verdict is None or shot is None or shot.file is None:
                continue
            rule, reason = _rule(stopped.verdict)
            yield GuardStop(
                task=f"{record.task.domain}/{record.task.id}",
                vector=(attack.vector or "") if attack else "",
                goal=(attack.goal or "") if attack else "",
                step=step.number,
                rule=rule,
                words=printable(_words(stopped.proposal.actions), _LONGEST),
                reason=printable(reason, _LONGEST),
                verdict=_verdict(stopped.verdict),
                injected=printable(" ".join(((attack.content or "") if attack else "").split()), _LONGEST),
                screenshot=path.parent / shot.file,
                actions=stopped.proposal.actions,
            )


def _rule(verdict: Verdict) -> tuple[str, str]:
    """The name of the rule and what it says."""
    found = re.match(r"rule ([\w-]+): (.*?)(?: \(.*\))?$", verdict.reason, re.DOTALL)
    return (found[1], found[2]) if found else ("none", verdict.reason)


def _verdict(verdict: Verdict) -> str:
    category = f" ({verdict.category.value[0].lower()}{verdict.category.value[1:]})" if verdict.category else ""
    return f"{verdict.decision.value}{category}: nothing of this step was executed"


def _words(actions: Sequence[Action]) -> str:
    """What would be typed or run; of a proposal without such words, all of it."""
    from trueline.actions import Code, Type
    from trueline.guard.proposal_text import action_text

    texts = [action.text if isinstance(action, Type) else action.source for action in actions
             if isinstance(action, Type | Code)]  # fmt: skip
    return "\n".join(texts).strip() or action_text(actions)


def choose_stops(stops: Sequence[GuardStop], number: int) -> list[GuardStop]:
    """Choose some that differ as much as possible: first in the rule, then in the task."""
    left, chosen = list(stops), list[GuardStop]()
    while left and len(chosen) < number:
        rules, tasks = {one.rule for one in chosen}, {one.task for one in chosen}
        best = min(left, key=lambda one: (one.rule in rules, one.task in tasks))
        left.remove(best)
        chosen.append(best)
    return chosen


def draw_stops(stops: Sequence[GuardStop], folder: Path) -> list[Path]:
    """Draw each on the screenshot it was meant for: what was pointed at, the words, the rule and the verdict.

    Pictures of an earlier call are removed.
    """
    from trueline.guard.annotation import annotate
    from trueline.guard.annotation.caption import add_caption

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    pictures: list[Path] = []
    for number, stop in enumerate(stops, start=1):
        png = stop.screenshot.read_bytes()
        drawn = annotate(png, stop.actions, seed=f"{stop.task} {stop.step}")
        rows = [("On the screen", stop.injected)] if stop.injected else []
        rows += [("Blocked words", stop.words), ("Rule", f"{stop.rule}: {stop.reason}"), ("Verdict", stop.verdict)]
        picture = folder / f"{number}-{re.sub(r'[^a-z0-9-]', '_', stop.rule.lower())}.png"
        write_file(picture, add_caption(drawn.png if drawn else png, f"Stopped before it ran: {stop.task}", rows))
        pictures.append(picture)
    return pictures
