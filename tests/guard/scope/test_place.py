"""Where effects lie in a Scope."""

from __future__ import annotations

import pytest

from trueline.guard.scope.place import covers, place_effects
from trueline.guard.scope.types import (
    ApplicationGrant,
    EffectGrant,
    EffectKind,
    OpenSlot,
    PathGrant,
    Place,
    ProposalEffect,
    RecipientGrant,
    Scope,
    SiteGrant,
)

SCOPE = Scope(
    applications=(ApplicationGrant(application="chrome", because="browser"),),
    paths=(
        PathGrant(path="~/office/**", access=("read", "write"), because="work"),
        PathGrant(path="**/a.txt", access=("read", "write", "delete"), because="a.txt"),
        PathGrant(path="~/maybe/**", access=("write",), because="maybe", possible=True),
    ),
    sites=(SiteGrant(site="shop.example", because="shop"), SiteGrant(site="*", because="web", possible=True)),
    recipients=(RecipientGrant(recipient="ben@firm.example", because="ben"),),
    effects=(
        EffectGrant(effect="send", because="mail"),
        EffectGrant(effect="upload", because="upload"),
        EffectGrant(effect="install", because="perhaps", possible=True),
    ),
)

PLACES: list[tuple[ProposalEffect, Place]] = [
    (ProposalEffect("use", "chromium", "process"), "inside"),
    (ProposalEffect("use", "Chromium", "screen"), "unknown"),
    (ProposalEffect("use", "xfce4-terminal", "process"), "outside"),
    (ProposalEffect("use", "", "process"), "unknown"),
    (ProposalEffect("visit", "shop.example", "origin"), "inside"),
    (ProposalEffect("visit", "www.shop.example", "origin"), "inside"),
    (ProposalEffect("visit", "evilshop.example", "origin"), "unknown"),
    (ProposalEffect("write", "~/office/x/y", "command"), "inside"),
    (ProposalEffect("write", "~/office/../.bashrc", "command"), "outside"),
    (ProposalEffect("write", "~/maybe/x", "command"), "unknown"),
    (ProposalEffect("write", "~/office/", "command"), "inside"),
    (ProposalEffect("delete", "~/office", "command"), "outside"),
    (ProposalEffect("write", "$HOME/office/x", "command"), "unknown"),
    (ProposalEffect("write", "a.txt", "command"), "inside"),
    (ProposalEffect("write", "b.txt", "command"), "unknown"),
    (ProposalEffect("delete", "~/office/x", "command"), "outside"),
    (ProposalEffect("delete", "~/elsewhere/a.txt", "command"), "inside"),
    (ProposalEffect("delete", "~", "command"), "outside"),
    (ProposalEffect("delete", "/*", "command"), "outside"),
    (ProposalEffect("send", "ben@firm.example", "envelope"), "inside"),
    (ProposalEffect("send", "eve@bad.example", "envelope"), "outside"),
    (ProposalEffect("send", "", "screen"), "unknown"),
    (ProposalEffect("upload", "shop.example", "command"), "inside"),
    (ProposalEffect("upload", "drop.example", "command"), "outside"),
    (ProposalEffect("install", "", "command"), "unknown"),
    (ProposalEffect("pay", "", "screen"), "outside"),
]


@pytest.mark.parametrize(("effect", "place"), PLACES)
def test_an_effect_lies_where_its_grants_say(effect: ProposalEffect, place: Place) -> None:
    assert place_effects([effect], SCOPE)[0].place == place


def test_nothing_but_a_grant_puts_an_effect_inside() -> None:
    kinds: tuple[EffectKind, ...] = ("privilege", "schedule", "account", "disable_protection", "exhaust_resources")
    assert {item.place for item in place_effects(map(ProposalEffect, kinds), SCOPE)} == {"outside"}


def test_an_open_slot_leaves_the_recipient_unknown() -> None:
    scope = Scope(
        effects=(EffectGrant(effect="send", because="reply"),),
        open_slots=(OpenSlot(slot="recipient", because="the sender"),),
    )
    assert place_effects([ProposalEffect("send", "a@b.example", "envelope")], scope)[0].place == "unknown"


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("~/a/**", "~/a/b", True),
        ("~/a/**", "~/a", False),
        ("~/a/**", "~/ab/c", False),
        ("~/a/**", "/home/user/a/b", True),
        ("~/a/**", "~/a/../b", False),
        ("/home/user/a", "~/a", True),
        ("**/x.txt", "/deep/down/x.txt", True),
        ("**/x.txt", "/deep/xx.txt", False),
        ("~/[!.]*", "~/.profile", False),
        ("~/*.pdf", "~/d/a.pdf", False),
        ("/**", "/", False),
        ("~/a (b).txt", "~/a (b).txt", True),
    ],
)
def test_path_patterns(pattern: str, path: str, covered: bool) -> None:
    assert covers(pattern, path) is covered
