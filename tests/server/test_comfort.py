"""What a person at the board sees of the opponent and of the game: pauses, bots, levels, hints, results."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sparring.base.sentences import Sentence
from sparring.games import load_game
from sparring.play.game import LiveGame
from sparring.play.result import AGREEMENT, RESIGNATION, TIME_FORFEIT, GameResult
from sparring.players import Decision
from sparring.players.player_config import shipped_levels
from sparring.server import game_host
from sparring.server.opponents import Opponents, Speeds, position_seconds
from sparring.server.page_game import result_sentence
from tests.server.test_games_api import begin, play, post


def offer(client: TestClient, game: str) -> dict[str, Any]:
    found: dict[str, Any] = next(o for o in client.get("/api/catalogue").json() if o["name"] == game)
    return found


# Pauses.


@pytest.fixture
def usual_pauses(monkeypatch: pytest.MonkeyPatch, no_pauses: None) -> None:
    monkeypatch.setattr(game_host, "SHORTEST_PAUSE", 0.5)
    monkeypatch.setattr(game_host, "LONGEST_PAUSE", 4.0)


@pytest.mark.usefixtures("usual_pauses")
@pytest.mark.parametrize("opponent", [{"strength": 1}, {"level": 800}])
def test_without_a_clock_an_opponent_pauses_as_people_do(
    client: TestClient, opponent: dict[str, Any]
) -> None:
    view = begin(client, "chess", opponent=opponent)
    began = time.monotonic()
    view = play(client, view, "e4")
    assert view["ply"] == 2
    assert time.monotonic() - began > 0.5


@pytest.mark.usefixtures("usual_pauses")
def test_an_opponent_without_think_time_answers_at_once(client: TestClient) -> None:
    view = begin(client, "breakthrough", opponent={"strength": 1, "think_time": "none"})
    began = time.monotonic()
    assert play(client, view, "a2a3")["ply"] == 2
    assert time.monotonic() - began < 0.5


@pytest.mark.usefixtures("usual_pauses")
def test_a_pause_lies_between_half_a_second_and_four() -> None:
    rules = load_game("chess")
    state = rules.initial()
    drawn = [
        game_host.Pauses(seed).seconds(rules, state, Decision(state.legal_moves()[0]), 0)
        for seed in range(200)
    ]
    assert 0.5 <= min(drawn) <= max(drawn) <= 4.0
    assert 0.9 < sorted(drawn)[100] < 1.6


def test_a_person_need_not_wait_for_a_pause_that_means_nothing_any_more(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_host, "SHORTEST_PAUSE", 30.0)
    monkeypatch.setattr(game_host, "LONGEST_PAUSE", 30.0)
    view = begin(client, "breakthrough", opponent={"strength": 1})
    body = {"move": "a2a3", "ply": 0}
    assert client.post(f"/api/games/{view['id']}/moves", json=body).json()["phase"] == "thinking"
    assert post(client, view, "undo").json()["ply"] == 0
    monkeypatch.setattr(game_host, "SHORTEST_PAUSE", 0.0)
    monkeypatch.setattr(game_host, "LONGEST_PAUSE", 0.0)
    assert play(client, view, "b2b3")["ply"] == 2


# Resignation and draws.


def test_an_opponent_that_plays_to_mate_does_not_resign(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = LiveGame.decide
    monkeypatch.setattr(LiveGame, "decide", lambda *given: replace(decide(*given), resign=True))
    opponent = {"strength": 1}
    resigned = play(client, begin(client, "chess", opponent=opponent), "e4")
    assert resigned["result"]["text"]["text"] == "You won: Black resigned."
    played = play(client, begin(client, "chess", opponent=opponent, resigns=False), "e4")
    assert (played["result"], played["ply"]) == (None, 2)


@pytest.mark.parametrize(("game", "draws"), [("chess", True), ("breakthrough", False), ("go", False)])
def test_a_draw_is_offered_only_where_players_agree_to_draws(
    client: TestClient, game: str, draws: bool
) -> None:
    assert offer(client, game)["draws"] is draws
    assert ("draw" in begin(client, game, opponent={"strength": 1})["can"]) is draws


# Results.


@pytest.mark.parametrize(
    ("end", "you", "text"),
    [
        (GameResult.lost_by(1, RESIGNATION), 0, "You won: Black resigned."),
        (GameResult.lost_by(1, RESIGNATION), 1, "You lost: you resigned."),
        (GameResult.lost_by(1, RESIGNATION), None, "White wins: Black resigned."),
        (GameResult.lost_by(0, TIME_FORFEIT), 1, "You won: time ran out."),
        (GameResult(0.5, TIME_FORFEIT), 1, "A draw: time ran out, and the other side cannot win."),
        (GameResult(0.5, AGREEMENT), 0, "A draw by agreement."),
        (GameResult(0.5, "threefold repetition"), 0, "A draw: threefold repetition."),
        (GameResult(1.0, "score", margin=3.5), 0, "You won by 3.5 points."),
        (GameResult(1.0, "score", margin=1.0), 1, "You lost by 1 point."),
        (GameResult(1.0, "score", margin=3.5), None, "White wins by 3.5 points."),
        (GameResult(1.0, "normal"), 0, "You won."),
    ],
)
def test_the_result_says_who_won(end: GameResult, you: int | None, text: str) -> None:
    rules = load_game("chess")
    said = result_sentence(rules, rules.initial(), end, you)
    assert said == text
    assert isinstance(said, Sentence)


def test_the_result_of_a_stored_game_names_the_reason(client: TestClient) -> None:
    fen = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"
    over = play(client, begin(client, "chess", position=fen, opponent={"strength": 1}), "Ra8#")
    assert over["result"]["text"]["text"] == "You won: checkmate."
    state = load_game("chess").parse("R5k1/5ppp/8/8/8/8/8/7K b - - 1 1")
    said = result_sentence(load_game("chess"), state, GameResult(1.0, "normal"), 1)
    assert said == "You lost: checkmate."


# Bots of blind chess.


def test_the_bots_are_offered_by_strength_with_a_line_about_each(client: TestClient) -> None:
    rbc = offer(client, "rbc")
    bots = {bot["name"]: bot for bot in rbc["bots"]}
    assert len(bots) == 10
    measured = {name: usual_rating(bot) for name, bot in bots.items()}
    ratings = [rating["rating"] for rating in measured.values()]
    assert ratings == sorted(ratings)
    for rating in (rating for bot in bots.values() for rating in bot["ratings"]):
        low, high = rating["interval"] or (rating["rating"], rating["rating"])
        assert low <= rating["rating"] <= high
        assert rating["games"] > 0
    assert all(bot["about"]["text"].endswith(".") for bot in bots.values())
    planner = bots["planner"]
    assert (planner["budgets"], planner["default_budget"]) == ([0.5, 2.0, 8.0], 2.0)
    assert [rating["seconds"] for rating in planner["ratings"]] == planner["budgets"]
    assert bots["sneaky"]["budgets"] == []
    assert [name for name, rating in measured.items() if rating["interval"] is None] == ["inference-3"]
    default = measured[rbc["default_bot"]]["rating"]
    assert measured["random"]["rating"] < default < measured["inference-1"]["rating"]
    view = begin(client, "rbc")
    assert view["players"][1]["name"]["text"] == rbc["default_bot"]


def usual_rating(bot: dict[str, Any]) -> dict[str, Any]:
    """The measured rating of a bot with its usual budget."""
    (rating,) = [rating for rating in bot["ratings"] if rating["seconds"] == bot["default_budget"]]
    return dict(rating)


@pytest.mark.parametrize(
    ("opponent", "status"),
    [
        ({"bot": "planner", "seconds": 0.5}, 201),
        ({"bot": "planner"}, 201),
        ({"bot": "planner", "seconds": 1000}, 422),
        ({"bot": "sneaky", "seconds": 2}, 422),
        ({"kind": "level", "level": 1500, "seconds": 2}, 422),
    ],
)
def test_a_time_budget_is_for_bots_that_have_one(
    client: TestClient, opponent: dict[str, Any], status: int
) -> None:
    game = "chess" if "level" in opponent else "rbc"
    answer = client.post("/api/games", json={"game": game, "opponent": opponent})
    assert answer.status_code == status


def test_the_budget_of_the_planner_holds_with_several_games_at_once(client: TestClient) -> None:
    views = [begin(client, "rbc", opponent={"bot": "planner", "seconds": 0.5}, seed=n) for n in range(4)]
    slowest: list[float] = []

    def take_turn(view: dict[str, Any]) -> None:
        for _ in range(3):
            view = play(client, view, "sense e4")
            began = time.monotonic()
            view = play(client, view, view["legal"][0]["text"])
            slowest.append(time.monotonic() - began)

    threads = [Thread(target=take_turn, args=(view,)) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(slowest) == 12
    assert max(slowest) < 4.0


def test_a_planner_that_plans_for_long_stops_when_the_person_resigns(client: TestClient) -> None:
    view = begin(client, "rbc", opponent={"bot": "planner", "seconds": 60})
    for _ in range(2):
        body = {"move": view["legal"][0]["text"], "ply": view["ply"]}
        view = client.post(f"/api/games/{view['id']}/moves", json=body).json()
    time.sleep(0.5)
    assert client.get(f"/api/games/{view['id']}").json()["phase"] == "thinking"
    began = time.monotonic()
    assert post(client, view, "resign").json()["phase"] == "over"
    assert time.monotonic() - began < 2.0


# Levels.


def test_a_level_of_shogi_is_a_day_of_people(client: TestClient) -> None:
    table, levels = shipped_levels("shogi"), offer(client, "shogi")["levels"]
    assert table is not None
    assert (levels["scale"], levels["unit"], levels["step"]) == ("people", "share", 1)
    assert levels["names"] == {str(row.level): row.name for row in table.levels}
    assert [row["level"] for row in levels["estimates"]] == [row.level for row in table.levels]
    assert all(row["measured"] and row["loss"] is not None for row in levels["estimates"])
    view = begin(client, "shogi", opponent={"level": 30})
    about = {player["about"]["text"] for player in view["players"]}
    assert "Errs about as people do on a bad day (three-minute games of one shogi site)." in about
    engine = begin(client, "shogi", opponent={"level": 480, "scale": "engine"})
    about = {player["about"]["text"] for player in engine["players"]}
    assert "About as strong as 480 on the scale of Fairy-Stockfish." in about


def test_a_level_of_chess_says_whom_it_errs_like(client: TestClient) -> None:
    levels = offer(client, "chess")["levels"]
    assert (levels["scale"], levels["family"]) == ("people", "Lichess rapid")
    assert [row["level"] for row in levels["estimates"]] == list(range(600, 2601, 50))
    table = shipped_levels("chess")
    assert table is not None
    rows = {row["level"]: row for row in levels["estimates"]}
    known = [row for row in table.levels if row.people_interval is not None]
    assert [level for level, row in rows.items() if row["measured"]] == [row.level for row in known]
    low, high = known[0].level, known[-1].level
    assert all((row["loss"] is None) == (not low <= level <= high) for level, row in rows.items())
    loss = rows[known[1].level]["loss"]
    assert (loss["level"], loss["people"], tuple(loss["interval"])) == (
        known[1].loss, known[1].people, known[1].people_interval,
    )  # fmt: skip
    between = rows[(known[0].level + known[1].level) // 2]["loss"]
    assert loss["people"] < between["people"] < rows[low]["loss"]["people"]
    view = begin(client, "chess", opponent={"level": 1400})
    about = {player["about"]["text"] for player in view["players"]}
    assert "Errs about as people of 1400 do (Lichess rapid)." in about
    engine = begin(client, "chess", opponent={"level": 1400, "scale": "engine"})
    about = {player["about"]["text"] for player in engine["players"]}
    assert "About as strong as 1400 on the scale of Stockfish." in about


def test_the_default_level_of_games_that_were_measured_has_its_own_estimate(client: TestClient) -> None:
    for game, key in (("go", "loss"), ("shogi", "loss")):
        levels = offer(client, game)["levels"]
        default = {row["level"]: row for row in levels["estimates"]}[levels["default"]]
        assert default[key] is not None, game


def test_the_page_says_from_which_rank_on_the_network_learned(client: TestClient) -> None:
    assert offer(client, "go")["ratings"]["weakest"] == "5k"
    assert offer(client, "chess")["ratings"]["weakest"] is None


def test_the_default_level_of_shogi_lies_in_the_middle_of_its_levels(client: TestClient) -> None:
    levels = offer(client, "shogi")["levels"]
    share = (levels["default"] - levels["lowest"]) / (levels["highest"] - levels["lowest"])
    assert 1 / 3 < share < 2 / 3


def test_a_level_that_searches_more_takes_longer() -> None:
    opponents, table = Opponents(), shipped_levels("shogi", "engine")
    assert table is not None
    speeds = Speeds(opponents.policy)
    assert speeds.move_seconds(table, 1090) is None
    speeds.time_waiting(Event())
    quick, slow = speeds.move_seconds(table, 120), speeds.move_seconds(table, 1090)
    assert quick is not None
    assert slow is not None
    assert slow == pytest.approx(16 * quick, rel=0.05)
    assert position_seconds("shogi", opponents.policy("shogi", "blend")) > 0


# Hints.


def test_a_hint_has_the_best_move_and_what_people_play(client: TestClient) -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    view = begin(client, "chess", position=fen, opponent={"level": 800})
    hint = client.get(f"/api/games/{view['id']}/hint").json()
    assert hint["best"]["name"] == "Ra8#"
    assert hint["best_value"] > 0.9
    assert hint["people_rating"] == 800
    assert hint["people"]["text"] == hint["candidates"][0]["text"]
    assert hint["people_share"] == hint["candidates"][0]["probability"]
    strong = client.get(f"/api/games/{view['id']}/hint?rating=2000").json()
    assert (strong["people_rating"], strong["best"]) == (2000, hint["best"])
    assert strong["people_share"] != hint["people_share"]
    assert client.get(f"/api/games/{view['id']}/hint?rating=9999").status_code == 422


def test_a_hint_without_a_network_of_people_has_the_best_move_alone(client: TestClient) -> None:
    view = begin(client, "breakthrough", opponent={"strength": 1})
    hint = client.get(f"/api/games/{view['id']}/hint").json()
    assert hint["best"] in view["legal"]
    assert (hint["people"], hint["people_share"], hint["candidates"]) == (None, None, [])


# Go.


def test_the_options_of_go_have_titles_and_choices(client: TestClient) -> None:
    options = {option["name"]: option for option in offer(client, "go")["options"]}
    assert list(options)[:4] == ["size", "rules", "komi", "handicap"]
    assert options["size"]["default"] == 19
    assert [choice["value"] for choice in options["size"]["choices"]] == [9, 13, 19]
    assert options["rules"]["default"] == "chinese"
    assert "japanese" in [choice["value"] for choice in options["rules"]["choices"]]
    assert options["komi"]["choices"] is None


def test_komi_and_rules_of_go_are_chosen_and_shown(client: TestClient) -> None:
    options = {"size": 9, "rules": "japanese", "komi": 5.5, "handicap": 2}
    view = begin(client, "go", options=options, opponent={"strength": 1}, you=1)
    texts = [fact["text"] for fact in view["facts"]]
    assert texts == [
        "Prisoners: Black 0, White 0.", "Komi 5.5.", "Japanese rules.", "2 handicap stones."
    ]  # fmt: skip
    assert view["options"]["scoring"] == "territory"
    assert client.get(f"/api/games/{view['id']}").json()["facts"] == view["facts"]
    plain = begin(client, "go", options={"size": 9}, opponent={"strength": 1})
    assert [fact["text"] for fact in plain["facts"]][1:] == ["Komi 7.5.", "Chinese rules."]


@pytest.mark.parametrize("rules", ["martian", 3, ""])
def test_rules_of_go_that_nobody_knows_are_refused(client: TestClient, rules: object) -> None:
    answer = client.post("/api/games", json={"game": "go", "options": {"rules": rules}})
    assert answer.status_code == 422


def test_the_ratings_of_bots_name_how_they_were_measured() -> None:
    assert (Path(__file__).parents[2] / "results/rbc/bots/README.md").is_file()
