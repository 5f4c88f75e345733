from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.engine_client import engine, replay

DIALOGUES = Path(__file__).parent / "dialogues"
PROTOCOL_OF = {
    "arena": "uci",
    "cutechess": "uci",
    "gogui": "gtp",
    "kgsgtp": "gtp",
    "lichess-bot": "uci",
    "polyglot": "uci",
    "pychess": "uci",
    "qgo": "gtp",
    "sabaki": "gtp",
    "scid": "uci",
    "shogigui": "usi",
    "uci2wb": "usi",
}
PROTOCOL_GAMES = {"uci": "chess", "usi": "shogi", "gtp": "go"}


@pytest.mark.parametrize("gui", PROTOCOL_OF)
def test_the_dialogue_of_a_gui_is_answered_to_its_end(gui: str, small: dict[str, Path]) -> None:
    protocol = PROTOCOL_OF[gui]
    with engine(protocol, small[PROTOCOL_GAMES[protocol]], nodes=20, seed=1) as session:
        replay(session, (DIALOGUES / f"{gui}.txt").read_text())
        assert session.hang_up() in ([], [""])  # GTP ends an answer with a blank line


def test_every_dialogue_is_replayed() -> None:
    assert {path.stem for path in DIALOGUES.iterdir()} == set(PROTOCOL_OF)
