"""Options of the native core are declared once, in C++: Python has no default, range or doc of its own."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring._core import NativeOption, PuctConfig, RbcPlannerConfig
from sparring.base.config import from_table, native_option, native_values
from sparring.base.errors import BadConfig
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import puct_config
from sparring.rbc.planner import PaperVariants, PlannerOptions
from tests.config.option_tables import options_table

SOURCE = Path(sparring.__file__).parent
NATIVE: dict[str, dict[str, NativeOption]] = {
    cls.__name__: {option.name: option for option in cls.options()} for cls in (PuctConfig, RbcPlannerConfig)
}


def second_declarations(source: str) -> Iterator[str]:
    """The fields in a module that imports a native class and gives one of its options a value or a range.

    A short name such as `batch` may be another thing in a class that has no option of the core.
    """
    tree = ast.parse(source)
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    imported = {alias.name for node in imports for alias in node.names}
    options = {name for cls, table in NATIVE.items() if cls in imported for name in table}
    for cls in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        has_native = "native" in ast.unparse(cls)
        for field in (node for node in cls.body if isinstance(node, ast.AnnAssign)):
            name = ast.unparse(field.target)
            if name not in options or not ("_" in name or has_native):
                continue
            maker = ast.unparse(field.value.func) if isinstance(field.value, ast.Call) else ""
            has_value = field.value is not None and maker not in ("native_option", "_native")
            if has_value or not isinstance(field.annotation, ast.Name):
                yield f"{cls.name}.{name}"


def test_no_module_declares_a_native_option_again() -> None:
    modules = [*SOURCE.rglob("*.py")]
    assert any("native_option(PuctConfig" in path.read_text() for path in modules)
    again = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in modules
        for name in second_declarations(path.read_text())
    }
    assert not again


@pytest.mark.parametrize(
    "field",
    ["c_puct: float = 1.5", "c_puct: Annotated[float, Meta(ge=0)] = native_option(PuctConfig, 'c_puct')"],
)
def test_a_second_declaration_would_be_seen(field: str) -> None:
    source = f"from sparring._core import PuctConfig\nclass Example:\n    {field}\n"
    assert list(second_declarations(source)) == ["Example.c_puct"]


def test_every_option_of_the_planner_is_a_key() -> None:
    keys = native_values(PlannerOptions()) | native_values(PaperVariants())
    assert {*keys, "threads"} == set(NATIVE["RbcPlannerConfig"])
    assert PlannerOptions().native(3) == RbcPlannerConfig(threads=3)


def test_a_player_searches_with_its_keys() -> None:
    config = PlayerConfig("chess", c_puct=2.5, policy_temperature=1.5, memory=7, solver=False)
    assert puct_config(config) == PuctConfig(c_puct=2.5, policy_temperature=1.5, memory=7, solver=False)


@pytest.mark.parametrize("cls", [PlayerConfig, PlannerOptions, PaperVariants])
def test_files_have_the_ranges_of_the_core(cls: type[Any]) -> None:
    needed = {"game": "chess"} if cls is PlayerConfig else {}
    for field in dataclasses.fields(cls):
        option: NativeOption | None = field.metadata.get("native")
        if option is None:
            continue
        kind = type(option.default)
        assert kind.__name__ == field.type, field.name
        assert getattr(from_table(cls, {**needed, field.name: option.default}), field.name) == option.default
        if kind is bool:
            continue
        below = option.low if option.open_low else option.low - 1
        for value in [below] if math.isinf(option.high) else [below, option.high + 1]:
            with pytest.raises(BadConfig, match=field.name):
                from_table(cls, {**needed, field.name: kind(value)})


@pytest.mark.parametrize("cls", [PuctConfig, RbcPlannerConfig])
def test_the_core_refuses_what_is_out_of_range(cls: Any) -> None:
    for option in cls.options():
        kind = type(option.default)
        if kind is bool:
            continue
        if kind is float:
            with pytest.raises(ValueError, match=f"^{option.name} must be "):
                cls(**{option.name: math.nan})
        if math.isinf(option.high):
            assert getattr(cls(**{option.name: math.inf}), option.name) == math.inf
            continue
        assert getattr(cls(**{option.name: kind(option.high)}), option.name) == option.high
        with pytest.raises(ValueError, match=f"^{option.name} must be .*{option.high:.10g}$"):
            cls(**{option.name: kind(option.high + 1)})


def test_the_table_in_the_docs_is_that_of_the_core() -> None:
    rows = {row.split("`")[1]: row for row in options_table(PlayerConfig).splitlines()[2:]}
    options = NATIVE["PuctConfig"]
    assert rows["c_puct"] == f"| `c_puct` | a number >= 0 | 1.5 | {options['c_puct'].doc} |"
    temperature = options["policy_temperature"]
    assert temperature.open_low
    assert rows["policy_temperature"] == (
        f"| `policy_temperature` | a number > 0 and <= 1000 | 1.0 | {temperature.doc} |"
    )
    assert rows["batch"].startswith("| `batch` | an integer from 1 to 65536 | 16 |")


def test_a_field_may_have_another_name_than_its_option() -> None:
    @dataclasses.dataclass(frozen=True)
    class Example:
        exploration: float = native_option(PuctConfig, "c_puct")

    assert Example().exploration == NATIVE["PuctConfig"]["c_puct"].default
    assert native_values(Example(2.0)) == {"c_puct": 2.0}
