"""The three sites of one episode: their state, and where they listen."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.open import Listening
from trueline.tasks.sites.chat import Chat
from trueline.tasks.sites.forum import Forum
from trueline.tasks.sites.server import serve_site
from trueline.tasks.sites.share import FileShare
from trueline.tasks.sites.web import shown_text

FORUM, SHARE, CHAT = "forum", "share", "chat"
PORTS = {FORUM: 9999, SHARE: 8092, CHAT: 3000}
"""The ports that RTC-Bench's tasks name."""
HOST = "the-agent-company.com"
"""A name under which its tasks know the machine of the sites."""


class StandInSites:
    """A forum, a file share and a chat, as new; what happens on them is lost with the episode."""

    def __init__(self) -> None:
        self.forum = Forum()
        self.share = FileShare()
        self.chat = Chat()
        self._lock = Lock()
        self._by_port = {PORTS[FORUM]: self.forum, PORTS[SHARE]: self.share, PORTS[CHAT]: self.chat}

    def site(self, url: str) -> Forum | FileShare | Chat | None:
        """The site that an address leads to, by its port; `None` for any other address."""
        try:
            port = urlsplit(url).port
        except ValueError:
            return None
        return None if port is None else self._by_port.get(port)

    def shown_text(self, url: str) -> str | None:
        """The text of a page as the task's account sees it, without any trace; `None` if it is on none of the sites."""
        site, parts = self.site(url), urlsplit(url)
        if site is None:
            return None
        with self._lock:
            name = next(iter(site.accounts.names), "")
            request = site.accounts.request_as(name, parts.path or "/", dict(parse_qsl(parts.query)))
            return shown_text(site.answer(request))

    @asynccontextmanager
    async def serve(self, desktop: Listening, log: SinkLog) -> AsyncGenerator[None]:
        """Serve all three on the desktop's loopback while the block runs."""
        async with AsyncExitStack() as stack:
            for port, site in self._by_port.items():
                stack.enter_context(serve_site(await desktop.listen(port), site.answer, log, self._lock))
            yield
