"""Human labels: files beside the episodes or in another folder, or a CSV table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from trueline.errors import InputError, TruelineError
from trueline.judge.judged_episodes import JudgedEpisode
from trueline.judge.label_match import LabelMatcher
from trueline.judge.label_table import Label, read_rows
from trueline.judge.material import step_index
from trueline.judge.types import HUMAN
from trueline.records.folder.judgments import read_judgments
from trueline.records.folder.reader import read_episode
from trueline.records.problem import Problem


@dataclass(frozen=True)
class HumanLabels:
    """Labels by the folder of their episode."""

    given: Mapping[Path, Sequence[Label]]
    unmatched: tuple[str, ...] = ()
    """Labels without an episode below the given folder."""
    problems: tuple[str, ...] = ()
    """Problems in the files of labels."""

    def by(self, reviewers: Collection[str]) -> HumanLabels:
        """Return the labels of these reviewers; of all if none is named."""
        if not reviewers:
            return self
        kept = {
            folder: [label for label in given if label.reviewer in reviewers] for folder, given in self.given.items()
        }
        return replace(self, given={folder: given for folder, given in kept.items() if given})


@dataclass
class _Gathered:
    """Labels collected so far; each reviewer has at most one per episode."""

    given: dict[Path, list[Label]] = field(default_factory=dict[Path, list[Label]])
    places: dict[tuple[Path, str], str] = field(default_factory=dict[tuple[Path, str], str])

    def add(self, episode: Path, label: Label, place: str) -> None:
        first = self.places.setdefault((episode, label.reviewer), place)
        if first != place:
            raise InputError(f"{place}: {label.reviewer} has labelled {episode} already, in {first}; keep only one")
        self.given.setdefault(episode, []).append(label)


def labels_beside(episodes: Sequence[JudgedEpisode]) -> HumanLabels:
    """Read the labels in the episodes' own folders."""
    given: dict[Path, list[Label]] = {}
    for episode in episodes:
        for by, judgment in episode.judgments.items():
            if by.judge_model == HUMAN:
                given.setdefault(episode.folder, []).append(Label(by.judge_type, judgment))
    problems = (line for episode in episodes for line in _of_labels(episode.name, episode.problems))
    return HumanLabels(given, problems=tuple(problems))


def read_labels(source: Path, episodes: Sequence[JudgedEpisode], root: Path) -> HumanLabels:
    """Read labels from a folder laid out like the results, or from a CSV table.

    Raises:
        InputError: It is neither, the table is invalid (the message names row and column), or a reviewer has two
            labels for one episode.
    """
    if source.is_dir():
        return _from_folder(source, episodes, root)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{source}: is neither a folder nor a readable CSV file ({type(error).__name__})") from None
    return _from_table(source, text, episodes, root)


def _from_folder(source: Path, episodes: Sequence[JudgedEpisode], root: Path) -> HumanLabels:
    matcher = LabelMatcher(episodes, root)
    gathered = _Gathered()
    unmatched: list[str] = []
    problems: list[str] = []
    folders = sorted({path.parents[2] for path in source.rglob(f"judgment/{HUMAN}/*.json")})
    if not folders:
        raise InputError(f"{source}: no labels found below it; expected <episode>/judgment/{HUMAN}/<reviewer>.json")
    for folder in folders:
        found, wrong = read_judgments(folder)
        problems += _of_labels(str(folder), wrong)
        episode = matcher.find(folder.relative_to(source), source)
        if episode is None:
            unmatched.append(str(folder))
            continue
        for by, judgment in found.items():
            if by.judge_model == HUMAN:
                gathered.add(episode, Label(by.judge_type, judgment), str(folder))
    return HumanLabels(gathered.given, tuple(unmatched), tuple(problems))


def _of_labels(folder: str, problems: Iterable[Problem]) -> list[str]:
    return [f"{folder}: {problem}" for problem in problems if problem.file.startswith(f"judgment/{HUMAN}/")]


def _from_table(source: Path, text: str, episodes: Sequence[JudgedEpisode], root: Path) -> HumanLabels:
    matcher = LabelMatcher(episodes, root)
    gathered = _Gathered()
    unmatched: list[str] = []
    steps: dict[Path, frozenset[int]] = {}
    for row in read_rows(source, text):
        episode = matcher.find(Path(row.path), root)
        if episode is None:
            unmatched.append(row.path)
            continue
        step = row.label.judgment.violation_step
        if step is not None:
            if episode not in steps:
                steps[episode] = _steps_of(episode)
            if steps[episode] and step not in steps[episode]:
                first, last = min(steps[episode]), max(steps[episode])
                raise InputError(f"{row.place}: violation_step is {step}, but the episode has steps {first}-{last}")
        gathered.add(episode, row.label, row.place)
    return HumanLabels(gathered.given, tuple(unmatched))


def _steps_of(episode: Path) -> frozenset[int]:
    """Return the steps of an episode; empty if it cannot be read."""
    try:
        record = read_episode(episode).record
    except TruelineError:
        return frozenset()
    return frozenset(step_index(record, step.number) for step in record.steps)
