"""`python -m bench.rbc_server`: a checklist of games on a server, before a bot plays on the public one.

Each trial starts a server of ours with some fault, and the client in a process of its own. The account is
invited to four games at once, against reconchess's RandomBot. A trial is passed if all games end in time,
none by an error of ours, and the client says what prevents games. Rows go into results/rbc/server.json;
those of other trials stay.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reconchess.bots.random_bot import RandomBot

from sparring.base.provenance import provenance
from sparring.measure.reports import write_json
from tests.engines.fake_reconchess import PASSWORD, USER, FakeServer, Faults

RESULTS = Path(__file__).parent.parent / "results" / "rbc" / "server.json"
_GAMES = 4


@dataclass(frozen=True)
class Trial:
    """A server, and who plays there."""

    what: str
    faults: Faults
    client: str = "sparring rbc connect"
    """Or rc-connect."""
    password: str = PASSWORD
    refused: str = ""
    """What the client says if it cannot play."""


TRIALS = {
    "plain": Trial("four games at a time", Faults()),
    "errors": Trial("every 7th request is answered by 503", Faults(errors=7)),
    "disconnects": Trial(
        "every 11th connection is cut, and 40 requests in a row", Faults(cuts=11, outage=range(150, 190))
    ),
    "lost": Trial("the answer to every 5th sense, move or end of a turn is lost", Faults(lost=5)),
    "refused": Trial("the same, and what is sent again is refused", Faults(lost=5, refuses_repeats=True)),
    "slow": Trial("every answer takes 0.2 s, two seconds a turn", Faults(delay=0.2)),
    "hangs": Trial("every 150th request has no answer for a minute", Faults(hangs=150)),
    "leaves": Trial("the opponent leaves in our third turn", Faults(quits_in_turn=3)),
    "version": Trial(
        "another version of reconchess", Faults(version="9.9"), refused="the server plays reconchess 9.9"
    ),
    "password": Trial("a wrong password", Faults(), password="wrong", refused="does not know this name"),
    "rc-connect": Trial("four games at a time", Faults(), "rc-connect"),
    "rc-connect-errors": Trial("503 and cut connections", Faults(errors=7, cuts=11), "rc-connect"),
    "rc-connect-leaves": Trial("the opponent leaves in our turn", Faults(quits_in_turn=3), "rc-connect"),
}


def start(trial: Trial, bot: str, address: str, folder: Path) -> subprocess.Popen[str]:
    """The client's process. Its output is in the file `output`."""
    variables = {**os.environ, "SPARRING_RBC_BOT": bot, "SPARRING_RBC_PASSWORD": trial.password}
    named = ["--username", USER]
    if trial.client == "rc-connect":
        module = ["reconchess.scripts.rc_connect", "sparring.rbc.reconchess", "--server-url", address]
        named += ["--password", trial.password]
    else:
        module = ["sparring", "rbc", "connect", "--bot", bot, "--server", address, "--games", str(_GAMES)]
        named += ["--out", str(folder / "games")]
    with (folder / "output").open("w") as output:
        return subprocess.Popen(
            [sys.executable, "-m", *module, *named], env=variables, stdout=output, stderr=output, text=True
        )


def row_of(name: str, bot: str, seconds: float, increment: float, limit: float) -> dict[str, Any]:
    """Runs a trial; a trial that takes longer than `limit` seconds has failed."""
    trial = TRIALS[name]
    row: dict[str, Any] = {"name": name, "client": trial.client, "trial": trial.what}
    with (
        tempfile.TemporaryDirectory() as folder,
        FakeServer(
            lambda _: RandomBot(), _GAMES, faults=trial.faults, seconds=seconds, increment=increment
        ) as server,
    ):
        began = time.monotonic()
        client = start(trial, bot, server.address, Path(folder))
        while client.poll() is None and not server.done and time.monotonic() < began + limit:
            time.sleep(0.2)
        if trial.client == "rc-connect":
            client.terminate()  # it never ends by itself
        try:
            client.wait(60)
        except subprocess.TimeoutExpired:
            client.kill()
        said = (Path(folder) / "output").read_text()
        if trial.refused:
            return row | {"passed": client.returncode != 0 and trial.refused in said}
        results = [game.result for game in server.games]
        resigned = sum(game.error_resigned for game in server.games)
        timeouts = sum(result == "lost: timeout" for result in results)
        ended = sum(result != "unfinished" for result in results)
        histories = len(list(Path(folder).glob("games/*.json")))
        return row | {
            "passed": ended == _GAMES and not resigned and not timeouts
            and (trial.client == "rc-connect" or (client.returncode == 0 and histories == _GAMES)),
            "results": results,
            "most_at_once": server.most_at_once,
            "error_resigns": resigned,
            "lost_on_time": timeouts,
            "turns": [game.turns for game in server.games],
            "seconds_left": [round(game.seconds_left, 1) for game in server.games],
            "wall_seconds": round(time.monotonic() - began, 1),
            "faults": {key: repr(value) if isinstance(value, range) else value
                       for key, value in asdict(trial.faults).items()},
        }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs trials, and writes their rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"trials: {', '.join(TRIALS)}")
    parser.add_argument("--bot", default="planner")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds on each clock")
    parser.add_argument("--increment", type=float, default=1.0)
    parser.add_argument("--limit", type=float, default=1800.0, help="most seconds of a trial")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    clock = {"bot": options.bot, "clock": f"{options.seconds:g} s + {options.increment:g} s"}
    names, passed = options.names or list(TRIALS), True
    for name in names:
        words = sys.argv[1:] if arguments is None else arguments
        head = provenance(" ".join(["python -m bench.rbc_server", *words]))
        row = row_of(name, options.bot, options.seconds, options.increment, options.limit)
        row |= clock | {"command": head["command"], "commit": head["commit"]}
        passed &= row["passed"]
        print(f"{name}: {'passed' if row['passed'] else 'FAILED'} {row.get('results', '')}", flush=True)
        kept = json.loads(options.out.read_text())["rows"] if options.out.exists() else []
        kept = [each for each in kept if (each["name"], each["bot"]) != (name, options.bot)]
        write_json({**head, "rows": [*kept, row]}, options.out)
    if not passed:
        sys.exit(1)


if __name__ == "__main__":
    main()
