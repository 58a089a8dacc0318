"""Sets of perturbations as data: read, refused, turned into files, commands and records."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from trueline.cli import main
from trueline.desktop.local import LocalOptions
from trueline.desktop.local.perturbed_template import applied_perturbation, with_perturbation
from trueline.desktop.perturbations import Perturbation, load_set
from trueline.desktop.perturbations.gnome import gnome_commands
from trueline.desktop.perturbations.sets import known_sets
from trueline.desktop.perturbations.xfce import applied, with_properties
from trueline.desktop.types import DesktopUnavailable
from trueline.errors import InputError

FIVE = {"wallpaper", "cursor_size", "panel", "icons", "timezone"}


def written(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text)
    return str(path)


def test_the_two_sets_of_the_study_change_its_five_things_each_otherwise() -> None:
    one, two = load_set("1").settings(), load_set("2").settings()
    assert one.keys() == two.keys() == FIVE | {"gnome_icons"}
    assert all(one[name] != two[name] for name in FIVE)


def test_every_set_of_the_package_can_be_read() -> None:
    assert {"1", "2", "dark", "large", "german"} <= set(known_sets())
    for name in known_sets():
        assert load_set(name).settings(), f"{name} changes something"


@pytest.mark.parametrize("name", ["3", "", "../1", "1.YAML", "none"])
def test_an_unknown_set_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(InputError, match="choose one of 1, 2, dark, german, large"):
        load_set(name)


def test_the_commands_refuse_an_unknown_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["desktop", "shot", str(tmp_path / "x.png"), "--perturbations", "7"]) == 2
    assert "choose one of 1, 2, dark, german, large" in capsys.readouterr().err
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("version: 1\nsummary: x\nwalpaper: dunes\n", "walpaper: unknown field, did you mean wallpaper"),
        ("version: 1\nsummary: x\ncursor_size: 9000\n", "cursor_size: "),
        ("version: 1\nsummary: x\nwallpaper: mine\n", "choose one of dunes, night"),
        ("version: 1\nsummary: x\nwallpaper: ../x\n", "wallpaper: "),
        ("version: 1\nsummary: x\ntimezone: ../../etc/passwd\n", "timezone: "),
        ("version: 1\nsummary: x\nlanguage: de; id\n", "language: "),
        ("summary: x\n", "version: is required"),
        ("- a list\n", "expected keys"),
        ("{", "not YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        load_set(written(tmp_path, text))
    assert problem in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_of_ones_own_is_a_set(tmp_path: Path) -> None:
    mine = load_set(written(tmp_path, "version: 3\nsummary: x\npanel: left\n"))
    assert (mine.name, mine.version, mine.settings()) == ("mine", 3, {"panel": "left"})
    with pytest.raises(InputError, match=r"no\.yaml: cannot be read"):
        load_set(str(tmp_path / "no.yaml"))


def test_the_record_names_the_version_and_changes_its_digest_with_any_value() -> None:
    one = load_set("1")
    record = applied(one, b"picture")
    assert (record.name, record.version, record.platform) == ("1", 1, "local")
    assert record.settings == {
        "wallpaper": "dunes", "cursor_size": 48, "panel": "bottom", "icons": "Papirus", "timezone": "Asia/Tokyo",
    }  # fmt: skip
    others = [
        applied(one, b"another picture"),
        applied(one.model_copy(update={"cursor_size": 49}), b"picture"),
        applied(one.model_copy(update={"version": 2}), b"picture"),
    ]
    assert len({record.digest, *(other.digest for other in others)}) == 4
    assert applied(one.model_copy(update={"summary": "other words"}), b"picture") == record


def test_options_carry_the_time_zone_and_the_record() -> None:
    zone = Perturbation(name="zone", version=1, summary="", timezone="Asia/Tokyo")
    options = with_perturbation(LocalOptions(), zone)
    assert options.timezone == "Asia/Tokyo"
    record = applied_perturbation(options)
    assert record is not None and record.settings == {"timezone": "Asia/Tokyo"}
    assert applied_perturbation(LocalOptions()) is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"icons": "No-Such-Theme"}, "no icon theme No-Such-Theme"), ({"timezone": "Mars/Olympus"}, "no time zone Mars")],
)
def test_what_the_machine_lacks_is_said_and_not_left_out(change: dict[str, str], problem: str) -> None:
    wanted = Perturbation(name="x", version=1, summary="").model_copy(update=change)
    with pytest.raises(DesktopUnavailable, match=problem):
        with_perturbation(LocalOptions(), wanted)


def test_properties_are_changed_where_they_are_and_made_where_they_are_not() -> None:
    inner = '<property name="b" type="empty"/>'
    before = f'<channel name="c"><property name="a" type="uint" value="1">{inner}</property></channel>'.encode()
    root = ElementTree.fromstring(with_properties(before, {"a": 7, "a/b": 'say "<&>"', "x/y": 3}))
    found = {place.get("name"): (place.get("type"), place.get("value")) for place in root.iter("property")}
    assert found == {"a": ("uint", "7"), "b": ("string", 'say "<&>"'), "x": ("empty", None), "y": ("int", "3")}


def test_gnome_gets_one_command_for_each_setting() -> None:
    commands = gnome_commands(load_set("1"), wallpaper="/tmp/a b.png")
    interface = ("gsettings", "set", "org.gnome.desktop.interface")
    assert commands == (
        ("gsettings", "set", "org.gnome.desktop.background", "picture-uri", "file:///tmp/a b.png"),
        ("gsettings", "set", "org.gnome.desktop.background", "picture-uri-dark", "file:///tmp/a b.png"),
        (*interface, "cursor-size", "48"),
        ("gsettings", "set", "org.gnome.shell.extensions.dash-to-dock", "dock-position", "BOTTOM"),
        (*interface, "icon-theme", "Adwaita"),
        ("timedatectl", "set-timezone", "Asia/Tokyo"),
    )
    assert gnome_commands(load_set("large")) == ((*interface, "text-scaling-factor", "1.5"),)
    assert gnome_commands(load_set("german")) == ()


def test_the_password_for_the_time_zone_is_no_shell_text() -> None:
    *_, last = gnome_commands(load_set("2"), sudo_password="it's $(id)")
    assert last[:2] == ("bash", "-c")
    assert last[2] == r"""printf '%s\n' 'it'"'"'s $(id)' | sudo -S -p '' timedatectl set-timezone America/New_York"""
