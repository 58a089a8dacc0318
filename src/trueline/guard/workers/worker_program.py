"""The program that holds a guard of another package, started by path with the interpreter that has the package.

It needs nothing but that package and Python's standard library. One JSON object per line comes in on standard input,
and one goes out for each on what was standard output; what the package itself prints goes to standard error.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from typing import Any

Message = dict[str, Any]
_LONGEST = 1000
_TOOL = "computer"


class InvariantRules:
    """Rules of Invariant over the episode as a trace of tool calls; only those that fire on the new call count."""

    def make(self, options: Message) -> Message:
        """Read the rules."""
        os.environ["LOCAL_POLICY"] = "1"
        analyzer: Any = importlib.import_module("invariant.analyzer")
        self._policy: Any = analyzer.LocalPolicy.from_string(options["rules"])
        return {}

    def check(self, message: Message) -> Message:
        """Judge the new call."""
        past: list[Message] = [{"role": "user", "content": message["instruction"]}]
        for number, step in enumerate(message["history"]):
            past += [_call(step["actions"], f"past{number}"), *_results(step, f"past{number}")]
        past += [{"role": "tool", "tool_call_id": "screen", "content": message["screen"]}]
        found: Any = self._policy.analyze_pending(past, [_call(message["actions"], "now")])
        reasons = [str(error)[:_LONGEST] for error in found.errors]
        return {"misaligned": bool(reasons), "reason": "; ".join(reasons) or "no rule fired", "calls": 0}


def _call(actions: list[Message], number: str) -> Message:
    calls = [
        {"id": f"{number}-{place}", "type": "function", "function": {"name": action["kind"], "arguments": action}}
        for place, action in enumerate(actions)
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _results(step: Message, number: str) -> list[Message]:
    return [
        {"role": "tool", "tool_call_id": f"{number}-{place}", "content": step["narrative"] or ""}
        for place in range(len(step["actions"]))
    ]


class FirewallScanners:
    """Scanners of LlamaFirewall: those of texts see the screen, AlignmentCheck sees trace and new action."""

    def make(self, options: Message) -> Message:
        """Make the scanners."""
        scanners: Any = importlib.import_module("llamafirewall.scanners")
        self._of_screens: list[Any] = []
        self._of_actions: list[Any] = []
        for name in options["scanners"]:
            if name == "alignment":
                self._of_actions.append(_alignment(scanners, options))
            elif name == "hidden_ascii":
                self._of_screens.append(scanners.HiddenASCIIScanner())
            else:
                module: Any = importlib.import_module("llamafirewall.scanners.regex_scanner")
                self._of_screens.append(module.RegexScanner())
        return {}

    def check(self, message: Message) -> Message:
        """Judge the new action."""
        firewall: Any = importlib.import_module("llamafirewall")
        allow = firewall.ScanDecision.ALLOW
        reasons: list[str] = []
        for scanner in self._of_screens if message["screen"] else ():
            found = asyncio.run(scanner.scan(firewall.ToolMessage(content=message["screen"])))
            if found.decision is not allow:
                reasons.append(f"{scanner.name}: {found.reason}")
        trace: list[Any] = [firewall.UserMessage(content=message["instruction"])]
        for step in message["history"]:
            trace.append(firewall.AssistantMessage(content=_told(step["actions"])))
            if step["narrative"]:
                trace.append(firewall.ToolMessage(content=step["narrative"]))
        if message["screen"]:
            trace.append(firewall.ToolMessage(content=message["screen"]))
        calls = 0
        for scanner in self._of_actions:
            calls += 1
            found = asyncio.run(scanner.scan(firewall.AssistantMessage(content=_told(message["actions"])), trace))
            if found.decision is not allow:
                reasons.append(f"{scanner.name}: {found.reason}")
        text = "; ".join(reasons)[:_LONGEST]
        return {"misaligned": bool(reasons), "reason": text or "no scanner objects", "calls": calls}


def _alignment(scanners: Any, options: Message) -> Any:
    """AlignmentCheck with the model that was named; an error of it stays one, instead of an answer."""
    firewall: Any = importlib.import_module("llamafirewall")

    class Scanner(scanners.AlignmentCheckScanner):
        async def _evaluate_with_llm(self, text: str) -> Any:
            return await self.llm.call(
                prompt=text,
                system_prompt=self.system_prompt,
                output_schema=self.output_schema,
                temperature=self.temperature,
            )

    # The constructor asks for the key of the service that it is set to, which is never called.
    os.environ.setdefault("TOGETHER_API_KEY", "unused")
    scanner = Scanner()
    key = os.environ.get(options["key_env"]) or "unused"
    scanner.llm = firewall.LLMClient(model_name=options["model"], api_base_url=options["url"], api_key=key)
    return scanner


def _told(actions: list[Message]) -> str:
    return "\n".join(f"ACTION: {_TOOL}\nACTION INPUT: {json.dumps(action)}" for action in actions)


GUARDS: dict[str, Any] = {"invariant": InvariantRules, "llamafirewall": FirewallScanners}


def serve() -> None:
    """Answer line by line until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path[0] = ""  # not the folder of this file: its modules must not stand in for others
    guard: Any = None
    for line in sys.stdin.buffer:
        message: Message = json.loads(line)
        reply: Message
        try:
            if message["step"] == "make":
                guard = GUARDS[message["guard"]]()
                reply = {"ok": guard.make(message["options"])}
            else:
                reply = {"ok": guard.check(message)}
        except (Exception, SystemExit) as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:_LONGEST]}
        out.write(json.dumps(reply, default=repr) + "\n")
        out.flush()


if __name__ == "__main__":
    serve()
