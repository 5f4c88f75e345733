"""The Turing kit: what ships, its format, and the score of verdicts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sparring import load_game
from sparring.base.errors import BadFile
from sparring.measure.turing import (
    SOURCES,
    Source,
    TuringGame,
    TuringKit,
    read_kit,
    score_verdicts,
    shipped_kit,
)
from studies.manners.turing import games_text, key_text


def small_kit(each: int = 4) -> TuringKit:
    ids = [f"1500-{number:02}" for number in range(3 * each)]
    games = tuple(TuringGame(name, 1500, ("e2e4", "e7e5"), "1-0", "resignation") for name in ids)
    key: dict[str, Source] = {name: SOURCES[place % 3] for place, name in enumerate(ids)}
    return TuringKit(games, key)


def test_the_shipped_kit_has_as_many_games_of_each_source_at_each_level() -> None:
    kit = shipped_kit("chess")
    counts = Counter((game.level, kit.key[game.id]) for game in kit.games)
    assert set(counts.values()) == {6}
    assert len(counts) == 3 * len(kit.levels) == 12


def test_results_endings_and_lengths_of_the_shipped_games_do_not_tell_who_played() -> None:
    kit = shipped_kit("chess")
    for level in kit.levels:
        games = {
            source: [g for g in kit.games if g.level == level and kit.key[g.id] == source]
            for source in SOURCES
        }
        ends = {
            source: Counter((game.result, game.ending) for game in some) for source, some in games.items()
        }
        assert ends["people"] == ends["engine"] == ends["ours"], level
        plies = {source: sum(len(game.moves) for game in some) / len(some) for source, some in games.items()}
        assert max(plies.values()) < 1.3 * min(plies.values()), level


def test_the_shipped_games_can_be_played_and_end_as_they_say() -> None:
    chess = load_game("chess")
    for game in shipped_kit("chess").games:
        state = chess.initial()
        for move in game.moves:
            state = chess.play(state, chess.parse_move(state, move))
        outcome = chess.outcome(state)
        mated = outcome is not None and outcome.winner is not None
        assert mated == (game.ending == "checkmate"), game.id
        if mated:
            assert outcome is not None
            assert game.result == ("1-0" if outcome.winner == 0 else "0-1"), game.id


def test_a_kit_is_read_back(tmp_path: Path) -> None:
    kit = small_kit()
    games, key = tmp_path / "games.jsonl", tmp_path / "key.jsonl"
    games.write_text(games_text(kit))
    key.write_text(key_text(kit))
    assert read_kit(games, key) == kit
    assert "people" not in games_text(kit)


def test_a_key_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    kit = small_kit()
    games, key = tmp_path / "games.jsonl", tmp_path / "key.jsonl"
    games.write_text(games_text(kit))
    for text in (key_text(kit).splitlines()[0], key_text(kit).replace("ours", "Ours"), "[]", "x"):
        key.write_text(text)
        with pytest.raises(BadFile):
            read_kit(games, key)
    with pytest.raises(BadFile, match="no Turing kit of go"):
        shipped_kit("go")


def test_a_judge_who_knows_is_right_and_one_who_calls_all_human_is_not() -> None:
    kit = small_kit()
    truth = {name: "human" if source == "people" else "computer" for name, source in kit.key.items()}
    found = score_verdicts(kit, truth)
    assert (found["right"]["value"], found["called_human"]["ours"]["value"]) == (1, 0)
    assert found["p_value"] == pytest.approx(2 / 70, abs=0.01)  # 4 and 4 of 8: two of 70 ways
    fooled = score_verdicts(kit, dict.fromkeys(truth, "human"))
    assert fooled["right"]["value"] == pytest.approx(1 / 3)
    assert fooled["p_value"] == 1
    assert fooled["by_level"][1500]["engine"]["games"] == 4


def test_verdicts_may_be_missing_and_others_are_refused() -> None:
    kit = small_kit()
    ours = next(name for name, source in kit.key.items() if source == "ours")
    found = score_verdicts(kit, {ours: "human"})
    assert found["games"] == 1
    assert found["called_human"]["people"] is None
    assert found["p_value"] is None
    with pytest.raises(ValueError, match="no game 'x'"):
        score_verdicts(kit, {"x": "human"})
    with pytest.raises(ValueError, match="'robot' is not human or computer"):
        score_verdicts(kit, {ours: "robot"})
