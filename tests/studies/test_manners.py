"""The study of people's behaviour: traces, fits on known answers, the judge, and the Turing kit."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import JournalMismatch, UserError
from sparring.base.storage import Journal
from sparring.chess.game import Chess
from sparring.measure.turing import SOURCES
from sparring.networks import Position, Prediction
from sparring.players import PlayerConfig
from sparring.players.behaviour_models import RESIGNATION_FEATURES, ResignationModel, Situation
from sparring.policies import Policy
from sparring.records import GameRecord, RecordedGame, Termination
from sparring.training.trainer import Trainer, read_metrics
from studies.manners import judge, resignations, think_times, turing
from studies.manners.commands import manners_conversion
from studies.manners.conversion import (
    WonPosition,
    conversion_positions,
    conversion_rows,
    convert,
    open_conversion_journal,
    people_endings,
    reached_endings,
    won_positions,
)
from studies.manners.figures import conversion_figure, judge_figure
from studies.manners.games import PeoplesEndings, play_together, recorded, self_play
from studies.manners.study import judge_programs
from studies.manners.traces import GAME_DTYPE, TRACE_DTYPE, Traces, read_games, trace_games

PGN = """[Event "a"]
[White "Anna"]
[Black "Bert"]
[WhiteElo "1500"]
[BlackElo "1600"]
[TimeControl "60+1"]
[Termination "Normal"]
[Result "1-0"]

