"""Result folders become ATIF documents: `<path of the episode>/trajectory.json` with its pictures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path, PurePath

from pydantic import JsonValue

from trueline.actions import Action
from trueline.records.folder.json_values import as_list, as_object, as_text
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.interchange.action_fields import action_fields
from trueline.records.interchange.atif.images import image_paths
from trueline.records.interchange.atif.model import (
    ATIF_FILE,
    DOCUMENT_FILE,
    MEDIA_TYPES,
    AtifAgent,
    AtifMetrics,
    AtifObservation,
    AtifResult,
    AtifStep,
    AtifToolCall,
    AtifTrajectory,
    Content,
    ContentPart,
    FinalMetrics,
    ImageSource,
)
from trueline.records.interchange.atif.trueline_extra import KEY, AttributedJudgment, TruelineExtra, step_extra
from trueline.records.interchange.labels import read_labels
from trueline.records.interchange.new_folder import new_folder
from trueline.records.interchange.paths import find_stored, is_stored_name, put_file
from trueline.records.interchange.sources import EpisodeSource, stored_files, transfer_episodes
from trueline.records.interchange.strict_json import load_strict, write_json
from trueline.records.interchange.transfer import Transfer, TransferOptions, TransferredEpisode
from trueline.records.observation import StoredFile
from trueline.records.step import ActionResult, Step
from trueline.records.usage import Usage, total_usage


def export_atif(sources: Sequence[EpisodeSource], out: Path, options: TransferOptions) -> Transfer:
    """Export episodes, one document each."""
    return transfer_episodes(sources, lambda source: _export_one(source, out, options))


def _export_one(source: EpisodeSource, out: Path, options: TransferOptions) -> TransferredEpisode:
    episode = read_episode(source.folder)
    document = to_document(episode, source)
    names = {stored.file for step in episode.record.steps for stored in stored_files(step)}
    names |= {path for path in image_paths(document) if is_stored_name(path)}
    missing: list[str] = []
    with new_folder(out, source.below) as folder:
        for name in sorted(filter(None, names)):
            file = find_stored(source.folder, name)
            if file is None:
                missing.append(f"{name} is missing")
            else:
                put_file(file, folder / name, link=options.link)
        write_json(folder / DOCUMENT_FILE, document)
    return TransferredEpisode(str(source.folder), written=out / source.below / DOCUMENT_FILE, notes=tuple(missing))


def to_document(episode: Trajectory, source: EpisodeSource) -> dict[str, JsonValue]:
    """An episode as an ATIF document; an imported one is its original document with our part added."""
    path = source.folder / ATIF_FILE
    foreign = as_object(load_strict(path)) if path.exists() else None
    document = foreign or _built(episode, source).model_dump(mode="json", exclude_none=True)
    own = TruelineExtra(
        path=source.below.as_posix(),
        episode=episode.record.model_dump(mode="json", exclude={"steps"}),
        labels=read_labels(source.folder),
        judgments=tuple(AttributedJudgment(by=by, judgment=judgment) for by, judgment in episode.judgments.items()),
        foreign=foreign is not None,
    )
    extras = iter(step_extra(episode.record))
    steps: list[JsonValue] = []
    for step in map(as_object, as_list(document["steps"])):
        extra = next(extras, None) if step.get("source") == "agent" else None
        steps.append(step if extra is None else {**step, "extra": {**as_object(step.get("extra")), **extra}})
    return {**document, "steps": steps, "extra": {**as_object(document.get("extra")), KEY: own.model_dump(mode="json")}}


def _built(episode: Trajectory, source: EpisodeSource) -> AtifTrajectory:
    record = episode.record
    model = record.setting.model if record.setting else as_text(record.params.get("model"))
    name = record.setting.agent if record.setting else model or (episode.location and episode.location.model)
    first = record.steps[0].observation if record.steps else None
    user = AtifStep(step_id=1, source="user", message=_content(record.instruction or "", first and first.screenshot))
    agent = [_agent_step(number, step) for number, step in enumerate(record.steps, 2)]
    usage = record.usage.get("agent")
    return AtifTrajectory(
        trajectory_id=source.id,
        agent=AtifAgent(name=name or "unknown", version=record.versions.get("trueline", "unknown"), model_name=model),
        steps=(user, *agent),
        final_metrics=None if usage is None else _totals(usage, len(agent) + 1),
    )


def _agent_step(number: int, step: Step) -> AtifStep:
    proposal = step.proposal
    actions = proposal.actions if proposal else tuple(result.action for result in step.results)
    calls = tuple(_call(step.number, place, action) for place, action in enumerate(actions, 1))
    results = tuple(_result(result, call) for result, call in zip_longest(step.results, calls) if result)
    time = next((result.time for result in step.results if result.time), step.observation and step.observation.time)
    used = [attempt.proposal.usage for attempt in step.attempts if attempt.proposal.usage is not None]
    return AtifStep(
        step_id=number,
        timestamp=time.isoformat() if time else None,
        source="agent",
        message=(proposal and proposal.raw) or "",
        reasoning_content=proposal and proposal.thought,
        tool_calls=calls or None,
        observation=AtifObservation(results=results) if results else None,
        metrics=_metrics(total_usage(used)) if used else None,
    )


def _call(step: int, place: int, action: Action) -> AtifToolCall:
    return AtifToolCall(tool_call_id=f"{step}.{place}", function_name=action.kind, arguments=action_fields(action))


def _result(result: ActionResult, call: AtifToolCall | None) -> AtifResult:
    text = "\n".join(filter(None, (result.output, result.error and f"error: {result.error}")))
    return AtifResult(source_call_id=call and call.tool_call_id, content=_content(text, result.screenshot))


def _content(text: str, picture: StoredFile | None) -> Content:
    if picture is None or picture.file is None:
        return text
    kind = MEDIA_TYPES.get(PurePath(picture.file).suffix.lower(), "image/png")
    image = ContentPart(type="image", source=ImageSource(media_type=kind, path=picture.file))
    return (ContentPart(type="text", text=text), image) if text else (image,)


def _metrics(usage: Usage) -> AtifMetrics:
    if usage.uncounted:
        return AtifMetrics(cost_usd=usage.cost)
    return AtifMetrics(
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        cost_usd=usage.cost,
    )


def _totals(usage: Usage, steps: int) -> FinalMetrics:
    if usage.uncounted:
        return FinalMetrics(total_cost_usd=usage.cost, total_steps=steps)
    return FinalMetrics(
        total_prompt_tokens=usage.input_tokens,
        total_completion_tokens=usage.output_tokens,
        total_cached_tokens=usage.cached_tokens,
        total_cost_usd=usage.cost,
        total_steps=steps,
    )
