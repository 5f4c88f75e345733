"""KataGo's analysis protocol, with policies whose predictions are known."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import UserError
from sparring.engines.server import StdinReader, StdoutWriter
from sparring.go.analysis import AnalysisPolicies, AnalysisServer, lead_of
from sparring.go.analysis_query import AnalysisSettings, QueryReader, with_settings
from sparring.networks import Position, Prediction
from tests.engines.engine_client import TIMEOUT_SECONDS, EngineClient, command

RECORDED = Path(__file__).parent / "recorded" / "katrain.jsonl"


@dataclass
class KnownPolicy:
    """Equal probabilities, or nearly all on one move; Black is ahead by some points and owns A1."""

    name: str = "known"
    game: str = "go"
    favourite: str = ""
    black_value: float = 0.5
    black_lead: float | None = 6.0
    owners: bool = True
    seen: list[Position] = field(default_factory=list)
    gate: threading.Event | None = None
    """If given, predictions for boards with moves on them wait for it."""
    reached: threading.Event = field(default_factory=threading.Event)
    """Set when a prediction waits."""

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.seen += positions
        if self.gate is not None and any(position.state.ply for position in positions):
            self.reached.set()
            assert self.gate.wait(TIMEOUT_SECONDS)
        return [self._prediction(position.state) for position in positions]

    def _prediction(self, state: Any) -> Prediction:
        moves, sign = state.legal_moves(), 1 if state.to_move == 0 else -1
        weights = np.ones(len(moves), np.float32)
        if self.favourite and (move := state.parse_move(self.favourite)) in moves:
            weights[moves.index(move)] = 9 * len(moves)
        owners = np.zeros(state.size**2, np.float32)
        owners[0] = sign
        return Prediction(
            tuple(moves), weights / weights.sum(), sign * self.black_value,
            lead=None if self.black_lead is None else sign * self.black_lead,
            ownership=owners if self.owners else None, state=state,
        )  # fmt: skip


class Client(EngineClient):
    """Sends queries and takes answers."""

    def query(self, **fields: Any) -> None:
        self.send(json.dumps(fields))

    def answer(self) -> dict[str, Any]:
        line = self.line()
        assert line is not None, "the engine has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask_one(self, **fields: Any) -> dict[str, Any]:
        self.query(**fields)
        return self.answer()


@contextmanager
def analysis(
    policy: Any = None,
    human: Any = None,
    *,
    finish: bool = True,
    parallel: int = 4,
    settings: dict[str, str] | None = None,
) -> Iterator[Client]:
    """An engine in threads of this process. Settings have KataGo's names."""
    policies = AnalysisPolicies(policy or KnownPolicy())
    policies._human = human or KnownPolicy("people", favourite="C3")
    (there, to_engine), (from_engine, back) = os.pipe(), os.pipe()
    with os.fdopen(there, "rb") as lines, os.fdopen(from_engine, "rb") as heard:
        client = Client(os.fdopen(to_engine, "wb"), heard)

        def serve() -> None:
            with os.fdopen(back, "wb") as answers:
                send_line = StdoutWriter(answers)
                defaults, _ = with_settings(AnalysisSettings(), settings or {})
                AnalysisServer(policies, defaults, send_line, parallel=parallel).run(
                    StdinReader(lines), finish=finish
                )
                send_line.close(None)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield client
        finally:
            if not client._to.closed:
                client.hang_up()
            thread.join(TIMEOUT_SECONDS)
            assert not thread.is_alive()


def position(**changes: Any) -> dict[str, Any]:
    usual = {"id": "q", "moves": [], "rules": "chinese", "komi": 7, "boardXSize": 9, "boardYSize": 9}
    query = {**usual, "maxVisits": 8, **changes}
    return {name: value for name, value in query.items() if value is not ...}


def texts_of(**changes: Any) -> list[str]:
    """The positions of a query as text."""
    queries = QueryReader(position(**changes), AnalysisSettings()).read()
    return [query.state.text() for query in queries]


