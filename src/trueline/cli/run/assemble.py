"""From the flags of `trueline run` to what is run."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.cli.guard_live import Opened, open_guard
from trueline.cli.prices import see_prices
from trueline.cli.run.desktops import choose_desktops, see_provider
from trueline.cli.run.judging import judging_models
from trueline.cli.run.like import DEFAULT_LIKE, NATIVE
from trueline.cli.run.manifest import see_same
from trueline.cli.run.money import money_limit, see_own_calls
from trueline.cli.run.sampling import AgentSampling, agent_sampling
from trueline.cli.tasks.selection import chosen_selection, chosen_suite
from trueline.errors import InputError
from trueline.models import Config, Ledger, Limiters, Limits, Model, Spec, open_model, parse_spec
from trueline.models.pricing import load_prices
from trueline.records.setting import GuardSetting, RetryMethod, Sampling, Setting
from trueline.records.setting import Limits as EpisodeLimits
from trueline.runs.batch.types import BatchOptions, Job
from trueline.runs.build import CLARIFIED, GuardSetup, RetrySetup, RunConfig, make_job
from trueline.runs.plan import Planned, expand, matches
from trueline.runs.types import Pace
from trueline.tasks.downloads import Downloads, default_folder
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.agents.build import AgentMaker
    from trueline.desktop.perturbations import Applied
    from trueline.desktop.types import Desktop
    from trueline.guard.narrative import Narrator
    from trueline.guard.types import Guard
    from trueline.tasks.suite import SuiteTask


@dataclass(frozen=True)
class Assembled:
    """A run that can begin."""

    setting: Setting
    planned: tuple[Planned, ...]
    jobs: tuple[Job, ...]
    open_desktop: Callable[[], AbstractAsyncContextManager[Desktop]]
    options: BatchOptions
    about: Mapping[str, JsonValue]
    """What every record says of the run besides its setting."""
    ledger: Ledger
    note: str = ""
    """What of the sampling is not sent to the agent's model, in one line."""


@asynccontextmanager
async def assemble(args: argparse.Namespace) -> AsyncGenerator[Assembled]:
    """Check the flags, open the models, and put everything together; it is taken apart when the block ends.

    Raises:
        InputError: A flag, a file, a key or a model is missing or wrong; nothing was started.
    """
    from trueline.agents.build import find_agent
    from trueline.records import Store, claim_setting, has_setting
    from trueline.tasks.selection import select

    see_provider(args)
    suite = chosen_suite(args)
    tasks = select(suite, chosen_selection(args)).whole()
    spec = None if args.model is None else _agent_spec(args)
    sampling = agent_sampling(args, spec)
    maker = find_agent(args.agent, _agent_options(args), sampling.sent, predicting=_of_predicting(args))
    see_own_calls(args, maker)
    config = Config(
        ledger=Ledger(args.max_cost),
        limiters=Limiters(Limits(in_flight=max(64, 4 * args.num_envs))),
        prices=load_prices(*args.prices),
        named_only=args.dry_run,
    )
    async with AsyncExitStack() as stack:
        models = _models(args, maker, spec, config, stack)
        see_prices("--max_cost" if args.max_cost is not None else None, config.prices, judging_models(args))
        guard, guard_setting = await _guard(args, config, stack)
        desktops = await choose_desktops(args)
        asks_model = maker.needs_model or maker.calls_model
        setting = Setting(
            agent=maker.name,
            model=str(models["agent"].id) if "agent" in models else maker.own_model,
            sampling=sampling.sent if asks_model else Sampling(),
            agent_options=maker.options,
            action_space=args.action_space,
            observation_type=args.observation_type,
            guard=guard_setting,
            perturbation=None if desktops.look is None else desktops.look.label,
            instruction=_instruction(args, tasks),
            retry=_retry_method(args),
            limits=EpisodeLimits(
                max_steps=args.max_steps,
                timeout=args.timeout,
                max_tokens=args.max_episode_tokens,
                max_cost=args.max_episode_cost,
            ),
            environment=desktops.environment,
            prompts=maker.prompts,
        )
        planned = expand(
            tasks,
            repeats=args.repeats,
            inject=args.inject,
            only_injection=args.only_injection,
            jailbreak=args.jailbreak,
        )
        if not planned:
            raise InputError(
                "--inject: none of these tasks offers such an injection; leave the flag out, or choose others"
            )
        run = RunConfig(
            suite=suite.name,
            setting=setting,
            agent=maker,
            downloads=_downloads(args),
            models=models,
            assets=suite.assets,
            seed=args.seed,
            paired_seeds=args.paired_seeds,
            guard=guard,
            retry=_retry(args, models),
            pace=Pace(extra=args.sleep_after_execution),
            screen=(args.screen_width, args.screen_height),
            password=args.client_password,
            record=args.record,
            abilities=desktops.abilities,
            about=_about(args, desktops.look, sampling),
        )
        jobs = tuple(make_job(run, one) for one in planned)
        if asks_model and sampling.sent != sampling.asked:
            as_asked = setting.model_copy(update={"sampling": sampling.asked})
            folders = {args.result_dir / job.location.model_folder for job in jobs}
            if any(has_setting(folder, as_asked) for folder in folders):
                # An earlier version wrote down what was asked for; what is sent is the same.
                setting, run = as_asked, replace(run, setting=as_asked)
                jobs = tuple(make_job(run, one) for one in planned)
        jobs = _with_reruns(args, jobs)
        see_same(args, setting, planned, (str(job.path) for job in jobs))
        drawn: dict[str, JsonValue] = {
            "seed": args.seed,
            "paired_seeds": args.paired_seeds,
            "sleep_after_execution": args.sleep_after_execution,
        }
        if not args.dry_run:
            for folder in dict.fromkeys(job.location.model_folder for job in jobs):
                claim_setting(args.result_dir / folder, setting, result_dir=args.result_dir, drawn=drawn)
        options = BatchOptions(args.result_dir, args.num_envs, desktops.ahead, Store(args.store))
        yield Assembled(setting, planned, jobs, desktops.open, options, run.about, config.ledger, sampling.note)


