"""From a recorded episode back to what it was made of: the same task, injection, secrets and seeds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trueline.agents.registry import SIMULATED, AgentMaker, find_agent
from trueline.agents.types import Agent
from trueline.errors import InputError
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.claim import SettingFile, read_setting_file
from trueline.records.folder.reader import Trajectory
from trueline.records.layout import SETTING_FILE
from trueline.records.observation import sha256
from trueline.runs.build import PlannedEpisode, RunConfig, episode_seed
from trueline.runs.plan import Planned, expand
from trueline.runs.types import Pace
from trueline.tasks.downloads import Downloads, default_folder
from trueline.tasks.suite import Suite, load_refs, load_suite
from trueline.text import printable


class NotRebuilt(InputError):
    """This episode cannot be played again as it was; the others may."""


class Rebuilder:
    """Rebuilds episodes; suites and setting files are read once."""

    def __init__(self, suite: str | None = None) -> None:
        """Take tasks from this suite, or from the one that a record names."""
        self._suite = suite
        self._suites: dict[str, Suite] = {}
        self._settings: dict[Path, SettingFile] = {}

    def rebuild(self, episode: Trajectory) -> tuple[PlannedEpisode, AgentMaker | None]:
        """The episode, and its agent if that is a simulated subject, which can go on.

        Raises:
            NotRebuilt: Its task, its seeds or its setting are not what they were, or it says too little.
        """
        record = episode.record
        if not episode.ours or record.setting is None or record.seed is None:
            raise NotRebuilt(f"{episode.folder}: was not recorded by trueline run, so it cannot be played again")
        drawn = self._setting_file(episode.folder).drawn
        planned = self._planned(episode)
        maker = _maker(record)
        screen = record.setting.environment.screen
        config = RunConfig(
            suite=record.task.suite or "",
            setting=record.setting,
            agent=maker or AgentMaker(record.setting.agent, _no_agent, simulated=True),
            downloads=Downloads(default_folder()),
            assets=self._open(record).assets,
            seed=_number(drawn, "seed"),
            paired_seeds=drawn.get("paired_seeds") is True,
            pace=Pace(extra=_seconds(drawn.get("sleep_after_execution"))),
            screen=screen or (1920, 1080),
        )
        if episode_seed(config, planned, "episode") != record.seed:
            raise NotRebuilt(
                f"{episode.folder}: its seed is not that of its result folder; name the folder that the run wrote"
            )
        return PlannedEpisode(config, planned), maker

    def _planned(self, episode: Trajectory) -> Planned:
        record, name = episode.record, f"{episode.record.task.domain}/{episode.record.task.id}"
        refs = [ref for ref in self._open(record).refs if ref.name == name]
        if not refs:
            raise NotRebuilt(f"{episode.folder}: its suite has no task {printable(name, 100)}; name it with --suite")
        (task,) = load_refs(refs[:1]).whole()
        if record.task.digest != sha256(task.task.definition_json().encode()):
            raise NotRebuilt(f"{episode.folder}: the file of task {printable(name, 100)} has changed since")
        attack = record.attack
        injected = attack is not None and attack.goal is not None
        jailbreak = bool(attack and attack.jailbreak)
        for one in expand([task], repeats=record.repeat, inject=injected, twins=True, jailbreak=jailbreak):
            found = (one.injected.vector, one.injected.goal) if one.injected else None
            wanted = (attack.vector, attack.goal) if attack is not None and injected else None
            if found == wanted and one.repeat == record.repeat:
                return one
        raise NotRebuilt(f"{episode.folder}: its task no longer offers this injection")

    def _open(self, record: EpisodeRecord) -> Suite:
        name = self._suite or record.task.suite or ""
        if name not in self._suites:
            self._suites[name] = load_suite(name or None)
        return self._suites[name]

    def _setting_file(self, folder: Path) -> SettingFile:
        model_folder = folder.parent.parent
        if model_folder not in self._settings:
            self._settings[model_folder] = read_setting_file(model_folder / SETTING_FILE)
        return self._settings[model_folder]


def _maker(record: EpisodeRecord) -> AgentMaker | None:
    """The simulated subject of an episode; a model would answer otherwise a second time."""
    assert record.setting is not None, "checked before"
    name = record.setting.agent
    if not name.startswith(SIMULATED):
        return None
    try:
        found = find_agent(name.removeprefix(SIMULATED), record.setting.agent_options)
    except InputError:
        return None
    return found if found.simulated else None


def _no_agent() -> Agent:
    raise InputError("this episode's agent cannot propose anything: only its recorded steps can be played")


def _number(drawn: Mapping[str, object], name: str) -> int:
    value = drawn.get(name)
    return value if isinstance(value, int) else 0


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