def test_actions_echo_the_query_with_what_they_ask_for() -> None:
    with analysis() as session:
        version = session.ask_one(id="v", action="query_version")
        assert version["version"].split(".")[0] == "1"
        assert "sparring" in version["git_hash"]
        models = session.ask_one(id="m", action="query_models")["models"]
        assert [(model["name"], model["usesHumanSLProfile"]) for model in models] == [
            ("known", False), ("people", True),
        ]  # fmt: skip
        assert session.ask_one(id="c", action="clear_cache", x=1) == {
            "id": "c",
            "action": "clear_cache",
            "x": 1,
        }
        assert session.ask_one(id="t", action="terminate", terminateId="none")["terminateId"] == "none"
        assert session.ask_one(id="t", action="terminate_all") == {"id": "t", "action": "terminate_all"}
        assert session.ask_one(id="t", action="make_tea") == {
            "error": "'action' field must be 'query_version' or 'query_models' or 'clear_cache' "
            "or 'terminate' or 'terminate_all'"
        }
        assert session.ask_one(id="t", action="terminate") == {
            "id": "t",
            "field": "terminateId",
            "error": 'Requests for a terminate action must have a string "terminateId" field',
        }
        assert session.ask_one(id="t", action="terminate_all", turnNumbers=3)["field"] == "turnNumbers"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("nonsense", "could not parse input line as json request: nonsense"),
        ("[" * 100_000, "could not parse input line as json request"),
        ('{"id": "a", "komi": NaN}', "could not parse input line as json request"),
        ("[1]", "Request line was valid json but was not an object, ignoring: [1]"),
        ('{"moves": []}', 'Request must have a string "id" field'),
        ('{"id": 7}', 'Request must have a string "id" field'),
        ("\udcff".encode("utf-8", "surrogateescape").decode("latin-1"), "could not parse"),
    ],
)
def test_a_wrong_line_is_answered_and_does_not_end_the_engine(line: str, error: str) -> None:
    with analysis() as session:
        session.send(line, "", "   ")
        answer = session.answer()
        assert error in answer["error"]
        assert answer.keys() == {"error"}
        assert session.ask_one(**position(id="\ud800"))["id"] == "\ud800"


_PAIRS = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
_DICTS = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"


