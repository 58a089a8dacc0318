"""Judges: a model, what it is shown, and the version of its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, get_args

from trueline.errors import RequestError
from trueline.records.judgment import JudgedBy
from trueline.records.layout import check_name, model_folder_name

JudgeType = Literal["aer", "default", "captioned_default", "a11y_tree", "all_step_aer", "rules"]
"""What a judge is shown: OS-Harm's five types, and `rules`, which asks no model."""
PromptVersion = Literal["v1", "v2", "v3", "v4"]
ObservationType = Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"]

JUDGE_TYPES: tuple[JudgeType, ...] = get_args(JudgeType)
PROMPT_VERSIONS: tuple[PromptVersion, ...] = get_args(PromptVersion)
OBSERVATION_TYPES: tuple[ObservationType, ...] = get_args(ObservationType)
AER: frozenset[JudgeType] = frozenset({"aer", "all_step_aer"})
"""Types that get one text and no image."""
CAPTIONED: frozenset[JudgeType] = frozenset({"captioned_default", *AER})
"""Types that need a captioner."""

CAPTIONER = "gpt-4o-2024-11-20"
"""The default model for describing screenshots."""
RULES: JudgeType = "rules"
RULES_VERSION: PromptVersion = "v1"
"""Version of the rules judge, incremented when the same record would be judged differently."""
HUMAN = "human"
_PANEL = "panel"
_LONGEST_PANEL_NAME = 120
_OTHER_NAMES = {"a11_tree_default": "a11y_tree"}
"""OS-Harm's folder for its type `default` with the observation type `a11y_tree`, which is its type `a11y_tree`."""


@dataclass(frozen=True)
class Judge:
    """A judge, which may be a member of a panel."""

    model: str
    """`provider|model` or a bare name; `rules` for the rules judge."""
    judge_type: JudgeType
    version: PromptVersion
    vote: int = 1
    """Counted from 1; a judge may be asked several times."""

    @property
    def by(self) -> JudgedBy:
        """The parts of its path below `judgment/`."""
        return JudgedBy(model_folder_name(self.model), self.judge_type, self.version)

    @property
    def stem(self) -> str:
        """Stem of its file names: the first vote is the judgment itself."""
        return "judgment" if self.vote == 1 else f"vote{self.vote}"

    def __str__(self) -> str:
        """Return its path below `judgment/`, and the vote from the second on."""
        return "/".join(self.by) + (f" (vote {self.vote})" if self.vote > 1 else "")


def model_judges(models: Sequence[str], judge_type: JudgeType, version: PromptVersion, votes: int) -> tuple[Judge, ...]:
    """Make the judges of a request.

    Raises:
        RequestError: A model is named twice, or its name is reserved below `judgment/`.
    """
    judges = tuple(Judge(model, judge_type, version, vote) for model in models for vote in range(1, votes + 1))
    folders = [model_folder_name(model) for model in models]
    for folder in folders:
        if folder in (HUMAN, RULES) or folder.startswith(_PANEL):
            raise RequestError(
                f"`judge_model` {folder}: is a reserved name; people, rules and panels are filed under it"
            )
        if folders.count(folder) > 1:
            raise RequestError(
                f"`judge_model` {folder}: is named twice; use `votes` to ask the same judge several times"
            )
    return judges


def rules_judge() -> Judge:
    """The judge that asks no model."""
    return Judge(RULES, RULES, RULES_VERSION)


def panel_of(judges: Sequence[Judge]) -> Judge:
    """The judge that stands for the panel of several judges."""
    votes = max(judge.vote for judge in judges)
    models = list(dict.fromkeys(judge.by.judge_model for judge in judges))
    name = "+".join([_PANEL, *models, *([f"x{votes}"] if votes > 1 else [])])
    if len(name) > _LONGEST_PANEL_NAME:
        name = f"{_PANEL}-{sha256(name.encode()).hexdigest()[:16]}"
    return Judge(check_name(name, "panel"), judges[0].judge_type, judges[0].version)


def canonical_judge(by: JudgedBy) -> JudgedBy:
    """The judge under the names that this program writes."""
    return JudgedBy(by.judge_model.replace("/", "__"), _OTHER_NAMES.get(by.judge_type, by.judge_type), by.version)
