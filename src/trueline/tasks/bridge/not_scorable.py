"""What OSWorld's functions score 0, or as something else, only because a part of the world is missing here.

Such a check has no score: a 0 would say that the agent failed.
"""

from __future__ import annotations

import json

from pydantic import JsonValue

from trueline.tasks.addresses import web_parts
from trueline.tasks.bridge.messages import BridgedAnswer, Unreachable
from trueline.tasks.model import Evaluator
from trueline.tasks.model.evaluator import Check, checks
from trueline.text import printable

_NEEDS = {"googledrive_file": "credentials of Google Drive"}
_NEEDS_PACKAGE = {"compare_image_text": "easyocr, which `install-osworld` leaves out"}


def known_needs(evaluator: Evaluator) -> tuple[str, ...]:
    """What is certainly missing for OSWorld's functions to score this, judged from the task file alone."""
    return tuple(dict.fromkeys(missing for check in checks(evaluator) if (missing := missing_before(check))))


def missing_before(check: Check) -> str:
    """What is certainly missing for a check, so that it need not be tried; empty if nothing is."""
    getters = (getter.type for getter in (check.result, check.expected) if getter is not None)
    found = (_NEEDS_PACKAGE.get(check.function, ""), *(_NEEDS.get(name, "") for name in getters))
    return next(filter(None, found), "")


def missing_part(check: Check, answer: BridgedAnswer) -> str:
    """What was missing while a check was done, so that its score means nothing; empty if nothing was.

    A page that the browser could not open counts only if the task itself names its site: an agent must not escape a
    score by leaving the browser at a site that does not exist.
    """
    own = json.dumps([part.model_dump(mode="json") for part in (check.result, check.expected) if part is not None])
    for refused in answer.refused:
        if _counts(refused, own):
            what = {"host": "the host", "page": "the page", "package": "the package"}[refused.kind]
            return f"{what} {printable(refused.name, 200)}, which cannot be reached here"
    return ""


def _counts(refused: Unreachable, own: str) -> bool:
    match refused.kind:
        case "package":
            return True
        case "host":
            return refused.phase in ("result", "expected")
        case "page":
            site = _site(refused.name)
            return refused.phase in ("result", "expected") and bool(site) and site in own


def _site(url: str) -> str:
    """The host of a page in the web; empty for the browser's own pages and the desktop's own servers."""
    parts = web_parts(url)
    return "" if parts is None or parts.hostname in (None, "localhost", "127.0.0.1") else parts.hostname


def cloud_files(evaluator: Evaluator) -> dict[str, str]:
    """The files from the web that getters expect in the cache folder: address by name.

    OSWorld's code would download them while it scores, and has no network here.
    """
    found: dict[str, str] = {}
    for getter in evaluator.getters:
        if getter.type != "cloud_file":
            continue
        fields = getter.model_extra or {}
        paths, names = _list(fields.get("path")), _list(fields.get("dest"))
        found |= dict(zip(names, paths, strict=False))
    return found


def _list(value: JsonValue) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]
