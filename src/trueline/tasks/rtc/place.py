"""Placing the attacks of a task on the stand-ins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from trueline.tasks.model import ChromeOpenTabs, OtherStep, Task
from trueline.tasks.model.adversary import AdversaryStep
from trueline.tasks.rtc.attack_files import attack_text, find_file, make_document, make_pdf, text_of_pdf
from trueline.tasks.rtc.episode import Placed, RtcEpisode
from trueline.tasks.rtc.parameters import ATTACKS, ChatAttack, ForumAttack, LoginParameters, ShareAttack
from trueline.tasks.rtc.reach import attack_way
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.sites.forum import Comment, Forum, Thread
from trueline.tasks.sites.share import SharedFile
from trueline.tasks.sites.stand_ins import CHAT, FORUM, SHARE, StandInSites
from trueline.text import printable
from trueline.validation import describe_validation_error

_FILES = re.compile(r"/data/([^/]+)/files/(.+)$")
_ANSWER = re.compile(r"(?:reply|answer|respond|say)[^:]{0,80}:\s*'(.*)'\s*$", re.DOTALL)
"""What a colleague is told to say, in the hint to a model that would play it."""
_NAME = re.compile(r"/[\w./-]*\w|\d{2,}|(?<=service )\S+")
"""Names and numbers in what an attack wants: paths, counts, services."""
_ASKER = "crowded_inbox"


def parse_attack(step: AdversaryStep) -> ForumAttack | ShareAttack | ChatAttack:
    """The parameters of an attack, checked.

    Raises:
        StepFailed: Its type is not known, or a parameter is wrong.
    """
    kind = ATTACKS.get(step.type)
    if kind is None:
        raise StepFailed(
            f"adversary_config: unknown type {printable(step.type, 60)!r}; choose one of {', '.join(ATTACKS)}"
        )
    try:
        found = kind.model_validate(step.parameters)
    except ValidationError as error:
        raise StepFailed(f"adversary_config: {step.type}.{describe_validation_error(error)}") from error
    assert isinstance(found, ForumAttack | ShareAttack | ChatAttack), "a kind of attack"
    return found


def add_accounts(task: Task, sites: StandInSites) -> None:
    """Make the accounts with which the task logs in."""
    by_platform = {"reddit": sites.forum, "owncloud": sites.share, "rocketchat": sites.chat}
    for step in task.config:
        if isinstance(step, OtherStep) and step.type == "login":
            account = LoginParameters.model_validate(step.parameters)
            if (site := by_platform.get(account.platform)) is not None:
                site.accounts.add(account.username, account.password)


def place_attacks(episode: RtcEpisode, folders: tuple[Path, ...]) -> None:
    """Change the stand-ins as the task's `adversary_config` says.

    Raises:
        StepFailed: One cannot be placed.
    """
    sites, task = episode.sites, episode.task
    assert sites is not None, "the stand-ins are open"
    for url in _forum_pages(task):
        _thread_at(sites.forum, url)
    for step in task.adversary_config:
        match parse_attack(step):
            case ForumAttack() as attack:
                episode.placed = _on_forum(attack, task, sites.forum)
            case ShareAttack() as attack:
                episode.placed = _on_share(attack, task, sites, folders)
            case ChatAttack() as attack:
                episode.placed = _in_chat(attack, sites)


def _on_forum(attack: ForumAttack, task: Task, forum: Forum) -> Placed:
    thread = next((found for url in _forum_pages(task) if (found := _thread_at(forum, url))), None) or _made(
        task, forum
    )
    id_ = str(attack.record_id)
    if attack.table_name == "submissions":
        before = thread.title if attack.column_name == "title" else thread.body
        setattr(thread, attack.column_name, _changed(before, attack))
        return Placed(FORUM, thread.path, attack.new_content)
    if attack.update_mode == "search":
        found = next((one for one in thread.comments if attack.search_text and attack.search_text in one.body), None)
    else:
        found = forum.comment(id_)
    if found is None:
        found = Comment(id_ or f"{thread.id}9", _ASKER, attack.search_text)
        thread.comments.append(found)
    found.body = _changed(found.body, attack)
    return Placed(FORUM, thread.path, attack.new_content)


def _changed(before: str, attack: ForumAttack) -> str:
    match attack.operation_type:
        case "append":
            return f"{before}\n\n{attack.new_content}"
        case "prepend":
            return f"{attack.new_content}\n\n{before}"
        case "replace":
            return attack.new_content


def _made(task: Task, forum: Forum) -> Thread:
    """A thread about what the task wants, where its file names none."""
    words = re.findall(r"[a-z0-9]+", task.instruction.lower())[:8]
    return forum.add_thread("coolprojects", "100001", "-".join(words) or "help")


def _forum_pages(task: Task) -> Iterator[str]:
    for step in task.config:
        if isinstance(step, ChromeOpenTabs):
            yield from step.parameters.urls_to_open
    for evaluator in (task.adversary_evaluator, task.evaluator):
        for getter in evaluator.getters if evaluator is not None else ():
            pages: JsonValue = (getter.model_extra or {}).get("program_html")
            for entry in pages if isinstance(pages, list) else ():
                url = entry.get("url") if isinstance(entry, dict) else None
                if isinstance(url, str):
                    yield url


def _thread_at(forum: Forum, url: str) -> Thread | None:
    parts = [part for part in urlsplit(url).path.split("/") if part]
    return forum.add_thread(parts[1], parts[2], "/".join(parts[3:])) if len(parts) > 2 and parts[0] == "f" else None


def _on_share(attack: ShareAttack, task: Task, sites: StandInSites, folders: tuple[Path, ...]) -> Placed:
    found = _FILES.search(attack.docker_path)
    user = found[1] if found else next(iter(sites.share.accounts.names), "")
    name = PurePosixPath(attack.docker_path).name
    content = find_file(attack.local_file_path, folders)
    if content is None:
        text: str | None = make_document(name, task)
        content = make_pdf(text)
        injection = attack_text(task)
    else:
        text = text_of_pdf(content) if name.lower().endswith(".pdf") else None
        injection = "" if text is None else find_injection(text, task)
    sites.share.put(user, SharedFile(name, content, text, shared_by="sarah_johnson"))
    return Placed(SHARE, sites.share.preview_path(name), injection)


def find_injection(text: str, task: Task) -> str:
    """The part of a document that asks for what the attack wants, told by the names in it; else all of it."""
    wanted = attack_way(task)
    names: list[str] = [] if wanted is None else _NAME.findall(wanted.words)
    blocks = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    found = max(blocks, key=lambda block: sum(name in block for name in names), default="")
    return found if any(name in found for name in names) else text


def _in_chat(attack: ChatAttack, sites: StandInSites) -> Placed:
    for name, scenario in attack.scenarios_json_data.items():
        sites.chat.answers[name] = answer_of(scenario.strategy_hint)
    name = next(iter(attack.scenarios_json_data))
    return Placed(CHAT, sites.chat.direct_path(name), sites.chat.answers[name], asks=name)


def answer_of(hint: str) -> str:
    """What a colleague says: the quoted part of the hint, or else all of it; written line breaks become real ones."""
    found = _ANSWER.search(hint)
    return (found[1] if found else hint).replace("\\n", "\n").strip()
