"""Which environment each run comes from, as far as our own record beside it says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trueline.errors import RequestError
from trueline.records.scan import Condition
from trueline.stats.results.runs import RunResults, setting_file

if TYPE_CHECKING:
    from trueline.records.setting import Setting


class RunTable(Protocol):
    """A table made from runs: of scores, or of injected episodes."""

    @property
    def condition(self) -> Condition:
        """What ran."""
        ...

    @property
    def runs(self) -> tuple[RunResults, ...]:
        """The repeats."""
        ...


UNKNOWN = "not recorded"


def settings_of(table: RunTable) -> list[Setting | None]:
    """The recorded setting of each run; `None` where a run has no record (the seeds write none).

    Raises:
        InputError: A record is damaged.
    """
    found: list[Setting | None] = []
    for run in table.runs:
        path = setting_file(run.trials.get(table.condition, {}).values())
        found.append(None if path is None else _read(path))
    return found


def _read(path: Path) -> Setting:
    # Most folders have no such record; only those that do pay for reading it.
    from trueline.records.folder.claim import read_setting

    return read_setting(path)


def environment_name(setting: Setting | None) -> str:
    """One line for the environment of a run."""
    if setting is None:
        return UNKNOWN
    environment = setting.environment
    parts = [environment.provider, environment.version or "", environment.platform]
    if environment.screen:
        parts.append("x".join(map(str, environment.screen)))
    parts += [f"{key}={value}" for key, value in sorted(environment.options.items())]
    return " ".join(part for part in parts if part)


def refuse_mixed(tables: Iterable[tuple[RunTable, list[Setting | None]]]) -> None:
    """Refuse runs of different recorded environments.

    Raises:
        InputError: Names the first two runs that differ.
    """
    first: tuple[str, str] | None = None
    for table, settings in tables:
        for run, setting in zip(table.runs, settings, strict=True):
            name = environment_name(setting)
            if name == UNKNOWN:
                continue
            if first is None:
                first = (run.label, name)
            elif first[1] != name:
                raise RequestError(
                    f"{run.label} was run in another environment ({name}) than {first[0]} ({first[1]}); "
                    "set `mix_environments` to compare them all the same"
                )
