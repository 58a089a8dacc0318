"""Forecasts how many model calls a run makes, and how large they are, from its setting. Pure functions.

The calls of an agent of ours and of the simulated user are an upper bound. Tokens are what a question holds when every
step is used and every table is full; how a provider counts a picture, and how long a guard's question is, is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from trueline.agents.registry import AGENTS, SIMULATED, Question
from trueline.errors import InputError
from trueline.guard.registry import GUARDS, Asks
from trueline.records.setting import GuardSetting, Setting
from trueline.runs.retries.clarify import TRIES

PICTURE = 2_500
"""Tokens of one screenshot; providers count 900 to 2,500 for a full one."""
ANSWER = 1_500
"""Tokens of an answer where `max_tokens` sets no limit."""
_PROMPT = 1_500
"""Tokens of the prompt text and the instruction."""
_CHECK = 4_000
"""Tokens of a guard's question without its pictures."""
_STORY = 20_000
"""Tokens of what a simulated user reads about one try."""


@dataclass(frozen=True)
class ModelCalls:
    """The calls to one model in one episode."""

    role: str
    model: str | None
    calls: int | None
    """`None` if unknown."""
    input_tokens: int = 0
    output_tokens: int = 0


def forecast(setting: Setting) -> tuple[ModelCalls, ...]:
    """Return which models one episode calls, and how much, if it uses all of its steps and tries."""
    return (*_agent(setting), *_guard(setting), *_user(setting))


def most_steps(setting: Setting) -> int:
    """Steps of all tries of an episode."""
    each = setting.limits.max_steps or 0
    if setting.retry is None:
        return each
    together = each * (1 + setting.retry.max_retries)
    return together if setting.retry.max_total_steps is None else min(together, setting.retry.max_total_steps)


def assumptions(setting: Setting) -> tuple[str, ...]:
    """Describe the assumptions behind the figures."""
    found = ["every step, try and revision is used", "every table of elements is full", "nothing comes from a cache"]
    if _question(setting.agent) != "window" or setting.observation_type != "a11y_tree" or setting.guard is not None:
        found.append(f"a screenshot is {PICTURE:,} tokens")
    if setting.sampling.max_tokens is None:
        found.append(f"an answer is {ANSWER:,} tokens")
    if setting.guard is not None and _models(setting.guard):
        found.append("the screen holds still between check and act, so each proposal is checked once")
    return tuple(found)


def _agent(setting: Setting) -> tuple[ModelCalls, ...]:
    if setting.agent.startswith(SIMULATED):
        return ()
    options, question = setting.agent_options, _question(setting.agent)
    if question is None:
        return (ModelCalls("agent", setting.model, None),)
    answer = setting.sampling.max_tokens or ANSWER
    per_step = _proposals(setting.guard) * (1 + _number(options, "format_retries"))
    # Within a step the model sees its answers that did not count.
    talk = (per_step - 1) * answer
    if question == "window":
        window = _number(options, "max_trajectory_length")
        seen = _prompt_screens(setting, window) + window * answer
    else:
        # All earlier answers stay in the conversation: half of them on average.
        seen = _number(options, "max_images") * PICTURE + (setting.limits.max_steps or 0) * answer // 2
    return (ModelCalls("agent", setting.model, most_steps(setting) * per_step, _PROMPT + seen + talk, answer),)


def _question(agent: str) -> Question | None:
    try:
        return AGENTS.find(agent).question
    except InputError:
        # A setting may name what this machine lacks.
        return None


def _guard_asks(guard: GuardSetting) -> Asks | None:
    try:
        return GUARDS.find(guard.name).asks
    except InputError:
        return None


def _prompt_screens(setting: Setting, window: int) -> int:
    """Tokens of the present screen and the earlier ones, as an agent with a window shows them."""
    kind = setting.agent_options.get("observation_type")
    table = 0 if kind == "screenshot" else _number(setting.agent_options, "a11y_tree_max_tokens")
    picture = 0 if kind == "a11y_tree" else PICTURE
    # Of marks only the present list is shown.
    return (window + 1) * picture + (1 if kind == "som" else window + 1) * table


def _guard(setting: Setting) -> tuple[ModelCalls, ...]:
    guard = setting.guard
    asks = "nothing" if guard is None else _guard_asks(guard)
    if guard is None or asks == "nothing":
        return ()
    if asks is None:
        return (ModelCalls("guard", None, None),)
    steps = most_steps(setting)
    pictures = 1 + _number(guard.options, "history_screenshots")
    found: list[ModelCalls] = []
    for role, model in _models(guard):
        told = role == "narrator"
        calls = steps if told else steps * _proposals(guard)
        found.append(ModelCalls(role, model, calls, _CHECK + (2 if told else pictures) * PICTURE, ANSWER))
    return tuple(found)


def _user(setting: Setting) -> tuple[ModelCalls, ...]:
    retry = setting.retry
    if retry is None or retry.user_sim_model is None:
        return ()
    return (ModelCalls("user simulator", retry.user_sim_model, retry.max_retries * TRIES, _STORY, ANSWER),)


def _models(guard: GuardSetting) -> list[tuple[str, str]]:
    named = (
        ("fast check", guard.fast_check_model),
        ("systematic analysis", guard.systematic_analysis_model),
        ("narrator", guard.narrative_summary_model),
    )
    return [(role, model) for role, model in named if model is not None]


def _proposals(guard: GuardSetting | None) -> int:
    """How many proposals a step may take."""
    if guard is None or guard.options.get("shadow"):
        return 1
    return 1 + _number(guard.options, "max_revisions")


def _number(options: dict[str, JsonValue], name: str) -> int:
    value = options.get(name)
    return value if isinstance(value, int) else 0