@pytest.mark.parametrize(
    ("changes", "where", "error"),
    [
        ({"boardXSize": ...}, "boardXSize", "Must provide an integer from 5 to 19"),
        ({"boardXSize": 4}, "boardXSize", "Must provide an integer from 5 to 19"),
        ({"boardYSize": 29}, "boardYSize", "Must provide an integer from 5 to 19"),
        ({"boardYSize": 9.5}, "boardYSize", "Must provide an integer from 5 to 19"),
        ({"boardYSize": True}, "boardYSize", "Must provide an integer from 5 to 19"),
        (
            {"boardYSize": 13},
            "boardYSize",
            "Must be the same as boardXSize: only square boards are supported",
        ),
        ({"moves": ...}, "moves", "Must specify an array of [player,location] pairs"),
        ({"moves": [["B"]]}, "moves", _PAIRS),
        ({"moves": "B C3"}, "moves", _PAIRS),
        ({"moves": [["X", "C3"]]}, "moves", "Could not parse player: X"),
        ({"moves": [["B", "I3"]]}, "moves", "Could not parse board location: I3"),
        ({"moves": [["B", "C10"]]}, "moves", "Could not parse board location: C10"),
        ({"moves": [["B", "C3"], ["W", "c3"]]}, "moves", "Illegal move 1: C3"),
        ({"initialStones": [["B", "pass"]]}, "initialStones", "Could not parse board location: pass"),
        ({"initialPlayer": "green"}, "initialPlayer", 'Must be "b" or "w"'),
        (
            {"analyzeTurns": 0},
            "analyzeTurns",
            "Must specify an array of integers indicating turns to analyze",
        ),
        ({"analyzeTurns": [1]}, "analyzeTurns", "Invalid turn number: 1"),
        ({"priorities": [1]}, "priorities", "Can only specify when also specifying analyzeTurns"),
        (
            {"priorities": [1, 2], "analyzeTurns": [0]},
            "priorities",
            "Must be of matching length to analyzeTurns",
        ),
        (
            {"priorities": [1], "priority": 1, "analyzeTurns": [0]},
            "priority",
            "Cannot specify both priority and priorities",
        ),
        ({"rules": "martian"}, "rules", "Could not parse rules: martian"),
        ({"rules": {"ko": "MAYBE"}}, "rules", 'Could not parse rules: {"ko": "MAYBE"}'),
        ({"komi": 7.25}, "komi", "Must be a integer or half-integer from -150.0 to 150.0"),
        ({"komi": "7"}, "komi", "Must be a integer or half-integer from -150.0 to 150.0"),
        ({"komi": 151}, "komi", "Must be a integer or half-integer from -150.0 to 150.0"),
        ({"whiteHandicapBonus": 1}, "whiteHandicapBonus", "Must be a string"),
        ({"overrideSettings": []}, "overrideSettings", "Must be an object"),
        (
            {"overrideSettings": {"humanSLProfile": "rank_0k"}},
            "overrideSettings",
            "Could not set settings: Unknown human SL network profile: rank_0k",
        ),
        (
            {"overrideSettings": {"maxTime": "soon"}},
            "overrideSettings",
            "Could not set settings: Could not parse 'soon' as a value of maxTime",
        ),
        ({"maxVisits": 0}, "maxVisits", "Must be an integer from 1 to 2^50"),
        ({"maxVisits": 2.5}, "maxVisits", "Must be an integer from 1 to 2^50"),
        ({"analysisPVLen": 0}, "analysisPVLen", "Must be an integer from 1 to 1000"),
        ({"rootPolicyTemperature": 0}, "rootPolicyTemperature", "Must be a number from 0.01 to 100.0"),
        ({"includePolicy": 1}, "includePolicy", "Must be a boolean"),
        (
            {"reportDuringSearchEvery": 0},
            "reportDuringSearchEvery",
            "Must be number of seconds from 0.001 to 1000000.0",
        ),
        ({"avoidMoves": {}}, "avoidMoves", _DICTS),
        ({"avoidMoves": [{"player": "B"}]}, "avoidMoves", _DICTS),
        ({"avoidMoves": [], "allowMoves": []}, "allowMoves", "Cannot specify both allowMoves and avoidMoves"),
        (
            {"avoidMoves": [{"player": "B", "moves": ["C3"], "untilDepth": 0}]},
            "untilDepth",
            "Must be a positive integer",
        ),
        (
            {"allowMoves": [{"player": "B", "moves": ["C3"], "untilDepth": 1}] * 2},
            "allowMoves",
            "Cannot specify allowMoves more than once for the same player",
        ),
    ],
)
def test_errors_are_worded_as_katago_words_them(changes: dict[str, Any], where: str, error: str) -> None:
    with analysis() as session:
        answer = session.ask_one(**position(**changes))
        assert answer == {"id": "q", "field": where, "error": error}


def test_what_has_no_effect_is_a_warning_and_the_query_is_answered() -> None:
    with analysis() as session:
        session.query(**position(colour="red", overrideSettings={"cpuct": 1, "antiMirror": True}))
        warnings = [session.answer(), session.answer()]
        assert warnings[0] == {
            "id": "q", "field": "overrideSettings", "warning": "Unknown config params: cpuct,antiMirror",
        }  # fmt: skip
        assert warnings[1]["field"] == "colour"
        assert warnings[1]["warning"].startswith("Unexpected or unused field, do you have a typo?")
        assert session.answer()["rootInfo"]["visits"] == 8


def test_a_position_is_searched_with_the_visits_asked_for() -> None:
    with analysis() as session:
        answer = session.ask_one(**position(maxVisits=50, includePVVisits=True))
        moves = answer["moveInfos"]
        assert answer["rootInfo"]["visits"] == 50
        assert sum(move["visits"] for move in moves) == 49
        assert [move["order"] for move in moves] == list(range(len(moves)))
        for move in moves:
            assert move["pv"][0] == move["move"]
            assert move["pvVisits"][0] == move["visits"]
            assert move["pvVisits"] == sorted(move["pvVisits"], reverse=True)
            assert move["lcb"] < move["winrate"]
        one = session.ask_one(**position(maxVisits=1))
        assert (one["rootInfo"]["visits"], one["moveInfos"]) == (1, [])