def _with_reruns(args: argparse.Namespace, jobs: tuple[Job, ...]) -> tuple[Job, ...]:
    """The jobs, marked where `--rerun` wants them anew.

    Raises:
        InputError: A pattern matches none of them.
    """
    for pattern in args.rerun:
        if not any(matches(job.location.unit, (pattern,)) for job in jobs):
            raise InputError(
                f"--rerun {printable(pattern, 100)}: matches none of the {len(jobs)} episodes of this run; "
                f"write <domain>/<task folder>, such as {jobs[0].location.unit}"
            )
    return tuple(replace(job, rerun=True) if matches(job.location.unit, args.rerun) else job for job in jobs)


def _about(args: argparse.Namespace, look: Applied | None, sampling: AgentSampling) -> dict[str, JsonValue]:
    """What the setting does not say: whose defaults were put in, what was not sent, and how the desktop looks."""
    found: dict[str, JsonValue] = {"like": args.like or DEFAULT_LIKE}
    if sampling.unsent:
        found["sampling_not_sent"] = sampling.unsent
    if look is not None:
        found["perturbation"] = look.model_dump(mode="json")
    return found


def _instruction(args: argparse.Namespace, tasks: Sequence[SuiteTask]) -> str:
    """Which wording the agent gets: the tasks' other one, or that of another folder of tasks."""
    if args.examples_dir != "examples":
        if args.instruction != "original":
            raise InputError("--instruction and --examples_dir both choose the wording: leave one out")
        return args.examples_dir
    if args.instruction == CLARIFIED and not any(task.task.clarified_instruction for task in tasks):
        raise InputError("--instruction clarified: none of these tasks has a clarified instruction")
    return args.instruction


