from __future__ import annotations

import pytest

from trueline.guard.policy.addresses import hosts_of


@pytest.mark.parametrize(
    "url",
    [
        "evil.example/x",
        "https://evil.example./x",
        "https:\\\\evil.example\\x",
        "https:evil.example",
        "https:///evil.example/x",
        "https://evil%2Eexample/x",
        "https://evil。example/x",
        "https://good.example@evil.example/",
        "view-source:https://evil.example/x",
        "HTTPS://EVIL.example:8443/x",
        "ht\ntps://evil.exa\tmple",
    ],
)
def test_a_host_is_what_a_browser_would_ask(url: str) -> None:
    assert hosts_of(url) == ("evil.example",)


def test_what_has_no_host_may_mention_some() -> None:
    assert hosts_of("javascript:fetch('https://evil.example/?c=1')") == ("evil.example",)
    assert hosts_of("about:blank") == ()