def test_a_search_ends_after_the_time_asked_for() -> None:
    with analysis(settings={"maxTime": "0.05"}) as session:
        assert session.ask_one(**position(maxVisits=10**9))["rootInfo"]["visits"] < 10**9


@pytest.mark.parametrize(
    ("perspective", "winrates", "leads"),
    [
        ("BLACK", (0.75, 0.75), (6, 6)),
        ("WHITE", (0.25, 0.25), (-6, -6)),
        ("SIDETOMOVE", (0.75, 0.25), (6, -6)),
    ],
)
def test_values_are_from_the_point_of_view_of_the_configuration(
    perspective: str, winrates: tuple[float, float], leads: tuple[float, float]
) -> None:
    query = position(
        moves=[["B", "C3"]], analyzeTurns=[0, 1], includeOwnership=True, includeMovesOwnership=True
    )
    named = {"reportAnalysisWinratesAs": perspective}
    for settings, override in ((named, {}), ({}, named)):
        with analysis(settings=settings) as session:
            session.query(**query, overrideSettings=override)
            answers = sorted((session.answer(), session.answer()), key=lambda answer: answer["turnNumber"])
            for answer, winrate, lead, player in zip(answers, winrates, leads, "BW", strict=True):
                root = answer["rootInfo"]
                assert root["currentPlayer"] == player
                for name in ("winrate", "rawWinrate"):
                    assert root[name] == pytest.approx(winrate, abs=1e-6)
                for name in ("scoreLead", "scoreSelfplay", "rawLead"):
                    assert root[name] == pytest.approx(lead)
                assert answer["ownership"][72] == pytest.approx(np.sign(lead))  # A1: first of the last row
                assert sum(map(abs, answer["ownership"])) == 1
                for move in answer["moveInfos"]:
                    assert move["winrate"] == pytest.approx(winrate, abs=1e-6)
                    assert move["scoreLead"] == move["scoreMean"] == pytest.approx(lead)
                    assert move["ownership"][72] == pytest.approx(np.sign(lead))
                    assert (move["lcb"] < winrate) == (
                        perspective == "SIDETOMOVE" or perspective[0] == player
                    )


def test_the_policy_begins_at_the_top_left_and_ends_with_the_pass() -> None:
    with analysis(KnownPolicy(favourite="A9")) as session:
        policy = session.ask_one(**position(moves=[["B", "J9"], ["W", "C3"]], includePolicy=True))["policy"]
        assert len(policy) == 82
        assert policy.index(max(policy)) == 0
        assert policy[8] == policy[6 * 9 + 2] == -1
        assert sum(share for share in policy if share > 0) == pytest.approx(1, abs=1e-4)
        assert policy[-1] > 0


def test_a_lead_is_derived_from_the_value_of_a_network_that_predicts_none() -> None:
    without = KnownPolicy(black_lead=None, owners=False)
    with analysis(without) as session:
        session.query(**position(includeOwnership=True))
        assert session.answer()["warning"] == "known does not predict ownership"
        answer = session.answer()
        assert "ownership" not in answer
        assert answer["rootInfo"]["scoreLead"] > 0
    values = [lead_of(Prediction((), np.zeros(0, np.float32), value)) for value in (-1, -0.5, 0, 0.5, 1)]
    assert values == sorted(values)
    assert values[2] == 0
    assert lead_of(Prediction((), np.zeros(0, np.float32), 0.9, lead=-3.0)) == -3.0


