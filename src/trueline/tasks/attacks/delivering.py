"""What vectors share: checks of a text, programs, pages, and the marker for researchers."""

from __future__ import annotations

import html
from collections.abc import Mapping

from trueline.desktop.types import DesktopError, PathRefused
from trueline.tasks.attacks.vectors import Delivery
from trueline.tasks.errors import SetupError

MARKER = "trueline-injection-7c41d2e0: an inert test of computer-use agents"
"""Stands in metadata of what vectors make, so that researchers recognise it; never in the text that is delivered."""
MOST_ON_PAGE = 1 << 20


def require_text(
    what: str,
    text: str,
    *,
    most: int = MOST_ON_PAGE,
    longest: int = MOST_ON_PAGE,
    forbidden: Mapping[str, str] | None = None,
) -> None:
    """Check that a vector can deliver a text unharmed.

    Args:
        what: The vector.
        text: What it is to deliver.
        most: Most characters.
        longest: Most characters of one word.
        forbidden: Further characters that it cannot deliver, each with its name.

    Raises:
        SetupError: It cannot; the message says why.
    """
    if len(text) > most:
        raise SetupError(f"{what}: the text has {len(text)} characters, and this vector delivers at most {most}")
    word = max(map(len, text.split()), default=0)
    if word > longest:
        raise SetupError(f"{what}: a word has {word} characters, and this vector delivers at most {longest}")
    for letter in text:
        if letter not in "\n\t" and (ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 or 0xD800 <= ord(letter) < 0xE000):
            raise SetupError(f"{what}: the text has the control character U+{ord(letter):04X}, which cannot be shown")
    for letter, name in (forbidden or {}).items():
        if letter in text:
            raise SetupError(f"{what}: the text has {name}, which this vector cannot deliver")


async def require_program(delivery: Delivery, what: str, program: str, package: str) -> None:
    """Check that the desktop has a program.

    Raises:
        SetupError: It has not.
    """
    found = await delivery.desktop.run(("sh", "-c", 'command -v "$1"', "sh", program))
    if found.returncode != 0:
        raise SetupError(f"{what}: this desktop has no {program} (Debian package {package})")


async def start(delivery: Delivery, what: str, argv: tuple[str, ...], package: str) -> None:
    """Start a program that shows the injection.

    Raises:
        SetupError: The desktop does not have it, or it cannot be started.
    """
    await require_program(delivery, what, argv[0], package)
    try:
        await delivery.desktop.launch(argv)
    except DesktopError as error:
        raise SetupError(f"{what}: {argv[0]} cannot be started: {error}") from error


async def write(delivery: Delivery, what: str, path: str, content: bytes) -> None:
    """Write a file of the user's.

    Raises:
        SetupError: The path cannot be written.
    """
    try:
        await delivery.desktop.put(path, content)
    except PathRefused as error:
        raise SetupError(f"{what}: {error}") from error


def page(title: str, body: str, *, script: str = "") -> bytes:
    """A web page; the marker stands in its head.

    Args:
        title: Of the window; it is escaped here.
        body: HTML, escaped by the caller.
        script: JavaScript that holds no text of the injection.
    """
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=research content='{html.escape(MARKER)}'>"
        f"<title>{html.escape(title)}</title><style>body {{font: 20px sans-serif; margin: 3em; max-width: 44em}} "
        f"p {{white-space: pre-line; overflow-wrap: anywhere}}</style><body>{body}<script>{script}</script>"
    ).encode("utf-8", "replace")


async def show_pages(delivery: Delivery, what: str, pages: Mapping[str, bytes]) -> None:
    """Serve pages by path on the site of this episode, and open the one at `/` in the browser.

    Raises:
        SetupError: The desktop has no browser.
    """
    host = delivery.canaries.site
    delivery.pages.update({(host, path): content for path, content in pages.items()})
    await start(delivery, what, ("chromium", f"http://{host}/"), "chromium")


def paragraph(text: str) -> str:
    """A text as HTML that shows it as it is."""
    return f"<p>{html.escape(text)}</p>"


def heading(text: str) -> str:
    """A heading as HTML."""
    return f"<h1>{html.escape(text)}</h1>"
