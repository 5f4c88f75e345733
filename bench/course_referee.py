"""A referee of Expendibots with the rules, limits and log of the course's referee.

Players are classes with `__init__(colour)`, `action()` and `update(colour, action)`. Time is processor time,
summed over a player's calls. Memory is the peak of this process minus its memory at the start. The rules are
those of `tests.reference`, so that the native core does not check itself.

    python -m bench.course_referee sparring.expendibots.referee:RefereePlayer PACKAGE:CLASS
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from sparring.base.provenance import portable_command, provenance
from tests.reference.expendibots import Action, ReferenceGame

COLOURS = ("white", "black")
DRAWS = {
    "all tokens gone": "no tokens remaining",
    "repetition": "game state occurred 4 times.",
    "move limit": "maximum number of turns reached.",
}
T = TypeVar("T")


class RefereePlayer(Protocol):
    """The interface of a player."""

    def action(self) -> Action: ...  # noqa: D102
    def update(self, colour: str, action: Action) -> None: ...  # noqa: D102


PlayerFactory = Callable[[str], RefereePlayer]


@dataclass
class Report:
    """The result of a game."""

    ending: str = ""
    log: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(COLOURS, 0.0))
    """Processor seconds by colour."""
    megabytes: float = 0.0
    """Memory of both players together."""

    def timed(self, colour: str, call: Callable[[], T]) -> T:
        """Calls a player and adds the processor time to its clock."""
        gc.collect()
        started = time.process_time()
        answer = call()
        self.seconds[colour] += time.process_time() - started
        return answer

    def exceeds(self, seconds: float | None, megabytes: float | None) -> bool:
        """Whether a player is over its time, or both over their memory together."""
        over_time = seconds is not None and max(self.seconds.values()) > seconds
        return over_time or (megabytes is not None and self.megabytes > 2 * megabytes)


def referee(
    factories: tuple[PlayerFactory, PlayerFactory],
    *,
    seconds: float | None = None,
    megabytes: float | None = None,
) -> Report:
    """Plays a game between players made by two factories (White, Black).

    The limits are for one player; memory is checked for both together. An illegal action ends the game.
    """
    report, game, at_rest, earlier_peak = Report(), ReferenceGame(), _memory("VmSize"), _memory("VmPeak")
    report.log.append(f"[game ] - Start game log at {time.asctime()}")
    players = [
        report.timed(colour, partial(make, colour)) for make, colour in zip(factories, COLOURS, strict=True)
    ]
    while (outcome := game.outcome()) is None:
        mover = game.taken % 2
        action = report.timed(COLOURS[mover], players[mover].action)
        if not isinstance(action, tuple) or action not in game.actions():
            report.ending = f"illegal action detected ({COLOURS[mover]}): {action!r}."
            report.log.append(f"[error] - {report.ending}")
            return report
        game.play(action)
        report.log.append(f"[{COLOURS[mover]}] - {_words(action)}")
        for player, colour in zip(players, COLOURS, strict=True):
            report.timed(colour, partial(player.update, COLOURS[mover], action))
        peak = _memory("VmPeak")  # of the whole process, which may have been larger before the game
        report.megabytes = (peak if peak > earlier_peak else _memory("VmSize")) - at_rest
        if report.exceeds(seconds, megabytes):
            report.ending = "resource limit exceeded!"
            return report
    winner, reason = outcome
    report.ending = f"draw detected: {DRAWS[reason]}" if winner is None else f"winner: {COLOURS[winner]}"
    report.log.append(f"[over ] - {report.ending}")
    return report


def _words(action: Action) -> str:
    if len(action) == 2:
        return f"BOOM at {action[1]}."
    return f"MOVE {action[1]} from {action[2]} to {action[3]}."


def _memory(name: str) -> float:
    """An entry of /proc/self/status in MB; 0 on systems without it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")), 0.0)


def _load(name: str) -> PlayerFactory:
    module, _, made = name.partition(":")
    maker: PlayerFactory = getattr(importlib.import_module(module), made or "Player")
    return maker


def main() -> None:
    """Plays a game between two players `module:class` and prints the log and a JSON summary."""
    white, black = (_load(name) for name in sys.argv[1:3])
    report = referee((white, black), seconds=60, megabytes=100)
    print("\n".join(report.log))
    print(
        json.dumps(
            {
                **provenance(portable_command(["python", "-m", "bench.course_referee", *sys.argv[1:]])),
                "ending": report.ending,
                "actions": len(report.log) - 2,
                "seconds": {colour: round(spent, 2) for colour, spent in report.seconds.items()},
                "megabytes_of_both": round(report.megabytes, 1),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
