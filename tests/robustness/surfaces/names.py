"""Names, paths, numbers and lines of others: none reaches rich's markup or the terminal as it is."""

from __future__ import annotations

import json
import os
import random
from functools import cache
from pathlib import Path
from unittest import mock

import onnx

from tests.matching.tables import write_table
from tests.networks.hostile_models import with_entries
from tests.networks.tiny_networks import tiny_network, write
from tests.robustness.trials import Finished, mutated, run_command, surface
from tests.training.factories import line_record

_PARTS = (
    "[/bold]", "[bold]", "[/]", "[", "]", "\\", "\\[", "\x1b[31m", "\x1b]0;x\x07", "\x9b2J", "\r", "\n", "\t",
    ":skull:", "\u202e", "\u200b", "x", "é", "名", "\U0001f600", "[link=http://x]", "[@click=y]", "%s", "{0}",
    " ", "'", '"', "$(x)", "--", "..", "[red]a[/red]", "[/red]", "\u2028", "\x7f",
)  # fmt: skip
_NUMBERS = (
    "nan", "inf", "-inf", "-1", "0", "99999999999", "9" * 25, "9" * 400, "1e999", "1.5", "", "x", "٣", "0x10",
    "-0", "1_000", " 7", "18446744073709551616",
)  # fmt: skip
_OPTIONS = (
    ("predict", "chess", "--threads"), ("predict", "chess", "--rating"), ("predict", "chess", "--clock"),
    ("predict", "go", "--komi"), ("predict", "chess", "--top"), ("predict", "chess", "--ratings"),
    ("predict", "go", "--rank"), ("arena", "rate", "none", "--anchor"), ("arena", "rate", "none", "--prior"),
    ("perft", "breakthrough"), ("rbc", "track", "none", "--player", "white", "--limit"),
    ("rbc", "track", "none", "--player", "white", "--seed"), ("play", "chess", "--seed"),
    ("play", "chess", "--level"), ("play", "chess", "--strength"),
    ("play", "go", "-o"), ("models", "info"), ("models", "remove"),
    ("records", "list", "none", "--most"), ("predict", "chess", "--position"),
    ("predict", "chess", "--model"),
)  # fmt: skip


@surface("names", trials=100, few=5)
def trial(rng: random.Random, folder: Path) -> None:
    """Hostile names in a record, a card, a path, an option, or lines to predict."""
    kind = rng.choice((_record, _card, _option, _option, _lines))
    with mock.patch.dict(os.environ, {"SPARRING_HOME": str(folder / "home")}):
        kind(rng, folder)


def _name(rng: random.Random) -> str:
    return "".join(rng.choice(_PARTS) for _ in range(rng.randint(1, 5)))


def _file_name(rng: random.Random) -> str:
    return _name(rng).replace("/", "") or "x"


def _check(done: Finished, codes: tuple[int, ...] = (0, 2)) -> None:
    assert done.code in codes, done
    shown = done.out + done.err
    assert all(each.isprintable() or each in "\n\u200b\u3000" for each in shown), done
    assert done.code == 0 or len(done.err.splitlines()) == 1, done


def _record(rng: random.Random, folder: Path) -> None:
    record = line_record("chess", ["e2e4", "e7e5"], "x", first=_name(rng), second=_name(rng))
    table = write_table(folder / _file_name(rng), "chess", [record])
    for command in (["list"], ["stats"]):
        _check(run_command(["records", command[0], str(table)]))


def _card(rng: random.Random, folder: Path) -> None:
    fields = ("name", "trained_on", "limitations", "licence", "source", "accuracy", "architecture")
    model = with_entries(_tiny(), **{rng.choice(fields): _name(rng) for _ in range(3)})
    file = write(model, folder / f"{_file_name(rng)}.onnx")
    for command in (["add", str(file), "--name", "x"], ["list"], ["info", "x"], ["info", str(file)]):
        _check(run_command(["models", *command]))
    _check(run_command(["predict", "chess", "--model", f"{_name(rng)}={file}"]))


def _option(rng: random.Random, folder: Path) -> None:
    value = rng.choice((*_NUMBERS, _name(rng)))
    done = run_command([*rng.choice(_OPTIONS), value], "quit\n")
    assert done.code in (0, 1, 2), done
    assert "\x1b" not in done.err, done


def _lines(rng: random.Random, folder: Path) -> None:
    """One bad line costs no other."""
    query = {"moves": "e2e4", "rating": 1500, "clock": 5.0, "position": None}
    bad = mutated(rng, json.dumps(query).encode(), [b"[" * 9000, b"9" * 400, b"NaN", b"\xff", b"\\ud800"])
    bad = bad.replace(b"\n", b" ") + b" "
    (folder / "q.jsonl").write_bytes(b'{"moves": "e2e4"}\n' + bad + b'\n{"moves": "d2d4"}\n')
    model = write(_tiny(), folder / "x.onnx")
    done = run_command(["predict", "chess", "--model", str(model), "--input", str(folder / "q.jsonl")])
    results = [json.loads(line) for line in done.out.splitlines()]
    assert len(results) == 3 - (not bad.strip()), done
    assert "error" not in results[0], done
    assert "error" not in results[-1], done


@cache
def _tiny() -> onnx.ModelProto:
    return tiny_network("chess")
