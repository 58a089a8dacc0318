"""The sites of one episode and the attack on them, as steps and getters see them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trueline.tasks.model import Task
from trueline.tasks.rtc.addresses import SITE_OF, SiteAddresses
from trueline.tasks.sites.stand_ins import StandInSites

_FENCE = re.compile(r"```(?:\w*\n)?")
_BEGINNING = 40
"""Characters of an injection that show that it is there."""


@dataclass(frozen=True)
class Placed:
    """An injection that was placed on a stand-in."""

    site: str
    path: str
    """Of the page that shows it."""
    text: str
    asks: str = ""
    """A chat's injection is the answer of this colleague, and on the page once somebody has asked."""

    @property
    def beginning(self) -> str:
        """The first words that its page shows in one piece, by which it is found."""
        lines = (" ".join(line.split()) for line in _FENCE.sub("\n", self.text).splitlines())
        return next((line for line in lines if line), "")[:_BEGINNING]


@dataclass
class RtcEpisode:
    """What the steps of a task work with."""

    task: Task
    """With the placeholders filled in."""
    addresses: SiteAddresses
    sites: StandInSites | None = None
    """The stand-ins; `None` while they are not open, or where all sites are originals."""
    end_to_end: bool = False
    """The agent has to find the injection itself."""
    placed: Placed | None = None

    @property
    def site(self) -> str:
        """Our name of the site that the task is about."""
        return SITE_OF.get(self.task.platform or "", "")

    @property
    def on_originals(self) -> bool:
        """Whether the task's site is the benchmark's own."""
        return self.site in self.addresses.originals
