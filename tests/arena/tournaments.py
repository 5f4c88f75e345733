"""Small tournaments for tests, with fake engines and quick players."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sparring.arena.results import ArenaGame
from sparring.arena.run_tournament import GameRunner, GameTask, read_openings
from sparring.arena.tournament import ParticipantConfig, StrengthPlayerConfig, Tournament, pairing_of
from sparring.games import EngineProtocol, protocol_games
from sparring.players import SearchLimits
from sparring.players.engines import EngineConfig
from sparring.records import GameRecord

FAKE = Path(__file__).parent / "fake_engine.py"


def fake(protocol: EngineProtocol, fault: str = "", name: str = "", **entries: Any) -> EngineConfig:
    """An engine that plays the first legal move, or misbehaves."""
    settings: dict[str, Any] = {
        "limits": SearchLimits() if protocol == "gtp" else SearchLimits(nodes=1),
        "start_seconds": 20.0,
        "move_seconds": 20.0,
        "stop_seconds": 5.0,
    }
    command = (sys.executable, str(FAKE), protocol, fault)
    return EngineConfig(name or fault or "good", protocol, command, **{**settings, **entries})


def tournament(*entries: ParticipantConfig, **settings: Any) -> Tournament:
    """A tournament of engines by their protocol's game, or of players in chess."""
    protocols = [entry.protocol for entry in entries if isinstance(entry, EngineConfig)]
    game = protocol_games()[protocols[0]] if protocols else "chess"
    rules = {"claim_draws": True} if game == "chess" else {"size": 5} if game == "go" else {}
    return Tournament(
        **{"name": "test", "game": game, "entries": entries, "games": 2, "rules": rules, **settings}
    )


def play(tournament: Tournament) -> list[tuple[ArenaGame, GameRecord | None]]:
    """All games, one after the other, in this process."""
    game = tournament.load_game()
    openings = read_openings(tournament.openings, game)
    table = GameRunner(tournament)
    try:
        pairings = [pairing_of(tournament, number, len(openings)) for number in range(tournament.games)]
        return [table.work(GameTask(pairing, openings[pairing.opening].state(game))) for pairing in pairings]
    finally:
        table.close()


def small(*levels: int) -> list[StrengthPlayerConfig]:
    """Our own players."""
    return [StrengthPlayerConfig(f"small-{number}", level) for number, level in enumerate(levels, 1)]
