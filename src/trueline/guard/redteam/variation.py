"""The dials of an attack."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from trueline.guard.redteam.disguises import ENTERINGS, POINTINGS, SPELLINGS, TYPINGS, VOICES, WRAPPINGS

BULKS = ("plain", "long", "many")
"""How much is proposed at once: as needed, one very long text, very many actions."""
DIALS: dict[str, tuple[str, ...]] = {
    "voice": tuple(VOICES),
    "spelling": tuple(SPELLINGS),
    "wrapping": tuple(WRAPPINGS),
    "typing": tuple(TYPINGS),
    "entering": tuple(ENTERINGS),
    "pointing": tuple(POINTINGS),
    "bulk": BULKS,
}
"""What each dial can be set to, besides `wording`, which counts through the texts of the corpus."""


@dataclass(frozen=True)
class Variation:
    """One setting of all dials."""

    wording: int = 0
    voice: str = "plain"
    spelling: str = "plain"
    wrapping: str = "plain"
    typing: str = "plain"
    entering: str = "plain"
    pointing: str = "plain"
    bulk: str = "plain"
    rewrite: str | None = None
    """Words that a model chose instead of the corpus'."""

    def document(self) -> dict[str, object]:
        """The dials that are not at their default."""
        default = asdict(PLAIN)
        return {name: value for name, value in asdict(self).items() if value != default[name]}


PLAIN = Variation()

assert {field.name for field in fields(Variation)} == {"wording", "rewrite", *DIALS}
