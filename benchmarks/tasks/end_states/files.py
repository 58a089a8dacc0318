"""End states that are files: the expected one in its place, or one that has what the check looks for."""

from __future__ import annotations

import json
from typing import Any

from registry import functions
from session import IMAGES, OFFICE, NotReached, Session, paths_of, rules_of
from stand_ins import book_wants, seed_of

from trueline.tasks.model import Getter
from trueline.tasks.model.evaluator import Check
from trueline.tasks.model.steps import Download


@functions("*expected file")
async def put_expected(session: Session, check: Check) -> None:
    """Put the expected files where the results are looked for."""
    result, expected = check.result, check.expected
    if result is None or expected is None:
        raise NotReached("nothing to compare")
    there, given = (expected, result) if result.type == "cloud_file" else (result, expected)
    places, urls = paths_of(there), paths_of(given)
    await quit_writers(session)
    for number, place in enumerate(places):
        # Several expected files for one result are alternatives.
        await session.put(place, await session.fetch(urls[number if number < len(urls) else 0]))


async def quit_writers(session: Session) -> None:
    """End the applications that have the result open: the check's own Ctrl+S would write the old content again."""
    for program in (OFFICE, IMAGES):
        await session.quit(program)


@functions("compare_table")
async def workbook(session: Session, check: Check) -> None:
    """The expected workbook; without one, a workbook that the rules describe."""
    if check.expected is None or check.result is None:
        await made(session, check, "book", book_wants(check))
    elif check.expected.type == "vm_file":
        # The expected file comes by a later step of the evaluation.
        names = {file.path: file.url for step in session.task.evaluator.postconfig if isinstance(step, Download)
                 for file in step.parameters.files}  # fmt: skip
        await quit_writers(session)
        await session.put(paths_of(check.result)[0], await session.fetch(names[paths_of(check.expected)[0]]))
    else:
        await put_expected(session, check)


async def made(session: Session, check: Check, kind: str, wants: dict[str, Any], seed: int | None = None) -> None:
    """A file made for the check, in the place of the result."""
    if check.result is None:
        raise NotReached("no result to make")
    place = paths_of(check.result)[0]
    await quit_writers(session)
    name = place.rsplit("/", 1)[-1]
    await session.put(place, session.made(name, kind, seed_of(place) if seed is None else seed, wants))


@functions("check_pdf_pages")
async def _as_many_pages(_: Session, __: Check) -> None:
    """Done by the check that compares the file."""


@functions("has_page_numbers_in_footers")
async def page_numbers(session: Session, check: Check) -> None:
    await made(session, check, "document", {"page_numbers": True})


@functions("compare_font_names")
async def font(session: Session, check: Check) -> None:
    await made(session, check, "document", {"font": rules_of(check.expected)["font_name"]})


@functions("is_first_line_centered")
async def centred(session: Session, check: Check) -> None:
    await made(session, check, "document", {"formatted": True})


@functions("contains_page_break")
async def page_breaks(session: Session, check: Check) -> None:
    await made(session, check, "document", {"breaks": rules_of(check.expected)["page_break_count"]})


@functions("evaluate_presentation_fill_to_rgb_distance")
async def background(session: Session, check: Check) -> None:
    await made(session, check, "slides", {"background": rules_of(check.expected)["rgb"]})


@functions("check_slide_orientation_Portrait")
async def upright(session: Session, check: Check) -> None:
    await made(session, check, "slides", {"portrait": True})


@functions("check_transition")
async def transition(session: Session, check: Check) -> None:
    await made(session, check, "slides", {"transition": rules_of(check.expected)["transition_type"]})


@functions("check_page_number_colors")
async def slide_numbers(session: Session, check: Check) -> None:
    await made(session, check, "slides", {"numbers": rules_of(check.expected)["color"]})


@functions("check_image_stretch_and_center")
async def cover(session: Session, check: Check) -> None:
    """The slides of the original, with the first picture stretched."""
    url = paths_of(_expected(check))[0]
    await made(session, check, "slides", {"cover": True}, seed_of(url))


@functions("compare_audios")
async def sound(session: Session, check: Check) -> None:
    """The expected sound as a file, or embedded in the slide that is looked at."""
    result = check.result
    if result is None or result.type != "audio_in_slide":
        await put_expected(session, check)
        return
    extra: Any = result.model_extra
    expected = _expected(check)
    place = paths_of(expected)[0]
    content = await session.fetch(place) if expected.type == "cloud_file" else await session.get(place)
    sound_file = session.folder / f"embedded-{seed_of(place)}{'.' + place.rsplit('.', 1)[-1]}"
    sound_file.write_bytes(content or b"")
    wants = {"sound": str(sound_file), "slide": int(extra["slide_index"])}
    await quit_writers(session)
    await session.put(extra["ppt_file_path"], session.made("slides.pptx", "slides", 1, wants))


@functions("check_json")
async def json_values(session: Session, check: Check) -> None:
    """A JSON or YAML file with the expected values."""
    place = paths_of(_result(check))[0]
    await session.quit("thunderbird")
    content = await session.get(place)
    yaml = bool(check.options.get("is_yaml"))
    tree: Any = json.loads(content) if content and not yaml else {}
    for rule in rules_of(check.expected).get("expect", ()):
        here = tree
        for key in rule["key"][:-1]:
            here = here.setdefault(key, {})
        here[rule["key"][-1]] = str(rule["ref"]).replace("\\b", "") if rule["method"] == "re" else rule["ref"]
    await session.put(place, json.dumps(tree))  # JSON is YAML


@functions("file_contains")
async def text_with(session: Session, check: Check) -> None:
    await session.put(paths_of(_result(check))[0], "\n".join(rules_of(check.expected)["expected"]) + "\n")


def _result(check: Check) -> Getter:
    if check.result is None:
        raise NotReached("no result to make")
    return check.result


def _expected(check: Check) -> Getter:
    if check.expected is None:
        raise NotReached("nothing to compare with")
    return check.expected
