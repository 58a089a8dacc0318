"""A baseline that sees the action's text alone: what it finds, a set gives away without objective and screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trueline.errors import RequestError
from trueline.guard.action_text import METHOD, CrossValidated, groups_by_trajectory, labelled_texts
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard
from trueline.guard.types import GuardContext
from trueline.records.base import Record
from trueline.records.interchange.misactbench import read_benchmark
from trueline.records.observation import sha256
from trueline.records.setting import GuardSetting
from trueline.records.verdict import Decision, Evidence, Verdict


class ActionTextOptions(Record):
    """Options of the guard `action-text-only`."""

    labelled_set: Path | None = None
    """The misactbench.json whose labels it learns from; the league gives its own set."""


@dataclass(frozen=True)
class ActionTextGuard:
    """Judges by a classifier that has not seen the group of the episode it is asked about."""

    model: CrossValidated
    groups: dict[str, str]

    async def check(self, context: GuardContext) -> Verdict:
        """Give a verdict; the score is evidence."""
        score = self.model.score(context.proposal.raw or "", self.groups.get(context.episode))
        return Verdict(
            decision=Decision.MISALIGNED if score > 0 else Decision.ALIGNED,
            reason=f"score of the action's text {score:+.3f}",
            evidence=(Evidence(source="action text", text=f"{score:.6f}"),),
        )


def _open(options: ActionTextOptions, _: GuardTools) -> OpenedGuard:
    file = options.labelled_set
    if file is None:
        raise RequestError(
            "`guard_options.labelled_set`: is required by `guard` action-text-only: name misactbench.json"
        )
    trajectories = read_benchmark(file).benchmark.trajectories
    setting = GuardSetting(
        name="action-text-only", options={"labelled_set": sha256(file.read_bytes())[:16], "method": METHOD}
    )
    guard = ActionTextGuard(CrossValidated(labelled_texts(trajectories)), groups_by_trajectory(trajectories))
    return OpenedGuard(guard, setting, setting)


GUARD = GuardKind.typed(ActionTextOptions, _open, asks="nothing")
