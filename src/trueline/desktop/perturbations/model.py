"""What a perturbation changes, and the record that it was."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trueline.records.base import Digest, Record
from trueline.records.observation import sha256

Edge = Literal["top", "bottom", "left", "right"]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$")]
ZoneName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}$")]
SettingValue = str | int | float


class Perturbation(Record):
    """One set: what is `None` stays as it is."""

    name: Name
    version: Annotated[int, Field(ge=1)]
    """Increased when a value changes: results of two versions belong to two settings."""
    summary: str
    wallpaper: Name | None = None
    """A picture of this package."""
    cursor_size: Annotated[int, Field(ge=8, le=256)] | None = None
    """Pixels; 24 otherwise."""
    panel: Edge | None = None
    """The edge at which the panel (here) or the dock (GNOME) lies."""
    icons: Name | None = None
    """An icon theme of the machine."""
    gnome_icons: Name | None = None
    """The icon theme on a GNOME machine, where others are installed."""
    timezone: ZoneName | None = None
    scale: Annotated[float, Field(ge=0.5, le=3)] | None = None
    """How much larger text and controls are."""
    colours: Literal["light", "dark"] | None = None
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(_[A-Z]{2})?$")] | None = None

    def settings(self) -> dict[str, SettingValue]:
        """What it changes, by name."""
        return self.model_dump(exclude={"name", "version", "summary"}, exclude_none=True)


class Applied(Record):
    """What was actually changed on a desktop, for the record of the episode."""

    name: str
    version: int
    digest: Digest
    """Digest of the set's content, its wallpaper included: equal digests are equal perturbations."""
    platform: Literal["local", "gnome"]
    settings: dict[str, SettingValue]
    left_out: tuple[str, ...] = ()
    """Settings that this platform cannot change."""

    @property
    def label(self) -> str:
        """One line that differs wherever anything of it differs: for `Setting.perturbation`."""
        return f"{self.name} v{self.version} {self.platform} {self.digest[:12]}"


def digest(perturbation: Perturbation, picture: bytes | None) -> str:
    """The digest of a set and its wallpaper; words about it do not count."""
    content = perturbation.model_dump_json(exclude={"summary"}, exclude_none=True)
    return sha256(f"{content} {sha256(picture or b'')}".encode())
