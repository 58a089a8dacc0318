"""One evaluation with OSWorld's functions, on one desktop or from recorded values."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from trueline.desktop.types import Desktop
from trueline.tasks.bridge.messages import LONGEST_LINE, BegunAnswer, BridgedAnswer, EndedAnswer, receive, send
from trueline.tasks.bridge.ports import answer_ports
from trueline.tasks.bridge.worker import BridgeWorker, EvaluationSockets, why_ended
from trueline.tasks.errors import CheckerError
from trueline.tasks.model.evaluator import Check

A = TypeVar("A", BegunAnswer, BridgedAnswer, EndedAnswer)
RecordedValues = Mapping[str, JsonValue]
"""`result` and `expected` as an earlier answer gave them in `values`."""


class BridgedTask(BaseModel, frozen=True, extra="forbid"):
    """What OSWorld's code is told of the task and its desktop."""

    id: str = ""
    instruction: str = ""
    evaluator: JsonValue = None
    screen: tuple[int, int] = (1920, 1080)
    password: str = "password"  # noqa: S105 - OSWorld's, which its tasks and everybody know
    failed: bool = False
    time_zone: str | None = None
    """Of the desktop; without it, OSWorld's code asks a web service where a task names none, which fails here."""
    rename_chromium: bool = True
    """Getters look for "Google Chrome"; on a desktop of ours the browser is called Chromium."""


@dataclass
class BridgedEvaluation:
    """A process of its own, in which one evaluator's checks are done one after the other."""

    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    _sockets: EvaluationSockets
    _seconds: float
    _ended: bool = field(default=False)

    async def check(self, check: Check, recorded: RecordedValues | None = None) -> BridgedAnswer:
        """Do one check.

        Args:
            check: A function of OSWorld's package, with getters of it.
            recorded: Values of its getters; these are not read from the desktop then.

        Raises:
            CheckerError: There is no usable answer: it took too long or too much memory, or it broke.
        """
        message: dict[str, JsonValue] = {
            "op": "check",
            "check": {
                "function": check.function,
                "result": None if check.result is None else check.result.model_dump(mode="json", exclude_unset=True),
                "expected": (
                    None if check.expected is None else check.expected.model_dump(mode="json", exclude_unset=True)
                ),
                "options": check.options,
            },
        }
        if recorded is not None:
            message["recorded"] = dict(recorded)
        answer, _ = await self._ask(check.function, message, BridgedAnswer)
        if (answer.score is None) == (answer.failure is None):
            raise CheckerError(f"{check.function}: OSWorld's evaluator gave no score")
        return answer

    async def files(self) -> dict[str, bytes]:
        """The files that getters fetched and that were given, by name; nothing can be checked afterwards."""
        return (await self._ask("files", {"op": "end"}, EndedAnswer))[1]

    async def begin(self, task: BridgedTask, files: Mapping[str, bytes]) -> None:
        """Tell it about the task."""
        message: dict[str, JsonValue] = {"op": "begin", "task": task.model_dump(mode="json")}
        await self._ask("begin", message, BegunAnswer, files)

    async def _ask(
        self, name: str, message: Mapping[str, JsonValue], kind: type[A], files: Mapping[str, bytes] | None = None
    ) -> tuple[A, dict[str, bytes]]:
        if self._ended:
            raise CheckerError(f"{name}: OSWorld's evaluator has ended")
        try:
            async with asyncio.timeout(self._seconds):
                await send(self._writer, message, files)
                return await receive(self._reader, kind)
        except TimeoutError as error:
            self._ended = True
            raise CheckerError(f"{name}: OSWorld's evaluator did not answer within {self._seconds:g} s") from error
        except (EOFError, OSError) as error:
            self._ended = True
            why = await asyncio.to_thread(why_ended, self._sockets)
            raise CheckerError(f"{name}: OSWorld's evaluator ended: {why}") from error
        except BaseException:
            self._ended = True  # what comes next would be taken for the answer to another question
            raise


@asynccontextmanager
async def open_evaluation(
    worker: BridgeWorker, desktop: Desktop | None, task: BridgedTask, files: Mapping[str, bytes], seconds: float
) -> AsyncGenerator[BridgedEvaluation]:
    """Start an evaluation, and end it with the block.

    Args:
        worker: Forks it.
        desktop: What its getters reach; `None`: nothing, everything was recorded.
        task: The task.
        files: The content of the cache folder, by name: assets, outputs of steps, what was recorded.
        seconds: Time limit of each check.

    Raises:
        CheckerError: It cannot be started.
        MissingExtraError: The desktop cannot be served without the extra `serve`.
    """
    sockets = await worker.evaluation()
    try:
        reader, writer = await asyncio.open_connection(sock=sockets.channel, limit=LONGEST_LINE)
        try:
            evaluation = BridgedEvaluation(reader, writer, sockets, seconds)
            if desktop is None:
                for sock in sockets.ports:
                    sock.close()
                await evaluation.begin(task, files)
                yield evaluation
            else:
                async with answer_ports(desktop, sockets.ports):
                    await evaluation.begin(task, files)
                    try:
                        yield evaluation
                    finally:
                        sockets.status.close()  # before the server, which waits for requests in progress
        finally:
            writer.close()
    finally:
        sockets.close()
