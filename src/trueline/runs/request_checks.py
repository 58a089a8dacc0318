"""Checks which fields of a request go together. A field without effect is refused: its author expects one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueline.agents.registry import FoundKind, installed_kind
from trueline.errors import RequestError
from trueline.tasks.rtc.addresses import parse_sites
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.request import RunRequest

_RETRY_FIELDS = ("max_retries", "max_total_steps", "user_sim_model")
_NOT_WITH_COMPUTER_TOOL = ("action_space", "max_trajectory_length", "a11y_tree_max_tokens")
_CORRECTION_FIELDS = ("guard_max_revisions", "guard_exhausted", "guard_shadow", "guard_on_error")
_IMAGES = (".vmx", ".vbox", ".vdi", ".qcow2", ".ova")


def check(request: RunRequest) -> None:
    """Refuse fields that would have no effect, and combinations that contradict each other.

    Raises:
        RequestError: Names the field, and what it requires.
    """
    if request.only_injection and not request.inject:
        raise RequestError("`only_injection`: requires `inject`")
    if request.twins and not request.inject:
        raise RequestError("`twins`: requires `inject`")
    if request.sites is not None:
        parse_sites(request.sites)
    _check_attack_text(request)
    _check_retries(request)
    check_agent(request, installed_kind(request.agent))
    _check_guard(request)
    _check_tasks(request)
    _check_desktop(request)


def _check_attack_text(request: RunRequest) -> None:
    own = request.attack_text == "own"
    if not own and not request.inject:
        raise RequestError("`attack_text` task: requires `inject`")
    if own and request.allow_live_targets:
        raise RequestError("`allow_live_targets`: requires `attack_text` task; our own texts name no host that exists")
    if not own and request.provider_name != "local" and not request.allow_live_targets:
        raise RequestError(
            f"`attack_text` task: on `provider_name` {printable(request.provider_name, 100)} the hosts that the texts "
            "name may be real ones: set `allow_live_targets` if the machine cannot reach them"
        )


def _check_retries(request: RunRequest) -> None:
    for name in _RETRY_FIELDS:
        if getattr(request, name) is not None and request.method is None:
            raise RequestError(f"`{name}`: requires `method`, which retries failed episodes")
    if request.user_sim_model is not None and request.method == "binary_retry":
        raise RequestError("`user_sim_model`: `method` binary_retry has no simulated user; leave it out")
    if request.user_sim_model is None and request.method == "clarify_upon_retry":
        raise RequestError("`method` clarify_upon_retry: requires `user_sim_model` 'provider|model'")


def check_agent(request: RunRequest, found: FoundKind | None) -> None:
    """Refuse fields that do not apply to this kind of agent.

    Raises:
        RequestError: Names the field.
    """
    if found is None:
        return
    agent = printable(found.name, 100)
    if found.kind.asks == "nothing":
        for name in ("model", "model_url", "model_provider", "stop_token"):
            if getattr(request, name):
                raise RequestError(f"`{name}`: `agent` {agent} is simulated and calls no model; leave it out")
    if found.kind.asks == "computer_tool":
        for name in _NOT_WITH_COMPUTER_TOOL:
            if getattr(request, name) is not None:
                raise RequestError(
                    f"`{name}`: does not apply to `agent` {agent}, "
                    "which uses its provider's computer tool; leave it out"
                )
        if request.observation_type not in (None, "screenshot"):
            raise RequestError(f"`observation_type` {request.observation_type}: `agent` {agent} sees screenshots only")


def _check_guard(request: RunRequest) -> None:
    if request.guard != "none":
        return
    fields = type(request).model_fields
    changed = [name for name in _CORRECTION_FIELDS if getattr(request, name) != fields[name].default]
    for name in (*changed, *(f"guard_options.{option}" for option in request.guard_options)):
        raise RequestError(f"`{name}`: requires `guard`")


def _check_tasks(request: RunRequest) -> None:
    own_index = request.test_all_meta_path is not None or request.test_config_base_dir is not None
    if request.suite is not None and own_index:
        raise RequestError("`suite`: cannot be combined with `test_all_meta_path` or `test_config_base_dir`")
    if request.examples_dir != "examples" and request.instruction != "original":
        raise RequestError("`instruction`: cannot be combined with `examples_dir`; both choose the wording")


def _check_desktop(request: RunRequest) -> None:
    provider, machine = request.provider_name, request.path_to_vm
    if provider not in ("local", "osworld"):
        raise RequestError(
            f"`provider_name`: unknown provider {printable(provider, 100)!r}; use local, or osworld with `path_to_vm` "
            "host:port for a machine that runs OSWorld's server"
        )
    if provider == "osworld" and not machine:
        raise RequestError("`provider_name` osworld: requires `path_to_vm` host:port")
    if provider == "local" and machine:
        raise RequestError(f"`path_to_vm` {machine}: requires `provider_name` osworld and an address host:port")
    if machine and machine.lower().endswith(_IMAGES):
        raise RequestError(
            f"`path_to_vm` {machine}: must be host:port of OSWorld's server; start the virtual machine yourself"
        )
    if provider == "osworld" and request.network != "none":
        raise RequestError("`network`: applies to local desktops; a machine has the network that it was started with")
    if provider == "osworld" and request.num_envs > 1:
        raise RequestError("`num_envs`: `provider_name` osworld drives one machine; leave it out")
