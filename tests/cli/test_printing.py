"""Text of others is printed as it is: no markup of rich's, no emoji codes, no escape sequences."""

from __future__ import annotations

import ast
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

import sparring
from sparring.cli import main
from sparring.cli.console import foreign, make_console, visible
from tests.matching.tables import write_table
from tests.networks.hostile_models import with_entries
from tests.networks.tiny_networks import tiny_network, write
from tests.training.factories import line_record

HOSTILE = [
    "[/bold]x",
    "[bold",
    "[/]",
    "[red]x[/red]",
    "a\\",
    "a\\\\\\",
    "\\[b]",
    ":skull:",
    "[link=x]y",
    "[@click=x]",
]
CONTROL = ["\x1b[31mred", "\x07", "\x9b2J", "\r", "\n", "\t", "\x00", "\u202eabc", "\u2028", "\ud800", "\x7f"]


def printed(markup: str) -> str:
    out = io.StringIO()
    make_console(file=out, width=200).print(markup)
    return out.getvalue()


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_and_emoji_codes_are_shown_as_they_are(text: str) -> None:
    assert printed(f"[bold]{foreign(text)}[/] end").replace("\u200b", "") == f"{text} end\n"


@pytest.mark.parametrize("text", CONTROL)
def test_control_characters_are_made_visible(text: str) -> None:
    for shown in (visible(text), foreign(text), printed(foreign(text)).rstrip("\n")):
        assert all(each.isprintable() for each in shown), repr(shown)
        assert shown.startswith("\\")


def test_names_of_people_stay() -> None:
    for name in ("José Raúl", "羽生 善治", "名　人", "[GM] x", "A [b] c", "Ω'Neil"):
        assert visible(name) == name
        assert printed(foreign(name)) == f"{name}\n"


def test_all_commands_print_through_one_console() -> None:
    """Only `sparring.cli.console` makes consoles and escapes markup."""
    for path in (Path(sparring.__file__).parent / "cli").glob("*.py"):
        if path.name == "console.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("Console", "escape"), f"{path}:{node.lineno}: see cli/console.py"
                if node.func.id in ("Progress", "Live"):
                    given = {keyword.arg for keyword in node.keywords}
                    assert "console" in given, f"{path}:{node.lineno}: see cli/console.py"


def test_no_color_means_no_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = {}
    for value in ("", "1"):
        monkeypatch.setenv("NO_COLOR", value)
        out = io.StringIO()
        make_console(file=out, force_terminal=True).print("[bold]a[/] [dim]b[/] [red]c[/]")
        shown[value] = out.getvalue()
    assert "\x1b[1m" in shown[""]
    assert shown["1"] == "a b c\n"


@pytest.mark.parametrize("arguments", ["--help", "predict --help", "games"])
def test_no_color_reaches_tables_and_help(arguments: str) -> None:
    command = [sys.executable, "-c", f"from sparring.cli import main; main({arguments.split()})"]
    environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1"}
    shown = pexpect.run(shlex.join(command), env=environment, timeout=60)
    assert len(shown) > 200
    assert b"\x1b" not in shown


def test_a_hostile_name_does_not_stop_records_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = line_record("chess", ["e2e4", "e7e5"], "x", first="[/bold]x", second="\x1b[31m:skull:")
    table = write_table(tmp_path / "table", "chess", [record])
    main(["records", "list", str(table)])
    out = capsys.readouterr().out
    assert "[/bold]x" in out
    assert "\\x1b[31m:skull:" in out


def test_a_hostile_card_does_not_stop_models_list(
    tmp_path: Path, model_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = {"trained_on": "[/bold]x", "name": "\x1b]0;x\x07", "limitations": "[link=http://x]"}
    file = write(with_entries(tiny_network("chess"), **card), tmp_path / "x.onnx")
    for command in (["add", str(file)], ["list"], ["info", "x"]):
        main(["models", *command])
        out = capsys.readouterr().out
        assert "[/bold]x" in out
        assert "\x1b" not in out
        assert "\x07" not in out


def test_a_hostile_folder_does_not_stop_a_command_after_its_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games.pgn"
    games.write_text(
        '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n'
    )
    out = tmp_path / "[" / "bold]\x1b[31m"
    main(["records", "build", str(games), "--preset", "everything", "--out", str(out)])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "bold]" in shown.replace("\n", "")


def test_errors_have_no_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["predict", "chess", "--model", "\x1b[31mx[/bold]"])
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert "[/bold]" in err


def test_a_terminal_without_unicode_shows_escapes(tmp_path: Path) -> None:
    file = write(with_entries(tiny_network("chess"), trained_on="parties françaises"), tmp_path / "x.onnx")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    command = [sys.executable, "-c", "from sparring.cli import main; main()", "models", "info", str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert b"parties fran\\xe7aises" in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")
