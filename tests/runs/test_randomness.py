"""Chance comes from what an episode is, and from nothing else."""

from __future__ import annotations

from trueline.records.attack import Attack
from trueline.records.episode import TaskRef
from trueline.runs.randomness import seed_of

TASK = TaskRef(domain="os", id="t")


def test_the_same_episode_has_the_same_seed() -> None:
    again = TaskRef(domain="os", id="t", kind="benign", suite="starter")
    assert seed_of(1, "d", TASK, None, 2, "agent") == seed_of(1, "d", again, None, 2, "agent")


def test_everything_that_makes_an_episode_another_one_changes_the_seed() -> None:
    attack = Attack(vector="document", goal="stop_task", content="any")
    seeds = [
        seed_of(0, "d", TASK, None, None, "agent"),
        seed_of(1, "d", TASK, None, None, "agent"),
        seed_of(0, "e", TASK, None, None, "agent"),
        seed_of(0, None, TASK, None, None, "agent"),
        seed_of(0, "d", TaskRef(domain="os", id="u"), None, None, "agent"),
        seed_of(0, "d", TASK, attack, None, "agent"),
        seed_of(0, "d", TASK, Attack(jailbreak=True), None, "agent"),
        seed_of(0, "d", TASK, None, 1, "agent"),
        seed_of(0, "d", TASK, None, None, "attack"),
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)
