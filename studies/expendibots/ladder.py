"""The ladder of Expendibots agents: acceptance matches between each agent and the one below it.

`previous` is the agent that was shipped before the step `trades`: its network, and only booms that improve
the ratio of tokens. Its book is left out, since matches begin after random moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sparring.base.plot_style import save_svg
from sparring.base.provenance import provenance
from sparring.base.workers import Worker, open_pool
from sparring.expendibots.agent import AgentComponents, ExpendibotsAgent, open_network
from sparring.expendibots.tables import shipped_tables
from sparring.measure.reports import FIGURES, write_json
from sparring.players import SearchLimits
from sparring.search.linear_evaluation import open_evaluation
from studies.expendibots.acceptance import MatchSummary, NamedPlayer, TimedResult, play_match, summarise_match
from studies.expendibots.figures import interval_plot
from studies.expendibots.rungs import LADDER, ladder_player

REPORT = "ladder.json"
PREVIOUS = "previous"
_PREVIOUS_NETWORK = Path(__file__).parent / "previous_network.npz"
PAIRINGS = (
    *zip(list(LADDER)[1:], list(LADDER)[:-1], strict=True),
    ("champion", "random"),
    ("champion", "report"),
    ("champion", PREVIOUS),
)
"""(new, old) players: neighbours on the ladder, and the shipped agent against three fixed opponents."""


@dataclass(frozen=True)
class LadderConfig:
    """The plan of a ladder study."""

    games: int = 100
    """Games of each match."""
    nodes: int = 20_000
    """Nodes of a search for a move."""
    seed: int = 0


def run_ladder(
    out: Path,
    config: LadderConfig,
    *,
    command: str,
    pairings: Sequence[tuple[str, str]] = PAIRINGS,
    workers: int = 1,
    callback: Callable[[MatchSummary], None] = lambda _: None,
) -> dict[str, Any]:
    """Plays all matches, in `workers` processes; writes `ladder.json` after each. Returns the report.

    Games are kept in `out/games`, so that a stopped run resumes. `callback` is called after each match.
    Raises WorkerError.
    """
    report: dict[str, Any] = {
        **provenance(command),
        "games": config.games,
        "nodes_a_move": config.nodes,
        "seed": config.seed,
        "players": {**LADDER, PREVIOUS: "the agent that was shipped before the step trades"},
    }
    finished: dict[tuple[str, str], MatchSummary] = {}
    spawn = partial(_MatchWorker, out / "games", config)
    pool = open_pool(spawn, workers, " v ".join)
    # Matches of strong players take longest: they begin first where several are played at once.
    order = reversed(pairings) if workers > 1 else iter(pairings)
    with pool:
        for summary in pool.run(iter(order)):
            finished[summary.new, summary.old] = summary
            report["matches"] = [asdict(finished[pair]) for pair in pairings if pair in finished]
            write_json(report, out / REPORT)
            callback(summary)
    return report


class _MatchWorker(Worker[tuple[str, str], MatchSummary]):
    """Plays matches of two players by their names."""

    def __init__(self, folder: Path, config: LadderConfig) -> None:
        self._folder, self._config = folder, config

    def work(self, pairing: tuple[str, str]) -> MatchSummary:
        new, old = pairing
        config = replace(self._config, games=2 * self._config.games) if old == PREVIOUS else self._config
        return play_ladder_match(new, old, config, self._folder)


def play_ladder_match(
    new: str,
    old: str,
    config: LadderConfig,
    folder: Path | None = None,
    callback: Callable[[TimedResult], None] = lambda _: None,
) -> MatchSummary:
    """Plays an acceptance match between two players of the ladder, or the previous agent.

    With a `folder`, each game is appended to a journal there and a second call resumes. `callback` is called
    after each game.
    """
    limits = SearchLimits(nodes=config.nodes)
    sides = [
        NamedPlayer(name, previous_agent(limits) if name == PREVIOUS else ladder_player(name, limits))
        for name in (new, old)
    ]
    journal = None if folder is None else folder / f"{new}-{old}-{config.nodes}-{config.seed}.jsonl"
    played = []
    for result in play_match("expendibots", *sides, games=config.games, seed=config.seed, journal=journal):
        played.append(result)
        callback(result)
    return summarise_match(new, old, played)


def previous_agent(limits: SearchLimits) -> ExpendibotsAgent:
    """The agent that was shipped before the step `trades`."""
    components = AgentComponents(
        open_evaluation("expendibots"),
        network=open_network(_PREVIOUS_NETWORK),
        tables=shipped_tables(),
        prune_booms=True,
    )
    return ExpendibotsAgent(components, limits)


def draw_ladder(report: dict[str, Any], out: Path) -> None:
    """Draws the score of each match with its 95 % interval. Raises MissingExtra."""
    rows = [
        (f"{m['new']} v {m['old']}", 100 * m["score_low"], 100 * m["score"], 100 * m["score_high"])
        for m in report["matches"]
    ]
    save_svg(interval_plot(rows, "points of 100", reference=50), out / FIGURES, "ladder")