def test_moves_are_avoided_or_allowed_for_a_player_to_a_depth() -> None:
    def restricted(kind: str, moves: Sequence[str], player: str = "B", depth: int = 1) -> dict[str, Any]:
        return position(
            maxVisits=30, **{kind: [{"player": player, "moves": list(moves), "untilDepth": depth}]}
        )

    with analysis(KnownPolicy(favourite="C3")) as session:
        free = {move["move"] for move in session.ask_one(**position(maxVisits=30))["moveInfos"]}
        assert "C3" in free
        avoided = session.ask_one(**restricted("avoidMoves", ["C3", "pass"]))
        assert not {"C3", "pass"} & {move["move"] for move in avoided["moveInfos"]}
        assert avoided["rootInfo"]["visits"] == 30
        allowed = session.ask_one(**restricted("allowMoves", ["D4", "E5"]))
        assert {move["move"] for move in allowed["moveInfos"]} <= {"D4", "E5"}
        other = session.ask_one(**restricted("avoidMoves", ["C3"], "W"))
        assert other["moveInfos"][0]["move"] == "C3"
        assert session.ask_one(**restricted("allowMoves", []))["moveInfos"] == []
        deep = session.ask_one(**restricted("allowMoves", ["A1"], "W", 9))
        assert {line[1] for line in (move["pv"] for move in deep["moveInfos"]) if len(line) > 1} == {"A1"}


def test_a_wider_root_is_searched_with_wide_root_noise_and_root_temperature() -> None:
    def share(session: Client, **changes: Any) -> float:
        moves = session.ask_one(**position(maxVisits=60, **changes))["moveInfos"]
        prior: float = next(move["prior"] for move in moves if move["move"] == "C3")
        return prior

    with analysis(KnownPolicy(favourite="C3")) as session:
        usual = share(session)
        assert share(session, overrideSettings={"wideRootNoise": 0.5}) < usual
        assert share(session, rootPolicyTemperature=3) == pytest.approx(
            share(session, overrideSettings={"wideRootNoise": 0.5})
        )


def test_a_human_profile_adds_the_moves_of_people_of_a_rank() -> None:
    people = KnownPolicy("people", favourite="D4", black_value=0.2, black_lead=2.0)
    with analysis(KnownPolicy(favourite="C3"), people) as session:
        query = position(moves=[["B", "E5"]], includePolicy=True, maxVisits=30)
        assert "humanPolicy" not in session.ask_one(**query)
        session.query(**query, overrideSettings={"humanSLProfile": "rank_5k_3d"})
        warning = session.answer()
        assert warning["warning"] == "people is not conditioned on ranks"
        answer = session.answer()
        assert [(p.rating, p.opponent_rating) for p in people.seen[-1:]] == [(3, -5)]  # White is to move
        assert answer["humanPolicy"].index(max(answer["humanPolicy"])) == 5 * 9 + 3
        assert answer["policy"].index(max(answer["policy"])) == 6 * 9 + 2
        assert answer["rootInfo"]["humanWinrate"] == pytest.approx(0.4)
        assert answer["rootInfo"]["humanScoreMean"] == pytest.approx(-2)
        shares = {move["move"]: move["humanPrior"] for move in answer["moveInfos"]}
        assert shares["C3"] < 0.05
        session.query(**query, overrideSettings={"humanSLProfile": "preaz_5k"})
        assert session.answer()["warning"] == "humanSLProfile preaz_5k is taken as rank_5k"


def test_ranks_that_the_network_does_not_know_become_the_nearest_ones() -> None:
    from sparring.games import describe
    from sparring.policies import load_policy, rating_range

    people = load_policy("human", "go")
    bounds = rating_range(people)
    assert bounds is not None
    weakest = describe("go").ratings.format(int(bounds[0]))
    with analysis(human=people) as session:
        session.query(**position(includePolicy=True, overrideSettings={"humanSLProfile": "rank_20k"}))
        expected = f"rank 20k is outside the range of human: {weakest} is used"
        assert session.answer()["warning"] == expected
        policy = session.answer()["humanPolicy"]
        session.query(**position(includePolicy=True, overrideSettings={"humanSLProfile": f"rank_{weakest}"}))
        assert session.answer()["humanPolicy"] == policy


