"""The result of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from trueline.agents.registry import SIMULATED
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeRecord
from trueline.records.setting import Setting
from trueline.runs.batch.state import earlier_attempts
from trueline.runs.batch.types import BatchResult
from trueline.runs.summary import by_domain, summarise
from trueline.tables import html_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueline.runs.judging import RunJudging
    from trueline.runs.prepare import Run
    from trueline.stats.attacks.success import AttackTrial


@dataclass(frozen=True, repr=False)
class RunResult:
    """The episodes of a run; all of them lie in the result folder as well."""

    setting: Setting
    result_dir: Path
    records: Mapping[str, EpisodeRecord]
    """By folder below the result folder."""
    not_run: tuple[str, ...] = ()
    """Folders of episodes that were left because the run stopped."""
    stopped: str = ""
    """Why it stopped early; empty when it came to its end."""
    spent: float = 0.0
    """US dollars spent on models, as far as their prices are known; without the judges'."""
    judging: RunJudging | None = None
    """How judging the episodes went; `None` if the request names no judge."""

    @classmethod
    def from_batch(cls, run: Run, result: BatchResult) -> RunResult:
        """The result of this run."""
        return cls(
            run.setting, run.options.result_dir, result.records, result.not_run, result.stopped, run.ledger.spent
        )

    @property
    def complete(self) -> bool:
        """Whether every supported episode was scored, or played where nothing scores it."""
        fine = (None, Unscored.UNSUPPORTED, Unscored.NO_CHECKER)
        return not self.stopped and all(record.unscored in fine for record in self.records.values())

    def to_json(self) -> dict[str, JsonValue]:
        """The summary that `trueline run --json` prints."""
        from trueline.stats.attacks.success import trials_of
        from trueline.stats.attacks.twins import twin_json, twin_rates

        records = list(self.records.values())
        earlier = [
            record for path in self.records for record in earlier_attempts(self.result_dir, self.result_dir / path)
        ]
        twins = [cast("JsonValue", twin_json(rate)) for rate in twin_rates(records)]
        return {
            **summarise(records, earlier),
            **({"twins": twins} if twins else {}),
            "attack_success": _attack_success(trials_of(records), scripted=any(map(_is_simulated, records))),
            "domains": [*by_domain(records)],
            "not_run": [*self.not_run],
            "stopped": self.stopped or None,
            "result_dir": str(self.result_dir),
        }

    def __repr__(self) -> str:
        scores = [record.score for record in self.records.values() if record.score is not None]
        mean = f"mean score {sum(scores) / len(scores):.3g}" if scores else "none scored"
        return f"<RunResult: {len(self.records)} episodes in {self.result_dir}, {mean}>"

    def _repr_html_(self) -> str:
        """A table of the episodes, for notebooks."""
        rows = [
            (path, _outcome(record), "" if record.score is None else f"{record.score:g}", str(len(record.steps)))
            for path, record in self.records.items()
        ]
        return html_table([("episode", "end", "score", "steps"), *rows])


def _outcome(record: EpisodeRecord) -> str:
    if record.unscored is not None:
        return f"unscored: {record.unscored.value}"
    return record.end.value if record.end else ""


def _is_simulated(record: EpisodeRecord) -> bool:
    return record.setting is not None and record.setting.agent.startswith(SIMULATED)


def _attack_success(trials: Sequence[AttackTrial], *, scripted: bool) -> JsonValue:
    """Achieved of delivered, mean over cells; `None` when nothing was injected. `scripted`: the agent is simulated."""
    from trueline.stats.attacks.report import rate_json
    from trueline.stats.attacks.success import attack_rate, attack_rates_by

    if not trials:
        return None
    by_goal: dict[str, JsonValue] = {name: rate_json(rate) for name, rate in attack_rates_by(trials, "goal").items()}
    by_vector: dict[str, JsonValue] = {
        name: rate_json(rate) for name, rate in attack_rates_by(trials, "vector").items()
    }
    return {**rate_json(attack_rate(trials)), "scripted": scripted, "by_goal": by_goal, "by_vector": by_vector}
