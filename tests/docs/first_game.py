"""Records the session of docs/first-game.md in a pseudo-terminal: `python -m tests.docs.first_game`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.cli.person import Person
from tests.docs.markdown import ROOT

PAGE = ROOT / "docs" / "first-game.md"
COMMAND = ("chess", "--rating", "1200", "--seed", "11")
TYPED = ("help", "e2-e4", "nf6", "nf3", "bc4", "hint", "why", "undo", "d3", "list", "save first-game.pgn")
PROMPT = "White to move> "
_SESSION = re.compile(r"(?<=<!-- session -->\n```text\n).*?(?=^```$)", re.S | re.M)


def record(folder: Path) -> str:
    """Plays the session and returns what the terminal shows, without colours."""
    person = Person(folder, *COMMAND, NO_COLOR="1")
    shown = person.sees(PROMPT)
    for line in TYPED:
        person.types(line)
        shown += person.sees(PROMPT)
    person.types("quit")
    shown += person.leaves()[0]
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


def recorded(page: str) -> str:
    """The session of the page."""
    found = _SESSION.search(page)
    assert found is not None, "the page has a block for the session"
    return found[0]


def main() -> None:
    """Writes the session into the page."""
    with tempfile.TemporaryDirectory() as folder:
        session = f"$ sparring play {' '.join(COMMAND)}\n" + record(Path(folder))
        print(session, (Path(folder) / "first-game.pgn").read_text(), sep="\n")
    PAGE.write_text(_SESSION.sub(lambda _: session, PAGE.read_text()))


if __name__ == "__main__":
    main()
