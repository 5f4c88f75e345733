"""Players of many games share the network's batches, with and without search, in every game with networks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sparring.games import GAMES, describe, load_game
from sparring.networks import Position, Prediction
from sparring.play.opponent import BLEND
from sparring.players import Decision, GameStart, Turn
from sparring.players.player_config import level_keys
from sparring.policies.policy import SharedPolicy
from sparring.server.messages import OpponentChoice
from sparring.server.opponents import Opponents
from tests.waiting import wait_until

PLAYERS = 6
NODES = 12
NETWORK_GAMES = [name for name in GAMES if describe(name).people is not None]


class Gate:
    """A policy that predicts only when all players have asked, and remembers the sizes of its batches."""

    def __init__(self, shared: SharedPolicy) -> None:
        self._policy = shared.policy
        self.name, self.game = shared.name, shared.game
        self.sizes: list[int] = []
        self.shared: SharedPolicy | None = None

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        assert self.shared is not None
        shared = self.shared
        if not self.sizes:
            wait_until(lambda: shared.waiting >= PLAYERS - 1, "all players asked")
        self.sizes.append(len(positions))
        return self._policy.predict(positions)


@pytest.mark.parametrize("nodes", [0, NODES])
@pytest.mark.parametrize("game", NETWORK_GAMES)
def test_games_share_batches(game: str, nodes: int) -> None:
    opponents = Opponents()
    gate = Gate(opponents.policy(game, BLEND))
    gate.shared = SharedPolicy(gate)
    opponents._policies[game, BLEND] = 0, gate.shared
    rules = load_game(game)
    choice = opponents.complete(rules, OpponentChoice(kind="human", nodes=nodes, temperature=1.0))
    players = [opponents.make(rules, choice) for _ in range(PLAYERS)]

    def decide(number: int) -> Decision:
        players[number].new_game(GameStart(rules, 0, rules.initial(), seed=number))
        return players[number].choose(Turn.of(rules.initial()))

    with ThreadPoolExecutor(PLAYERS) as threads:
        decisions = list(threads.map(decide, range(PLAYERS)))
    assert gate.sizes[0] == 1, "one that comes alone does not wait"
    assert gate.sizes[1] >= PLAYERS - 1, "those that wait share a batch"
    alone = sum(gate.sizes) if nodes == 0 else PLAYERS * len(_batches_alone(game, nodes))
    assert len(gate.sizes) < alone
    assert all(decision.move in rules.legal_moves(rules.initial()) for decision in decisions)


def _batches_alone(game: str, nodes: int) -> list[int]:
    """Sizes of the batches of one player without others."""
    opponents = Opponents()
    shared = opponents.policy(game, BLEND)
    rules = load_game(game)
    sizes: list[int] = []
    predict = shared.policy.predict

    class Counting:
        name, game = shared.name, shared.game

        def predict(self, positions: Sequence[Position]) -> Any:
            sizes.append(len(positions))
            return predict(positions)

    opponents._policies[game, BLEND] = 0, SharedPolicy(Counting())
    choice = opponents.complete(rules, OpponentChoice(kind="human", nodes=nodes, temperature=1.0))
    player = opponents.make(rules, choice)
    player.new_game(GameStart(rules, 0, rules.initial(), seed=0))
    player.choose(Turn.of(rules.initial()))
    return sizes


def test_a_level_has_the_policy_of_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {**level_keys("chess", 1500), "model": "human"}
    monkeypatch.setattr("sparring.play.opponent.Opponent.level_keys", lambda self, level: keys)
    opponents, rules = Opponents(), load_game("chess")
    for choice in (OpponentChoice(kind="level", level=1500), OpponentChoice(kind="human", rating=1500)):
        opponents.make(rules, choice)
    assert {name for _, name in opponents._policies} == {"human"}
