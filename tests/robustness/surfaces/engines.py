"""Engines: dialogues of GUIs with hostile commands, options, positions and bytes."""

from __future__ import annotations

import atexit
import contextlib
import io
import random
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from sparring.engines import PROTOCOLS, EngineSettings, options_of, serve
from tests.networks.tiny_networks import tiny_network, write
from tests.robustness.trials import mutated, surface

_COMMANDS = {
    "uci": (
        "uci", "isready", "ucinewgame", "position startpos moves e2e4 e7e5", "stop", "ponderhit", "debug on",
        "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "go nodes 3", "go infinite", "go depth 5",
        "go wtime 1000 btime 1000 winc 10 binc 10", "go searchmoves e2e4 a2a3", "go ponder movetime 20",
        "go mate 3", "setoption name MultiPV value 5", "setoption name Player value nowhere.toml",
        "setoption name UCI_Opponent value GM 2800 human Gary Kasparov", "setoption name Clear Hash",
    ),
    "usi": (
        "usi", "isready", "usinewgame", "position startpos moves 7g7f 3c3d", "stop", "gameover win",
        "position sfen 4k4/9/4G4/9/9/9/9/9/4K4 b G 1", "go nodes 3", "go btime 0 wtime 0 byoyomi 100",
        "go mate infinite", "go infinite", "setoption name USI_Ponder value true",
    ),
    "gtp": (
        "name", "list_commands", "boardsize 9", "clear_board", "komi 7.5", "play b D4", "play w pass", "undo",
        "fixed_handicap 3", "set_free_handicap A1 B2", "time_settings 10 5 2", "time_left b 3 1",
        "kgs-time_settings byoyomi 10 5 3", "final_score", "final_status_list dead", "showboard",
        "loadsgf nowhere.sgf 3", "kgs-rules japanese", "kata-set-rules {\"ko\":\"SIMPLE\"}", "kata-get-rules",
        "known_command play", "kata-list-params", "kata-get-param temperature", "sparring-options",
        "kata-set-param nodes 2", "lz-analyze b 10", "kata-analyze interval 5 allow b D4,E5 3",
        "7 protocol_version", "clear_cache",
    ),
}  # fmt: skip
_VALUES = (
    "", "0", "-1", "1", "nan", "inf", "1e308", "9" * 400, "true", "<empty>", "x" * 5000,
    "\x1b[31m", "[/bold]x", "٣", "\x00", "/dev/zero", "/proc/self/mem", ".", "human", "a b  c", "-0.0",
    "1.5", "4294967296",
)  # fmt: skip
_EXPENSIVE = ("threads",)
"""Options whose hostile values are allowed and cost seconds."""
_WORDS = {
    "info", "bestmove", "readyok", "checkmate", "id", "option", "uciok", "usiok",
}  # fmt: skip


@surface("engines", trials=150, few=10)
def trial(rng: random.Random, folder: Path) -> None:
    """A dialogue at whose end the engine still answers, and ends with its input."""
    protocol = rng.choice(list(_COMMANDS))
    lines = [_line(rng, protocol) for _ in range(rng.randint(1, 25))]
    last = {"gtp": b"4711 name"}.get(protocol, b"isready")
    said = folder / "said"
    said.write_bytes(b"\n".join([*lines, last]))
    with (
        said.open("rb") as dialogue,
        (folder / "heard").open("wb") as answers,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        serve(protocol, _settings(protocol), dialogue, answers)
    heard = (folder / "heard").read_text(encoding="utf-8", errors="replace").splitlines()
    if protocol == "gtp":
        assert "=4711 Sparring" in heard, (lines, heard[-5:])
    else:
        assert "readyok" in heard, (lines, heard[-5:])
        assert {line.split()[0] for line in heard} <= _WORDS, (lines, heard)


def _line(rng: random.Random, protocol: str) -> bytes:
    """A command as it is, changed, with another's words, or an option with a hostile value."""
    command = rng.choice(_COMMANDS[protocol])
    match rng.randrange(4):
        case 0:
            line = command.encode()
        case 1:
            line = mutated(rng, command.encode())
        case 2:
            words = [*command.split(), *rng.choice(_COMMANDS[protocol]).split(), rng.choice(_VALUES)]
            rng.shuffle(words)
            line = " ".join(words).encode(errors="replace")
        case _:
            option = rng.choice([each for each in options_of(protocol) if each.flag not in _EXPENSIVE])
            start = "kata-set-param" if protocol == "gtp" else "setoption name"
            middle = "" if protocol == "gtp" else "value"
            line = f"{start} {option.names[protocol]} {middle} {rng.choice(_VALUES)}".encode(errors="replace")
    return b" " if line.split()[:1] in ([b"quit"],) or b"hreads" in line else line


@cache
def _settings(protocol: str) -> EngineSettings:
    settings = EngineSettings.of(PROTOCOLS[protocol])
    game = settings.player_config.game
    if protocol == "gtp":  # the shipped network takes boards of any size
        return replace(settings, player_config=replace(settings.player_config, model="human"))
    folder = tempfile.TemporaryDirectory(prefix="sparring-engines-")
    atexit.register(folder.cleanup)
    model = write(tiny_network(game), Path(folder.name) / "small.onnx")
    return replace(settings, player_config=replace(settings.player_config, model=str(model), rating=None))
