from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Literal, get_args

import pytest

from guard.policy.corpus_cases import CASES
from guard.policy.policy_samples import question, terminal
from trueline.cli import main
from trueline.guard.policy import Rules, judge
from trueline.guard.policy.cedar.effect_requests import effect_requests
from trueline.guard.policy.cedar.evaluate import CedarPolicies
from trueline.guard.policy.cedar.export_scope import export_scope
from trueline.guard.policy.cedar.library import schema_text
from trueline.guard.policy.cedar.policy_file import read_policies
from trueline.guard.policy.episode_reading import read_episode_so_far
from trueline.guard.scope.effects import effects_of
from trueline.guard.scope.from_words import scope_from_words
from trueline.guard.scope.place import place_effects
from trueline.guard.scope.types import (
    Access,
    ApplicationGrant,
    EffectGrant,
    EffectKind,
    OpenSlot,
    PathGrant,
    Place,
    ProposalEffect,
    RecipientGrant,
    Scope,
    ShownBy,
    SiteGrant,
)
from trueline.records.verdict import Decision

COMMON: dict[str, object] = {"step": 1, "asked": (), "named": False, "provenance": (), "effect": "none", "effects": ()}
APPLICATIONS = ("libreoffice_calc", "soffice.bin", "Firefox", "thunderbird", "*", "own-tool", "Terminal", "")
PATHS = ("~/desk/**", "~/desk/a.txt", "~/desk/*.csv", "/tmp/**", "**/a.txt", "/**", "~/.config/app/**", "~/Work/[x]/**")
TOUCHED = ("~/desk/a.txt", "~/desk/b/c.csv", "~/desk/b.csv", "/tmp/x", "a.txt", "b/node_modules", "../x", "~/.config/x",
           "/etc/hosts", "$X/a.txt", "", "~/desk/*", "~/other", "~/desk/a`b`")  # fmt: skip
SITES = ("example.com", "www.Example.org", "*", "10.0.0.1", "shop.example.com")
HOSTS = ("example.com", "www.example.com", "notexample.com", "example.org", "10.0.0.1", "", "x.shop.example.com")
Kind = EffectKind | Access | Literal["use", "visit"]
RECIPIENTS = ("ann@example.com", "*@example.com", "*", "b?b@example.org")
ADDRESSES = ("ann@example.com", "Ann@Example.com", "eve@example.net", "bob@example.com", "")


def policies_of(scope: Scope) -> CedarPolicies:
    return CedarPolicies(read_policies(Path("scope.cedar"), export_scope(scope), ()))


def place_by(policies: CedarPolicies, effect: ProposalEffect) -> Place:
    request = tuple(effect_requests([effect], COMMON, policies.questions))
    ((result,),) = policies.ask_forbids([request])
    return "outside" if result.satisfied else "unknown" if result.failed else "inside"


def random_scope(draw: random.Random) -> Scope:
    def some(values: tuple[str, ...]) -> list[str]:
        return draw.sample(values, draw.randint(0, 3))

    def why() -> dict[str, object]:
        return {"because": draw.choice(("words", 'a\nline */ // "x"')), "possible": draw.random() < 0.4}

    accesses: tuple[str, ...] = get_args(Access)
    return Scope.model_validate({
        "applications": [{"application": name, **why()} for name in some(APPLICATIONS[:-1])],
        "paths": [{"path": path, "access": some(accesses) or ["read"], **why()} for path in some(PATHS)],
        "sites": [{"site": site, **why()} for site in some(SITES)],
        "recipients": [{"recipient": name, **why()} for name in some(RECIPIENTS[:-1])],
        "effects": [{"effect": kind, **why()} for kind in draw.sample(get_args(EffectKind), 8)],
        "open_slots": [{"slot": slot, **why()} for slot in some(("recipient", "site", "path"))],
    })  # fmt: skip


def every_effect() -> list[ProposalEffect]:
    asked: list[tuple[tuple[Kind, ...], tuple[str, ...]]] = [
        (get_args(EffectKind), ("",)),
        (("use",), APPLICATIONS),
        (("visit", "upload", "share", "remote_control"), HOSTS),
        (("read", "write", "delete", "read_secrets"), TOUCHED),
        (("send",), ADDRESSES),
    ]
    shown: tuple[ShownBy, ...] = ("action", "screen")
    return [
        ProposalEffect(kind, resource, by)
        for kinds, resources in asked
        for kind in kinds
        for resource in resources
        for by in shown
    ]


@pytest.mark.parametrize(
    "scopes", [pytest.param(15, marks=pytest.mark.full), pytest.param(300, marks=pytest.mark.proof)]
)
def test_a_printed_scope_places_every_effect_as_the_scope(scopes: int) -> None:
    draw = random.Random(scopes)
    effects = every_effect()
    seen: Counter[Place] = Counter()
    for _ in range(scopes):
        scope = random_scope(draw)
        policies = policies_of(scope)
        for placed in place_effects(effects, scope):
            assert place_by(policies, placed.effect) == placed.place, (placed, scope)
            seen[placed.place] += 1
    assert min(seen.values()) > 200


@pytest.mark.full
def test_printed_scopes_of_instructions_place_the_corpus_as_the_scopes() -> None:
    seen: Counter[Place] = Counter()
    for case in CASES[::6]:
        scope = scope_from_words(case.context.instruction, None)
        policies = policies_of(scope)
        for placed in place_effects(effects_of(read_episode_so_far(case.context).operations), scope):
            assert place_by(policies, placed.effect) == placed.place, (placed, scope)
            seen[placed.place] += 1
    assert seen["outside"] > 15 and seen["unknown"] > 5


def test_the_schema_knows_every_kind_of_effect() -> None:
    words = set(re.findall(r"\w+", schema_text().partition("action effect;")[2]))
    assert {*get_args(EffectKind), *get_args(Access), "use", "visit"} <= words


def test_a_scope_is_printed_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "scope", "Reply to ann@example.com", "--cedar"]) == 0
    out = capsys.readouterr().out
    assert '@id("scope-send")' in out and "// send: reply" in out.casefold()


@pytest.mark.full
def test_a_pattern_that_cedar_has_not_is_left_open() -> None:
    scope = Scope(
        recipients=(RecipientGrant(recipient="b?b@example.org", because="b"),),
        effects=(EffectGrant(effect="send", because="mail"),),
    )
    assert place_by(policies_of(scope), ProposalEffect("send", "bob@example.org", "envelope")) == "unknown"


@pytest.mark.full
def test_a_printed_scope_stops_what_is_outside() -> None:
    scope = Scope(
        applications=(ApplicationGrant(application="*", because="all"),),
        paths=(PathGrant(path="~/desk/**", access=("read",), because="in work"),),
        effects=(EffectGrant(effect="run_commands", because="run"),),
        sites=(SiteGrant(site="example.com", because="example"),),
        open_slots=(OpenSlot(slot="recipient", because="the sender"),),
    )
    rules = Rules(policies=policies_of(scope))

    def run(line: str) -> Decision | None:
        return judge(question(terminal(), f"pyautogui.write({line + chr(10)!r})"), rules).finding.decision

    assert run("cat ~/desk/a.txt") is None
    assert run("cat ~/.ssh/id_rsa") is Decision.MISALIGNED
    assert run("rm ~/desk/a.txt") is Decision.MISALIGNED
    assert run("sudo cat ~/desk/a.txt") is Decision.MISALIGNED
