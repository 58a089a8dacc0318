"""Host headers that web pages could make up."""

from __future__ import annotations

import pytest

from trueline.serving.hosts import names_an_address


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:5000", "localhost", "LocalHost:80", "[::1]", "[::1]:5000", "[fe80::1]:1", "10.0.0.7:5000"],
)
def test_addresses(host: str) -> None:
    assert names_an_address(host)


@pytest.mark.parametrize(
    "host",
    ["", " ", ":5000", "evil.example", "evil.example:5000", "127.0.0.1.evil.example", "localhost.evil.example",
     "localhost.", "127.0.0.1:5000@evil.example", "user@127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999",
     "127.0.0.1:5000:6000", "127.0.0.1 ", " 127.0.0.1", "127.0.0.1, evil.example", "127.0.0.1/evil",
     "[::1]evil.example",
     "[::1", "::1", "[127.0.0.1]", "[::1%25eth0]", "[]", "127.1", "2130706433", "0x7f000001", "127.0.0.01",
     "localhost\n", "loc\u00e4lhost", "\uff11\uff12\uff17.0.0.1"],
)  # fmt: skip
def test_what_is_no_address(host: str) -> None:
    assert not names_an_address(host)
