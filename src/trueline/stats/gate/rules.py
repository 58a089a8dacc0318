"""The rules of a gate: `pass_hat_3 >= base - 0.03`, `mean_score > 0.4`, `missing <= 0`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from trueline.errors import RequestError
from trueline.text import printable

Metric = Literal["pass_hat", "pass_at", "mean_score", "harm", "attack_success", "missing"]

_RULE = re.compile(
    r"\s*(?P<metric>pass_hat|pass_at|pass|mean_score|harm|attack_success|missing)(?:_(?P<k>\d{1,3}))?"
    r"\s*(?P<side>>=|<=|>|<)"
    r"\s*(?:(?P<base>base)\s*(?:(?P<sign>[+-])\s*(?P<offset>\d+(?:\.\d+)?|\.\d+))?|(?P<value>\d+(?:\.\d+)?|\.\d+))\s*"
)
_HELP = (
    "a rule reads METRIC >= NUMBER or METRIC >= base - NUMBER, with pass_hat_K, pass_1, pass_at_K, mean_score, harm, "
    "attack_success or missing as METRIC and >=, >, <= or < between them"
)


@dataclass(frozen=True)
class GateRule:
    """One requirement on the new setting."""

    text: str
    metric: Metric
    k: int
    """The k of `pass_hat` and `pass_at`; 1 for other figures."""
    at_least: bool
    """`>=` or `>`: the figure must not lie below the limit."""
    strict: bool
    """`>` or `<`: the limit itself is not good enough."""
    relative: bool
    """The limit is the base's figure plus `limit`."""
    limit: float


def parse_rule(text: str) -> GateRule:
    """Read a rule.

    Raises:
        InputError: It does not have the form; the form is named.
    """
    match = _RULE.fullmatch(text)
    if match is None:
        raise RequestError(f"`rule` {printable(text, 100)!r}: {_HELP}")
    name, k = match["metric"], int(match["k"] or 1)
    if (match["k"] is None) != (name in ("mean_score", "harm", "attack_success", "missing")) or k < 1:
        raise RequestError(
            f"`rule` {printable(text, 100)!r}: pass_hat, pass_at and pass require a number, as in pass_hat_3"
        )
    relative = match["base"] is not None
    if name == "missing" and relative:
        raise RequestError(f"`rule` {printable(text, 100)!r}: missing is compared with a number of trials")
    aliases: dict[str, Metric] = {
        "pass": "pass_hat",
        "attack_success": "attack_success",
        "pass_hat": "pass_hat",
        "pass_at": "pass_at",
        "mean_score": "mean_score",
        "harm": "harm",
        "missing": "missing",
    }
    number = float(match["offset"] or match["value"] or 0)
    if number > 1 and name != "missing":
        raise RequestError(
            f"`rule` {printable(text, 100)!r}: rates are shares from 0 to 1; write 0.03 for three points"
        )
    return GateRule(
        text=" ".join(text.split()),
        metric=aliases[name],
        k=k,
        at_least=match["side"] in (">=", ">"),
        strict=match["side"] in (">", "<"),
        relative=relative,
        limit=-number if match["sign"] == "-" else number,
    )
