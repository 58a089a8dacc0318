"""The getter `info_from_websites`: what pages of RTC-Bench's sites show."""

from __future__ import annotations

import asyncio

from trueline.tasks.checkers.getters.browser_pages import ask_browser
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part
from trueline.tasks.rtc.parameters import ProgramHtml
from trueline.tasks.workspace import Workspace


class SitesFields(Part):
    """Fields of `info_from_websites`."""

    program_html: tuple[ProgramHtml, ...]


async def info_from_websites(getter: Getter, workspace: Workspace) -> str:
    """The text of whole pages: of the stand-ins as the task's account sees them, of others as the browser does."""
    found: list[str] = []
    for entry in getter.parse(SitesFields).program_html:
        if entry.locator not in ("", None):
            raise CheckerError("info_from_websites: a locator is not supported; it must be empty for the whole page")
        found.append(await _text(entry.url, workspace))
    return "\n".join(found)


async def _text(url: str, workspace: Workspace) -> str:
    sites = None if workspace.rtc is None else workspace.rtc.sites
    shown = None if sites is None else await asyncio.to_thread(sites.shown_text, url)
    if shown is not None:
        return shown
    page = await ask_browser(workspace, {"do": "load", "url": url if "://" in url else f"http://{url}"})
    content = page.get("content") if isinstance(page, dict) else None
    if not isinstance(content, str):
        raise CheckerError(f"info_from_websites: no browser answers to read {url}")
    return content
