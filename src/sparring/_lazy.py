"""Lazy exports of a package (PEP 562): a public name imports its module when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, exports: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Makes `__getattr__`, `__dir__` and `__all__` of a package, as `lazy_loader.attach` does.

    `package` is the package's `__name__`. `exports` maps modules to the public names that each defines:
    modules of the package by their names inside it, others by their full names (`sparring. ...`). A public
    name must not be the name of a module of the package, since importing that module would replace it.
    """
    modules = {
        name: module if module.startswith("sparring.") else f"{package}.{module}"
        for module, names in exports.items()
        for name in names
    }
    public = sorted(modules)

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)  # found at once from now on
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return public

    return __getattr__, __dir__, public
