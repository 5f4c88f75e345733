"""A player with a value network: unbounded best-first minimax with completed values and the safest decision.

Its file has `value_network`, the network of `sparring train descent`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from sparring.base.config import Count, Seed, Source, bad_value, from_table, is_file
from sparring.base.numbers import signed
from sparring.games import describe
from sparring.games.states import State
from sparring.players.player import Decision, GameStart, Player, Turn
from sparring.players.small_players import stopping
from sparring.search import SearchLimits
from sparring.search.limits import resolve_limits
from sparring.search.value_network import GAMES_WITH_NETWORKS, open_value_network

_UNBOUNDED = 1 << 62


@dataclass(frozen=True)
class MinimaxPlayerConfig:
    """A player with a value network: the keys of its TOML file."""

    game: str
    """Name of the game."""
    value_network: str
    """File of the network (`sparring train descent`), beside the player's file or anywhere."""
    name: str = "best-first minimax"
    """Name that opponents and records see. In a file the default is the name of the file."""
    nodes: Count = 0
    """Positions that the network evaluates for a move; 0 for no limit."""
    seconds: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    """Time for a move; without it and without `nodes` 1 second."""
    megabytes: Annotated[int, Meta(ge=1, le=1 << 20)] = 512
    """Limit of the search tree; a full tree is not searched further."""
    seed: Seed | None = None
    """No effect: the player draws nothing at random."""

    def __post_init__(self) -> None:
        if self.game not in GAMES_WITH_NETWORKS:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES_WITH_NETWORKS)}")


def parse_minimax_player(table: Mapping[str, object], source: Source) -> MinimaxPlayerConfig:
    """Makes a configuration from a TOML table. The network is looked for in the source's folder first."""
    config = from_table(MinimaxPlayerConfig, table, source)
    beside = source.folder / config.value_network
    return replace(config, value_network=str(beside)) if is_file(beside) else config


class MinimaxPlayer(Player):
    """Plays the safest move of best-first minimax. The tree is kept from move to move.

    With a limit of nodes its games are deterministic: it draws nothing at random.
    """

    def __init__(self, config: MinimaxPlayerConfig) -> None:
        """Raises BadFile."""
        super().__init__(config.name)
        self._config = config
        self._network = open_value_network(config.game, Path(config.value_network))
        default = None if config.nodes else 1.0
        self.limits = SearchLimits(nodes=config.nodes or None, seconds=config.seconds or default)
        self._forest: Any = None

    def new_game(self, start: GameStart) -> None:
        """Begins with an empty tree."""
        super().new_game(start)
        self._forest = None

    def choose(self, turn: Turn) -> Decision:
        """Searches and returns the safest move."""
        limits = resolve_limits(turn.limits, self.limits)
        forest = self._tree(turn.state)
        nodes = _UNBOUNDED if limits.nodes is None or limits.infinite else limits.nodes
        seconds = float("inf") if limits.seconds is None or limits.infinite else limits.seconds
        with stopping(forest.stop, turn.stop):
            forest.search(self._network, nodes, seconds)
        move = forest.safest(0)
        value, completion, resolved = forest.value(0)
        result = {1: "wins by force", -1: "loses by force", 0: "draws"}[completion]
        reason = result if resolved else f"{signed(100 * value, 1)} of 100"
        return Decision(
            move,
            {move: 1.0},
            f"{reason}, {int(forest.evaluations[0]):,} positions",
            value=float(completion) if resolved else value,
        )

    def hint(self, turn: Turn) -> Decision:
        """The safest move, by a search of its own: the game's tree stays as it is."""
        kept, self._forest = self._forest, None
        try:
            return super().hint(turn)
        finally:
            self._forest = kept

    @property
    def memory_bytes(self) -> int:
        """About the size of the tree after the last search."""
        return 0 if self._forest is None else self._bytes

    @property
    def search_bytes(self) -> int:
        """The limit of the tree."""
        return self._config.megabytes << 20

    def close(self) -> None:
        """Releases the tree."""
        self._forest = None

    def _tree(self, state: State) -> Any:
        """The tree with the state as its root: the one so far if the state continues its game, else new."""
        moves: list[int] = []
        line, forest = state, self._forest
        while forest is not None and line.ply > forest.root(0).ply:
            if line.previous is None or line.last_move is None:
                break
            moves.append(line.last_move)
            line = line.previous
        if forest is None or line != forest.root(0) or line.ply != forest.root(0).ply:
            forest = describe(self._config.game).minimax_forest_class(
                [state], megabytes=self._config.megabytes
            )
        else:
            for move in reversed(moves):
                forest.advance(0, move)
            forest.compact(0)
        self._forest, self._bytes = forest, forest.bytes(0)
        return forest