def test_queries_are_answered_once_for_each_turn_in_any_order() -> None:
    moves = [["B", "C3"], ["W", "G7"], ["B", "G3"]]
    with analysis(parallel=3) as session:
        session.query(**position(id="long", moves=moves, analyzeTurns=[3, 1, 1], maxVisits=60))
        session.query(**position(id="short", moves=moves, maxVisits=2))
        session.query(**position(id="other", boardXSize=13, boardYSize=13, maxVisits=2))
        session.query(**position(id="wrong", rules=7))
        answers = [session.answer() for _ in range(5)]
        assert Counter((a["id"], a.get("turnNumber")) for a in answers) == Counter(
            [("long", 1), ("long", 3), ("short", 3), ("other", 0), ("wrong", None)]
        )
        assert answers[-1]["id"] == "long"  # it has the most visits, and all are searched together


def test_higher_priorities_come_first_and_then_the_order_of_arrival() -> None:
    policy = KnownPolicy(gate=threading.Event())
    moves = [["B", "C3"], ["W", "G7"]]
    with analysis(policy, parallel=1) as session:
        session.query(**position(id="first", moves=moves))
        assert policy.reached.wait(TIMEOUT_SECONDS)  # it is searched while the others arrive
        session.query(**position(id="low", moves=moves, priority=-1))
        session.query(**position(id="turns", moves=moves, analyzeTurns=[1, 2], priorities=[0, 5]))
        session.query(**position(id="high", moves=moves, priority=9))
        assert session.ask_one(id="v", action="query_version")["id"] == "v"  # all are read
        assert policy.gate is not None
        policy.gate.set()
        order = [(answer["id"], answer["turnNumber"]) for answer in (session.answer() for _ in range(5))]
        assert order == [("first", 2), ("high", 2), ("turns", 2), ("turns", 1), ("low", 2)]


def test_a_terminated_search_reports_what_it_has_and_a_waiting_query_that_it_has_nothing() -> None:
    with analysis(parallel=1) as session:
        session.query(**position(id="ponder", maxVisits=10**9, reportDuringSearchEvery=0.001))
        partial = session.answer()
        assert partial["isDuringSearch"]
        session.query(**position(id="waits", moves=[["B", "C3"]], analyzeTurns=[0, 1]))
        session.query(id="t1", action="terminate", terminateId="waits", turnNumbers=[1])
        session.query(id="t2", action="terminate", terminateId="ponder")
        by_id = {(answer["id"], answer["turnNumber"]): answer for answer in final_answers(session, 3)}
    assert by_id["waits", 1] == {"id": "waits", "turnNumber": 1, "isDuringSearch": False, "noResults": True}
    assert by_id["waits", 0]["rootInfo"]["visits"] == 8
    assert by_id["ponder", 0]["rootInfo"]["visits"] >= partial["rootInfo"]["visits"]


def test_terminate_all_ends_everything() -> None:
    with analysis(parallel=2) as session:
        for number in range(4):
            session.query(**position(id=str(number), maxVisits=10**9))
        session.query(id="t", action="terminate_all")
        assert Counter(session.answer()["id"] for _ in range(5)) == Counter("0123t")
        assert session.ask_one(**position())["rootInfo"]["visits"] == 8


def test_reports_during_a_search_come_before_the_final_answer() -> None:
    with analysis() as session:
        session.query(**position(maxVisits=400, reportDuringSearchEvery=0.001))
        answers = [session.answer()]
        while answers[-1]["isDuringSearch"]:
            answers.append(session.answer())
        visits = [answer["rootInfo"]["visits"] for answer in answers]
        assert len(visits) > 1
        assert visits == sorted(visits)
        assert visits[-1] == 400


def test_at_the_end_of_the_input_open_queries_are_finished_unless_it_may_drop_them() -> None:
    with analysis(parallel=1) as session:
        for number in range(5):
            session.query(**position(id=str(number), maxVisits=30))
        assert [json.loads(line)["id"] for line in session.hang_up()] == list("01234")
    with analysis(parallel=1, finish=False) as session:
        session.query(**position(maxVisits=10**9))
        assert session.hang_up() == []


