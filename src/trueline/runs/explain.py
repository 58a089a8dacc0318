"""Why an episode has the score it has, from what lies in its folder: ours, or that of another system."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from trueline.records.episode import CheckRecord
from trueline.records.episode_state import RESULT_FILE, EpisodeState, is_success, read_state
from trueline.records.folder.attempts import attempts_of
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.layout import ATTEMPTS
from trueline.records.ledger import Ledger
from trueline.text import printable

_MOST = 20
"""Most problems and errors to list."""
_STAGES = ("delivered", "exposed", "attempted", "blocked", "achieved")


def explain(folder: Path) -> dict[str, JsonValue]:
    """Collect what explains an episode's score.

    Raises:
        InputError: It is not a folder of an episode, or our own files in it are broken.
    """
    episode, state = read_episode(folder), read_state(folder.absolute())
    record = episode.record
    problems: list[JsonValue] = [str(problem) for problem in episode.problems[:_MOST]]
    errors: list[JsonValue] = [
        {"where": error.where, "step": error.step, "message": error.message} for error in record.errors[:_MOST]
    ]
    judgments: list[JsonValue] = [
        {
            "by": "/".join(part for part in by if part),
            "success": judgment.success,
            "safe": judgment.safety,
            "violation_step": judgment.violation_step,
            "reasoning": judgment.reasoning,
        }
        for by, judgment in episode.judgments.items()
    ]
    checks: list[JsonValue] = [_check(check) for check in record.checks]
    attempts: list[JsonValue] = [str(path) for path in _attempts(episode)]
    retries: list[JsonValue] = [
        {"after_step": retry.after_step, "end": retry.end, "score": retry.score} for retry in record.retries
    ]
    return {
        "folder": str(episode.folder),
        "task": str(episode.location.unit) if episode.location else f"{record.task.domain}/{record.task.id}",
        "recorded_by": "trueline" if episode.ours else "another system",
        "kind": record.task.kind,
        "score": state.score,
        "score_means": _meaning(episode, state),
        "unscored": state.unscored,
        "why_no_score": state.problem if state.score is None else None,
        "end": record.end,
        "detail": record.detail,
        "steps": len(record.steps),
        "checks": checks,
        "attack": None if record.attack is None else {"vector": record.attack.vector, "goal": record.attack.goal},
        "funnel": None if record.funnel is None else record.funnel.model_dump(mode="json"),
        "ledger": None if record.ledger is None else record.ledger.model_dump(mode="json"),
        "adversary_score": episode.adversary_score,
        "judgments": judgments,
        "retries": retries,
        "errors": errors,
        "problems": problems,
        "earlier_attempts": attempts,
    }


def _check(check: CheckRecord) -> dict[str, JsonValue]:
    return check.model_dump(mode="json")


def _meaning(episode: Trajectory, state: EpisodeState) -> str:
    """What the score says about the agent."""
    task = episode.record.task
    if task.unmeasured:
        return "neither success nor harm: use a judge"
    if state.kind_missing:
        return "its meaning is unknown: the record does not say what kind of task it is"
    if task.kind == "misuse":
        return "1 means that harm was done"
    if not episode.ours and task.id.startswith("_"):
        return "for most of OS-Harm's tasks only whether the last action was FAIL"
    return "1 means success"


def _attempts(episode: Trajectory) -> tuple[Path, ...]:
    """Earlier attempts at the same episode, if it lies in a result folder."""
    for parent in episode.folder.parents:
        if (parent / ATTEMPTS).is_dir():
            return attempts_of(parent, episode.folder)
    return ()


def explanation_text(found: dict[str, JsonValue]) -> str:
    """The explanation for people."""
    lines = [f"{_show(found['task'])}: {_outcome(found)}"]
    lines.append(f"  kind   {_show(found['kind'] or 'not recorded')}; recorded by {_show(found['recorded_by'])}")
    end = _show(found["end"] or "not recorded")
    detail = f" ({_show(found['detail'])})" if found["detail"] and found["score"] is not None else ""
    lines.append(f"  end    {end}{detail}, after {_count(found['steps'], 'step')}")
    checks = _objects(found["checks"])
    lines.append("" if checks else f"No check is recorded{_no_checks(found)}.")
    for check in checks:
        word = {True: "passed", False: "failed", None: "could not be made"}[_state(check["passed"])]
        about = " (what must not have changed)" if check["about"] == "safety" else ""
        lines.append(f"Check {_show(check['name'])}{about}: {word}{_reason_suffix(check['detail'])}")
        for part in _objects(check["comparisons"]):
            lines.append(f"  {_show(part['function'])}: {_number(part['score'])}{_reason_suffix(part['reason'])}")
            lines.append(f"    found     {_show(part['found'])}")
            lines.append(f"    expected  {_show(part['expected'])}")
    lines += _attack_lines(found)
    lines += _ledger_lines(found["ledger"])
    for judgment in _objects(found["judgments"]):
        said = f"success {_word(judgment['success'])}, safe {_word(judgment['safe'])}"
        lines.append(f"Judge {_show(judgment['by'])}: {said}: {_show(judgment['reasoning'])}")
    for retry in _objects(found["retries"]):
        lines.append(f"Earlier try, up to step {retry['after_step']}: {_show(retry['end'])}, {_number(retry['score'])}")
    for error in _objects(found["errors"]):
        step = "" if error["step"] is None else f" in step {error['step']}"
        lines.append(f"Error of the {_show(error['where'])}{step}: {_show(error['message'])}")
    lines += [f"Problem: {_show(problem)}" for problem in _items(found["problems"])]
    lines += [f"Earlier attempt: {_show(path)}" for path in _items(found["earlier_attempts"])]
    return "\n".join(line for line in lines if line)


def _outcome(found: dict[str, JsonValue]) -> str:
    if found["score"] is None:
        return f"no score: {_show(found['why_no_score'])}"
    score = found["score"]
    reached = isinstance(score, int | float) and is_success(score)
    plain = found["score_means"] == "1 means success"
    word = ("success, " if reached else "no success, ") if plain else ""
    return f"{word}score {_number(score)} ({_show(found['score_means'])})"


def _no_checks(found: dict[str, JsonValue]) -> str:
    if found["recorded_by"] != "trueline":
        return f": other systems keep only {RESULT_FILE}"
    return ", for it was not scored" if found["score"] is None else ""


def _attack_lines(found: dict[str, JsonValue]) -> list[str]:
    attack, funnel = found["attack"], found["funnel"]
    if not isinstance(attack, dict) and not isinstance(funnel, dict):
        return []
    named = attack if isinstance(attack, dict) else {}
    head = f"Attack {_show(named.get('vector') or 'not recorded')} with the goal {_show(named.get('goal') or '-')}"
    if not isinstance(funnel, dict):
        return [f"{head}: how far it got is not recorded"]
    stages = ", ".join(f"{stage} {_word(funnel.get(stage))}" for stage in _STAGES)
    evidence = [f"  evidence: {_show(item)}" for item in _items(funnel.get("evidence"))[:_MOST]]
    return [f"{head}: {stages}", *_exposure_line(funnel.get("exposure")), *evidence]


def _exposure_line(exposure: JsonValue) -> list[str]:
    if not isinstance(exposure, dict):
        return []
    why = f" ({_show(exposure['unmeasured'])})" if exposure.get("unmeasured") else ""
    channels = ", ".join(f"{channel} {_word(exposure.get(channel))}" for channel in ("text", "pixels"))
    return [f"  exposed in: {channels}{why}"]


def _ledger_lines(found: JsonValue) -> list[str]:
    """What the episode changed; what its task did not ask for is listed."""
    if not isinstance(found, dict):
        return []
    ledger = Ledger.model_validate(found)
    extra = [f"  {_show(line)}" for line in ledger.also_changed.lines()]
    left = [f"  and {len(extra) - _MOST} more"] if len(extra) > _MOST else []
    if ledger.allowed is None:
        return ["Changed; the task does not say what it may change:", *extra[:_MOST], *left] if extra else []
    asked = [f"  {_show(line)}" for line in ledger.asked_for.lines()]
    more = [f"  and {len(asked) - _MOST} more"] if len(asked) > _MOST else []
    return [
        *(["Changed as the task asks, or as its applications do by themselves:"] if asked else []),
        *asked[:_MOST],
        *more,
        *(["Also changed:"] if extra else ["Nothing else was changed."]),
        *extra[:_MOST],
        *left,
    ]


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _state(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _word(value: JsonValue) -> str:
    return {True: "yes", False: "no", None: "unknown"}[_state(value)]


def _number(value: JsonValue) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "none"


def _count(value: JsonValue, what: str) -> str:
    return f"{value} {what}" if value == 1 else f"{value} {what}s"


def _reason_suffix(detail: JsonValue) -> str:
    return f": {_show(detail)}" if detail else ""


def _show(value: JsonValue) -> str:
    return printable(str(value), 1000)
