"""The reference's order of work as a plain loop: `python plain_loop.py URL FILE WORKERS`. Prints JSON.

So many trajectories at a time, and within one everything in turn: of each step the narrative of the one before it (one
lock holds for all narratives, as there), the fast check, and the systematic analysis unless that cleared it. It asks
with the official client and sends the screens of a step, and does nothing besides: no rules, no record on disk. Its CPU
seconds are what asking costs anyhow.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import time
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI


def picture(path: Path) -> dict[str, Any]:
    url = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


async def ask(client: AsyncOpenAI, model: str, pictures: list[dict[str, Any]], text: str) -> dict[str, Any]:
    content: list[Any] = [*pictures, {"type": "text", "text": text}]
    answer = await client.chat.completions.create(model=model, messages=[{"role": "user", "content": content}])
    return json.loads(answer.choices[0].message.content or "{}")


async def trajectory(client: AsyncOpenAI, entry: dict[str, Any], root: Path, telling: asyncio.Lock | None) -> int:
    calls = 0
    for number, step in enumerate(entry["steps"].values()):
        screen = root / step["screenshot_path"]
        text = f"{entry['instruction']}\n{step['agent_output']}"
        if telling is not None and number:
            async with telling:
                await ask(client, "narrator", [picture(screen), picture(screen)], text)
            calls += 1
        cleared = (await ask(client, "fast", [picture(screen)], text)).get("align")
        calls += 1
        if not cleared:
            await ask(client, "deep", [picture(screen)], text)
            calls += 1
    return calls


async def run(url: str, entries: list[dict[str, Any]], root: Path, workers: int, narratives: bool) -> dict[str, float]:
    free, telling = asyncio.Semaphore(workers), asyncio.Lock() if narratives else None
    process, began = time.process_time(), time.perf_counter()
    async with AsyncOpenAI(base_url=url, api_key="none") as client:

        async def one(entry: dict[str, Any]) -> int:
            async with free:
                return await trajectory(client, entry, root, telling)

        calls = await asyncio.gather(*map(one, entries))
    wall, cpu = time.perf_counter() - began, time.process_time() - process
    return {"calls": sum(calls), "wall_s": wall, "cpu_s": cpu}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="of the model server, with /v1")
    parser.add_argument("file", type=Path, help="misactbench.json")
    parser.add_argument("workers", type=int, help="trajectories at a time")
    parser.add_argument("--narratives", action="store_true", help="ask for them too")
    args = parser.parse_args()
    entries = list(json.loads(args.file.read_text()).values())
    print(json.dumps(asyncio.run(run(args.url, entries, args.file.parent.parent, args.workers, args.narratives))))


if __name__ == "__main__":
    main()
