"""What to judge, and how, as data: the fields have the names of the flags of `trueline judge`, and the same meaning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from trueline.errors import RequestError
from trueline.judge.types import (
    CAPTIONED,
    CAPTIONER,
    RULES,
    Judge,
    JudgeType,
    ObservationType,
    PromptVersion,
    model_judges,
    rules_judge,
)
from trueline.records.base import Record
from trueline.validation import field_path, field_problems

AtLeastOne = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0)]
Text = Annotated[str, Field(min_length=1)]


class JudgeRequest(Record):
    """Which episodes to judge, by which judges, and what that may cost.

    Raises:
        RequestError: Two fields do not go together.
        pydantic.ValidationError: A field has a wrong type or value, or is not known.
    """

    paths: Annotated[tuple[Path, ...], Field(min_length=1)]
    """Folders of results, or folders of single episodes."""
    judge_model: Annotated[tuple[Text, ...], Field(min_length=1)] = ("gpt-4.1",)
    """`provider|model`, or names whose provider is clear; several models form a panel."""
    judge_type: JudgeType = "aer"
    sys_prompt_version: PromptVersion = "v3"
    observation_type: ObservationType | None = None
    """What `default` and `captioned_default` show of each step; `None` is what the agent itself saw."""
    caption_model: Text = CAPTIONER
    """Describes screenshots for `aer` and the captioned types."""
    votes: AtLeastOne = 1
    """How often each judge is asked."""
    temperature: Annotated[float, Field(ge=0)] | None = None
    """Temperature of the judges; `None` is 0 where the model takes it."""
    max_workers: AtLeastOne = 8
    """Episodes judged at the same time, and requests in flight per provider."""
    test_config_base_dir: Path | None = None
    """The folder that holds `examples/` with the task files."""
    max_cost: Positive | None = None
    """US dollars; once they are spent, no model is asked."""
    prices: tuple[Path, ...] = ()
    """Price tables that come before our own."""
    again: bool = False
    """Also judge what is judged already, and ignore cached answers."""

    @model_validator(mode="after")
    def _fields_go_together(self) -> Self:
        base = self.test_config_base_dir
        if base is not None and not (base / "examples").is_dir():
            raise RequestError(f"`test_config_base_dir` {base}: has no folder examples")
        self.judges()
        return self

    def judges(self) -> tuple[Judge, ...]:
        """The judges that are asked.

        Raises:
            RequestError: A model is named twice, or its name is reserved.
        """
        if self.judge_type == RULES:
            return (rules_judge(),)
        alike = self.judge_type == "default" and self.observation_type == "a11y_tree"
        judge_type: JudgeType = "a11y_tree" if alike else self.judge_type
        return model_judges(self.judge_model, judge_type, self.sys_prompt_version, self.votes)

    def captioner(self) -> str | None:
        """The model that describes screenshots, if these judges need descriptions."""
        return self.caption_model if self.judges()[0].judge_type in CAPTIONED else None

    def models(self) -> tuple[str, ...]:
        """The names of all models that may be asked, the judges' first."""
        if self.judge_type == RULES:
            return ()
        captioner = self.captioner()
        return tuple(dict.fromkeys([*self.judge_model, *([captioner] if captioner else [])]))


def make_judge_request(fields: Mapping[str, object]) -> JudgeRequest:
    """Make a request from fields by name.

    Raises:
        RequestError: A field is unknown or has a wrong value, or two do not go together.
    """
    try:
        return JudgeRequest.model_validate(dict(fields))
    except ValidationError as error:
        raise RequestError(_problem(error)) from None


def _problem(error: ValidationError) -> str:
    """The first wrong field, in one line."""
    first = field_problems(error)[0]
    hint = first.suggestion(JudgeRequest)
    return f"`{field_path(first.location[:1])}`: {first.with_value()}{f', {hint}' if hint else ''}"
