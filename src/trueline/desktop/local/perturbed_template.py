"""The template of a perturbed desktop: a copy of the ready one in which the set's files are changed.

It is made once per set, so a perturbed desktop starts and resets as fast as a plain one, and what the set changed is no
part of the diff.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from trueline.desktop.local.checks import install_line
from trueline.desktop.local.identity import HOME
from trueline.desktop.local.install import publish
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.ownership import Owner
from trueline.desktop.perturbations.model import Applied, Perturbation
from trueline.desktop.perturbations.sets import wallpaper
from trueline.desktop.perturbations.xfce import SETTINGS, applied, home_files
from trueline.desktop.types import DesktopUnavailable

_ICONS = Path("/usr/share/icons")
_ZONES = Path("/usr/share/zoneinfo")
_ICON_PACKAGES = {"Papirus": "papirus-icon-theme", "ePapirus": "papirus-icon-theme"}


def with_perturbation(options: LocalOptions, perturbation: Perturbation) -> LocalOptions:
    """The same desktop with a perturbation.

    Raises:
        DesktopUnavailable: This machine lacks its icon theme or time zone; the message says how to fix it.
    """
    icons, zone = perturbation.icons, perturbation.timezone
    if icons is not None and not (_ICONS / icons / "index.theme").is_file():
        package = _ICON_PACKAGES.get(icons)
        fix = install_line([package]) if package else f"install it below {_ICONS}"
        raise DesktopUnavailable(f"perturbation {perturbation.name}: no icon theme {icons} here; {fix}")
    if zone is not None and not (_ZONES / zone).is_file():
        raise DesktopUnavailable(f"perturbation {perturbation.name}: no time zone {zone}; {install_line(['tzdata'])}")
    return replace(options, perturbation=perturbation, timezone=zone or options.timezone)


def applied_perturbation(options: LocalOptions) -> Applied | None:
    """The record of what a desktop of these options looks like; `None` without a perturbation."""
    perturbation = options.perturbation
    return None if perturbation is None else applied(perturbation, wallpaper(perturbation))


def perturbed_template(ready: Path, perturbation: Perturbation | None, owner: Owner) -> Path:
    """The home folder that desktops with this perturbation start with; made unless it is there.

    Raises:
        DesktopUnavailable: The cache folder cannot be written.
    """
    if perturbation is None:
        return ready
    settings = {path: (ready / path).read_bytes() for path in SETTINGS}
    files = home_files(perturbation, settings, wallpaper(perturbation), HOME)
    name = hashlib.sha256(repr((ready.name, sorted(files.items()))).encode()).hexdigest()[:20]
    target = ready.parent / f"look-{name}"
    if target.is_dir():
        os.utime(target)
        return target
    try:
        building = Path(tempfile.mkdtemp(prefix=".look-", dir=ready.parent))
        shutil.copytree(ready, building, symlinks=True, dirs_exist_ok=True)
        for path, content in files.items():
            place = building / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        publish(building, target, owner)
    except OSError as error:
        raise DesktopUnavailable(f"{ready.parent}: the template cannot be written ({error.strerror})") from error
    return target
