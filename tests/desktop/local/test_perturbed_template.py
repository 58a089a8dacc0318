"""A perturbed desktop looks as its set says, and only so."""

from __future__ import annotations

import asyncio
import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from trueline.actions import Move, Point
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.perturbed_template import with_perturbation
from trueline.desktop.perturbations import Perturbation, load_set
from trueline.desktop.perturbations.gnome import apply_gnome
from trueline.desktop.types import DesktopError, Settled, Window
from trueline.records import ObservationSpec

WIDTH, HEIGHT = 1000, 700
PLAIN = LocalOptions(width=WIDTH, height=HEIGHT)
HOME_ICON = (slice(40, 100), slice(30, 110))
"""Where the icon of the home folder is, below a panel at the top."""
MIDDLE = (slice(200, 500), slice(300, 700))
Picture = NDArray[np.int16]


async def look(desktop: LocalDesktop) -> Picture:
    await desktop.wait_for(Settled(0.3))
    png = (await desktop.observe(ObservationSpec())).png()
    assert png is not None
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB")).astype(np.int16)


async def seen(desktop: LocalDesktop) -> tuple[Picture, Window, int, str]:
    """The picture, the panel, the height of the cursor in pixels, and the time zone."""
    await desktop.act(Move(to=Point(800, 300)), id="away")
    away = await look(desktop)
    await desktop.act(Move(to=Point(500, 300)), id="there")
    there = await look(desktop)
    rows = np.flatnonzero((there != away)[200:450, 400:650].any(axis=(1, 2)))
    panel = next(window for window in await desktop.windows() if window.app == "xfce4-panel")
    zone = (await desktop.run(("date", "+%Z"))).text.strip()
    return away, panel, int(rows[-1] - rows[0] + 1), zone


def share_changed(one: Picture, other: Picture, part: tuple[slice, slice]) -> float:
    return float((np.abs(one[part] - other[part]).max(axis=2) > 20).mean())


def plain_and(perturbation: Perturbation) -> list[tuple[Picture, Window, int, str]]:
    async def story() -> list[tuple[Picture, Window, int, str]]:
        found: list[tuple[Picture, Window, int, str]] = []
        for options in (PLAIN, with_perturbation(PLAIN, perturbation)):
            async with LocalDesktop(options) as desktop:
                if options.perturbation is not None:
                    await desktop.reset()  # it must come back the same way
                found.append(await seen(desktop))
                assert await desktop.diff() == (), "what a set changes is no change of the episode"
        return found

    return asyncio.run(story())


@pytest.mark.full
def test_wallpaper_cursor_panel_and_time_zone_change(machine: None) -> None:
    change = load_set("1").model_copy(update={"icons": None})
    (before, top, small, utc), (after, bottom, large, tokyo) = plain_and(change)
    assert (top.y, bottom.y, bottom.width) == (0, HEIGHT - bottom.height, WIDTH)
    assert large >= 1.5 * small, f"the cursor has {large} rows of pixels, {small} otherwise"
    assert share_changed(before, after, MIDDLE) > 0.9
    assert (utc, tokyo) == ("UTC", "JST")


@pytest.mark.full
def test_the_second_set_looks_otherwise_too(machine: None) -> None:
    (before, top, small, _), (after, right, large, zone) = plain_and(load_set("2"))
    assert top.height < top.width and right.height == HEIGHT and right.x == WIDTH - right.width
    assert large >= 2 * small
    assert share_changed(before, after, MIDDLE) > 0.9
    assert zone in {"EST", "EDT"}


@pytest.mark.full
@pytest.mark.parametrize("icons", ["Papirus", "ePapirus"])
def test_an_icon_theme_changes_the_icons_and_nothing_else(machine: None, icons: str) -> None:
    change = Perturbation(name="icons", version=1, summary="", icons=icons)
    (before, _, _, _), (after, _, _, _) = plain_and(change)
    assert share_changed(before, after, HOME_ICON) > 0.1
    assert share_changed(before, after, MIDDLE) == 0


@pytest.mark.full
def test_colours_scale_and_language_change(machine: None) -> None:
    both = Perturbation(name="ours", version=1, summary="", colours="dark", scale=1.5, language="de")

    async def story() -> tuple[Picture, str]:
        async with LocalDesktop(with_perturbation(PLAIN, both)) as desktop:
            return await look(desktop), (await desktop.run(("mousepad", "--help"))).text

    picture, words = asyncio.run(story())
    assert picture[5, 500].max() < 100, "the panel is dark"
    assert "Hilfeoptionen" in words


@pytest.mark.full
def test_a_machine_without_gnome_says_which_setting_failed(machine: None) -> None:
    async def story() -> None:
        async with LocalDesktop(PLAIN) as desktop:
            await apply_gnome(desktop, load_set("1").model_copy(update={"wallpaper": None, "cursor_size": None}))

    with pytest.raises(DesktopError, match="perturbation 1: dock-position could not be set"):
        asyncio.run(story())


@pytest.mark.full
def test_gnome_settings_are_really_set_and_recorded(machine: None) -> None:
    wanted = Perturbation(
        name="g", version=1, summary="", cursor_size=48, icons="Papirus", gnome_icons="HighContrast", scale=1.25,
        language="de", wallpaper="dunes",
    )  # fmt: skip

    async def story() -> tuple[str, dict[str, str | int | float], tuple[str, ...]]:
        async with LocalDesktop(PLAIN) as desktop:
            record = await apply_gnome(desktop, wanted)
            said = [
                (await desktop.run(("gsettings", "get", "org.gnome.desktop.interface", key))).text.strip()
                for key in ("cursor-size", "icon-theme", "text-scaling-factor")
            ]
            return " ".join(said), record.settings, record.left_out

    said, settings, left_out = asyncio.run(story())
    assert said == "48 'HighContrast' 1.25"
    assert settings == {"cursor_size": 48, "icons": "HighContrast", "scale": 1.25, "wallpaper": "dunes"}
    assert left_out == ("language",)
