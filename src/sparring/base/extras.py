"""Optional libraries, and the extras of the package that install them."""

from __future__ import annotations

from importlib import import_module

from sparring.base.errors import MissingExtra


def require(module: str, extra: str, purpose: str) -> None:
    """Imports an optional library.

    Raises MissingExtra with what `purpose` needs, such as "tables need".
    """
    try:
        import_module(module)
    except ImportError:
        raise MissingExtra(f"{purpose} {module}: pip install 'sparring[{extra}]'") from None
