"""From a request to a run that can begin: tasks, models, guard, desktops and the episodes made of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.agents.registry import find_kind, open_agent
from trueline.errors import RequestError
from trueline.models import Config, CostLedger, Limiters, Model, ProviderLimits
from trueline.models.pricing import Prices, load_prices
from trueline.records.setting import Environment, EpisodeLimits, RetryMethod, Sampling, Setting
from trueline.runs.batch.types import BatchOptions, Job
from trueline.runs.build import RetrySetup, RunConfig, make_job
from trueline.runs.compatible_defaults import DEFAULT_LIKE, FilledRequest, fill_defaults
from trueline.runs.desktops import choose_desktops
from trueline.runs.plan import EpisodeKey, Planned, expand, matches
from trueline.runs.request import RunRequest
from trueline.runs.request_checks import check_agent
from trueline.runs.request_models import (
    agent_spec,
    check_hidden_spending,
    judging_models,
    open_guard_setup,
    open_models,
    require_judges,
    require_prices,
)
from trueline.runs.request_tasks import (
    instruction_name,
    open_downloads,
    require_checkers,
    selection_of,
    suite_of,
    with_assets,
)
from trueline.runs.sampling import AgentSampling, agent_sampling
from trueline.runs.types import Pace
from trueline.tasks.bridge.availability import why_no_bridge
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.checkers import scored_by
from trueline.tasks.downloads import Downloads
from trueline.tasks.rtc.addresses import SiteAddresses, environment_name, is_rtc, parse_sites
from trueline.tasks.selection import select
from trueline.tasks.suite import SuiteTask
from trueline.text import printable

DEFAULT_RETRIES = 5

if TYPE_CHECKING:
    from trueline.desktop.perturbations import Applied
    from trueline.desktop.types import Desktop
    from trueline.guard.correction import Ask


@dataclass(frozen=True)
class Run:
    """A prepared run, ready to play."""

    completed: FilledRequest
    """The request with all defaults filled in."""
    setting: Setting
    planned: tuple[Planned, ...]
    jobs: tuple[Job, ...]
    """One for each planned episode, in the same order."""
    open_desktop: Callable[[], AbstractAsyncContextManager[Desktop]]
    options: BatchOptions
    about: Mapping[str, JsonValue]
    """What every record says about the run besides its setting."""
    prices: Prices
    ledger: CostLedger
    downloads: Downloads
    """Where the tasks' files come from."""
    note: str = ""
    """One line about the sampling parameters that are not sent to the agent's model."""

    @property
    def request(self) -> RunRequest:
        """The request with all defaults filled in."""
        return self.completed.request

    def job(self, key: EpisodeKey) -> Job:
        """The episode of this key: with it and the request, another process can play the same episode.

        Raises:
            KeyError: The request asks for no such episode.
        """
        return next(job for job, planned in zip(self.jobs, self.planned, strict=True) if planned.key == key)


