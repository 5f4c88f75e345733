from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.arena import ArenaGame
from sparring.base.errors import BadFile
from sparring.players import RandomPlayer
from studies.__main__ import main
from studies.expendibots.acceptance import NamedPlayer, TimedResult, play_match, summarise_match
from studies.expendibots.rungs import GreedyPlayer

GREEDY = NamedPlayer("greedy", GreedyPlayer())
RANDOM = NamedPlayer("random", RandomPlayer())


def make_results(points: list[float]) -> list[TimedResult]:
    """Games with these points for the new player, who has White in every other one."""
    games = []
    for number, point in enumerate(points):
        names = ("new", "old") if number % 2 == 0 else ("old", "new")
        result = point if number % 2 == 0 else 1 - point
        games.append(
            TimedResult(ArenaGame(number, *names, number // 2, result, "no tokens", "", 30, 1.0), 0.5)
        )
    return games


def test_games_come_in_pairs_with_colours_exchanged() -> None:
    games = [each.result for each in play_match("expendibots", GREEDY, RANDOM, games=4, seed=1)]
    assert [game.first for game in games] == ["greedy", "random", "greedy", "random"]
    assert games[0].detail == games[1].detail
    assert games[2].detail == games[3].detail
    assert games[0].detail != games[2].detail


def test_a_match_is_the_same_with_the_same_seed_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    def results(journal: Path | None) -> list[Any]:
        found = play_match("expendibots", GREEDY, RANDOM, games=6, seed=2, journal=journal)
        return [(each.result.result, each.result.plies) for each in found]

    journal = tmp_path / "games.jsonl"
    whole = results(journal)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:3]) + lines[3][:20])
    assert results(journal) == whole == results(None)
    assert len(journal.read_text().splitlines()) == 6


def test_a_clear_win_is_accepted() -> None:
    summary = summarise_match("new", "old", make_results([1, 1, 1, 0.5, 1, 1, 1, 1, 0, 1]))
    assert (summary.wins, summary.draws, summary.losses) == (8, 1, 1)
    assert summary.p_value == pytest.approx((1 + 9) / 2**9)
    assert summary.accepted
    assert summary.score == pytest.approx(0.85)
    assert summary.score_low < 0.85 < summary.score_high
    assert summary.elo is not None
    assert summary.elo > 100


def test_equals_are_not_accepted() -> None:
    summary = summarise_match("new", "old", make_results([1, 0, 0.5, 0.5, 0, 1, 1, 0]))
    assert not summary.accepted
    assert summary.score == 0.5
    assert summary.elo == pytest.approx(0, abs=30)


def test_a_match_without_a_lost_point_has_no_finite_rating() -> None:
    summary = summarise_match("new", "old", make_results([1.0] * 20))
    assert summary.elo is None
    assert summary.accepted
    assert 0.8 < summary.score_low < summary.score_high <= 1.0


@pytest.mark.parametrize("line", ["{}", "[]", "1", '{"result": 1, "cpu_seconds": "x"}'])
def test_a_foreign_line_of_the_journal_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "match.jsonl").write_text(line + "\n")
    journal = tmp_path / "match.jsonl"
    with pytest.raises(BadFile, match="line 1 is foreign"):
        list(play_match("expendibots", GREEDY, RANDOM, games=2, seed=0, journal=journal))


def test_an_acceptance_match_accepts_the_stronger_player(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    main(["expendibots-accept", "greedy", "random", "--games", "12", "--out", str(tmp_path)])
    words = capsys.readouterr().out
    assert words.startswith("greedy v random: ")
    assert "accepted: p = " in words
    main(["expendibots-accept", "greedy", "random", "--games", "12", "--out", str(tmp_path), "--json"])
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["wins"] + verdict["draws"] + verdict["losses"] == 12
    assert json.loads((tmp_path / "greedy-random.json").read_text())["wins"] == verdict["wins"]
