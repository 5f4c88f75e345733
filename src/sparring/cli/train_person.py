"""`sparring train person`: a player that plays like one person."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.cli.arguments import GameName
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.games import GAMES
from sparring.records import BadTable, UnsupportedFormat
from sparring.storage import atomic_write


def person(
    game: GameName,
    records: Annotated[
        list[Path],
        typer.Option(
            "--records", "-r", help="File of games (PGN, SGF, ...) or folder of a table; may be repeated."
        ),
    ],
    name: Annotated[str, typer.Option(help="The person's name in the records.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="TOML file of the player; a .person file is written beside it. Without it, a file in your "
            "data folder, which `sparring play --person NAME` finds."
        ),
    ] = None,
    base: Annotated[str, typer.Option(help="Network that is adapted: a model name, or a file.")] = "human",
    minutes: Annotated[
        float,
        typer.Option(min=0.1, max=10_000, help="Time allowed; the earliest games are left out beyond it."),
    ] = 10.0,
    hold_out: Annotated[
        int, typer.Option(min=0, help="Latest games that are not used at all, for `sparring measure person`.")
    ] = 0,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the network.")] = 1,
) -> None:
    """Make a player that plays like one person, from their games."""
    from sparring.networks import BadNetwork
    from sparring.players.persons import person_file
    from sparring.policies.person import SUFFIX, write_person
    from sparring.training.person.adaptation import adapt_person
    from sparring.training.person.choices import ChoiceReader
    from sparring.training.person.person_games import NoSuchPerson, read_person_games

    if game not in GAMES:
        raise UserError(f"unknown game '{game}'; there are {', '.join(GAMES)}")
    if out is not None and out.suffix != ".toml":
        raise UserError(f"--out {out}: a player is a .toml file")
    try:
        games = read_person_games(records, game, name)
        if hold_out >= len(games):
            raise UserError(f"{games.name} has {len(games)} games: --hold-out {hold_out} leaves none")
        games = games[: len(games) - hold_out]
        reader = ChoiceReader(base, game, threads=threads)
        with ProgressBar() as bar:
            found = adapt_person(games, reader, minutes=minutes, on_progress=bar.on_progress)
    except (NoSuchPerson, BadNetwork, BadTable, UnsupportedFormat, ValueError) as error:
        raise UserError(str(error)) from None
    stored = out is None
    out = person_file(found.model.card.person, game) if out is None else out
    out.parent.mkdir(parents=True, exist_ok=True)
    file = out.with_suffix(SUFFIX)
    write_person(file, found.model)  # first: a player without its file would be broken
    atomic_write(out, player_toml(found.model.card, file.name).encode())
    _show(found, out)
    words = f"--person {shlex.quote(found.model.card.person)}" if stored else f"--player {out}"
    make_console().print(f"[dim]sparring play {game} {foreign(words)}[/]", soft_wrap=True)


def player_toml(card: Any, file: str) -> str:
    """The player's TOML file."""
    import json

    from sparring.games import describe

    dates = f" from {card.first_date} to {card.last_date}" if card.first_date else ""
    lines = [
        f"# Plays like {card.person}: {card.games:,} games{dates}, {card.positions:,} positions.",
        *([f"# {card.measured}"] if card.measured else []),
        f"game = {json.dumps(card.game)}",
        f"name = {json.dumps(card.person)}",
        f"model = {json.dumps(file)}",
    ]
    if card.rating is not None:
        system = describe(card.game).ratings
        lines.append(
            f"rating = {card.rating if system.word == 'rating' else json.dumps(system.format(card.rating))}"
        )
    lines += ["resign_below = 0.05", "resign_after = 3", "draw_within = 0.05", "draw_offers = false"]
    return (
        "\n".join(line if line.isprintable() else line.encode("unicode_escape").decode() for line in lines)
        + "\n"
    )


def _show(found: Any, out: Path) -> None:
    console, card = make_console(), found.model.card
    left = (
        f" (the earliest {found.left_out:,} are left out: more --minutes take them)" if found.left_out else ""
    )
    console.print(
        f"{foreign(card.person)}: {card.games:,} games{left}, {card.positions:,} positions", soft_wrap=True
    )
    table = Table("part", "nats a move gained", "", box=None)
    offset = (
        f"{card.rating_offset:+d} on the recorded ratings" if card.rating_offset else "the recorded ratings"
    )
    table.add_row("rating", f"{card.parts['rating']:+.4f}", offset)
    changed = card.sharpness != 1 or len(found.model.vector)
    style = f"vector of {len(found.model.vector)}, sharpness {card.sharpness:.2f}" if changed else "no change"
    table.add_row("style", f"{card.parts['style']:+.4f}", style)
    book = found.model.repertoire
    known = (
        f"{book.positions:,} positions, weight of the network {card.concentration:g}" if len(book) else "none"
    )
    table.add_row("repertoire", f"{card.parts['repertoire']:+.4f}", known)
    console.print(table)
    console.print("[dim]by cross-validation over games[/]")
    if card.measured:
        console.print(foreign(card.measured), soft_wrap=True)
    console.print(f"player: [bold]{foreign(out)}[/]", soft_wrap=True)