@asynccontextmanager
async def open_run(
    request: RunRequest, *, dry: bool = False, ask: Callable[[str], Ask] | None = None
) -> AsyncGenerator[Run]:
    """Check the request, open its models and build the run; everything is closed when the block ends.

    Args:
        request: What to run.
        dry: Nothing will be started: no key is needed, and nothing is written.
        ask: From an episode's name to who is asked about its proposals, where the request wants a person.

    Raises:
        InputError: A field, a file, a key or a model is missing or wrong; nothing was started.
    """
    from trueline.records import StoreLevel

    found = find_kind(request.agent, request.agent_options)
    check_agent(request, found)
    completed = fill_defaults(request, found)
    request = completed.request
    assert request.result_dir is not None and request.observation_type is not None, "complete"
    assert request.action_space is not None and request.sleep_after_execution is not None, "complete"
    if (field := request.asking_field) and ask is None:
        raise RequestError(f"`{field}` ask: requires a person to ask; pass `ask`")
    suite = suite_of(request)
    tasks = select(suite, selection_of(request)).whole()
    spec = agent_spec(request, found.kind.asks)
    sampling = agent_sampling(request, found.kind.asks, completed.defaults, spec)
    maker = open_agent(found, request.agent_options, sampling.sent, run=_run_fields(request))
    check_hidden_spending(request, maker)
    prices = load_prices(*request.prices)
    config = Config(
        ledger=CostLedger(request.max_cost),
        limiters=Limiters(ProviderLimits(in_flight=max(64, 4 * request.num_envs))),
        prices=prices,
        named_only=dry,
    )
    async with AsyncExitStack() as stack:
        models = await open_models(request, maker, spec, config, stack)
        require_prices("max_cost" if request.max_cost is not None else None, prices, judging_models(request))
        guard, guard_setting = await open_guard_setup(request, config, ask, stack)
        desktops = await choose_desktops(request)
        downloads = open_downloads(request)
        asks_model = maker.needs_model or maker.calls_model
        setting = Setting(
            agent=maker.name,
            model=str(models["agent"].id) if "agent" in models else maker.own_model,
            sampling=sampling.sent if asks_model else Sampling(),
            agent_options=maker.options,
            action_space=request.action_space,
            observation_type=request.observation_type,
            guard=guard_setting,
            perturbation=None if desktops.perturbation is None else desktops.perturbation.label,
            instruction=instruction_name(request, tasks),
            retry=_retry_method(request),
            limits=EpisodeLimits(
                max_steps=request.max_steps,
                timeout=request.timeout,
                max_tokens=request.max_episode_tokens,
                max_cost=request.max_episode_cost,
            ),
            environment=_environment(request, with_assets(desktops.environment, downloads), tasks),
            prompts=maker.prompts,
            checkers=request.checkers,
            attack_text=request.attack_text,
        )
        planned = expand(
            tasks,
            repeats=request.repeats,
            inject=request.inject,
            only_injection=request.only_injection,
            twins=request.twins,
            jailbreak=request.jailbreak,
        )
        if not planned:
            raise RequestError(
                "`inject`: none of the selected tasks offers such an injection; select others, or leave it out"
            )
        bridged = any(scored_by(one.task.task.evaluator, request.checkers) == "bridged" for one in planned)
        no_bridge = why_no_bridge() if bridged else ""
        bridge = await stack.enter_async_context(Bridge()) if bridged and not no_bridge else None
        if not dry:
            require_checkers(planned, desktops.facilities, request.checkers)
            if bridge is not None:
                bridge.warm()
            if "judge_model" not in completed.defaults:
                await require_judges(request, config)
        run = RunConfig(
            suite=suite.name,
            setting=setting,
            agent=maker,
            downloads=downloads,
            models=models,
            assets=(*suite.assets, *downloads.folders),
            seed=request.seed,
            paired_seeds=request.paired_seeds,
            guard=guard,
            retry=_retry(request, models),
            pace=Pace(extra=request.sleep_after_execution),
            screen=request.screen,
            password=request.client_password,
            record=bool(request.record),
            facilities=desktops.facilities,
            checkers=request.checkers,
            attack_text=request.attack_text,
            bridge=bridge,
            sites=SiteAddresses() if request.sites is None else parse_sites(request.sites),
            end_to_end=request.end_to_end,
            no_bridge=no_bridge,
            about=_about(request, desktops.perturbation, sampling),
        )
        if asks_model and sampling.sent != sampling.asked:
            run = _as_recorded_before(run, planned, sampling.asked, request.result_dir)
        jobs = _with_reruns(request, tuple(make_job(run, one) for one in planned))
        options = BatchOptions(request.result_dir, request.num_envs, desktops.ahead, StoreLevel(request.store))
        yield Run(
            completed,
            run.setting,
            planned,
            jobs,
            desktops.open,
            options,
            run.about,
            prices,
            config.ledger,
            run.downloads,
            sampling.note,
        )


