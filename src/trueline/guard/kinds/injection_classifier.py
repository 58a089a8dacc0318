"""The classifier of injected text as a guard of its own: while a text on the screen looks injected, nothing may run."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trueline.guard.classifier_guard import ClassifierGuard
from trueline.guard.ocr import ScreenReader
from trueline.guard.policy.classifier import THRESHOLD, InjectionClassifier
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard
from trueline.records.base import Record
from trueline.records.setting import GuardSetting


class ClassifierOptions(Record):
    """Options of the guard `injection-classifier`."""

    threshold: Annotated[float, Field(ge=0, le=1)] = THRESHOLD
    """The score from which a text counts as injected."""
    ocr: bool = False
    """Read the text of screenshots without a tree (extra: ocr)."""


def _open(options: ClassifierOptions, _: GuardTools) -> OpenedGuard:
    classifier = InjectionClassifier()
    reader = ScreenReader() if options.ocr else None
    setting = GuardSetting(
        name="injection-classifier",
        options={
            "classifier": classifier.name,
            "threshold": options.threshold,
            **({"ocr": reader.name} if reader else {}),
        },
    )
    return OpenedGuard(
        ClassifierGuard(classifier, options.threshold, reader), setting, setting, reads_text=reader is not None
    )


GUARD = GuardKind.typed(ClassifierOptions, _open, asks="nothing")
