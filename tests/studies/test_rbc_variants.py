"""`python -m studies rbc-variants`: matches with clocks, journalled and resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.base.config import read_config
from sparring.base.storage import Journal
from sparring.players.game_players import BotRatingTable
from studies.__main__ import main
from studies.rbc import variants as study
from studies.rbc.histories import read_games
from studies.rbc.matches import RbcMatch


def test_matches_are_played_summarised_and_resumed(tmp_path: Path) -> None:
    matches = [study.VariantMatch("guesser", name, 30, 0.1, max_turns=20) for name in ("random", "attacker")]
    played: list[study.VariantGame] = []
    report = study.run(matches, 1, tmp_path, "a command", 1, on_progress=played.append)
    assert len(played) == 2
    report = study.run(matches, 2, tmp_path, "a command", 1, on_progress=played.append)
    assert len(played) == 4
    assert [each["opponent"] for each in report["matches"]] == ["random", "attacker"]
    for match in report["matches"]:
        assert match["games"] == match["won"] + match["drawn"] + match["lost"] == 2
        assert match["crashed"] == match["lost_on_time"] == 0
        assert match["least_seconds_left"] > 0
        assert match["most_megabytes"] > 10
    assert json.loads((tmp_path / study.REPORT).read_text()) == report
    ended = [game for game in played if game.reason not in ("time", "turn limit")]
    records = list(read_games([tmp_path / study.HISTORIES])) if ended else []
    assert [record.record and (record.record.first, record.record.second) for record in records] == [
        (game.bot, game.opponent) if game.number % 2 == 0 else (game.opponent, game.bot) for game in ended
    ]


def test_clocks_can_count_processor_time(tmp_path: Path) -> None:
    match = study.VariantMatch("random", "random", 30, 0.1, max_turns=3)
    report = study.run([match], 1, tmp_path, "a command", 1, processor_time=True)
    assert report["clock"] == "30 s + 0.1 s of processor time"
    assert report["matches"][0]["least_seconds_left"] > 25


def test_a_match_can_be_played_in_parts(tmp_path: Path) -> None:
    match, played = study.VariantMatch("random", "random", 30, 0.1, max_turns=3), list[study.VariantGame]()
    study.run([match], 2, tmp_path, "a command", 1, on_progress=played.append, first=3)
    assert [game.number for game in played] == [3, 4]
    assert list(RbcMatch("random", "trout", 2, 30.0, first=3).numbers) == [3, 4]


def test_a_bot_that_fails_is_counted(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('kind = "planner"\n[planner]\nnetwork = "nowhere.onnx"\n')
    report = study.run([study.VariantMatch(str(broken), "random", 9, 0)], 1, tmp_path, "a command", 1)
    assert report["matches"][0]["crashed"] == 1


def test_an_unknown_bot_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rbc-variants", "--bots", "nobody"])
    assert "nobody" in capsys.readouterr().err


def test_in_a_round_robin_each_bot_plays_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played: list[tuple[str, str]] = []

    def run(matches: list[study.VariantMatch], *_: object, **__: object) -> dict[str, list[object]]:
        played.extend((match.bot, match.opponent) for match in matches)
        return {"matches": []}

    monkeypatch.setattr(study, "run", run)
    words = ["rbc-variants", "--round-robin", "--out", str(tmp_path), "--bots"]
    main([*words, "random,attacker,guesser"])
    assert played == [("random", "attacker"), ("random", "guesser"), ("attacker", "guesser")]
    with pytest.raises(SystemExit):
        main([*words, "random"])
    assert "two bots" in capsys.readouterr().err


def test_bots_are_rated_by_their_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = Journal(tmp_path / "games.jsonl")
    for number, score in enumerate([1, 1, 0.5, 1, 1, 0]):
        journal.add({"bot": "a/best.toml", "opponent": "inference", "number": number, "score": score})
    journal.add({"bot": "twin", "opponent": "weak", "number": 0, "score": 1.0})
    journal.add({"bot": "twin", "opponent": "weak", "number": 1, "score": None})
    journal.add({"bot": "twin", "opponent": "best", "number": 0, "score": 0.0})
    journal.add({"bot": "others", "opponent": "apart", "number": 0, "score": 1.0})
    arguments = ["rbc-ratings", "--journals", str(tmp_path / "games.jsonl"), "--out", str(tmp_path)]
    main([*arguments, "--same", "twin=best"])
    rows = json.loads((tmp_path / "ratings.json").read_text())["ratings"]
    assert [row["bot"] for row in rows] == ["best", "inference", "weak"]
    assert rows[0]["elo"] > rows[1]["elo"] == 1500
    assert rows[0]["games"] == 7
    with pytest.raises(SystemExit):
        main([*arguments, "--anchor", "nobody"])
    assert "no game of 'nobody'" in capsys.readouterr().err


def test_points_of_matches_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = study.VariantMatch("random", "random", 30, 0.1, max_turns=3)
    study.run([match], 2, tmp_path / "match", "a command", 1)
    main(["rbc-points", str(tmp_path / "match"), f"A = B={tmp_path / 'match'}", "--out", str(tmp_path)])
    rows = json.loads((tmp_path / "points.json").read_text())["matches"]
    assert [row["label"] for row in rows] == ["random - random, 30 s + 0.1 s", "A = B"]
    assert [row["games"] for row in rows] == [2, 2]
    assert "A = B" in (tmp_path / "points.svg").read_text()
    with pytest.raises(SystemExit):
        main(["rbc-points", str(tmp_path), "--out", str(tmp_path)])
    assert "no report" in capsys.readouterr().err


def test_games_in_bulk_and_matches_are_rated_together_for_the_page(tmp_path: Path) -> None:
    index = Journal(tmp_path / "index.ndjson", header={"players": ["guesser", "random"], "games": 9})
    for number, result in enumerate((1.0, 0.0, 0.5, None)):
        index.add({"number": number, "first": "guesser", "second": "random", "result": result})
    matches = Journal(tmp_path / "games.jsonl")
    for number in range(3):
        matches.add({"bot": "planner-0.5s", "opponent": "guesser", "number": number, "score": 1.0})
    journals, table = f"{tmp_path / 'index.ndjson'},{tmp_path / 'games.jsonl'}", tmp_path / "bots.toml"
    arguments = ["rbc-ratings", "--journals", journals, "--anchor", "guesser", "--at", "1500"]
    main([*arguments, "--out", str(tmp_path), "--table", str(table)])
    bots = {bot.name: bot for bot in read_config(BotRatingTable, table).bots}
    assert (bots["guesser"].games, bots["random"].games, bots["planner"].games) == (6, 3, 3)
    assert (bots["guesser"].rating, bots["planner"].seconds) == (1500, 0.5)
    assert bots["guesser"].interval is None
    low, high = bots["planner"].interval or (0, 0)
    assert low < bots["planner"].rating < high
