"""What pressing an element means, by its label and by the dialog around it."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from trueline.actions.facts import Effect
from trueline.guard.policy.folding import fold
from trueline.guard.policy.globs import matches
from trueline.guard.policy.screen.target import BUTTON_ROLES, Target
from trueline.guard.policy.yaml_file import read_yaml

Act = Literal[
    "delete_account", "reset_device", "transfer_money", "pay", "subscribe", "remote_control", "disable_protection",
    "export_secrets", "enable_macros", "encrypt", "start_later", "stop_service", "shut_down", "change_login",
    "forward_mail", "grant_access", "share_public", "install", "uninstall", "allow", "run",
    "delete_forever", "send", "submit", "advertisement", "replace", "delete", "download", "sign_in", "cancel",
]  # fmt: skip

_LABELS = Path(__file__).resolve().parents[1] / "rules" / "labels.yaml"
_YES = re.compile(r"^(?:yes|ok|okay|ja|oui|sí|sì|si|sim)\b[,!.: -]*", re.IGNORECASE)
_WIDE_SPACE = re.compile(r"\s{2,}")
_LONGEST_LABEL = 80
"""A longer text on an element is a headline, not a label."""


class _Meaning(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    effect: Effect
    labels: tuple[str, ...]
    dialogs: tuple[str, ...] = ()


class _Labels(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    acts: dict[Act, _Meaning]
    confirm: tuple[str, ...]


@cache
def _labels() -> _Labels:
    return _Labels.model_validate(read_yaml(_LABELS))


def meaning_of_press(target: Target) -> Act | None:
    """Return what pressing an element means, None when its label does not say."""
    pressable = target.role in BUTTON_ROLES or target.by_ocr
    if not pressable or not target.label or len(target.label) > _LONGEST_LABEL:
        return None
    labels, label = _labels(), plain_label(target.label)
    if target.dialog and matches(label, labels.acts["cancel"].labels):
        return "cancel"
    meanings: dict[Act, tuple[str, ...]] = {act: meaning.labels for act, meaning in labels.acts.items()}
    found = _first(label, meanings) or _first(_YES.sub("", label), meanings)
    # "Delete" under "permanently delete 14 files?" is more than its label says; so is "Allow".
    if target.dialog and (found in ("delete", "allow") or matches(label, labels.confirm)):
        return _first(target.dialog, {act: meaning.dialogs for act, meaning in labels.acts.items()}) or found
    return found


def plain_label(label: str) -> str:
    """Return a label without surrounding signs; spaced-out letters are joined to words."""
    folded = fold(label)
    text = "".join(" " if unicodedata.category(char) in ("So", "Sm", "Sk", "Co") else char for char in folded).strip()
    text = text.removesuffix("...").rstrip()  # a menu item that opens a dialog
    letters = text.split()
    if len(letters) > 2 and all(len(letter) == 1 for letter in letters):
        return " ".join("".join(word.split()) for word in _WIDE_SPACE.split(text))
    return text


def _first(text: str, patterns: dict[Act, tuple[str, ...]]) -> Act | None:
    for act, fitting in patterns.items():
        if matches(text, fitting):
            return act
    return None


def effect_of_act(act: Act | None) -> Effect:
    """Return the effect class of an act."""
    return _labels().acts[act].effect if act else "unknown"
