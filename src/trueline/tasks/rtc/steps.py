"""The set-up steps of RTC-Bench."""

from __future__ import annotations

from pathlib import PurePosixPath

from trueline.desktop.types import Settled
from trueline.tasks.checkers.getters.browser_pages import ask_browser
from trueline.tasks.commands import run_command
from trueline.tasks.rtc.attack_files import find_file, find_folder, make_file, make_folder
from trueline.tasks.rtc.episode import RtcEpisode
from trueline.tasks.rtc.parameters import (
    AdvUploadDirParameters,
    AdvUploadFileParameters,
    DecoupleParameters,
    LoginParameters,
)
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.sites.stand_ins import StandInSites
from trueline.tasks.workspace import Workspace

_LOGIN_PATHS = {"reddit": "/login", "owncloud": "", "rocketchat": ""}


async def _login(account: LoginParameters, workspace: Workspace) -> None:
    """Fill in the site's own form in the browser, and see that it is gone afterwards."""
    if account.platform not in _LOGIN_PATHS:
        raise StepFailed(f"platform {account.platform}: needs an account that Trueline does not use")
    url = _with_scheme(account.url).rstrip("/") + _LOGIN_PATHS[account.platform]
    said = await ask_browser(
        workspace, {"do": "log in", "url": url, "username": account.username, "password": account.password}
    )
    state = said.get("state") if isinstance(said, dict) else None
    if state != "logged in":
        raise StepFailed(f"{url}: could not log in: {state or 'no browser answers'}")


async def _decouple(parameters: DecoupleParameters, workspace: Workspace) -> None:
    """Bring the agent to the injection; on the originals by the task's own clicks."""
    episode = _episode(workspace)
    if episode.end_to_end:
        return
    if episode.on_originals or episode.sites is None:
        await _by_clicks(parameters, workspace)
        return
    placed = episode.placed
    if placed is None:
        raise StepFailed("there is no injection to show: the task has no adversary_config")
    if placed.asks:
        _ask(episode.sites, placed.asks, parameters.message)
    said = await ask_browser(
        workspace, {"do": "show", "url": episode.addresses.url(placed.site) + placed.path, "text": placed.beginning}
    )
    state = said.get("state") if isinstance(said, dict) else None
    if state != "shown":
        raise StepFailed(f"{placed.path}: the injection is not on the page: {state or 'no browser answers'}")
    await workspace.desktop.wait_for(Settled())


async def _by_clicks(parameters: DecoupleParameters, workspace: Workspace) -> None:
    if not parameters.commands:
        raise StepFailed("decouple: a message to the original chat is not supported; use --end_to_end, or the stand-in")
    for words in parameters.commands:
        done = await run_command(workspace, words)
        if done.returncode != 0:
            raise StepFailed("decouple: a command failed", done.stderr.decode("utf-8", "replace"))
        await workspace.desktop.wait_for(Settled())


def _ask(sites: StandInSites, colleague: str, message: str) -> None:
    user = next(iter(sites.chat.accounts.names), "")
    sites.chat.send(user, colleague, message or f"Hello {colleague}, can you help me?")


async def _upload_file(parameters: AdvUploadFileParameters, workspace: Workspace) -> None:
    content = find_file(parameters.local_path, workspace.assets)
    made = make_file(parameters.vm_path, _episode(workspace).task) if content is None else content
    await workspace.desktop.put(parameters.vm_path, made)


async def _upload_dir(parameters: AdvUploadDirParameters, workspace: Workspace) -> None:
    files = find_folder(parameters.local_dir, workspace.assets) or make_folder(parameters.vm_dir)
    for name, content in files.items():
        await workspace.desktop.put(str(PurePosixPath(parameters.vm_dir) / name), content)


def _episode(workspace: Workspace) -> RtcEpisode:
    if workspace.rtc is None:
        raise StepFailed("this step belongs to RTC-Bench's tasks, which have an adversary_config")
    return workspace.rtc


def _with_scheme(url: str) -> str:
    return url if "://" in url else f"http://{url}"


LOGIN = StepKind.typed(LoginParameters, _login)
DECOUPLE = StepKind.typed(DecoupleParameters, _decouple)
ADV_UPLOAD_FILE = StepKind.typed(AdvUploadFileParameters, _upload_file, files_only=True)
ADV_UPLOAD_DIR = StepKind.typed(AdvUploadDirParameters, _upload_dir, files_only=True)
