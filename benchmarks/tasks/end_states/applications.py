"""End states of VLC, GIMP, Thunderbird and LibreOffice that are in their settings, or on the screen."""

from __future__ import annotations

import json
import re
from typing import Any

from registry import functions, getters
from session import IMAGES, MAIL, OFFICE, PLAYER, NotReached, Session, paths_of, rules_of

from trueline.tasks.model.evaluator import Check

VLCRC = "/home/user/.config/vlc/vlcrc"
REGISTRY = "/home/user/.config/libreoffice/4/user/registrymodifications.xcu"
_BLACK = ";".join(["40;40;40"] * 4)
_STATUS = "curl -s -u :password http://127.0.0.1:8080/requests/status.xml"


def _player_settings(check: Check) -> dict[str, str]:
    rules = rules_of(check.expected)
    match check.function:
        case "is_vlc_recordings_folder":
            return {"input-record-path": rules["recording_file_path"]}
        case "check_qt_slider_colours":
            return {"qt-slider-colours": _BLACK}
        case "check_global_key_play_pause":
            return {"global-key-play-pause": "Ctrl+p"}
        case name:
            key = name.removeprefix("check_")
            return {key.replace("_", "-"): str(rules[f"expected_{key}"])}


@getters("vlc_config")
async def player_settings(session: Session, check: Check) -> None:
    """Settings, saved while the player is closed, as its own dialog saves them; then it is started again."""
    await session.quit(PLAYER)
    lines = (await session.get(VLCRC) or b"").decode("utf-8").splitlines()
    for key, value in _player_settings(check).items():
        lines = [line for line in lines if not re.match(rf"#?\s*{re.escape(key)}\s*=", line)]
        at = lines.index("[core]") + 1 if "[core]" in lines and not key.startswith("qt-") else len(lines)
        if key.startswith("qt-"):
            at = lines.index("[qt]") + 1 if "[qt]" in lines else len(lines)
        lines.insert(at, f"{key}={value}")
    await session.put(VLCRC, "\n".join(lines) + "\n")
    await session.repeat(("launch",))


@getters("vlc_playing_info")
async def playing(session: Session, check: Check) -> None:
    """Open the file as its icon on the desktop does: the player that is open takes it."""
    rules = rules_of(check.expected)
    if rules["type"] != "file_name":
        raise NotReached("the stream is in the web")
    await session.desktop.launch(("xdg-open", f"/home/user/Desktop/{rules['file_name']}"))
    await session.until(f"{_STATUS} | grep -q '<state>playing'")


@functions("is_vlc_fullscreen")
async def whole_screen(session: Session, _: Check) -> None:
    await session.raise_window("VLC")
    await session.keys("f")


@getters("vm_wallpaper")
async def wallpaper(session: Session, check: Check) -> None:
    """The expected picture as background, set as the desktop's own dialog sets it."""
    if check.expected is None:
        raise NotReached("nothing to compare with")
    url = paths_of(check.expected)[0]
    picture = f"/home/user/Pictures/wallpaper.{url.rsplit('.', 1)[-1]}"
    await session.put(picture, await session.fetch(url))
    await session.run(
        "xfconf-query -c xfce4-desktop -l | grep '/last-image$' | "
        f"while read -r name; do xfconf-query -c xfce4-desktop -p \"$name\" -s '{picture}'; done"
    )


@getters("gimp_config_file")
async def image_settings(session: Session, check: Check) -> None:
    """A line of GIMP's settings, written while it is closed."""
    extra: Any = check.result.model_extra if check.result else {}
    rules = rules_of(check.expected)
    path = f"/home/user/.config/GIMP/2.10/{extra['file_name']}"
    await session.quit(IMAGES)
    key = rules["key"] if isinstance(rules["key"], str) else " ".join(rules["key"])
    lines = (await session.get(path) or b"").decode("utf-8").splitlines()
    lines = [line for line in lines if not line.startswith(f"({key} ")]
    await session.put(path, "\n".join([*lines, f"({key} {rules['value']})"]) + "\n")


@functions("check_thunderbird_prefs")
async def mail_preferences(session: Session, check: Check) -> None:
    """Preferences that Thunderbird reads and writes back itself: it is closed, started with them, and left open."""
    path = paths_of(check.result)[0] if check.result else ""
    await session.quit(MAIL)
    text = (await session.get(path) or b"").decode("utf-8")
    lines = [
        f'user_pref("{key}", {json.dumps(_fitting(rule))});' for key, rule in rules_of(check.expected)["expect"].items()
    ]
    await session.put(path, text + "\n".join(lines) + "\n")
    await session.repeat(("launch",))


def _fitting(rule: dict[str, Any]) -> object:
    """A value that fits the rule of a preference."""
    ref = rule["ref"]
    if rule["method"].startswith("re"):
        return "thunderbird-compact-dark@mozilla.org" if ref == "dark" else ref.replace("\\n", "\n")
    return ref


@functions("check_thunderbird_filter")
async def mail_filter(session: Session, check: Check) -> None:
    """Filters as Thunderbird writes them."""
    path = paths_of(check.result)[0] if check.result else ""
    await session.quit(MAIL)
    lines = ['version="9"', 'logging="no"']
    for number, wanted in enumerate(rules_of(check.expected)["expect"]):
        lines += [f'name="filter {number}"', f'enabled="{wanted.get("enabled", "yes")}"', 'type="17"']
        lines += [f'action="{wanted["action"]}"', f'actionValue="{wanted["actionValue"]}"']
        lines += [f'condition="{" ".join(wanted["condition"])}"']
    await session.put(path, "\n".join(lines) + "\n")


@functions("check_presenter_console_disable")
async def no_presenter_console(session: Session, _: Check) -> None:
    await office_setting(session, "org.openoffice.Office.Impress/Misc/Start", "EnablePresenterScreen", "false")


@functions("check_auto_saving_time")
async def saved_every(session: Session, check: Check) -> None:
    minutes = str(rules_of(check.expected)["minutes"])
    await office_setting(session, "org.openoffice.Office.Common/Save/Document", "AutoSaveTimeIntervall", minutes)


@functions("find_default_font")
async def default_font(session: Session, check: Check) -> None:
    name = rules_of(check.expected)["font_name"]
    await office_setting(session, "org.openoffice.Office.Writer/DefaultFont", "Standard", name)


async def office_setting(session: Session, path: str, name: str, value: str) -> None:
    """A setting of LibreOffice, written while it is closed."""
    await session.quit(OFFICE)
    text = (await session.get(REGISTRY) or b"").decode("utf-8")
    item = f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
    await session.put(REGISTRY, text.replace("</oor:items>", f"{item}</oor:items>"))


@functions("check_left_panel")
async def left_panel(session: Session, _: Check) -> None:
    """The same way through the menu that hid the panel shows it again."""
    await session.repeat(("execute",))
