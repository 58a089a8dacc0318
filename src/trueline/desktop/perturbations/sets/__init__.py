"""The sets that come with the package, and those of the user's own files."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import yaml
from pydantic import ValidationError

from trueline.desktop.perturbations.model import Perturbation, digest
from trueline.errors import InputError
from trueline.validation import describe_validation_error

_ENDING = ".yaml"


def known_sets() -> tuple[str, ...]:
    """The names of the package's sets."""
    names = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)))


def load_set(name: str) -> Perturbation:
    """Read a set by its name, or from a file (a path that ends in `.yaml`).

    Raises:
        InputError: There is no such set, or the file is not one.
    """
    if name in known_sets():
        return _parse((resources.files(__name__) / f"{name}{_ENDING}").read_bytes(), name, f"set {name}")
    if not name.endswith(_ENDING):
        raise InputError(f"unknown perturbation {name!r}; choose one of {', '.join(known_sets())}")
    path = Path(name)
    try:
        return _parse(path.read_bytes(), path.stem, str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _parse(content: bytes, name: str, where: str) -> Perturbation:
    try:
        document = yaml.safe_load(content)
        if not isinstance(document, dict):
            raise InputError(f"{where}: not a perturbation: expected keys such as version, summary, wallpaper")
        found = Perturbation.model_validate({"name": name, **document})
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{where}: not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise InputError(f"{where}: {describe_validation_error(error, model=Perturbation)}") from error
    wallpaper(found)
    return found


def wallpaper(perturbation: Perturbation) -> bytes | None:
    """The PNG of a set's wallpaper.

    Raises:
        InputError: There is no such picture.
    """
    if perturbation.wallpaper is None:
        return None
    folder = resources.files("trueline.desktop.perturbations") / "wallpapers"
    known = sorted(entry.name.removesuffix(".png") for entry in folder.iterdir())
    if perturbation.wallpaper not in known:
        raise InputError(
            f"set {perturbation.name}: unknown wallpaper {perturbation.wallpaper!r}; choose one of {', '.join(known)}"
        )
    return (folder / f"{perturbation.wallpaper}.png").read_bytes()


def digest_of(perturbation: Perturbation) -> str:
    """The digest of a set with its wallpaper, as in the record of what was applied."""
    return digest(perturbation, wallpaper(perturbation))
