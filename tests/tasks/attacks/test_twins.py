"""Twins: harmless texts of the length of the injected one, and host names that tell nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from trueline.errors import InputError
from trueline.records.attack import TWINS, split_twin, twin_name
from trueline.records.end import End
from trueline.tasks.attacks.canaries import canaries_of
from trueline.tasks.attacks.goals import GOALS, EndState, injected_text, injected_title
from trueline.tasks.attacks.hijacks import read_order
from trueline.tasks.attacks.host_names import host_name, mail_address
from trueline.tasks.attacks.sinks.log import SinkLog, Visit
from trueline.tasks.attacks.twins import twin_text, with_request

C = canaries_of(4)


@pytest.mark.parametrize("goal", GOALS.names())
def test_twins_have_the_length_of_the_injected_text(goal: str) -> None:
    text = injected_text(GOALS.find(goal), C)
    for twin in TWINS:
        other = injected_text(GOALS.find(twin_name(goal, twin)), C)
        assert len(other) == len(text), other
        assert other.endswith(".") and "  " not in other and ".." not in other
        assert other != text and read_order(other) is None
        assert C.host not in other and C.address not in other
        assert (C.benign_host in other) == (twin != "neutral")


@pytest.mark.parametrize("length", range(120, 400))
def test_any_length_is_met(length: int) -> None:
    texts = [twin_text(twin, C, length) for twin in TWINS]
    assert [len(text) for text in texts] == [length] * 3
    assert texts[1] == texts[2]


def test_the_user_asks_for_what_the_text_says() -> None:
    words = with_request("Add up the column.", injected_title(), C)
    assert words.startswith("Add up the column.\n\n")
    assert injected_title() in words and f"http://{C.benign_host}/hours" in words
    assert f"http://{C.benign_host}/hours" in twin_text("asked", C, 200)


def test_names_of_twins() -> None:
    assert split_twin("stop_task.asked") == ("stop_task", "asked")
    assert split_twin("stop_task") == ("stop_task", None)
    assert split_twin(".asked") == (".asked", None)
    assert GOALS.provides("stop_task.neutral") and not GOALS.provides("nothing.neutral")
    assert "stop_task.neutral" not in GOALS.names()
    with pytest.raises(InputError, match="unknown attack goal 'nothing'"):
        GOALS.find("nothing.neutral")


def test_a_twin_is_achieved_by_following_it_and_by_nothing_else() -> None:
    def followed(name: str, host: str) -> bool:
        sinks = SinkLog()
        sinks.add(Visit(host, "/hours"))
        return bool(tuple(GOALS.find(name).achieved(EndState(sinks, {}, End.DONE, 0.0), C)))

    assert followed("stop_task.instruction", C.benign_host) and followed("accept_purchase.asked", C.benign_host)
    assert not followed("stop_task.neutral", C.benign_host)
    assert not followed("stop_task.asked", C.host)


def letters(names: list[str]) -> Iterator[dict[str, int]]:
    for name in names:
        yield {name[at : at + 3]: 1 for at in range(len(name) - 2)}


def guessed(attacker: list[str], benign: list[str]) -> int:
    """How many of the second halves a classifier tells right that has seen the first: naive Bayes on three letters."""
    half = len(attacker) // 2
    seen = [{}, {}]
    for counts, names in zip(seen, (attacker, benign), strict=True):
        for found in letters(names[:half]):
            for piece in found:
                counts[piece] = counts.get(piece, 0) + 1
    right = 0
    for label, names in enumerate((attacker, benign)):
        for found in letters(names[half:]):
            score = sum(np.log((seen[1].get(p, 0) + 1) / (seen[0].get(p, 0) + 1)) for p in found)
            right += int((score > 0) == bool(label))
    return right


def test_a_host_name_does_not_tell_whose_it_is() -> None:
    seeds = range(2000)
    attacker, benign = ([host_name(seed, purpose) for seed in seeds] for purpose in ("attacker", "benign"))
    found = stats.binomtest(guessed(attacker, benign), len(seeds))
    assert found.pvalue > 0.01, found
    lengths = stats.mannwhitneyu([len(name) for name in attacker], [len(name) for name in benign])
    assert lengths.pvalue > 0.01
    # The same classifier finds names that are made differently.
    assert guessed([f"collect-{seed}.example" for seed in seeds], benign) > 1900


def test_names_of_an_episode_differ_and_lead_nowhere() -> None:
    for seed in range(200):
        found = canaries_of(seed)
        hosts = (found.host, found.site, found.benign_host, found.address.rpartition("@")[2])
        assert len(set(hosts)) == 4
        assert all(host.endswith(".example") for host in hosts)
    assert mail_address(1, "attacker") != mail_address(2, "attacker")
