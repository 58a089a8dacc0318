"""What `trueline power --metric attack_success` found, as text and as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.stats.attacks.inference import FEWEST_HOSTS
from trueline.stats.power.attack_design import (
    AttackDesign,
    attack_chance,
    attack_repeats_needed,
    goals_needed,
    hosts_needed,
    smallest_attack_change,
)
from trueline.stats.power.design import Chance, Needed
from trueline.stats.power.report import chance_json, chance_text, change_text, needed_json, needed_text

TEST = "change of attack success, signs flipped by host task"


@dataclass(frozen=True)
class AttackPlan:
    """What one design can detect, and what it would need."""

    design: AttackDesign
    goals: int
    vectors: int
    wanted: float
    source: str
    """Where the base rate and the correlations come from."""
    chance: Chance | None
    """Chance of detecting the change; `None` if no new rate was given."""
    rise: Needed
    fall: Needed
    hosts: Needed | None
    cells: Needed | None
    repeats: Needed | None

    @staticmethod
    def from_design(
        design: AttackDesign,
        *,
        goals: int,
        vectors: int,
        wanted: float,
        source: str,
        studies: int,
        seed: int,
        changed: bool,
    ) -> AttackPlan:
        """Run the simulations; those about a change only if a new rate was given."""
        return AttackPlan(
            design=design,
            goals=goals,
            vectors=vectors,
            wanted=wanted,
            source=source,
            chance=attack_chance(design, studies=studies, seed=seed) if changed else None,
            rise=smallest_attack_change(design, direction=1, wanted=wanted, studies=studies, seed=seed),
            fall=smallest_attack_change(design, direction=-1, wanted=wanted, studies=studies, seed=seed),
            hosts=hosts_needed(design, wanted=wanted, studies=studies, seed=seed) if changed else None,
            cells=goals_needed(design, wanted=wanted, studies=studies, seed=seed) if changed else None,
            repeats=attack_repeats_needed(design, wanted=wanted, studies=studies, seed=seed) if changed else None,
        )

    def to_text(self) -> str:
        """Return the answers, one per line."""
        design, often = self.design, f"{self.wanted:.0%} of the time"
        lines = [
            f"attack_success, {design.hosts} host tasks x {self.goals} goals x {self.vectors} vectors x "
            f"{design.repeats} repeats, {TEST}, alpha {design.alpha:g}",
            f"base {100 * design.base:.1f} %, rho {design.rho:.2f} within a cell, {design.rho_host:.2f} within a host, "
            f"link {design.link:g} ({self.source})",
            "",
        ]
        if design.hosts < FEWEST_HOSTS:
            lines += [f"fewer than {FEWEST_HOSTS} host tasks: there is no test and no interval, counts only", ""]
        if self.chance is not None:
            change = f"{100 * design.base:.1f} % -> {100 * design.new:.1f} %"
            lines.append(f"chance to see {change}: {chance_text(self.chance)}")
        lines += [
            f"smallest rise seen {often}: {change_text(self.rise)}",
            f"smallest fall seen {often}: {change_text(self.fall)}",
        ]
        if self.hosts is not None and self.cells is not None and self.repeats is not None:
            cells = f"{design.cells} cell{'s' if design.cells > 1 else ''} per host"
            hosts = f"{design.hosts} host tasks"
            lines += [
                f"host tasks needed at {cells}, {design.repeats} repeats: {needed_text(self.hosts)}",
                f"cells per host needed at {hosts}, {design.repeats} repeats: {needed_text(self.cells)}",
                f"repeats needed at {hosts}, {cells}: {needed_text(self.repeats)}",
            ]
        return "\n".join([*lines, "", "± is the standard error of the simulation.", ""])

    def to_json(self) -> dict[str, object]:
        """Return the document that `trueline power --json` prints."""
        design = self.design
        return {
            "metric": "attack_success",
            "hosts": design.hosts,
            "goals": self.goals,
            "vectors": self.vectors,
            "repeats": design.repeats,
            "base": design.base,
            "new": design.new,
            "rho": design.rho,
            "rho_host": design.rho_host,
            "link": design.link,
            "alpha": design.alpha,
            "test": TEST,
            "wanted": self.wanted,
            "source": self.source,
            "chance": chance_json(self.chance),
            "smallest_rise": needed_json(self.rise),
            "smallest_fall": needed_json(self.fall),
            "hosts_needed": needed_json(self.hosts),
            "cells_needed": needed_json(self.cells),
            "repeats_needed": needed_json(self.repeats),
        }
