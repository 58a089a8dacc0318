"""What `trueline power --metric attack_success` found, as text and as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.stats.attack_inference import FEWEST_HOSTS
from trueline.stats.attack_power import (
    AttackDesign,
    attack_chance,
    attack_repeats_needed,
    goals_needed,
    hosts_needed,
    smallest_attack_change,
)
from trueline.stats.power import Chance, Needed
from trueline.stats.power_report import chance_json, chance_text, change_text, needed_json, needed_text

TEST = "change of attack success, signs flipped by host task"


@dataclass(frozen=True)
class AttackPlan:
    """The answers to all questions about one design."""

    design: AttackDesign
    goals: int
    vectors: int
    wanted: float
    source: str
    """Where rate and correlations come from."""
    chance: Chance | None
    """To see the change; `None` when none was named."""
    rise: Needed
    fall: Needed
    hosts: Needed | None
    cells: Needed | None
    repeats: Needed | None

    @staticmethod
    def of(
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
        """Simulate all of it; what is about a change only when one is named."""
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


def attack_plan_text(plan: AttackPlan) -> str:
    """The answers, one a line."""
    design, often = plan.design, f"{plan.wanted:.0%} of the time"
    lines = [
        f"attack_success, {design.hosts} host tasks x {plan.goals} goals x {plan.vectors} vectors x {design.repeats} "
        f"repeats, {TEST}, alpha {design.alpha:g}",
        f"base {100 * design.base:.1f} %, rho {design.rho:.2f} within a cell, {design.rho_host:.2f} within a host, "
        f"link {design.link:g} ({plan.source})",
        "",
    ]
    if design.hosts < FEWEST_HOSTS:
        lines += [f"fewer than {FEWEST_HOSTS} host tasks: there is no test and no interval, counts only", ""]
    if plan.chance is not None:
        change = f"{100 * design.base:.1f} % -> {100 * design.new:.1f} %"
        lines.append(f"chance to see {change}: {chance_text(plan.chance)}")
    lines += [
        f"smallest rise seen {often}: {change_text(plan.rise)}",
        f"smallest fall seen {often}: {change_text(plan.fall)}",
    ]
    if plan.hosts is not None and plan.cells is not None and plan.repeats is not None:
        cells = f"{design.cells} cell{'s' if design.cells > 1 else ''} per host"
        lines += [
            f"host tasks needed at {cells}, {design.repeats} repeats: {needed_text(plan.hosts)}",
            f"cells per host needed at {design.hosts} host tasks, {design.repeats} repeats: {needed_text(plan.cells)}",
            f"repeats needed at {design.hosts} host tasks, {cells}: {needed_text(plan.repeats)}",
        ]
    return "\n".join([*lines, "", "± is the standard error of the simulation.", ""])


def attack_plan_json(plan: AttackPlan) -> dict[str, object]:
    """The answers as plain data."""
    design = plan.design
    return {
        "metric": "attack_success",
        "hosts": design.hosts,
        "goals": plan.goals,
        "vectors": plan.vectors,
        "repeats": design.repeats,
        "base": design.base,
        "new": design.new,
        "rho": design.rho,
        "rho_host": design.rho_host,
        "link": design.link,
        "alpha": design.alpha,
        "test": TEST,
        "wanted": plan.wanted,
        "source": plan.source,
        "chance": chance_json(plan.chance),
        "smallest_rise": needed_json(plan.rise),
        "smallest_fall": needed_json(plan.fall),
        "hosts_needed": needed_json(plan.hosts),
        "cells_needed": needed_json(plan.cells),
        "repeats_needed": needed_json(plan.repeats),
    }
