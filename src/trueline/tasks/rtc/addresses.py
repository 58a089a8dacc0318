"""Where the sites of RTC-Bench are, and the placeholders that its task files have for that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import JsonValue

from trueline.errors import RequestError
from trueline.tasks.model import ChromeOpenTabs, Task
from trueline.tasks.model.steps import TabParameters
from trueline.tasks.sites.stand_ins import CHAT, FORUM, HOST, PORTS, SHARE
from trueline.text import printable

SITE_OF = {"reddit": FORUM, "owncloud": SHARE, "rocketchat": CHAT}
"""Our name of a site by the task files' `platform`."""
STAND_IN = "rtc-standin"
"""What settings call the environment with our sites."""
_URL, _IP = "TO_BE_REPLACED_URL", "TO_BE_REPLACED_IP"
_BY_PORT = re.compile(rf"{_URL}:({'|'.join(str(port) for port in PORTS.values())})(?!\d)")
_FILLED = ("config", "evaluator", "adversary_config", "adversary_evaluator")


@dataclass(frozen=True)
class SiteAddresses:
    """The address of each site."""

    originals: Mapping[str, str] = field(default_factory=dict[str, str])
    """Those of the benchmark's own sites by our names; a site without one is a stand-in."""

    @property
    def lacks_some(self) -> bool:
        """Whether any site is a stand-in."""
        return set(self.originals) != set(PORTS)

    def url(self, site: str) -> str:
        """The address of a site, without a slash at its end."""
        return self.originals.get(site) or f"http://{HOST}:{PORTS[site]}"

    def fill(self, task: Task) -> Task:
        """The task with its placeholders filled in."""
        site = SITE_OF.get(task.platform or "")
        here = urlsplit(self.url(site)) if site else urlsplit(f"http://{HOST}")
        # The stand-ins listen on the desktop's own loopback.
        machine = (here.hostname or "") if site in self.originals else "127.0.0.1"
        by_port = {str(port): self.url(name) for name, port in PORTS.items()}

        def put(value: JsonValue) -> JsonValue:
            if isinstance(value, str):
                value = _BY_PORT.sub(lambda match: by_port[match[1]], value)
                return value.replace(_URL, f"{here.scheme}://{here.hostname}").replace(_IP, machine)
            if isinstance(value, list):
                return [put(item) for item in value]
            return {key: put(item) for key, item in value.items()} if isinstance(value, dict) else value

        document = task.to_json()
        filled = {key: put(value) if key in _FILLED else value for key, value in document.items()}
        return Task.model_validate_json(json.dumps(filled))


def parse_sites(text: str) -> SiteAddresses:
    """Read `forum=URL,share=URL,chat=URL`; a site that is left out is a stand-in.

    Raises:
        RequestError: It has another form, or an address is none.
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        site, equals, url = part.strip().partition("=")
        shown = printable(part.strip(), 200)
        if site not in PORTS or not equals or site in found:
            raise RequestError(f"`sites` {shown}: must be forum=URL,share=URL,chat=URL, each site at most once")
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            good = False
        if not good or any(character.isspace() for character in url):
            raise RequestError(f"`sites` {shown}: must be an address such as {site}=http://10.0.0.5:{PORTS[site]}")
        found[site] = url.rstrip("/")
    return SiteAddresses(found)


def from_start_page(task: Task, addresses: SiteAddresses) -> Task:
    """The task with the start page of its site open instead of a page of it."""
    roots = [addresses.url(site) for site in PORTS]

    def root(url: str) -> str:
        return next(
            (root for root in roots if url == root or url.startswith((f"{root}/", f"{root}?", f"{root}#"))), url
        )

    steps = tuple(
        ChromeOpenTabs(
            type="chrome_open_tabs",
            parameters=TabParameters(urls_to_open=tuple(map(root, step.parameters.urls_to_open))),
        )
        if isinstance(step, ChromeOpenTabs)
        else step
        for step in task.config
    )
    return task.model_copy(update={"config": steps})


def environment_name(text: str | None, *, end_to_end: bool) -> str:
    """What a setting calls the sites and the way to the injection: results of different ones are never mixed."""
    where = (
        STAND_IN if text is None else f"{STAND_IN} but {text}" if parse_sites(text).lacks_some else f"originals {text}"
    )
    return f"{where}, {'end-to-end' if end_to_end else 'decoupled'}"


def is_rtc(task: Task) -> bool:
    """Whether it is one of RTC-Bench's tasks: its attack is on a site."""
    return bool(task.adversary_config)
