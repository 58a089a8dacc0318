"""The getters `rule_relativeTime` and `time_diff_range`: rules that depend on the date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import JsonValue

from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part
from trueline.tasks.workspace import Workspace

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONDAY, _FRIDAY, _SATURDAY, _SUNDAY = 0, 4, 5, 6
_SPLIT = " split"
_STARTS, _ENDS = ("puDay", "puMonth", "puYear"), ("doDay", "doMonth", "doYear")
"""The fields of a date that is split into day, month and year."""


class RelativeRule(Part):
    """Fields of `rule_relativeTime`."""

    rules: dict[str, JsonValue]


class RangeFields(Part):
    """Fields of `time_diff_range`."""

    diff_range_in_minutes: JsonValue = None


async def rule_relativeTime(getter: Getter, _: Workspace) -> JsonValue:
    """The rules, with dates such as "next Monday" worked out for now.

    Without a time zone in the rules UTC counts. OSWorld asks a web service where it is, and falls back to UTC.
    """
    rules = getter.parse(RelativeRule).rules
    return absolute_rules(rules, datetime.now(_zone(rules.get("timezone", "UTC"))))


async def time_diff_range(getter: Getter, _: Workspace) -> JsonValue:
    """How many minutes two times may differ."""
    return getter.parse(RangeFields).diff_range_in_minutes


def absolute_rules(rules: Mapping[str, JsonValue], now: datetime) -> dict[str, JsonValue]:
    """The rules with dates in place of their templates.

    Raises:
        CheckerError: They name a time that is not known, or a template is missing.
    """
    times, expected = rules.get("relativeTime"), rules.get("expected")
    if not isinstance(times, dict) or not isinstance(expected, dict):
        raise CheckerError("rule_relativeTime: rules.relativeTime and rules.expected must be objects")
    start, end = times.get("from"), times.get("to")
    begins = _day(start, now, None, None)
    if end is None:
        dates = {"time": begins}
    else:
        finishes = _day(end, now, start, begins)
        dates = dict.fromkeys(_fields(start, _STARTS, "from"), begins)
        dates |= dict.fromkeys(_fields(end, _ENDS, "to"), finishes)
    missing = [key for key in dates if key not in expected]
    if missing:
        raise CheckerError(f"rule_relativeTime: rules.expected.{missing[0]} is missing")
    filled = {key: _fill(expected[key], day) for key, day in dates.items()}
    return {**rules, "expected": {**expected, **filled}}


def _fields(time: JsonValue, split: tuple[str, ...], whole: str) -> tuple[str, ...]:
    return split if isinstance(time, str) and time.endswith(_SPLIT) else (whole,)


def _zone(name: JsonValue) -> tzinfo:
    try:
        return ZoneInfo(name) if isinstance(name, str) else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _day(time: JsonValue, now: datetime, start: JsonValue, begins: datetime | None) -> datetime:
    """The day that a relative time names; the end of a span may depend on its start."""
    name = time.removesuffix(_SPLIT) if isinstance(time, str) else ""
    opening = start.removesuffix(_SPLIT) if isinstance(start, str) else ""
    if begins is not None and (opening, name) in _SAME_WEEK:
        return begins + timedelta(days=_SAME_WEEK[opening, name] - begins.weekday())
    if name not in _NAMED:
        raise CheckerError(f"rule_relativeTime: unknown time {time!r}")
    return _NAMED[name](now)


def _coming(weekday: int) -> Callable[[datetime], datetime]:
    """The next such day after today."""
    return lambda now: now + timedelta(days=(weekday - now.weekday() - 1) % 7 + 1)


def _this_week(weekday: int) -> Callable[[datetime], datetime]:
    """That day of this week, which may be over."""
    return lambda now: now + timedelta(days=weekday - now.weekday())


def _next_week(weekday: int) -> Callable[[datetime], datetime]:
    return lambda now: now + timedelta(days=7 - now.weekday() + weekday)


def _of_next_month(day: int) -> Callable[[datetime], datetime]:
    return lambda now: _month_later(now, 1).replace(day=day)


def _first_monday(months: int) -> Callable[[datetime], datetime]:
    def find(now: datetime) -> datetime:
        first = _month_later(now, months)
        return first + timedelta(days=-first.weekday() % 7)

    return find


def _month_later(now: datetime, months: int) -> datetime:
    """The first of a later month."""
    count = now.month - 1 + months
    return now.replace(year=now.year + count // 12, month=count % 12 + 1, day=1)


_NAMED: Mapping[str, Callable[[datetime], datetime]] = {
    "tomorrow": lambda now: now + timedelta(days=1),
    "this month": lambda now: now,
    **{f"{day}th next month": _of_next_month(day) for day in (5, 10, 11)},
    "this Saturday": _this_week(_SATURDAY),
    "this Sunday": _this_week(_SUNDAY),
    "next Monday": _coming(_MONDAY),
    "next Friday": _coming(_FRIDAY),
    "next Saturday": _coming(_SATURDAY),
    "next Sunday": _coming(_SUNDAY),
    "next week Friday": _next_week(_FRIDAY),
    "next week Saturday": _next_week(_SATURDAY),
    "next week Sunday": _next_week(_SUNDAY),
    "first monday four months later": _first_monday(4),
    "first monday eight months later": _first_monday(8),
}
_SAME_WEEK = {
    ("next Monday", "next Friday"): _FRIDAY,
    ("next Friday", "next Sunday"): _SUNDAY,
    ("next Saturday", "next Sunday"): _SUNDAY,
    ("next week Friday", "next week Sunday"): _SUNDAY,
    ("next week Saturday", "next week Sunday"): _SUNDAY,
}
"""Spans whose end is in the week in which they begin, and its day."""


def _fill(template: JsonValue, day: datetime) -> JsonValue:
    """Replace each placeholder once, as OSWorld does; in a list, those of each item."""
    if isinstance(template, list):
        return [_fill(item, day) for item in template]
    if not isinstance(template, str):
        raise CheckerError(f"rule_relativeTime: {template!r} is not a template of a date")
    month = _MONTHS[day.month - 1]
    for name, value in {
        "DoW": _DAYS[day.weekday()], "Month": month[:3], "DayD": str(day.day), "Year": str(day.year),
        "Month0D": f"{day.month:02}", "month": month.lower(), "MonthFull": month, "Day0D": f"{day.day:02}",
        "MonthD": str(day.month),
    }.items():  # fmt: skip
        template = template.replace(f"{{{name}}}", value, 1)
    return template