def _agent_options(args: argparse.Namespace) -> dict[str, JsonValue]:
    """What the flags say about this kind of agent, and what `--agent_option` adds."""
    import json

    found: dict[str, JsonValue] = {}
    if args.agent == "prompt":
        found = {
            "observation_type": args.observation_type,
            "action_space": args.action_space,
            "max_trajectory_length": args.max_trajectory_length,
            "a11y_tree_max_tokens": args.a11y_tree_max_tokens,
            "client_password": args.client_password,
        }
    elif args.agent in ("claude", "openai"):
        found = {"client_password": args.client_password}
        if args.guard != "none" and not args.guard_shadow:
            found["safety_checks"] = "guard"
    for word in args.agent_option:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(f"--agent_option {word}: write NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _of_predicting(args: argparse.Namespace) -> dict[str, JsonValue]:
    """What an agent written for OSWorld gets of the flags; it calls its model by itself."""
    found: dict[str, JsonValue] = {
        "model": args.model,
        "observation_type": args.observation_type,
        "action_space": args.action_space,
        "max_trajectory_length": args.max_trajectory_length,
        "a11y_tree_max_tokens": args.a11y_tree_max_tokens,
        "client_password": args.client_password,
        "max_steps": args.max_steps,
    }
    return {name: value for name, value in found.items() if value is not None}


def _agent_spec(args: argparse.Namespace) -> Spec | None:
    """The model of the agent; one that asks its model by itself takes any name."""
    if args.agent in ("prompt", *NATIVE):
        return parse_spec(args.model, provider=args.model_provider, url=args.model_url)
    return None


def _models(
    args: argparse.Namespace, maker: AgentMaker, spec: Spec | None, config: Config, stack: AsyncExitStack
) -> dict[str, Model]:
    found: dict[str, Model] = {}
    if maker.calls_model:
        if args.model_url or args.model_provider:
            raise InputError(
                f"--agent {args.agent} calls its model by itself: leave out --model_url and --model_provider, and give "
                "its constructor what it takes with --agent_option 'arguments={...}'"
            )
    elif args.model is not None:
        spec = spec or parse_spec(args.model, provider=args.model_provider, url=args.model_url)
        found["agent"] = open_model(spec, config=config)
        stack.push_async_callback(found["agent"].close)
    elif maker.needs_model:
        raise InputError(f"--agent {args.agent} asks a model: name it with --model 'provider|model'")
    if args.method == "clarify_upon_retry":
        if args.user_sim_model is None:
            raise InputError("--method clarify_upon_retry needs --user_sim_model 'provider|model'")
        found["user"] = open_model(args.user_sim_model, config=config)
        stack.push_async_callback(found["user"].close)
    see_prices(money_limit(args), config.prices, (model.id for model in found.values()))
    return found


async def _guard(
    args: argparse.Namespace, config: Config, stack: AsyncExitStack
) -> tuple[GuardSetup | None, GuardSetting | None]:
    from trueline.guard.config import guard_setting

    if args.guard == "none":
        return None, None
    if args.guard not in ("policy", "deaction"):
        return _own_guard(args)
    opened: Opened = await stack.enter_async_context(open_guard(args, detector=args.guard, config=config))
    see_prices(money_limit(args), config.prices, (model.id for model in opened.models.values()))
    narrator = opened.narrator
    setting = guard_setting(
        opened.config,
        name=args.guard,
        policy=opened.policy.digest if opened.policy else None,
        narrative=narrator.model if narrator else None,
    )
    return _setup(args, opened.guard, narrator), _with_loop(args, setting)


def _own_guard(args: argparse.Namespace) -> tuple[GuardSetup, GuardSetting]:
    from trueline.guard.find import find_guard

    guard = find_guard(args.guard)
    return _setup(args, guard, None), _with_loop(args, GuardSetting(name=args.guard))


def _setup(args: argparse.Namespace, guard: Guard, narrator: Narrator | None) -> GuardSetup:
    from trueline.cli.run.ask import asks, person

    somebody = person()
    if (flag := asks(args)) and somebody is None:
        raise InputError(f"{flag} ask: nobody sits at a terminal; stdin and stderr must be one")
    return GuardSetup(
        guard=guard,
        narrator=narrator,
        on_error=args.guard_on_error,
        max_revisions=args.guard_max_revisions,
        exhausted=args.guard_exhausted,
        shadow=args.guard_shadow,
        ask=somebody,
    )


def _with_loop(args: argparse.Namespace, setting: GuardSetting) -> GuardSetting:
    """The guard's setting with what becomes of its verdicts here."""
    loop: dict[str, JsonValue] = {
        "max_revisions": args.guard_max_revisions,
        "exhausted": args.guard_exhausted,
        "shadow": args.guard_shadow,
    }
    return setting.model_copy(update={"options": setting.options | loop})


def _retry_method(args: argparse.Namespace) -> RetryMethod | None:
    if args.method is None:
        return None
    return RetryMethod(
        method=args.method,
        max_retries=args.max_retries or 5,
        max_total_steps=args.max_total_steps,
        user_sim_model=args.user_sim_model if args.method == "clarify_upon_retry" else None,
    )


def _retry(args: argparse.Namespace, models: dict[str, Model]) -> RetrySetup | None:
    method = _retry_method(args)
    if method is None:
        return None
    return RetrySetup(method.method, method.max_retries, method.max_total_steps, models.get("user"))


def _downloads(args: argparse.Namespace) -> Downloads:
    return Downloads(default_folder(), offline=args.offline)
