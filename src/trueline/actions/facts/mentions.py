"""URLs, paths, mail addresses and hosts in a text. All patterns take time proportional to the text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

_URL = re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,15}://[^\s'\"`<>\\^|]+", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_SITE = re.compile(
    r"(?<![\w@./:-])((?:[a-z0-9-]{1,63}\.){1,8}([a-z]{2,24}))(?![\w-]|\.\w)(:\d{1,5})?([/?][^\s'\"`<>\\^|]*)?",
    re.IGNORECASE,
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\w)")
_UNIX_PATH = re.compile(r"(?<![\w./~<-])(?:~[\w-]*|\.{1,2}|\$\{?\w{1,64}\}?)?/(?:\\.|[^\s'\"`<>|;&()\\])*")
_HOME = re.compile(r"(?<!\S)~(?=[\s;&|]|\Z)")
_WINDOWS_PATH = re.compile(r"(?<!\w)(?:[A-Za-z]:\\|\\\\[\w.-]+\\)[^\s'\"<>|;&]*")
_TRAILING = ".,;:!?)]}"

# Endings of names of sites. Every two-letter ending counts too, except those that files have.
_SITE_WORDS = """
    app biz blog cloud club com dev edu email gov info int link live mil mobi name net news online onion org page pro
    shop site space store tech top web website wiki work world xyz zone
"""
_FILE_WORDS = "bz cc cs db gz hs js kt lz md mk ml mm pl pm ps py rb rc rs sh so tf ts ui vb xz"
_SITE_ENDINGS, _FILE_ENDINGS = frozenset(_SITE_WORDS.split()), frozenset(_FILE_WORDS.split())


class Mentions(NamedTuple):
    """The things that a text mentions, each once, in order of appearance."""

    urls: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def mentions(texts: Iterable[str]) -> Mentions:
    """Return what texts mention. A bare `example.com/x` counts as a URL too: a browser takes it as one."""
    urls: list[str] = []
    paths: list[str] = []
    emails: list[str] = []
    hosts: list[str] = []
    for text in dict.fromkeys(texts):
        found = [match[0].rstrip(_TRAILING) for match in _URL.finditer(text)]
        urls += found
        hosts += [host for url in found if (host := _host(url))]
        rest = _URL.sub(" ", text)
        emails += (addresses := [match[0].rstrip(".") for match in _EMAIL.finditer(rest)])
        hosts += [address.rpartition("@")[2].lower() for address in addresses]
        hosts += [match[0] for match in _IPV4.finditer(rest) if all(int(n) < 256 for n in match[0].split("."))]
        for site in _SITE.finditer(rest):
            if _is_ending(site[2].lower()):
                hosts.append(site[1].lower())
                urls += [site[0].rstrip(_TRAILING)] if site[4] or site[1].lower().startswith("www.") else []
        paths += [match[0].rstrip(",;:)") for match in _UNIX_PATH.finditer(rest)]
        paths += [match[0] for pattern in (_HOME, _WINDOWS_PATH) for match in pattern.finditer(rest)]
    return Mentions(_once(urls), _once(paths), _once(emails), _once(hosts))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_ending(ending: str) -> bool:
    return ending in _SITE_ENDINGS or (len(ending) == 2 and ending not in _FILE_ENDINGS)


def _once(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
