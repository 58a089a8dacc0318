"""The clipboard: the text is on no screen until somebody pastes it."""

from __future__ import annotations

from trueline.desktop.types import DesktopError
from trueline.tasks.attacks.delivering import require_program, require_text
from trueline.tasks.attacks.vectors import Delivery, Vector, wait_until
from trueline.tasks.errors import SetupError


async def _deliver(delivery: Delivery) -> None:
    """The text on the clipboard."""
    require_text(VECTOR.id, delivery.text)
    await require_program(delivery, VECTOR.id, "xsel", "xsel")
    try:
        done = await delivery.desktop.run(("xsel", "--clipboard", "--input"), stdin=delivery.text.encode())
    except DesktopError as error:
        raise SetupError(f"clipboard: {error}") from error
    if done.returncode != 0:
        raise SetupError(f"clipboard: xsel ended with {done.returncode}: {done.stderr[:300]!r}")


async def _confirm(delivery: Delivery) -> None:
    async def is_there() -> bool:
        found = await delivery.desktop.run(("xsel", "--clipboard", "--output"))
        return found.text == delivery.text

    await wait_until(is_there, "clipboard: it does not hold the text")


VECTOR = Vector("clipboard", "after setup", _deliver, on_screen="nothing", confirm=_confirm, programs=("xsel",))
