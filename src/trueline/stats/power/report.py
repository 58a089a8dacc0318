"""What `trueline power` found, as text and as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.stats.power.design import (
    Chance,
    Design,
    Needed,
    Sensitivity,
    chance_to_see,
    repeats_needed,
    smallest_change,
    tasks_needed,
)
from trueline.tables import text_table


@dataclass(frozen=True)
class PowerReport:
    """What one design can detect, and what it would need."""

    design: Design
    metric: str
    wanted: float
    source: str
    """Where the base rate and rho come from."""
    chance: Chance | None
    """Chance of detecting the change; `None` if no new rate was given."""
    rise: Needed
    fall: Needed
    tasks: Needed | None
    repeats: Needed | None

    @staticmethod
    def from_design(
        design: Design, metric: str, wanted: float, studies: int, seed: int, *, changed: bool, source: str
    ) -> PowerReport:
        """Run the simulations; those about a change only if a new rate was given."""
        return PowerReport(
            design=design,
            metric=metric,
            wanted=wanted,
            source=source,
            chance=chance_to_see(design, studies=studies, seed=seed) if changed else None,
            rise=smallest_change(design, wanted=wanted, direction=1, studies=studies, seed=seed),
            fall=smallest_change(design, wanted=wanted, direction=-1, studies=studies, seed=seed),
            tasks=tasks_needed(design, wanted=wanted, studies=studies, seed=seed) if changed else None,
            repeats=repeats_needed(design, wanted=wanted, studies=studies, seed=seed) if changed else None,
        )

    def to_text(self) -> str:
        """Return the answers, one per line."""
        design, often = self.design, f"{self.wanted:.0%} of the time"
        lines = [
            f"{self.metric}, {design.tasks} tasks x {design.repeats} repeats, {design.test}, alpha {design.alpha:g}",
            f"base {_percent(design.base)}, rho {design.rho:.2f}, link {design.link:g} ({self.source})",
            "",
        ]
        if self.chance is not None:
            lines.append(f"chance to see {_percent(design.base)} -> {_percent(design.new)}: {chance_text(self.chance)}")
        lines += [
            f"smallest rise seen {often}: {change_text(self.rise)}",
            f"smallest fall seen {often}: {change_text(self.fall)}",
        ]
        if self.tasks is not None and self.repeats is not None:
            lines += [
                f"tasks needed at {design.repeats} repeats: {needed_text(self.tasks)}",
                f"repeats needed at {design.tasks} tasks: {needed_text(self.repeats)}",
            ]
        return "\n".join([*lines, "", "± is the standard error of the simulation.", ""])

    def to_json(self) -> dict[str, object]:
        """Return the document that `trueline power --json` prints."""
        return {
            **_design(self.design, self.metric),
            "wanted": self.wanted,
            "source": self.source,
            "chance": chance_json(self.chance),
            "smallest_rise": needed_json(self.rise),
            "smallest_fall": needed_json(self.fall),
            "tasks_needed": needed_json(self.tasks),
            "repeats_needed": needed_json(self.repeats),
        }


@dataclass(frozen=True)
class SensitivityTable:
    """The same rates under several assumptions about the tasks."""

    design: Design
    metric: str
    wanted: float
    rows: tuple[Sensitivity, ...]

    def to_text(self) -> str:
        """Return the table, with the reason why rho is needed."""
        table = [["rho", "link", "chance to see it", f"smallest change seen {self.wanted:.0%} of the time"]]
        table += [
            [f"{row.rho:g}", f"{row.link:g}", chance_text(row.chance), change_text(row.smallest)] for row in self.rows
        ]
        design = self.design
        head = (
            f"{self.metric} {_percent(design.base)} -> {_percent(design.new)}, {design.tasks} tasks x "
            f"{design.repeats} repeats, {design.test}, alpha {design.alpha:g}"
        )
        why = "Two rates do not say how tasks differ in difficulty: give --rho, or fit it with --from."
        return "\n".join([head, "", text_table(table), "", why, ""])

    def to_json(self) -> dict[str, object]:
        """Return the document that `trueline power --json` prints."""
        return {
            **_design(self.design, self.metric),
            "rho": None,
            "sensitivity": [
                {
                    "rho": row.rho,
                    "link": row.link,
                    "chance": chance_json(row.chance),
                    "smallest": needed_json(row.smallest),
                }
                for row in self.rows
            ],
        }


def _design(design: Design, metric: str) -> dict[str, object]:
    return {
        "metric": metric,
        "tasks": design.tasks,
        "repeats": design.repeats,
        "base": design.base,
        "new": design.new,
        "rho": design.rho,
        "link": design.link,
        "alpha": design.alpha,
        "test": design.test,
    }


def chance_json(chance: Chance | None) -> dict[str, object] | None:
    """A chance as plain data."""
    return None if chance is None else {"value": chance.value, "error": chance.error, "studies": chance.studies}


def needed_json(needed: Needed | None) -> dict[str, object] | None:
    """What is needed as plain data."""
    if needed is None:
        return None
    return {"value": needed.value, "chance": chance_json(needed.chance), "reason": needed.reason or None}


def chance_text(chance: Chance) -> str:
    """A chance with the error of the simulation."""
    return f"{100 * chance.value:.1f} % ± {100 * chance.error:.1f}"


def change_text(needed: Needed) -> str:
    """A change in points, or why there is none."""
    return needed.reason if needed.value is None else f"{100 * needed.value:.1f} points"


def needed_text(needed: Needed) -> str:
    """A number of tasks or repeats, or why there is none."""
    if needed.value is None:
        return needed.reason
    return f"{needed.value:.0f}" + (f" (simulated anew: {chance_text(needed.chance)})" if needed.chance else "")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