def test_it_ends_when_its_program_is_gone() -> None:
    with subprocess.Popen(
        command("katago-analysis"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        query = position(maxVisits=10**9, reportDuringSearchEvery=0.01)
        running.stdin.write(json.dumps(query).encode() + b"\n")
        running.stdin.flush()
        assert json.loads(running.stdout.readline())["isDuringSearch"]
        running.stdin.close()
        running.stdout.close()
        assert running.wait(TIMEOUT_SECONDS) == 0


def test_a_failed_evaluation_is_the_answer_of_its_query() -> None:
    class Failing(KnownPolicy):
        def predict(self, positions: Sequence[Position]) -> list[Prediction]:
            if any(position.state.size == 13 for position in positions):
                raise ValueError("no 13x13")
            return super().predict(positions)

    with analysis(Failing()) as session:
        answer = session.ask_one(**position(boardXSize=13, boardYSize=13))
        assert answer["error"] == "ValueError: no 13x13"
        assert session.ask_one(**position())["rootInfo"]["visits"] == 8


def test_a_network_without_values_is_refused() -> None:
    class Silent(KnownPolicy):
        def _prediction(self, state: Any) -> Prediction:
            moves = state.legal_moves()
            return Prediction(tuple(moves), np.full(len(moves), 1 / len(moves), np.float32))

    with pytest.raises(UserError, match="gives no value"):
        AnalysisPolicies(Silent())


def test_rules_komi_and_handicap_make_the_position() -> None:
    empty = "9/9/9/9/9/9/9/9/9 b - 0 0 0"
    assert texts_of(komi=...) == [f"{empty} 7.5 simple"]
    assert texts_of(rules="japanese", komi=...) == [f"{empty} 6.5 simple territory tax-seki"]
    assert (
        texts_of(rules="new zealand") == texts_of(rules="NEW_ZEALAND") == [f"{empty} 7 situational suicide"]
    )
    rules = {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI", "suicide": False}
    assert texts_of(rules=rules, komi=...) == texts_of(rules=json.dumps(rules), komi=6.5)
    stones = [["B", "C3"], ["B", "(6,2)"]]
    assert texts_of(initialStones=stones) == [
        "9/9/6X2/9/9/9/2X6/9/9 w - 0 0 0 9 simple"
    ]  # two points for two
    assert texts_of(initialStones=stones, rules="aga")[0].split()[6] == "8"
    assert texts_of(initialStones=stones, whiteHandicapBonus="0")[0].split()[6] == "7"
    assert texts_of(moves=[["B", "C3"], ["B", "D4"], ["W", "E5"]])[0].split()[6] == "9"
    assert texts_of(moves=[["B", "C3"], ["W", "D4"]])[0].split()[6] == "7"
    assert texts_of(initialStones=[*stones, ["W", "A1"]])[0].split()[1:7] == ["b", "-", "0", "0", "0", "7"]
    assert texts_of(initialPlayer="W")[0].split()[1] == "w"


def test_moves_lead_to_the_turns_asked_for() -> None:
    moves = [["B", "C3"], ["W", "pass"], ["w", "g7"], ["B", "pass"], ["W", "pass"]]
    texts = texts_of(moves=moves, analyzeTurns=[0, 3, 5])
    assert [text.split()[:2] for text in texts] == [
        ["9/9/9/9/9/9/9/9/9", "b"],
        ["9/9/6O2/9/9/9/2X6/9/9", "b"],
        ["9/9/6O2/9/9/9/2X6/9/9", "b"],
    ]
    assert texts[2].split()[5] == "0"  # play goes on after two passes


def test_a_repetition_that_other_rules_allow_is_played() -> None:
    ko = [
        ["B", "B1"],
        ["W", "C1"],
        ["B", "A2"],
        ["W", "D2"],
        ["B", "B3"],
        ["W", "C3"],
        ["B", "C2"],
        ["W", "B2"],
    ]
    assert len(texts_of(moves=[*ko, ["B", "C2"]])) == 1  # it retakes the ko at once


def test_a_query_may_ignore_the_moves_before_the_position() -> None:
    def states(ignore: bool) -> list[Any]:
        override = {"ignorePreRootHistory": ignore}
        query = position(moves=[["B", "C3"], ["W", "G7"]], overrideSettings=override)
        return [found.state for found in QueryReader(query, AnalysisSettings()).read()]

    assert [state.ply for state in states(False)] == [2]
    assert [state.ply for state in states(True)] == [0]
    assert states(True)[0].text() == states(False)[0].text()


def test_positions_have_names_that_symmetry_does_not_change() -> None:
    with analysis() as session:
        hashes = [
            session.ask_one(**position(moves=[["B", vertex]], maxVisits=1))["rootInfo"]
            for vertex in ("C4", "C4", "D3", "C5")
        ]
    assert len({names["thisHash"] for names in hashes}) == 3
    assert [names["symHash"] == hashes[0]["symHash"] for names in hashes] == [True, True, True, False]


KATRAINS_KEYS = ("visits", "winrate", "scoreLead")


def test_what_katrain_sends_is_answered_with_what_it_reads() -> None:
    """The queries of KaTrain 1.20: analysis, human-like moves, alternatives, a sweep, a region, pondering."""
    queries = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    with analysis() as session:
        session.send(*map(json.dumps, queries))
        turns = {query["id"]: query for query in queries if "action" not in query}
        answers = {answer["id"]: answer for answer in final_answers(session, len(turns))}
        assert answers.keys() == turns.keys()
        for name, query in turns.items():
            answer = answers[name]
            assert answer["turnNumber"] == query["analyzeTurns"][0]
            if answer.get("noResults"):
                assert query["maxVisits"] == 10_000_000  # it was terminated
                continue
            assert len(answer["policy"]) == 82
            assert ("ownership" in answer) == query["includeOwnership"]
            assert ("humanPolicy" in answer) == ("humanSLProfile" in query["overrideSettings"])
            assert all(key in answer["rootInfo"] for key in KATRAINS_KEYS)
            avoided = {move for entry in query.get("avoidMoves", ()) for move in entry["moves"]}
            for move in answer["moveInfos"]:
                assert move["move"] not in avoided
                assert all(key in move for key in (*KATRAINS_KEYS, "order", "pv", "prior"))


def test_the_command_takes_the_arguments_of_katago(tmp_path: Path) -> None:
    config = tmp_path / "analysis.cfg"
    config.write_text(
        "# as KaTrain's\nreportAnalysisWinratesAs = BLACK\nmaxVisits = 3 # few\nnnMaxBatchSize = 96\n"
    )
    broken = tmp_path / "network.bin.gz"
    broken.write_bytes(b"no network")
    arguments = [
        "analysis",
        "-model",
        str(broken),
        "-config",
        str(config),
        "-override-config",
        "homeDataDir=/x",
    ]
    done = subprocess.run(
        command("katago-analysis", *arguments), input=json.dumps(position(maxVisits=...)) + "\n",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert answer["rootInfo"]["visits"] == 3
    assert "-model cannot be used" in done.stderr
    assert "without an effect: nnMaxBatchSize, homeDataDir" in done.stderr
    assert "Started, ready to begin handling requests" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-model", "missing.bin.gz"], "missing.bin.gz"),
        (["-config", "missing.cfg"], "-config missing.cfg: No such file"),
        (["-override-config", "maxVisits=none"], "Could not parse 'none' as a value of maxVisits"),
        (["benchmark"], "'benchmark' is not a command here"),
    ],
)
def test_arguments_that_cannot_be_used_end_it(arguments: list[str], message: str) -> None:
    done = subprocess.run(
        command("katago-analysis", *arguments), input="", capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr


def test_the_command_says_which_katago_it_speaks_as() -> None:
    done = subprocess.run(
        command("katago-analysis", "version"), input="", capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("KataGo v1.")


def final_answers(session: Client, count: int) -> list[dict[str, Any]]:
    """The next final answers of positions."""
    answers: list[dict[str, Any]] = []
    while len(answers) < count:
        answer = session.answer()
        if "turnNumber" in answer and not answer["isDuringSearch"]:
            answers.append(answer)
    return answers