1. e4 { [%clk 0:01:00] } e5 { [%clk 0:01:00] } 2. Qh5 { [%clk 0:00:50] } Nc6 { [%clk 0:00:58] } 1-0
"""
RNG = np.random.default_rng(0)


class UniformPolicy:
    """All moves alike; the value counts material."""

    name, game = "uniform", "chess"

    def predict(self, positions: list[Position]) -> list[Prediction]:
        moves = [tuple(position.state.legal_moves()) for position in positions]
        return [Prediction(legal, np.full(len(legal), 1 / len(legal), np.float32), 0.0) for legal in moves]


def uniform() -> Policy:
    return UniformPolicy()  # type: ignore[return-value]


def people(tmp_path: Path, text: str = PGN) -> Traces:
    (tmp_path / "games.pgn").write_text(text)
    return trace_games(list(read_games(tmp_path / "games.pgn")), "people", uniform(), uniform())


def test_a_trace_has_clocks_probabilities_and_the_end_of_a_game(tmp_path: Path) -> None:
    traces = people(tmp_path)
    rows, (game,) = traces.rows, traces.games
    assert (game["ending"], game["base"], game["increment"], game["plies"]) == ("resignation", 60, 1, 4)
    assert rows["played"].tolist() == [True] * 4 + [False]
    assert rows["spent"][2:4].tolist() == [11, 3]
    assert rows["human"][0] == pytest.approx(1 / 20, rel=0.01)
    traces.save(tmp_path / "t.npz")
    twice = Traces.load(tmp_path / "t.npz", tmp_path / "t.npz")
    assert (len(twice.games), twice.rows["game"][-1]) == (2, 1)
    assert len(twice.take(np.array([False, True])).rows) == 5
    assert traces.rows["human"].dtype == TRACE_DTYPE["human"]


def test_the_think_time_fit_finds_what_times_depend_on() -> None:
    count = 4000
    entropy = RNG.uniform(0, 3, count)
    known = np.full(count, 100.0)
    situation = Situation(
        known, 0 * known, known, known, known, known, known, entropy, 0 * known, known / 200, known / 200,
        0 * known, 15 * known,
    )  # fmt: skip
    spent = np.exp(entropy) * RNG.lognormal(0, 0.3, count)
    model = think_times.fit(situation, spent, np.ones(count), epochs=8)
    predicted = model.predict(situation)
    assert think_times.rank_correlation(predicted[:, 5], spent) > 0.9
    assert np.mean(spent < predicted[:, 9]) == pytest.approx(0.9, abs=0.05)


def test_the_think_time_fit_lowers_its_loss_and_resumes_with_equal_weights(tmp_path: Path) -> None:
    count = 2500
    entropy, known = RNG.uniform(0, 3, count), np.full(count, 100.0)
    situation = Situation(
        known, 0 * known, known, known, known, known, known, entropy, 0 * known, known / 200, known / 200,
        0 * known, 15 * known,
    )  # fmt: skip
    task = think_times.ThinkTimeTask(situation, np.exp(entropy), np.ones(count), epochs=4)
    untrained = task.validate(task.make_model(), 0)["pinball_loss"]
    assert Trainer(task, tmp_path / "whole", device="cpu").train()
    losses = [entry["pinball_loss"] for entry in read_metrics(tmp_path / "whole")]
    assert losses[-1] < 0.5 * untrained
    assert not Trainer(task, tmp_path / "halves", device="cpu").train(stop_at=0.0)  # after one step
    resumed = Trainer(task, tmp_path / "halves", device="cpu")
    assert resumed.step == 1
    assert resumed.train()
    whole, halves = (np.load(tmp_path / name / task.output) for name in ("whole", "halves"))
    assert all(np.array_equal(whole[name], halves[name]) for name in whole.files)


def test_rank_correlation_is_spearmans() -> None:
    values = np.array([1.0, 2.0, 2.0, 5.0])
    assert think_times.rank_correlation(values, values**3) == pytest.approx(1)
    assert think_times.rank_correlation(values, -values) == pytest.approx(-1)
    found = think_times.with_interval(lambda part: float(part.mean()), np.array([0, 0, 1, 1]), 20)
    assert found["low"] <= found["value"] <= found["high"]


def lost_games(count: int) -> resignations.Turns:
    """Sides that resign with chance 0.3 on each turn below 0.05, and never before."""
    parts = []
    for _ in range(count):
        scores = [0.5, 0.3, 0.1, 0.03]
        while RNG.random() >= 0.3:
            scores.append(0.03)
        parts.append(scores)
    side = np.repeat(2 * np.arange(count), [len(scores) for scores in parts])
    score = np.concatenate(parts)
    last = np.append(side[1:] != side[:-1], True)
    before = np.where(score == 0.5, 0.5, np.append(0.5, score[:-1]))
    lost = np.where(score < 0.15, 1, 0)
    return resignations.Turns(
        side, score, before, lost, np.full(len(side), 40), np.full(len(side), 1500.0), last
    )


def test_the_resignation_fit_finds_the_chance_of_resigning() -> None:
    turns = lost_games(800)
    model = resignations.fit(turns, rating=1500, rating_scale=400)
    chance = resignations.chances(model, turns)
    assert chance[turns.score == 0.03].mean() == pytest.approx(0.3, abs=0.04)
    assert chance[turns.score == 0.1].mean() < 0.05
    assert (chance[turns.score >= 0.2] == 0).all()
    found = resignations.precision_recall(turns, chance)
    rule = resignations.precision_recall(turns, resignations.rule_chances(turns, 0.05, 20))
    assert found["recall"] > rule["recall"]
    assert 0 < found["precision"] <= 1


def test_a_rule_that_resigns_with_the_person_is_right() -> None:
    turns = lost_games(50)
    found = resignations.precision_recall(turns, turns.resigned.astype(float))
    assert (found["precision"], found["recall"], found["exact_recall"]) == (1, 1, 1)
    assert found["without_people"] == 0


def test_areas_are_those_of_known_scores() -> None:
    low, high = np.arange(10.0), np.arange(10.0) + 100
    assert judge.area_under_curve(low, high) == 1
    assert judge.area_under_curve(high, low) == 0
    assert judge.area_under_curve(low, low) == pytest.approx(0.5)
    found = judge.area_with_interval(low, low + 3, 50)
    assert found["low"] <= found["value"] <= found["high"]


def traced_games(skill: float, count: int) -> Traces:
    """Games whose moves `human` predicts with a given probability."""
    games = np.zeros(count, GAME_DTYPE)
    rows = np.zeros(count * 60, TRACE_DTYPE)
    rows["game"], rows["ply"] = np.repeat(np.arange(count), 60), np.tile(np.arange(60), count)
    rows["played"], rows["value"], rows["strong_value"] = True, 0.5, 0.5
    rows["human"] = np.clip(RNG.normal(skill, 0.1, len(rows)), 0.01, 1)
    rows["strong"] = 0.5
    games["plies"] = 60
    return Traces(games, rows)


def test_the_judge_tells_games_apart_that_differ_and_no_others() -> None:
    same, other, more = (judge.game_features(traced_games(s, 60))[0] for s in (0.4, 0.4, 0.7))
    found = judge.train_judge(same, more)
    assert judge.area_under_curve(found.scores(other), found.scores(more)) > 0.95
    third, fourth = (judge.game_features(traced_games(0.4, 60))[0] for _ in range(2))
    blind = judge.train_judge(same, other)
    area = judge.area_under_curve(blind.scores(third), blind.scores(fourth))
    assert abs(area - 0.5) < 0.2


def test_areas_by_level_compare_games_with_people_of_the_level() -> None:
    levels = np.repeat([1200.0, 1600.0], 30)
    people = levels / 100 + RNG.normal(size=60)  # the score depends on the level, not on who played
    same = judge.area_by_level(people, levels, levels / 100 + RNG.normal(size=60), levels, 50)
    assert same["value"] == pytest.approx(0.5, abs=0.15)
    assert same["low"] <= same["value"] <= same["high"]
    assert set(same["by_level"]) == {1200, 1600}
    features = RNG.normal(size=(60, len(judge.FEATURES)))
    other = features.copy()
    other[:, 3] += 5
    found = judge.feature_areas(features, levels, other, levels)
    assert next(iter(found)) == judge.FEATURES[3]
    assert found[judge.FEATURES[3]] > 0.95


def test_programs_are_compared_with_ours_at_the_levels_of_both() -> None:
    people, ours, engine = (traced_games(skill, 60) for skill in (0.4, 0.4, 0.7))
    for traces in (people, ours, engine):
        traces.games["first_rating"] = traces.games["second_rating"] = 1500
        traces.games["ending"] = "resignation"
    people.games["split"] = np.where(np.arange(60) % 2, "test", "validation")
    people.games["first"] = [f"player {number}" for number in range(60)]
    engine.games["first_rating"][::3] = 1900  # ours has no games of this level
    model = ResignationModel(np.zeros(len(RESIGNATION_FEATURES)), 1500, 400)
    people.games["second_rating"][:20] = people.games["first_rating"][:20] = 1900
    found = judge_programs(people, {"ours": ours, "stockfish": engine}, model)
    difference = found["stockfish"]["beyond_ours"]
    assert difference["levels"] == [1500]
    assert found["stockfish"]["beyond_warm"] == difference
    assert difference["low"] <= difference["value"] <= difference["high"]
    assert difference["value"] > 0.2
    assert "beyond_ours" not in found["ours"]
    assert len(judge_figure(found).axes[0].get_legend().get_texts()) == 2


def test_games_are_cut_where_a_model_resigns() -> None:
    traces = traced_games(0.4, 3)
    traces.rows["value"] = np.where(traces.rows["mover"] == 0, 0.01, 0.99)
    weights = np.zeros(len(RESIGNATION_FEATURES))
    weights[0] = 50.0  # resigns at once
    model = ResignationModel(weights, 1500, 400)
    cut = judge.truncate_resigned(traces, model)
    assert cut.games["plies"].tolist() == [0, 0, 0]
    assert set(cut.games["ending"]) == {"resignation"}


def test_programs_play_themselves() -> None:
    config = PlayerConfig("chess", name="uniform", rating=1500)
    games = self_play(uniform(), config, [Chess().initial()] * 2, seed=1, max_plies=6)
    assert [len(game) for game in games] == [6, 6]
    assert games[0].moves != games[1].moves
    (second,) = play_together(uniform(), config, [Chess().initial()], seed=1, max_plies=6, numbers=[1])
    assert RecordedGame("chess", recorded(second, config).record).moves == games[1].moves


def test_programs_resign_as_people_do() -> None:
    class LosingPolicy(UniformPolicy):
        """Thinks that White is lost."""

        def predict(self, positions: list[Position]) -> list[Prediction]:
            signs = [-1 if position.state.to_move == 0 else 1 for position in positions]
            found = super().predict(positions)
            return [replace(each, value=0.8 * s) for each, s in zip(found, signs, strict=True)]

    config = PlayerConfig("chess", name="uniform", rating=1500)
    endings = PeoplesEndings(LosingPolicy(), 1500)  # type: ignore[arg-type]
    boards = list(play_together(uniform(), config, [Chess().initial()] * 8, seed=1, endings=endings))
    assert all(board.agreed == 0 and board.state.to_move == 0 for board in boards if board.agreed is not None)
    assert sum(board.agreed == 0 for board in boards) >= 4
    assert len({board.plies for board in boards}) > 1


def test_won_positions_are_those_that_stay_won(tmp_path: Path) -> None:
    evals = ["0.1"] * 16 + ["6.0", "0.2"] + ["-7.0"] * 6
    moves = [f"{file}{rank}" for file in "abcdefgh" for rank in (3, 6)]
    moves += [f"{file}{rank}" for file in "aceg" for rank in (4, 5)]
    body = " ".join(f"{move} {{ [%eval {value}] }}" for move, value in zip(moves, evals, strict=True))
    (tmp_path / "e.pgn").write_text(f'[Event "a"]\n[Result "0-1"]\n\n{body} 0-1\n')
    (found,) = won_positions(read_games(tmp_path / "e.pgn"))
    assert (found.winner, found.score, found.state.ply) == (1, 1.0, 22)


def test_basic_endings_of_people_are_counted_by_rating(tmp_path: Path) -> None:
    tags = '[Event "a"]\n[WhiteElo "1200"]\n[BlackElo "1300"]\n[Termination "Normal"]\n[SetUp "1"]\n'
    queen = '[FEN "7k/8/5K2/8/8/8/8/Q7 w - - 0 1"]\n'
    (tmp_path / "e.pgn").write_text(
        f'{tags}{queen}[Result "1/2-1/2"]\n\n1. Qa2 Kh7 2. Qa1 Kh8 3. Qa2 Kh7 4. Qa8 Kh6 5. Qh1# 1-0\n\n'
        f'{tags}{queen}[Result "1-0"]\n\n1. Qa8+ Kh7 1-0\n'
    )
    rows = reached_endings(read_games(tmp_path / "e.pgn"))
    ((kind, rating, *_),) = rows  # the second game ended too soon
    assert (kind, rating) == ("queen", 1200)
    (row,) = people_endings(rows)
    assert (row["kind"], row["from"], row["games"], row["stalemates"]) == ("queen", 1100, 1, 0)


def test_a_player_plays_out_won_positions() -> None:
    config = PlayerConfig("chess", name="uniform", rating=1500)
    positions = conversion_positions([], 3, seed=1)
    assert [position.kind for position in positions] == ["queen"] * 2 + ["rook"] * 2
    assert all(position.state.outcome is None and position.winner == 0 for position in positions)
    games = list(convert(uniform(), config, 1500, positions, seed=1))
    assert sorted(game.number for game in games) == [0, 1, 2, 3]
    (rest,) = convert(uniform(), config, 1500, positions, seed=1, done=[0, 1, 3])
    assert rest in games
    rows = conversion_rows(games)
    assert [(row["level"], row["kind"], row["games"]) for row in rows] == [
        (1500, "queen", 2),
        (1500, "rook", 2),
    ]
    assert all(row["wins"]["value"] + row["draws"] + row["losses"] == pytest.approx(1) for row in rows)


def test_the_report_of_conversions_is_written_from_the_journal(tmp_path: Path) -> None:
    (tmp_path / "people.pgn").write_text(PGN)
    game = {"level": 1500, "number": 0, "stalemate": False, "plies": 30}
    rows = [
        game | {"kind": "won", "score": 1.0, "people": 0.5},
        game | {"kind": "rook", "score": 0.5, "people": None},
    ]
    journal = Journal(tmp_path / "c.jsonl", header={"games": 100, "seed": 1})
    for row in rows:
        journal.add(row)
    manners_conversion([tmp_path / "people.pgn"], levels="", games=100, seed=1, out=tmp_path / "c.json")
    found = json.loads((tmp_path / "c.json").read_text())
    assert [(row["kind"], row["wins"]["value"]) for row in found["ours"]] == [("rook", 0), ("won", 1)]
    assert found["ours"][1]["people"]["value"] == 0
    assert conversion_figure(found["ours"]).axes


def test_a_journal_of_conversions_refuses_a_level_with_other_dials(tmp_path: Path) -> None:
    path, game = tmp_path / "c.jsonl", {"level": 1600, "number": 0}
    warm, cold = ({"1600": {"people": ["a.pgn"], "player": {"temperature": t}}} for t in (0.981, 0.742))
    open_conversion_journal(path, 100, 1, cold)
    open_conversion_journal(path, 100, 1, warm).add(game)  # it had no games of the level
    assert open_conversion_journal(path, 100, 1, warm).entries == [game]
    assert open_conversion_journal(path, 100, 1, {"1200": cold["1600"]}).entries == [game]
    assert open_conversion_journal(path, 100, 1, {}).entries == [game]
    other_people = {"1600": warm["1600"] | {"people": ["b.pgn"]}}
    for other in (cold, other_people):
        with pytest.raises(JournalMismatch, match="level 1600 with other dials"):
            open_conversion_journal(path, 100, 1, other)
    with pytest.raises(JournalMismatch):
        open_conversion_journal(path, 100, 2, warm)


def test_conversion_with_another_level_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.pgn").write_text(PGN)
    (tmp_path / "levels.toml").write_text('game = "chess"\n[[levels]]\nlevel = 1500\nrating = 1500\n')
    journal = Journal(tmp_path / "c.jsonl", header={"games": 100, "seed": 1})
    journal.add({"level": 1500, "kind": "won", "number": 0})
    with pytest.raises(JournalMismatch):
        manners_conversion(
            [tmp_path / "people.pgn"],
            levels="1500",
            games=100,
            seed=1,
            table=tmp_path / "levels.toml",
            out=tmp_path / "c.json",
        )


def test_a_stalemate_is_counted() -> None:
    config = PlayerConfig("chess", name="uniform", rating=1500)
    state = Chess().parse("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    games = list(convert(uniform(), config, 1500, [WonPosition(state, 0, None, "queen")] * 60, seed=1))
    (row,) = conversion_rows(games)
    assert 0 < row["stalemates"]["value"] <= row["draws"]


def kit(folder: Path) -> dict[str, str]:
    config = PlayerConfig("chess", rating=1500)
    played = self_play(uniform(), config, [Chess().initial()] * 6, seed=3, max_plies=10)
    games = {1500: {source: played[2 * i : 2 * i + 2] for i, source in enumerate(SOURCES)}}
    turing.write_kit(turing.make_kit(games, each=2, seed=1), folder)
    key = [json.loads(line) for line in (folder / turing.KEY).read_text().splitlines()]
    return {entry["id"]: entry["source"] for entry in key}


def finished(plies: int, result: float, first: str = "e2e4") -> RecordedGame:
    """A game of some plies from the initial position that a side resigned, or that was agreed drawn."""
    state = Chess().initial()
    state = state.play(state.parse_move(first))
    while state.ply < plies:
        state = state.play(state.legal_moves()[state.ply % 3])
    ending = Termination.NORMAL if result == 0.5 else Termination.RESIGNATION
    return RecordedGame("chess", GameRecord(moves=state.pack_moves(1), result=result, ending=ending))


def test_result_first_move_and_length_do_not_tell_who_played() -> None:
    people = [finished(40, 0.5), finished(41, 1), finished(60, 0), finished(30, 1, "d2d4"), finished(31, 1)]
    ours = [finished(42, 1), finished(58, 0), finished(32, 1, "d2d4"), finished(90, 0, "c2c4")]
    engine = [finished(64, 0), finished(39, 1), finished(28, 1, "d2d4"), finished(39, 1, "a2a3")]
    games = {"people": people, "ours": ours, "engine": engine}
    groups = turing.alike_games(games, 3, np.random.default_rng(1))  # type: ignore[arg-type]
    shown = [
        sorted((source, len(game), game.result) for source, game in group.items() if source != "people")
        for group in groups
    ]
    assert sorted(shown) == [
        [("engine", 28, 1), ("ours", 32, 1)],
        [("engine", 39, 1), ("ours", 42, 1)],
        [("engine", 64, 0), ("ours", 58, 0)],
    ]
    assert all(len({game.moves[0] for game in group.values()}) == 1 for group in groups)
    with pytest.raises(UserError, match="level 1500: 3 groups of games that end alike, 4 are needed"):
        turing.make_kit({1500: games}, each=4)  # type: ignore[dict-item]


def answer(folder: Path, verdicts: dict[str, str]) -> Path:
    path = folder / "filled.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["game", "verdict"])
        writer.writerows(verdicts.items())
    return path


def test_a_kit_is_anonymous_and_its_scorer_knows_the_key(tmp_path: Path) -> None:
    key = kit(tmp_path)
    text = (tmp_path / "level-1500.pgn").read_text()
    assert text.count("[Event ") == 6
    lines = (tmp_path / turing.GAMES).read_text().splitlines()
    assert all(set(json.loads(line)) == {"id", "level", "moves", "result", "ending"} for line in lines)
    assert "Sparring" not in text
    assert sorted(key.values()) == sorted(SOURCES * 2)
    verdicts = {game: "computer" if source == "engine" else "human" for game, source in key.items()}
    found = turing.score_answers(tmp_path, answer(tmp_path, verdicts))
    assert [found["called_human"][source]["value"] for source in SOURCES] == [1, 0, 1]
    assert found["p_value"] == 1
    assert found["by_level"][1500]["engine"]["games"] == 2


def test_the_scorer_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    key = kit(tmp_path)
    game = next(iter(key))
    for verdicts, said in (
        ({game: "robot"}, "not human or computer"),
        ({"99": "human"}, "no game '99'"),
        ({game: ""}, "has no verdict"),
    ):
        with pytest.raises(UserError, match=said):
            turing.score_answers(tmp_path, answer(tmp_path, verdicts))
    game_of_people = next(read_games(tmp_path / "level-1500.pgn"))
    with pytest.raises(UserError, match="2 games of people, 5 are needed"):
        turing.make_kit({1500: {"people": [game_of_people] * 2}}, each=5)