def claim_folders(run: Run) -> None:
    """Write the run's setting into each of its model folders.

    Raises:
        SettingClash: A folder holds results of another setting.
    """
    from trueline.records import claim_setting

    request, folder = run.request, run.options.result_dir
    drawn: dict[str, JsonValue] = {
        "seed": request.seed,
        "paired_seeds": request.paired_seeds,
        "sleep_after_execution": request.sleep_after_execution,
    }
    for model_folder in dict.fromkeys(job.location.model_folder for job in run.jobs):
        claim_setting(folder / model_folder, run.setting, result_dir=folder, drawn=drawn)


def _environment(request: RunRequest, environment: Environment, tasks: Sequence[SuiteTask]) -> Environment:
    """The environment, which also says where the sites of RTC-Bench's tasks are.

    Raises:
        RequestError: A field is about such sites, and no selected task has any.
    """
    if any(is_rtc(task.task) for task in tasks):
        sites = environment_name(request.sites, end_to_end=request.end_to_end)
        return environment.model_copy(update={"options": {**environment.options, "sites": sites}})
    for name in ("sites", "end_to_end"):
        if getattr(request, name):
            raise RequestError(f"`{name}`: applies to tasks of RTC-Bench, and none is selected; leave it out")
    return environment


def _with_reruns(request: RunRequest, jobs: tuple[Job, ...]) -> tuple[Job, ...]:
    """The jobs, with those that `rerun` names marked.

    Raises:
        RequestError: A pattern matches none of them.
    """
    for pattern in request.rerun:
        if not any(matches(job.location.unit, (pattern,)) for job in jobs):
            raise RequestError(
                f"`rerun` {printable(pattern, 100)}: matches none of the {len(jobs)} episodes of this run; "
                f"write <domain>/<task folder>, such as {jobs[0].location.unit}"
            )
    return tuple(replace(job, rerun=True) if matches(job.location.unit, request.rerun) else job for job in jobs)


def _as_recorded_before(run: RunConfig, planned: Sequence[Planned], asked: Sampling, result_dir: Path) -> RunConfig:
    """The run with the requested sampling as its setting, where an earlier version recorded that.

    What is sent is the same.
    """
    from trueline.records import has_setting

    as_asked = run.setting.model_copy(update={"sampling": asked})
    folders = {result_dir / one.location(run.setting).model_folder for one in planned}
    return replace(run, setting=as_asked) if any(has_setting(folder, as_asked) for folder in folders) else run


def _about(request: RunRequest, applied: Applied | None, sampling: AgentSampling) -> dict[str, JsonValue]:
    """What the setting lacks: whose defaults were used, what was not sent, how the desktop looks."""
    found: dict[str, JsonValue] = {"like": request.like or DEFAULT_LIKE}
    if sampling.unsent:
        found["sampling_not_sent"] = sampling.unsent
    if applied is not None:
        found["perturbation"] = applied.model_dump(mode="json")
    return found


def _run_fields(request: RunRequest) -> dict[str, JsonValue]:
    """The values that an agent may take as options; see `AgentKind.run_fields`."""
    decides = request.guard != "none" and not request.guard_shadow
    return {**request.model_dump(mode="json"), "safety_checks": "guard" if decides else None}


def _retry_method(request: RunRequest) -> RetryMethod | None:
    if request.method is None:
        return None
    return RetryMethod(
        method=request.method,
        max_retries=request.max_retries or DEFAULT_RETRIES,
        max_total_steps=request.max_total_steps,
        user_sim_model=request.user_sim_model if request.method == "clarify_upon_retry" else None,
    )


def _retry(request: RunRequest, models: Mapping[str, Model]) -> RetrySetup | None:
    method = _retry_method(request)
    if method is None:
        return None
    return RetrySetup(method.method, method.max_retries, method.max_total_steps, models.get("user"))
