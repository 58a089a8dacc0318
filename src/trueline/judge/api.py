"""Judge recorded episodes from Python: `judge` waits for the report, `judge_async` is its async form."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from trueline.blocking import run_blocking
from trueline.errors import InputError, RequestError
from trueline.judge.batch import judge_episodes
from trueline.judge.captions import Captioner
from trueline.judge.judge_episode import JudgeResult
from trueline.judge.report import JudgeReport
from trueline.judge.request import JudgeRequest, make_judge_request
from trueline.judge.setup import JudgeSetup
from trueline.judge.types import RULES
from trueline.models.build import Config, open_model
from trueline.models.cache import Cache, CachedModel, cache_path
from trueline.models.errors import UnpricedError
from trueline.models.families import fit_sampling
from trueline.models.ledger import CostLedger
from trueline.models.limits import Limiters, ProviderLimits
from trueline.models.pricing import Prices, load_prices, require_price
from trueline.models.types import Model
from trueline.records.folder.reader import Trajectory
from trueline.records.setting import Sampling
from trueline.records.task_texts import no_task_texts, task_texts_below

OnResult: TypeAlias = Callable[[JudgeResult], None]
Place: TypeAlias = str | os.PathLike[str] | Trajectory
"""A folder of results, an episode's folder, or an episode that was read."""


def judge(
    what: JudgeRequest | Place | Iterable[Place],
    /,
    *,
    judge_model: str | Model | Sequence[str | Model] | None = None,
    caption_model: str | Model | None = None,
    on_result: OnResult | None = None,
    **fields: object,
) -> JudgeReport:
    """Judge recorded episodes and return the report; called again, it judges only the rest.

    The judgments are written beside the episodes, and a batch file into each folder of results, as `trueline judge`
    does. An episode that could not be judged is an error in the report, not an exception. Works in a notebook as well,
    where an event loop runs already; there, use `await judge_async(...)` if you pass models that you have asked before.

    Args:
        what: Folders of results, folders of episodes, or episodes from `read_episode`; or a whole request.
        judge_model: Names of models, or open models; several form a panel. Open models stay open, and their answers
            are not cached.
        caption_model: The model that describes screenshots, by name or open.
        on_result: Called with each result as it comes, from another thread where an event loop runs already.
        fields: Other fields of `JudgeRequest`, such as `judge_type`; with a request, they replace its own.

    Raises:
        InputError: Something that is asked for is missing or wrong; no model was asked.
        DiskFullError: There is no room for judgments; those that were written are kept.
    """
    request, models = _request(what, judge_model, caption_model, fields)
    return run_blocking(_judge(request, models, on_result))


async def judge_async(
    what: JudgeRequest | Place | Iterable[Place],
    /,
    *,
    judge_model: str | Model | Sequence[str | Model] | None = None,
    caption_model: str | Model | None = None,
    on_result: OnResult | None = None,
    **fields: object,
) -> JudgeReport:
    """Like `judge`, to be awaited; cancelling it keeps the judgments that were written."""
    request, models = _request(what, judge_model, caption_model, fields)
    return await _judge(request, models, on_result)


async def _judge(request: JudgeRequest, models: Mapping[str, Model], on_result: OnResult | None) -> JudgeReport:
    report = JudgeReport.for_request(request)

    def told(result: JudgeResult) -> None:
        report.results.append(result)
        if on_result is not None:
            on_result(result)

    async with open_judges(request, models) as setup:
        try:
            await judge_episodes(report.episodes, setup, told, workers=request.max_workers)
        finally:
            report.write_batch_files()
    return report


@asynccontextmanager
async def open_judges(request: JudgeRequest, models: Mapping[str, Model] | None = None) -> AsyncGenerator[JudgeSetup]:
    """Open the models of a request, and close them at the end.

    Args:
        request: What to judge.
        models: Open models by the names that the request gives them; they are used as they are and stay open.

    Raises:
        InputError: A model, a key, a price or a file is missing or wrong.
    """
    if request.judge_type == RULES:
        yield JudgeSetup(request.judges(), again=request.again)
        return
    given = models or {}
    config = Config(
        ledger=CostLedger(request.max_cost),
        limiters=Limiters(ProviderLimits(in_flight=request.max_workers)),
        prices=load_prices(*request.prices),
    )
    captioner, base = request.captioner(), request.test_config_base_dir
    cache = Cache(cache_path())
    opened: dict[str, Model] = {}
    try:
        for name in request.models():
            if name not in given:
                opened[name] = _open(name, request, config)
        fresh = {**opened, **given}
        if request.max_cost is not None:
            if given:
                raise RequestError("`max_cost`: does not limit open models; name the models instead")
            _require_prices(config.prices, opened)
        _check_temperature(request, fresh)
        cached: dict[str, Model] = {name: CachedModel(model, cache) for name, model in opened.items()}
        asked = {**cached, **given}
        yield JudgeSetup(
            judges=request.judges(),
            models=asked,
            fresh=fresh,
            captioner=Captioner(captioner, asked[captioner]) if captioner else None,
            caption_model=captioner,
            observation_type=request.observation_type,
            temperature=request.temperature,
            again=request.again,
            task_texts=no_task_texts if base is None else task_texts_below(base),
        )
    finally:
        for model in opened.values():
            await model.close()
        await cache.close()


def _open(name: str, request: JudgeRequest, config: Config) -> Model:
    try:
        return open_model(name, config=config)
    except InputError as error:
        if name in request.judge_model:
            raise
        raise RequestError(f"{error} (needed to describe screenshots; `caption_model` names another model)") from None


def _require_prices(prices: Prices, models: Mapping[str, Model]) -> None:
    for model in models.values():
        try:
            require_price(prices, model.id)
        except UnpricedError:
            raise RequestError(
                f"`max_cost`: cannot be enforced, the price of {model.id} is unknown; add it to a table for `prices`, "
                "or leave the limit out"
            ) from None


def _check_temperature(request: JudgeRequest, models: Mapping[str, Model]) -> None:
    """Check that every judge takes the temperature, if one is given."""
    if request.temperature is None:
        return
    for name in request.judge_model:
        fitted = fit_sampling(models[name].id, Sampling(temperature=request.temperature))
        for misfit in fitted.misfits:
            raise RequestError(
                f"`temperature` {request.temperature:g}: {models[name].id} does not take it: {misfit.reason}; "
                "leave it out"
            )


def _request(
    what: JudgeRequest | Place | Iterable[Place],
    judge_model: str | Model | Sequence[str | Model] | None,
    caption_model: str | Model | None,
    fields: Mapping[str, object],
) -> tuple[JudgeRequest, dict[str, Model]]:
    """The request, and the open models by the names that stand for them in it."""
    merged: dict[str, object] = {**fields}
    models: dict[str, Model] = {}

    def name_of(model: str | Model) -> str:
        if isinstance(model, str):
            return model
        name = str(model.id)
        models[name] = model
        return name

    if judge_model is not None:
        several = judge_model if isinstance(judge_model, Sequence) else [judge_model]
        several = [several] if isinstance(several, str) else several
        merged["judge_model"] = tuple(name_of(model) for model in several)
    if caption_model is not None:
        merged["caption_model"] = name_of(caption_model)
    if isinstance(what, JudgeRequest):
        return make_judge_request({**what.model_dump(exclude_unset=True), **merged}), models
    places = [what] if isinstance(what, str | os.PathLike | Trajectory) else what
    paths = tuple(place.folder if isinstance(place, Trajectory) else Path(place) for place in places)
    return make_judge_request({"paths": paths, **merged}), models
