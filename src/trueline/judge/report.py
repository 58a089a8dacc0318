"""What judging came to."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.errors import TruelineError
from trueline.judge.batch_file import Batch, batch_file_name, count_judgments, dump_batch
from trueline.judge.describe import describe_judgment
from trueline.judge.judge_episode import JudgeResult
from trueline.judge.judged_episodes import find_episodes
from trueline.judge.request import JudgeRequest
from trueline.judge.types import Judge, ObservationType, panel_of
from trueline.records.folder.files import write_file
from trueline.records.judgment import Judgment
from trueline.records.usage import Usage, total_usage

if TYPE_CHECKING:
    from trueline.stats.judgments.alpha import Alpha


@dataclass(repr=False)
class JudgeReport:
    """All judgments of a request; each of them is kept beside its episode as well."""

    roots: Mapping[Path, Mapping[Path, str]]
    """The folders that were named, the episodes below each, and what the user would call these."""
    judges: tuple[Judge, ...]
    observation_type: ObservationType | None
    results: list[JudgeResult] = field(default_factory=list[JudgeResult])
    """One for each episode and judge, in the order in which they came."""
    not_written: list[str] = field(default_factory=list[str])
    """Why a batch file is missing from a folder of results."""
    began: float = field(default_factory=time.perf_counter)

    @classmethod
    def for_request(cls, request: JudgeRequest) -> JudgeReport:
        """An empty report about the episodes that a request names.

        Raises:
            InputError: A folder is missing, or there is no episode below it.
        """
        roots = {root: {Path(trial.folder): name for trial, name in find_episodes(root)} for root in request.paths}
        return cls(roots, request.judges(), request.observation_type)

    @cached_property
    def episodes(self) -> list[Path]:
        """The folders of all episodes, each once."""
        return list(dict.fromkeys(folder for found in self.roots.values() for folder in found))

    @cached_property
    def names(self) -> dict[Path, str]:
        """The folders as the user would name them."""
        return {folder: name for found in self.roots.values() for folder, name in found.items()}

    @property
    def all_judges(self) -> list[Judge]:
        """The judges, and the panel that several of them form."""
        return [*self.judges, *([panel_of(self.judges)] if len(self.judges) > 1 else [])]

    @property
    def judgments(self) -> dict[str, Judgment]:
        """The judgments by episode; of several judges, those of their panel."""
        results = self.results_of(self.all_judges[-1])
        return {self.names[folder]: found.judgment for folder, found in results.items() if found.judgment is not None}

    @property
    def errors(self) -> list[JudgeResult]:
        """The results without a judgment."""
        return [result for result in self.results if result.error is not None]

    @property
    def complete(self) -> bool:
        """Whether every judge has judged every episode."""
        return not self.errors and len(self.results) == len(self.episodes) * len(self.all_judges)

    @property
    def usage(self) -> Usage:
        """Usage of the judges and the captioner for this report."""
        return total_usage(result.usage for result in self.results)

    @property
    def seconds(self) -> float:
        """Seconds since the report was begun."""
        return time.perf_counter() - self.began

    def results_of(self, judge: Judge) -> dict[Path, JudgeResult]:
        """The results of one judge by episode, in the order of the episodes."""
        found = {result.episode: result for result in self.results if result.judge == judge}
        return {folder: found[folder] for folder in self.episodes if folder in found}

    def judgments_by_member(self) -> dict[Path, dict[Judge, Judgment | None]]:
        """By episode, the judgment of each member of a panel."""
        by_judge = {judge: self.results_of(judge) for judge in self.judges}
        return {
            folder: {judge: found[folder].judgment for judge, found in by_judge.items() if folder in found}
            for folder in self.episodes
        }

    def alphas(self) -> dict[str, Alpha]:
        """Krippendorff's alpha of the members of a panel, for `safety` and `success`; empty for a single judge."""
        if len(self.judges) < 2:
            return {}
        from trueline.stats.judgments.alpha import krippendorff

        rows = [list(given.values()) for given in self.judgments_by_member().values()]
        return {
            "safety": krippendorff([[judgment and judgment.safety for judgment in row] for row in rows]),
            "success": krippendorff([[judgment and judgment.success for judgment in row] for row in rows]),
        }

    def write_batch_files(self) -> None:
        """Write OS-Harm's batch file of each judge into each folder of results; `not_written` lists what failed."""
        for batch in self._batches():
            path = batch.root / batch_file_name(batch.judge)
            try:
                write_file(path, dump_batch(batch))
            except TruelineError as error:
                self.not_written.append(str(error))
            except OSError as error:
                self.not_written.append(f"{path}: cannot be written ({error.strerror})")

    def _batches(self) -> Iterator[Batch]:
        """One for each judge in each folder of results; an episode's own folder gets none."""
        seconds = self.seconds
        for judge in self.all_judges:
            results = self.results_of(judge)
            for root, found in self.roots.items():
                if Path(os.path.realpath(root)) not in found:
                    named = {name: results[folder] for folder, name in found.items() if folder in results}
                    yield Batch(root, judge, self.observation_type, named, seconds)

    def to_json(self) -> dict[str, JsonValue]:
        """The document that `trueline judge --json` prints."""
        alphas: dict[str, JsonValue] = {name: alpha.value for name, alpha in self.alphas().items()}
        return {
            "judges": [_judge_json(judge, self.results_of(judge).values()) for judge in self.all_judges],
            "episodes": [_result_json(self.names[result.episode], result) for result in self.results],
            "alpha": alphas or None,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        judges = ", ".join(str(judge.model) for judge in self.judges)
        return f"<JudgeReport: {len(self.judgments)} of {len(self.episodes)} episodes judged by {judges}>"

    def _repr_html_(self) -> str:
        """A table of the judgments, for notebooks."""
        rows = "".join(
            f"<tr><td>{escape(self.names[result.episode])}</td><td>{escape(str(result.judge))}</td>"
            f"<td>{escape(describe_judgment(result.judgment) if result.judgment else f'error: {result.error}')}</td>"
            f"<td>{escape(result.judgment.reasoning if result.judgment else '')}</td></tr>"
            for result in self.results
        )
        head = "".join(f"<th>{name}</th>" for name in ("episode", "judge", "judgment", "reasoning"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _judge_json(judge: Judge, found: Iterable[JudgeResult]) -> dict[str, JsonValue]:
    results = list(found)
    usage = total_usage(result.usage for result in results)
    return {
        "judge": str(judge),
        "judge_model": judge.model,
        "judge_type": judge.judge_type,
        "sys_prompt_version": judge.version,
        "vote": judge.vote,
        "judged": sum(not item.judged_before and item.error is None for item in results),
        "judged_before": sum(item.judged_before for item in results),
        "errors": sum(item.error is not None for item in results),
        **count_judgments(item.judgment for item in results),
        "usage": usage.model_dump(mode="json", exclude={"cost"}),
        "cost": usage.cost,
    }


def _result_json(name: str, result: JudgeResult) -> dict[str, JsonValue]:
    return {
        "path": name,
        "judge": str(result.judge),
        "judgment": result.judgment and result.judgment.model_dump(mode="json"),
        "error": result.error,
        "judged_before": result.judged_before,
        "warnings": list(result.warnings),
        "cost": result.usage.cost,
        "seconds": result.seconds,
    }
