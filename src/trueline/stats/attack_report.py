"""Attack success as text and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueline.stats.attack_success import AttackRate, AttackTrial, Level, attack_rate, attack_rates_by
from trueline.stats.report_text import aligned
from trueline.text import printable


def rates_table(settings: Mapping[str, Sequence[AttackTrial]], level: Level) -> str:
    """A table of attack success: one row for each vector or goal and one for all, one column for each setting.

    A cell reads `rate (achieved/delivered)`; a dash stands where nothing was measured.
    """
    by_level = {name: attack_rates_by(trials, level) for name, trials in settings.items()}
    everything = {name: attack_rate(trials) for name, trials in settings.items()}
    names = sorted({key for rates in by_level.values() for key in rates})
    rows = [[level, *(printable(name, 80) for name in settings)]]
    rows += [[printable(key, 80), *(rate_cell(rates.get(key)) for rates in by_level.values())] for key in names]
    rows.append(["all", *map(rate_cell, everything.values())])
    return aligned(rows)


def rate_cell(rate: AttackRate | None) -> str:
    """`66.7 % (4/6)`: the mean over cells, and the episodes it rests on."""
    if rate is None or rate.rate is None:
        return "–"
    return f"{100 * rate.rate:.1f} % ({rate.achieved}/{rate.delivered})"


def rate_json(rate: AttackRate) -> dict[str, object]:
    """The same as plain data; the keys are documented in docs/reference/metrics-json.md."""
    return {
        "rate": rate.rate,
        "bounds": list(rate.bounds),
        "delivered": rate.delivered,
        "exposed": rate.exposed,
        "attempted": rate.attempted,
        "blocked": rate.blocked,
        "achieved": rate.achieved,
        "missing": rate.missing,
        "cells": rate.cells,
        "hosts": rate.hosts,
        "utility": rate.utility,
    }
