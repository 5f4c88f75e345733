"""TOML files of players, bots, policies, tournaments, training and presets: readers and commands."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

from sparring.base.errors import BadConfig, BadFile
from sparring.policies import load_policy
from tests.robustness.test_config_files import HOSTILE, READERS, Raw, changed, key_paths, write
from tests.robustness.trials import mutated, run_command, surface

_VALUES = [
    *HOSTILE,
    *map(
        Raw,
        (
            "1e400", "-" + "9" * 400, "9" * 25, "1048576", "99999", "5e-324", "1e300", "-1e300",
            "{ 1500 = nan }", f"{{ 1500 = {'9' * 400} }}", "{ 1500 = 1e300 }", '"[/bold]x"',
            '"\\u001b[31m"', '"\\u202e"', '"/dev/zero"', '"."', '"x.toml"',
        ),
    ),
]  # fmt: skip
_COMMANDS: dict[str, list[str]] = {
    "player": ["play", "go", "--player", "FILE"],
    "bot": ["play", "rbc", "--player", "FILE"],
    "weighted policy": ["predict", "chess", "--model", "FILE"],
    "blend": ["predict", "go", "--model", "FILE"],
    "training": ["train", "people", "shogi", "--config", "FILE", "--records", "none", "--out", "run"],
}


@surface("toml", trials=561)
def trial(rng: random.Random, folder: Path) -> None:
    """A file with hostile values, changed bytes, or a chain of policies."""
    file = folder / "config.toml"
    (folder / "b.toml").write_text('game = "go"\n')
    if rng.random() < 0.1:
        with contextlib.suppress(BadConfig, BadFile):
            load_policy(_chain(rng, folder))
        return
    kind = rng.choice(list(READERS))
    read, table = READERS[kind]
    if rng.random() < 0.6:
        for _ in range(rng.randint(1, 3)):
            table = _with_hostile_value(rng, table)
        file.write_text(write(table))
    else:
        file.write_bytes(mutated(rng, write(table).encode(), [b"nan", b"[[", b"= []", b"9" * 400, b"a.b."]))
    message = ""
    try:
        read(file)
    except BadConfig as error:
        message = str(error)
    assert len(message.splitlines()) <= 1, message
    assert len(message) < 1000, message
    if message and kind in _COMMANDS and rng.random() < 0.3:
        done = run_command([str(file) if word == "FILE" else word for word in _COMMANDS[kind]], "quit\n")
        assert done.code == 2, done
        assert len(done.err.splitlines()) == 1, done
        assert "\x1b" not in done.err


def _with_hostile_value(rng: random.Random, table: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = changed(table, rng.choice(list(key_paths(table))), rng.choice(_VALUES))
    return found


def _chain(rng: random.Random, folder: Path) -> Path:
    """Policy files that use one another, themselves, or one that is missing."""
    files, width = rng.choice([(1, 1), (3, 2), (12, 1), (12, 2), (200, 1), (40, 3), (1, 80)])
    for number in range(files):
        last = rng.choice(["human", "0.toml", f"{number}.toml", "none.toml", "[/bold].toml", "x" * 5000])
        use = f"{number + 1}.toml" if number + 1 < files else last
        members = f'[[policy]]\nuse = "{use}"\n' * width
        (folder / f"{number}.toml").write_text(f'game = "chess"\n{members}')
    return folder / "0.toml"
