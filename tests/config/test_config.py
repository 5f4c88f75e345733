"""The configuration reader: accepted values, and the one-line errors for everything else."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from sparring.base.config import (
    NonNegative,
    Source,
    bad_value,
    describe_type,
    from_table,
    read_config,
    read_toml,
)
from sparring.base.errors import BadConfig
from tests.config.option_tables import options_table


@dataclass(frozen=True)
class Inner:
    """A nested table."""

    low: int
    high: int = 9

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}")


@dataclass(frozen=True)
class Example:
    """One field of every kind."""

    game: str
    nodes: Annotated[int, Meta(ge=0)] = 0
    """Positions that the search evaluates; `a | b` in
    two lines."""
    weight: NonNegative = 1.0
    reach: Annotated[float, Meta(gt=0, extra={"infinite": True})] = 1.0
    evaluator: str | None = None
    rating: int | str | None = None
    rule: Literal["visits", "kl"] = "visits"
    quiet: bool = False
    words: tuple[str, ...] = ()
    span: tuple[float, float] | None = None
    options: Mapping[str, int] = dataclasses.field(default_factory=dict)
    file: Path | None = None
    inner: Inner | None = None
    each: tuple[Inner, ...] = ()

    def __post_init__(self) -> None:
        if self.game not in ("chess", "go"):
            raise bad_value("game", self.game, "one of chess, go")


def read(tmp_path: Path, text: str | bytes) -> Example:
    file = tmp_path / "example.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_config(Example, file)


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    text = """
    game = "go"
    nodes = 3
    weight = 2
    reach = inf
    evaluator = "strong"
    rating = "3d"
    rule = "kl"
    quiet = true
    words = ["a", "b"]
    span = [1, 2.5]
    options = { Hash = 16 }
    file = "book.pgn"
    inner = { low = 1 }
    [[each]]
    low = 2
    high = 3
    """
    assert read(tmp_path, text) == Example(
        "go", 3, 2.0, float("inf"), "strong", "3d", "kl", True, ("a", "b"), (1.0, 2.5), {"Hash": 16},
        tmp_path / "book.pgn", Inner(1, 9), (Inner(2, 3),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nodes = -3", "nodes = -3: expected an integer >= 0"),
        ("nodes = 1.5", "nodes = 1.5: expected an integer >= 0"),
        ("nodes = true", "nodes = true: expected an integer >= 0"),
        ("nodes = 1979-05-27", "nodes = datetime.date(1979, 5, 27): expected an integer >= 0"),
        ("weight = nan", "weight = nan: expected a number >= 0"),
        ("weight = inf", "weight = inf: expected a number >= 0: no NaN, infinity, huge number or NUL"),
        ("weight = 0x" + "f" * 5000, "weight = a huge number: expected a number >= 0"),
        ("weight = " + "9" * 400, f"weight = {'9' * 50}...: expected a number >= 0"),
        (
            "nodes = 0x" + "f" * 17,
            "nodes = 295147905179352825855: expected an integer >= 0: no NaN, infinity",
        ),
        ("reach = nan", "reach = nan: expected a number > 0"),
        ("reach = 0", "reach = 0: expected a number > 0"),
        ("evaluator = 1", "evaluator = 1: expected a string"),
        (
            'evaluator = "a\\u0000b"',
            "evaluator = 'a\\x00b': expected a string: no NaN, infinity, huge number or NUL",
        ),
        ("rating = 1.5", "rating = 1.5: expected an integer or a string"),
        ('rule = "best"', "rule = 'best': expected one of visits, kl"),
        ("quiet = 1", "quiet = 1: expected true or false"),
        ('words = ["x", 1]', "words = ['x', 1]: expected a list of strings"),
        ("span = [1]", "span = [1]: expected a list of 2 numbers"),
        (
            "span = [1, nan]",
            "span = [1, nan]: expected a list of 2 numbers: no NaN, infinity, huge number or NUL",
        ),
        ("options = { Hash = 'x' }", "options = {'Hash': 'x'}: expected a table of integers"),
        ("file = 3", "file = 3: expected a path"),
        ("inner = 3", "inner = 3: expected a table"),
        ("inner = {}", "missing key 'inner.low': expected an integer"),
        ("inner = { low = 10 }", "inner: low 10 is above high 9"),
        ("each = 3", "each = 3: expected a list of tables"),
        ("each = [{ low = 1 }, 3]", "each[2] = 3: expected a table"),
        ("each = [{ low = 1 }, { low = 'x' }]", "each[2].low = 'x': expected an integer"),
        ("nods = 3", "unknown key 'nods'; did you mean 'nodes'? Known keys: game, nodes, weight, "),
        ("xyz = 3", "unknown key 'xyz'. Known keys: game, nodes, weight, "),
        (
            "[inner]\nlow = 1\nhihg = 2",
            "unknown key 'inner.hihg'; did you mean 'high'? Known keys: low, high",
        ),
        ("x = " + "[" * 5000, "nested too deeply"),
        ("x = " + "{a=" * 5000, "nested too deeply"),
        ("x = " + "1" * 5000, "not TOML: Exceeds the limit"),
        ("x = ", "not TOML: Invalid value (at end of document)"),
        (".".join("a" * 500) + " = 1", "a dotted key has more than 32 parts"),
        ("x = { " + ' . "a b"' * 500 + " = 1 }", "a dotted key has more than 32 parts"),
        (b"\xff", "not UTF-8 text (byte 15)"),
        ("# " + "x" * (1 << 20), "too large: a configuration has at most 1,048,576 bytes"),
    ],
)
def test_an_error_names_file_key_value_and_what_is_allowed(
    text: str | bytes, message: str, tmp_path: Path
) -> None:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(BadConfig) as caught:
        read(tmp_path, b'game = "chess"\n' + content)
    assert str(caught.value).startswith(f"{tmp_path / 'example.toml'}: {message}")
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 400


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    assert read(tmp_path, b'\xef\xbb\xbfgame = "go"') == Example("go")


def test_a_key_without_default_is_required(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"example\.toml: missing key 'game': expected a string"):
        read(tmp_path, "")


def test_a_refusal_of_the_class_gets_file_and_key_path(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"example\.toml: game = 'poker': expected one of chess, go$"):
        read(tmp_path, 'game = "poker"')


@pytest.mark.parametrize("name", ["none.toml", "a\0b", "x" * 5000, "."])
def test_a_file_that_cannot_be_read_is_a_bad_config(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadConfig) as caught:
        read_config(Example, tmp_path / name)
    assert len(str(caught.value).splitlines()) == 1


def test_without_a_file_the_message_starts_with_the_key() -> None:
    with pytest.raises(BadConfig, match=r"^nodes = -1: expected an integer >= 0$"):
        from_table(Example, {"game": "go", "nodes": -1})
    with pytest.raises(BadConfig, match=r"^player\[2\]\.nodes = None: expected"):
        from_table(Example, {"game": "go", "nodes": None}, Source(path="player[2]"))


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 400_000) + " = 1",
        "x = { " + ".".join(["'b c'"] * 100_000) + " = 1 }",
        "".join(f"[a{n}]\n" for n in range(50_000)),
        '"' * 1_000_000,
        "a" * 1_000_000,
    ],
)
def test_large_input_takes_linear_time(text: str, tmp_path: Path) -> None:
    start = time.process_time()
    with pytest.raises(BadConfig):
        read(tmp_path, text)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (int | str | None, "an integer or a string"),
        (Annotated[int, Meta(ge=1, le=9)], "an integer from 1 to 9"),
        (Annotated[float, Meta(ge=0, lt=1)], "a number >= 0 and < 1"),
        (tuple[Annotated[int, Meta(ge=1)], ...], "a list of integers >= 1"),
        (dict[str, Any], "a table of values"),
    ],
)
def test_types_in_words(hint: Any, words: str) -> None:
    assert describe_type(hint) == words


def test_the_table_of_options_has_type_default_and_docstring() -> None:
    table = options_table(Example)
    assert "| `game` | a string | required |  |\n" in table
    assert (
        "| `nodes` | an integer >= 0 | 0 | "
        "Positions that the search evaluates; `a &#124; b` in two lines. |\n" in table
    )
    assert "| `quiet` | true or false | false |  |\n" in table


def test_a_pipe_is_no_configuration(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.toml")
    with pytest.raises(BadConfig, match=r"x\.toml: not a regular file"):
        read_toml(tmp_path / "x.toml")
