"""Reads text from the screenshots of a context where the accessibility tree does not have it."""

from __future__ import annotations

import asyncio
import io
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version

from trueline.actions import Action, Click, MouseUp
from trueline.actions.facts import proposal_facts
from trueline.errors import TruelineError
from trueline.guard.incoming.screen import read_screenshot
from trueline.guard.policy.episode_reading import ViewCache
from trueline.guard.types import GuardContext, PastStep
from trueline.records.observation import Observation
from trueline.records.text_line import TextLine
from trueline.records.tree import Size

_MOST_LINES = 100_000
"""Remembered, of some 2,000 screens: those of earlier steps come again with every check."""


class ScreenReader:
    """Adds text to screens without a tree, or whose tree does not name an action's target.

    The same picture is read once. One picture is read at a time, in a thread of its own.
    """

    def __init__(self) -> None:
        """Load the models.

        Raises:
            MissingExtraError: The extra `ocr` is not installed.
        """
        from trueline.desktop.ocr import shared_reader

        self._reader = shared_reader()
        self._reader.prepare()
        self._known: OrderedDict[tuple[str, Size | None], tuple[TextLine, ...]] = OrderedDict()
        self._held = 0
        self._views = ViewCache()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="guard-ocr")

    @property
    def name(self) -> str:
        """The package and its version."""
        return f"rapidocr {version('rapidocr')}"

    async def complete(self, context: GuardContext) -> GuardContext:
        """Return the context with the text of its screens, those of earlier steps too.

        Raises:
            TruelineError: The present screenshot cannot be read; an earlier one that cannot is left as it is.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._complete, context)

    def _complete(self, context: GuardContext) -> GuardContext:
        observation = self._seen(context.observation, context.proposal.actions)
        return replace(context, observation=observation, history=tuple(map(self._past, context.history)))

    def _past(self, step: PastStep) -> PastStep:
        if step.observation is None:
            return step
        try:
            return replace(step, observation=self._seen(step.observation, step.proposal.actions))
        except (TruelineError, OSError):
            return step

    def _seen(self, observation: Observation, actions: Sequence[Action]) -> Observation:
        if observation.screenshot is None or observation.lines or not self._needed(observation, actions):
            return observation
        return observation.with_lines(self._lines(observation))

    def _needed(self, observation: Observation, actions: Sequence[Action]) -> bool:
        if observation.tree is None or observation.partial:
            return True
        if any(isinstance(action, Click | MouseUp) and action.at is None for action in actions):
            return True  # where the pointer is, an earlier step may have said
        seen = self._views(observation)
        return any(seen.is_bare(touch.at) for touch in proposal_facts(actions).touches)

    def _lines(self, observation: Observation) -> tuple[TextLine, ...]:
        key = (observation.picture_digest or "", observation.screen)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        found = self._known[key] = self._read(observation.png() or b"", observation.screen)
        self._held += 1 + len(found)
        while self._held > _MOST_LINES:
            self._held -= 1 + len(self._known.popitem(last=False)[1])
        return found

    def _read(self, png: bytes, screen: Size | None) -> tuple[TextLine, ...]:
        import numpy as np
        from PIL import Image

        from trueline.desktop.screen import Frame

        png, size = read_screenshot(png)
        with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
            pixels = np.asarray(picture.convert("RGBA"))[:, :, [2, 1, 0, 3]]
        lines = self._reader.read(Frame(pixels))
        return lines if screen in (None, size) else tuple(_moved(line, size, screen) for line in lines)


def _moved(line: TextLine, picture: Size, screen: Size) -> TextLine:
    """The line in screen coordinates, where the picture has another size than the screen."""
    across, down = screen.width / picture.width, screen.height / picture.height
    return line._replace(
        left=round(line.left * across),
        top=round(line.top * down),
        right=round(line.right * across),
        bottom=round(line.bottom * down),
    )
