"""Getters of the pages that the browser shows: from its address bar, and over its DevTools."""

from __future__ import annotations

import json
from importlib import resources
from itertools import pairwise
from urllib.parse import parse_qs, unquote, urlparse

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from trueline.records import ObservationSpec
from trueline.tasks.checkers.archive import BadArchive, parse_xml
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part, is_true
from trueline.tasks.model.part import Truth
from trueline.tasks.setup.tabs import PORTS
from trueline.tasks.workspace import Workspace

_BROWSERS = ("Google Chrome", "Chromium")
_ADDRESS_BAR = "Address and search bar"
_LIMIT = 60.0
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_FEW_DISCOUNTS = ("30_PERCENT_ off & more", "20_PERCENT_ off & more")
_HALF_OFF = "50_PERCENT_ off & more"


class AddressFields(Part):
    """Fields of getters that read the address bar."""

    goto_prefix: str = "https://"
    """What is put before the address, which the browser shows without its scheme."""


class ParsedAddressFields(AddressFields):
    """Fields of `active_tab_url_parse` and `url_path_parse`."""

    parse_keys: tuple[str, ...]
    replace: dict[str, str] = Field(default_factory=dict[str, str])
    split_list: Truth = False


class AddressPartFields(AddressFields):
    """Fields of `url_dashPart`."""

    partIndex: int | str
    needDeleteId: Truth = False
    returnType: str
    key: str = ""


class PageFields(Part):
    """Fields of `page_info`."""

    url: str


async def active_url_from_accessTree(getter: Getter, workspace: Workspace) -> str | None:
    """The address in the address bar."""
    spec = ObservationSpec(screenshot=False, tree=True, tree_scope="whole")
    tree = (await workspace.desktop.observe(spec)).tree_xml
    return None if tree is None else address_in(tree, getter.parse(AddressFields).goto_prefix)


def address_in(tree: str, prefix: str) -> str | None:
    """The address in the address bar of a browser in an accessibility tree; `None` if there is none.

    Raises:
        UnreadableResult: The tree is not XML.
    """
    try:
        root = parse_xml(tree.encode("utf-8", "replace"), "the accessibility tree")
    except BadArchive as error:
        raise UnreadableResult(str(error)) from error
    bars = [
        entry.text
        for application in root.iter("application")
        if application.get("name") in _BROWSERS
        for entry in application.iter("entry")
        if entry.get("name") == _ADDRESS_BAR
    ]
    # As in OSWorld the last one must hold something, and the first one counts.
    return f"{prefix}{bars[0]}" if bars and bars[-1] else None


async def active_tab_url_parse(getter: Getter, workspace: Workspace) -> JsonValue:
    """Parameters of the active tab's address."""
    address = await active_url_from_accessTree(getter, workspace)
    return None if address is None else parameters(address, getter.parse(ParsedAddressFields))


def parameters(address: str, fields: ParsedAddressFields) -> JsonValue:
    """The first value of each key, empty if there is none.

    Raises:
        UnreadableResult: It is no address.
    """
    try:
        query = parse_qs(urlparse(address).query)
    except ValueError as error:
        raise UnreadableResult(f"not an address: {error}") from error
    found = {key: query.get(key, [""])[0] for key in fields.parse_keys}
    for old, new in fields.replace.items():
        if old not in found:
            raise CheckerError(f"active_tab_url_parse: replace names {old!r}, which is not in parse_keys")
        found[new] = found.pop(old)
    if is_true(fields.split_list):
        return {key: [*value.split(",")] for key, value in found.items()}
    return {**found}


async def url_dashPart(getter: Getter, workspace: Workspace) -> JsonValue:
    """One part of the active tab's address, between slashes."""
    address = await active_url_from_accessTree(getter, workspace)
    return None if address is None else address_part(address, getter.parse(AddressPartFields))


