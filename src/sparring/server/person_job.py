"""Makes a person's player in a process of its own, for the page: `python -m sparring.server.person_job`.

The first line on standard input is the task as JSON; standard input stays open as long as the server lives,
and the process ends with it. Lines of JSON on standard output say how far it is; the last one has the file's
name or the error.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from sparring.base.errors import SparringError, first_line
from sparring.base.sentences import Sentence
from sparring.games import describe, load_game
from sparring.records.record import GameRecord
from sparring.server.pasted import read_records

STAGES = {
    "trying ratings": (0.02, 0.3),
    "reading the games": (0.3, 0.85),
    "checking on the latest games": (0.85, 0.92),
    "fitting": (0.92, 0.99),
}
"""The share of the work before and after each stage."""
_WEAKER = 10
"""How much less of the processor it asks for than games do."""

Report: TypeAlias = Callable[..., None]
_MEASURED = re.compile(r"top-1 (?P<base>[\d.]+) (?P<gain>[+-][\d.]+) \((?P<low>[+-][\d.]+) to ")


def cannot_make(game: str) -> str | None:
    """Why no person of a game can be made, in a sentence; None if one can be."""
    if describe(game).people is None:
        title = load_game(game).spec.title
        return Sentence("There is no network of people's moves for {game}.", game=title)
    return None


def learned(measured: str) -> str:
    """What a person's player knows of the person, by the measurement of its card; empty if it has none."""
    match = _MEASURED.search(measured)
    if match is None:
        return ""
    base, gain = float(match["base"]), float(match["gain"])
    if float(match["low"]) <= 0:
        return Sentence("It is not clearly nearer to this person than other people are: more games help.")
    return Sentence(
        "It guesses {after} of 100 moves in games that it did not see; without this person's habits it would "
        "be {before}.",
        after=round(100 * (base + gain)),
        before=round(100 * base),
    )


def named_games(records: list[GameRecord]) -> dict[str, int]:
    """The number of games of each name, the most first."""
    counts: dict[str, int] = {}
    for record in records:
        for name in {record.first, record.second} - {None, ""}:
            counts[str(name)] = counts.get(str(name), 0) + 1
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def make_person(task: dict[str, Any], report: Report) -> None:
    """Does what `sparring train person` does. Raises SparringError, ValueError or OSError."""
    from sparring.players.persons import person_file
    from sparring.policies.person import base_network
    from sparring.training.person.adaptation import adapt_person, write_player
    from sparring.training.person.choices import ChoiceReader, person_games

    game, name = task["game"], task["name"]
    games = person_games(read_records(game, task["text"]), game, name)
    if not len(games):
        raise ValueError(f"there is no game of {name}")

    def on_progress(stage: str, done: int, total: int) -> None:
        begin, end = STAGES.get(stage, (0.0, 0.0))
        report(stage=stage, done=done, total=total, share=begin + (end - begin) * done / max(1, total))

    reader = ChoiceReader(base_network(game), game)
    adapted = adapt_person(games, reader, minutes=task["minutes"], on_progress=on_progress)
    card = adapted.model.card
    out = person_file(card.person, game)
    write_player(adapted.model, out)
    report(person=out.stem, games=card.games, measured=card.measured)


def main() -> None:
    """Reads the task, and does it."""
    lines = sys.stdout

    def report(**message: Any) -> None:
        lines.write(json.dumps(message) + "\n")
        lines.flush()

    task = json.loads(sys.stdin.readline())
    sys.stdout = sys.stderr  # what libraries print is no message
    threading.Thread(target=_end_with_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_WEAKER)
    try:
        make_person(task, report)
    except (SparringError, ValueError, OSError) as error:
        report(error=first_line(error))
    except Exception as error:
        report(error=f"{type(error).__name__}: {first_line(error)}")


def _end_with_server() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
