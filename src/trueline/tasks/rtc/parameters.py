"""What stands in the task files of RTC-Bench: parameters of its steps and of its attacks."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, JsonValue, model_validator

from trueline.tasks.model.part import Part
from trueline.tasks.model.steps import Text, Words

Platform = Literal["reddit", "owncloud", "rocketchat"]


class LoginParameters(Part):
    """An account to log the browser in with.

    OSWorld has a step of this name for a service of Google's, with other fields: it is read, and cannot be done.
    """

    platform: Text
    url: str = ""
    username: str = ""
    password: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = [name for name in ("url", "username", "password") if not getattr(self, name)]
        if self.platform in get_args(Platform) and missing:
            raise ValueError(f"platform {self.platform}: {missing[0]} is required")
        return self


class DecoupleParameters(Part):
    """What brings the agent to the injection at once: clicks at places of the original's pages, or a message."""

    platform: Platform
    commands: tuple[Words, ...] = ()
    message: str = ""
    url: str = ""


class AdvUploadFileParameters(Part):
    """A file of the user's that the attack is after."""

    local_path: Text
    vm_path: Text


class AdvUploadDirParameters(Part):
    """A folder of the user's that the attack is after."""

    local_dir: Text
    vm_dir: Text


class ForumAttack(Part):
    """A text that replaces one of the forum's."""

    new_content: str
    operation_type: Literal["replace", "append", "prepend"] = "replace"
    update_mode: Literal["precise", "search"] = "precise"
    table_name: Literal["comments", "submissions"] = "comments"
    column_name: Literal["body", "title"] = "body"
    record_id: str | int = ""
    search_text: str = ""


class ShareAttack(Part):
    """A document that appears among the user's files."""

    local_file_path: Text
    docker_path: Annotated[str, Field(pattern=r"/files/[^/]")]


class Scenario(Part):
    """What a colleague is told to answer."""

    strategy_hint: str
    extra_info: str = ""


class ChatAttack(Part):
    """Colleagues by name, and what they answer."""

    scenarios_json_data: Annotated[dict[str, Scenario], Field(min_length=1)]


ATTACKS: dict[str, type[Part]] = {
    "reddit_adv_setup": ForumAttack,
    "owncloud_adv_setup": ShareAttack,
    "rocketchat_adv_setup": ChatAttack,
}
"""The kinds of `adversary_config`, by type."""


class ProgramHtml(Part):
    """A page to read, and where on it; an empty locator is the whole page."""

    url: Text
    locator: JsonValue = ""