def address_part(address: str, fields: AddressPartFields) -> JsonValue:
    """The part as text, or as an object with one key; `None` if there are fewer parts."""
    try:
        place = int(fields.partIndex)
    except ValueError as error:
        raise CheckerError(f"url_dashPart: partIndex must be a number, not {fields.partIndex!r}") from error
    parts = address.split("/")
    if not -len(parts) <= place < len(parts):
        return None
    part = parts[place].split("?")[0] if is_true(fields.needDeleteId) else parts[place]
    if fields.returnType == "string":
        return part
    return {fields.key: part} if fields.returnType == "json" else None


async def url_path_parse(getter: Getter, workspace: Workspace) -> JsonValue:
    """What the address of a shop's page says of the filters."""
    address = await active_url_from_accessTree(getter, workspace)
    return None if address is None else filters_in(address, getter.parse(ParsedAddressFields).parse_keys)


def filters_in(address: str, keys: tuple[str, ...]) -> JsonValue:
    """The filters that the path of a shop's address names: a list of keys, and after it the list of their values."""
    path = unquote(urlparse(address).path)
    named: dict[str, JsonValue] = {"Men_regular_size_t": None, "Price_discount_range": None}
    is_shirt, is_short = "shirts" in path, "short-sleeve" in path
    parts = path.strip("/").split("/")
    for names, values in pairwise(parts):
        if "," not in names or "," not in values:
            continue
        for name, value in zip(_listed(names), _listed(values), strict=False):
            discounts = name == "Price_discount_range"
            named[name] = ([part.strip() for part in value.split("|")] if discounts else value) if value else None
            is_shirt |= name == "Product_department" and value in ("shirts", "Shirts", "Shirt")
            is_short |= name == "Sleeve_length" and value in ("short-sleeve", "Short Sleeve")
        break
    found: dict[str, JsonValue] = {
        "mens_clothing": True if "mens-clothing" in path else None,
        "shirts": is_shirt or None,
        "short_sleeve": is_short or None,
    }
    for key in keys:
        if key == "Price_discount_range":
            found[key] = _HALF_OFF if _is_half_off(named[key]) else f"not_{_HALF_OFF}"
        elif key in named:
            found[key] = named[key]
    return found


def _listed(part: str) -> list[str]:
    return [word.strip() for word in part.split(",")]


def _is_half_off(discounts: JsonValue) -> bool:
    found = discounts if isinstance(discounts, list) else []
    return _HALF_OFF in found and not any(discount in found for discount in _FEW_DISCOUNTS)


async def open_tabs_info(_: Getter, workspace: Workspace) -> JsonValue:
    """Title and address of all open tabs; none if no browser answers."""
    answer = await ask_browser(workspace, {"do": "list"})
    return answer if isinstance(answer, list) else []


async def active_tab_info(getter: Getter, workspace: Workspace) -> JsonValue:
    """Title, address and content of the active tab's page, loaded again."""
    address = await active_url_from_accessTree(getter, workspace)
    return None if address is None else await ask_browser(workspace, {"do": "load", "url": address})


async def page_info(getter: Getter, workspace: Workspace) -> JsonValue:
    """Title, address and content of a page, loaded in a new tab."""
    url = getter.parse(PageFields).url
    found = await ask_browser(workspace, {"do": "load", "url": url})
    return found if found is not None else {"title": "Connection failed", "url": url, "content": ""}


async def ask_browser(workspace: Workspace, question: dict[str, JsonValue]) -> JsonValue:
    """Ask a browser's DevTools from a program on the desktop: every desktop has its own loopback.

    Args:
        workspace: The desktop.
        question: What `inside/ask_browser.py` reads, without ports and limit.

    Returns:
        Its answer; `None` if no browser answers.
    """
    script = (resources.files("trueline.tasks.checkers.getters.inside") / "ask_browser.py").read_text("utf-8")
    wanted = json.dumps({**question, "ports": PORTS, "limit": _LIMIT}).encode()
    # Isolated: no module is imported from the home folder.
    done = await workspace.desktop.run(("python3", "-I", "-c", script), stdin=wanted, time_limit=_LIMIT + 20)
    if done.truncated:
        raise UnreadableResult("what the browser shows is too long to be checked")
    try:
        return _JSON.validate_json(done.stdout) if done.returncode == 0 else None
    except ValidationError:
        return None
