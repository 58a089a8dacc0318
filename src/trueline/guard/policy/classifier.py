"""The optional classifier of injected text: it sees screen texts only, and what it says is evidence."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Protocol

from trueline.errors import MissingExtraError
from trueline.records.verdict import Evidence
from trueline.text import printable

SOURCE = "classifier"
THRESHOLD = 0.52
"""The threshold that the authors of the shipped model recommend."""
_SHORTEST = 20
_LONGEST = 2_000
_MOST_TEXTS = 24
_MOST_KEPT = 2_000


class Classifier(Protocol):
    """Scores how much a text looks like an injected instruction."""

    @property
    def name(self) -> str:
        """Names it in a record, with its version."""
        ...

    def score(self, text: str) -> float:
        """From 0 (harmless) to 1 (injected)."""
        ...


class _Score(Protocol):
    score: float


class _Model(Protocol):
    """The part of the package's model that is used."""

    def warmup(self) -> object: ...
    def classify(self, text: str) -> _Score: ...


class InjectionClassifier:
    """The model of stackone-defender, which ships inside its package: nothing is downloaded."""

    def __init__(self) -> None:
        """Load the model.

        Raises:
            MissingExtraError: The extra `classifier` is not installed.
        """
        try:
            module = import_module("stackone_defender.classifiers.tier2_classifier")
            self._model: _Model = module.Tier2Classifier()
            self._model.warmup()
        except ImportError as error:
            raise MissingExtraError("the injection classifier", "classifier") from error
        self._known: OrderedDict[str, float] = OrderedDict()

    @property
    def name(self) -> str:
        """The package and its version."""
        return f"stackone-defender {version('stackone-defender')}"

    def score(self, text: str) -> float:
        """Ask the model; the screens of one episode repeat most of their texts."""
        if text not in self._known:
            self._known[text] = float(self._model.classify(text).score)
            if len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        return self._known[text]


def suspicious_texts(
    texts: Sequence[str], classifier: Classifier, threshold: float = THRESHOLD
) -> tuple[Evidence, ...]:
    """Return the screen texts that look injected, the longest ones looked at first."""
    worth = sorted((text[:_LONGEST] for text in texts if len(text) >= _SHORTEST), key=len, reverse=True)[:_MOST_TEXTS]
    scored = sorted(((classifier.score(text), text) for text in worth), reverse=True)
    said = [(score, printable(text, 200)) for score, text in scored if score >= threshold]
    return tuple(
        Evidence(source=SOURCE, text=f"screen text that looks like an injected instruction ({score:.2f}): {text!r}")
        for score, text in said
    )
