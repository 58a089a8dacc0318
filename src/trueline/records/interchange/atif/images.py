"""The pictures that an ATIF document refers to, wherever they stand in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue


def image_paths(value: JsonValue) -> Iterator[str]:
    """All paths of pictures, in the order of the document."""
    match value:
        case {"type": "image", "source": {"path": str(path)}}:
            yield path
        case dict():
            for item in value.values():
                yield from image_paths(item)
        case list():
            for item in value:
                yield from image_paths(item)
        case _:
            pass


def with_images(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """The document with other paths for the pictures that are named."""
    match value:
        case {"type": "image", "source": {"path": str(path), **rest}} if path in names:
            source: dict[str, JsonValue] = {**rest, "path": names[path]}
            return {**value, "source": source}
        case dict():
            return {key: with_images(item, names) for key, item in value.items()}
        case list():
            return [with_images(item, names) for item in value]
        case _:
            return value
