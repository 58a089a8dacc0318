"""The models that a request asks for: the agent's, the simulated user's, the guard's and the judge's; their prices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack

from pydantic import JsonValue

from trueline.agents.registry import AgentMaker, Asks
from trueline.errors import RequestError
from trueline.guard.correction import Ask, CorrectionPolicy
from trueline.guard.registry import GuardRequest, OpenedGuard, open_guard
from trueline.models import Config, Model, ModelId, Spec, open_model, parse_spec
from trueline.models.errors import UnpricedError
from trueline.models.pricing import Prices, require_price
from trueline.records.setting import GuardSetting
from trueline.runs.build import GuardSetup
from trueline.runs.request import RunRequest


def agent_spec(request: RunRequest, asks: Asks | None) -> Spec | None:
    """The model of the agent; one that asks its model by itself takes any name."""
    if request.model is not None and asks in ("messages", "computer_tool"):
        return parse_spec(request.model, provider=request.model_provider, url=request.model_url)
    return None


async def open_models(
    request: RunRequest, maker: AgentMaker, spec: Spec | None, config: Config, stack: AsyncExitStack
) -> dict[str, Model]:
    """Open the models of the agent and of the simulated user, by role.

    Raises:
        InputError: A model is missing or does not apply, or its key or price is missing.
    """
    found: dict[str, Model] = {}
    if maker.calls_model:
        if request.model_url or request.model_provider:
            raise RequestError(
                f"`agent` {request.agent} calls its model by itself: leave out `model_url` and `model_provider`, and "
                "pass what its constructor takes with `agent_options.arguments` {...}"
            )
    elif request.model is not None:
        spec = spec or parse_spec(request.model, provider=request.model_provider, url=request.model_url)
        found["agent"] = open_model(spec, config=config)
        stack.push_async_callback(found["agent"].close)
    elif maker.needs_model:
        raise RequestError(f"`agent` {request.agent}: requires `model` 'provider|model'")
    if request.method == "clarify_upon_retry":
        assert request.user_sim_model is not None, "checked with the request"
        found["user"] = open_model(request.user_sim_model, config=config)
        stack.push_async_callback(found["user"].close)
    require_prices(request.money_field, config.prices, (model.id for model in found.values()))
    return found


async def open_guard_setup(
    request: RunRequest, config: Config, ask: Callable[[str], Ask] | None, stack: AsyncExitStack
) -> tuple[GuardSetup | None, GuardSetting | None]:
    """Open the guard, and return it with its setting for the record.

    Raises:
        InputError: An option is wrong, or a model, its key or its price is missing.
    """
    if request.guard == "none":
        return None, None
    wanted = GuardRequest(name=request.guard, options=request.guard_options)
    opened: OpenedGuard = await stack.enter_async_context(open_guard(wanted, config=config))
    require_prices(request.money_field, config.prices, (model.id for model in opened.models.values()))
    correction: dict[str, JsonValue] = {
        "max_revisions": request.guard_max_revisions,
        "exhausted": request.guard_exhausted,
        "shadow": request.guard_shadow,
    }
    if request.guard_on_error != "block" or "on_error" in opened.setting.options:
        # Left out where it is the default: as earlier versions wrote the settings of guards of other packages.
        correction["on_error"] = request.guard_on_error
    setting = opened.setting.model_copy(update={"options": opened.setting.options | correction})
    setup = GuardSetup(
        guard=opened.guard,
        narrator=opened.narrator,
        on_error=request.guard_on_error,
        policy=CorrectionPolicy(request.guard_max_revisions, request.guard_exhausted, request.guard_shadow),
        ask=ask if request.asking_field else None,
    )
    return setup, setting


def judging_models(request: RunRequest) -> list[ModelId]:
    """The models that will be asked to judge afterwards.

    Raises:
        SpecError: It is not clear which one is meant.
    """
    return [ModelId(provider=spec.provider, model=spec.model) for spec in _judging_specs(request)]


def _judging_specs(request: RunRequest) -> list[Spec]:
    from trueline.judge.types import CAPTIONED, CAPTIONER

    if request.judge_model is None or request.judge_type == "rules":
        return []
    names = (request.judge_model, *((CAPTIONER,) if request.judge_type in CAPTIONED else ()))
    return [parse_spec(name) for name in names]


async def require_judges(request: RunRequest, config: Config) -> None:
    """See before the run that the models that judge afterwards can be asked.

    Raises:
        InputError: A key, an address or an extra is missing.
    """
    for spec in _judging_specs(request):
        await open_model(spec, config=config).close()


def check_hidden_spending(request: RunRequest, maker: AgentMaker) -> None:
    """Refuse a cost limit for an agent whose spending cannot be seen.

    Raises:
        RequestError: There is such a limit.
    """
    if maker.calls_model and (field := request.money_field):
        raise RequestError(
            f"`{field}`: cannot limit `agent` {request.agent}, which calls its model by itself; leave it out"
        )


def require_prices(limit: str | None, prices: Prices, models: Iterable[ModelId]) -> None:
    """Check that all of these models have a price, if `limit` names a cost limit.

    Raises:
        RequestError: One has none.
    """
    for model in models if limit else ():
        try:
            require_price(prices, model)
        except UnpricedError:
            raise RequestError(
                f"`{limit}`: cannot be enforced, the price of {model} is unknown; add it to a table for `prices`, or "
                "leave the limit out"
            ) from None
