"""Lazy exports of a package (PEP 562): a public name imports its module when it is first used."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_EXPORT = re.compile(r"^    from (sparring[\w.]*) import (\w+) as (\w+)$", re.MULTILINE)


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Makes `__getattr__`, `__dir__` and `__all__` of a package, as `lazy_loader.attach_stub` does.

    `package` is the package's `__name__`. Its public names are listed once, in the `if TYPE_CHECKING:` block
    of its `__init__.py`, one a line: `from sparring.package.module import name as name`. A public name must
    not be the name of a module of the package, since importing that module would replace it.
    """
    spec = sys.modules[package].__spec__
    assert spec is not None
    source: str = spec.loader.get_source(package)  # type: ignore[union-attr]  # source loaders have it
    modules = {public: (module, name) for module, name, public in _EXPORT.findall(source)}
    names = sorted(modules)

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, defined = modules[name]
        value = getattr(import_module(module), defined)
        setattr(sys.modules[package], name, value)  # found at once from now on
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return names

    return __getattr__, __dir__, names
