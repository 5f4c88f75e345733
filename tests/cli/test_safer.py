"""`sparring safer`."""

from __future__ import annotations

import json

import pytest

from sparring.cli import main
from tests.cli.command_errors import one_line_error

QUICK = ("--nodes", "3", "--engine-nodes", "8")
TRAP = ("--moves", "e4 e5 Bc4 Nc6 Qh5", "--rating", "800")


def test_the_table_names_both_moves_and_the_trap(capsys: pytest.CaptureFixture[str]) -> None:
    main(["safer", "chess", *TRAP, *QUICK])
    shown = " ".join(capsys.readouterr().out.split())
    assert "engine's first choice" in shown
    assert "between people of 800" in shown
    assert "play Nf6, which gives away" in shown


def test_json_has_all_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    main(["safer", "chess", *TRAP, *QUICK, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"engine", "safer", "gain", "mistake", "traps", "moves"}
    assert "g8f6" in found["traps"]
    moves = {row["move"]: row for row in found["moves"]}
    assert {found["engine"], found["safer"]} <= set(moves)
    assert found["gain"] == pytest.approx(
        moves[found["safer"]]["people"] - moves[found["engine"]]["people"], abs=2e-4
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["safer", "shogi"], "does not judge positions well enough"),
        (["safer", "chess", "--rating", "5000"], "from 600 to 2600, not 5000"),
        (["safer", "chess", "--moves", "f3 e5 g4 Qh4"], "the game is over there"),
        (["safer", "breakthrough"], "no network 'human'"),
    ],
)
def test_mistakes_get_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in one_line_error(capsys, arguments)
