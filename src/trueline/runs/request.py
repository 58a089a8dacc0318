"""What to run, as data: the fields have the names of the flags of `trueline run`, and the same meaning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from trueline.guard.config import OnError
from trueline.guard.correction import Exhausted
from trueline.records.base import Record
from trueline.runs import request_checks
from trueline.tasks.attacks.text_source import TextSource
from trueline.tasks.model.kind import Kind

AtLeastOne = Annotated[int, Field(ge=1)]
NotNegative = Annotated[int, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
Text = Annotated[str, Field(min_length=1)]
ObservationType = Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"]
ActionSpace = Literal["pyautogui", "computer_13"]
Network = Literal["none", "open"]
System = Literal["osworld", "osharm", "reliability"]
Options = dict[str, JsonValue]


class RunRequest(Record):
    """A run: which tasks, with which agent, attacks and guard, on which desktops, and where the results go.

    `None` stands for the default of the system that `like` names. A request can be written to YAML or JSON and read
    back; it is what `trueline run --config` takes and what the manifest of a result folder holds.

    Raises:
        RequestError: Two fields do not go together.
        pydantic.ValidationError: A field has a wrong type or value, or is not known.
    """

    # Tasks
    suite: str | None = None
    """A built-in suite, or a folder with an index.json; the starter suite if nothing else selects tasks."""
    test_all_meta_path: Path | None = None
    """An index file `{domain: [ids]}`, instead of a suite."""
    test_config_base_dir: Path | None = None
    """The folder that holds `examples/`; by default that of the index."""
    examples_dir: str = "examples"
    """The folder of the task files, relative to `test_config_base_dir`."""
    domain: str = "all"
    only: tuple[str, ...] = ()
    """Patterns for `id` or `domain/id`."""
    kind: tuple[Kind, ...] = ()
    sample: NotNegative | None = None
    """Number of tasks to draw at random, by the seed."""
    limit: NotNegative | None = None
    """Only the first tasks, up to this number; repeats do not count."""
    repeats: AtLeastOne | None = None
    """How often to run everything, into `run1`, `run2` …; `None` means once, without such a folder."""
    instruction: Literal["original", "clarified"] = "original"

    # Agent and model
    agent: str = "prompt"
    agent_options: Options = Field(default={})
    model: str | None = None
    """`provider|model`, or a name whose provider is clear."""
    model_provider: str | None = None
    model_url: str | None = None
    temperature: Annotated[float, Field(ge=0, lt=3600)] | None = None
    top_p: Positive | None = None
    max_tokens: AtLeastOne | None = None
    """Token limit of one answer."""
    stop_token: tuple[Text, ...] = ()
    observation_type: ObservationType | None = None
    action_space: ActionSpace | None = None
    max_trajectory_length: NotNegative | None = None
    """Number of earlier steps that the model sees."""
    a11y_tree_max_tokens: AtLeastOne | None = None

    # Attack
    inject: bool = False
    """Run each task with each of its injections."""
    only_injection: tuple[str, ...] = ()
    """Patterns for `vector/goal`."""
    twins: bool = False
    """With `inject`: run each injection's harmless twins as well."""
    attack_text: TextSource = "own"
    """Whose words an injection has: Trueline's, or those that the task's file brings as `content`."""
    allow_live_targets: bool = False
    """Whether a text of a task may name hosts that exist, on a machine where they do not lead to our sinks."""
    jailbreak: bool = False
    sites: str | None = None
    """RTC-Bench's own sites, `forum=URL,share=URL,chat=URL`; a site that is left out is a stand-in of ours."""
    end_to_end: bool = False
    """RTC-Bench: the agent has to find the injected page itself (the step `decouple` is left out)."""

    # Guard
    guard: str = "none"
    guard_options: Options = Field(default={})
    guard_on_error: OnError = "block"
    """What to do with undecided proposals."""
    guard_max_revisions: NotNegative = 2
    guard_exhausted: Exhausted = "stop"
    guard_shadow: bool = False
    """Only watch: every action runs, whatever the verdict."""

    # Retries
    method: Literal["binary_retry", "clarify_upon_retry"] | None = None
    max_retries: AtLeastOne | None = None
    max_total_steps: AtLeastOne | None = None
    """Steps of all tries together."""
    user_sim_model: str | None = None

    # Limits
    max_steps: AtLeastOne | None = None
    """Step limit of one episode."""
    timeout: Positive | None = None
    """Seconds for the steps of one episode."""
    max_episode_tokens: AtLeastOne | None = None
    max_episode_cost: Positive | None = None
    """US dollars."""
    max_cost: Positive | None = None
    """US dollars for the whole run, the judge included."""
    prices: tuple[Path, ...] = ()
    """Price tables that override the built-in one."""

    # Desktops
    provider_name: str = "local"
    path_to_vm: str | None = None
    """`host:port` of a machine that speaks OSWorld's protocol."""
    num_envs: AtLeastOne = 1
    screen_width: AtLeastOne = 1920
    screen_height: AtLeastOne = 1080
    client_password: str = "password"  # noqa: S105 - OSWorld's, which its tasks and everybody know
    network: Network = "none"
    """What local desktops reach: nothing but themselves, or also live web sites."""
    perturbations: str | None = None
    sleep_after_execution: Annotated[float, Field(ge=0, lt=3600)] | None = None
    """Seconds after each action, once the screen has settled."""
    mirror: str | None = None
    """A folder or web address where files of tasks are looked for first."""
    offline: bool = False
    """Download nothing: use only what was downloaded before."""

    # Seeds
    seed: NotNegative = 0
    paired_seeds: bool = False
    """Whether every setting makes the same random choices."""

    # Judge
    judge_model: str | None = None
    judge_type: str = "aer"
    sys_prompt_version: str = "v3"

    # Scores
    checkers: Literal["native", "bridged", "both"] | None = None
    """Who scores: Trueline, OSWorld's own functions, or both (OSWorld's count); by default Trueline where it can."""

    # Results
    like: System | None = None
    """The system whose defaults apply; OSWorld if not set."""
    result_dir: Path | None = None
    store: Literal["all", "redacted", "none"] = "all"
    record: bool | None = None
    """Whether a video of each episode is recorded."""
    rerun: tuple[str, ...] = ()
    """Patterns for `<domain>/<task folder>`: play these again even if they are done."""

    @model_validator(mode="after")
    def _fields_go_together(self) -> Self:
        request_checks.check(self)
        return self

    @property
    def screen(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.screen_width, self.screen_height

    @property
    def asking_field(self) -> str | None:
        """The field for which a person may be asked about proposals in this run, if there is one."""
        if self.guard == "none" or self.guard_shadow:
            return None
        fields: Mapping[str, str] = {"guard_exhausted": self.guard_exhausted, "guard_on_error": self.guard_on_error}
        return next((name for name, value in fields.items() if value == "ask"), None)

    @property
    def money_field(self) -> str | None:
        """The field that limits the cost of the run's models, if one is set."""
        if self.max_cost is not None:
            return "max_cost"
        return None if self.max_episode_cost is None else "max_episode_cost"
