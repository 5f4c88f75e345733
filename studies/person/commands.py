"""`python -m studies person`, `person-style` and `person-games`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sparring.base.errors import MissingExtra, UserError
from sparring.cli.arguments import GameName
from studies.options import command_line

RESULTS = Path("results/person")
Records: TypeAlias = Annotated[
    list[Path],
    typer.Option("--records", "-r", help="Files of games, folders of tables, or files of `person-games`."),
]
People: TypeAlias = Annotated[
    int, typer.Option(min=2, help="People who are measured, those with the most games; the others train.")
]


def person(
    game: GameName,
    records: Records,
    people: People = 40,
    held: Annotated[int, typer.Option(min=2, help="Latest games of a person, which are the test.")] = 30,
    most: Annotated[int, typer.Option(min=10, help="Most games that a model is fitted to.")] = 1000,
    known_by: Annotated[
        str, typer.Option(help="Games that people are identified by, with commas.")
    ] = "20,70",
    rating: Annotated[bool, typer.Option(help="Measure the rating offset too.")] = True,
    backend: Annotated[str, typer.Option(help="Runtime of the network.")] = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that the network evaluates at once.")] = 64,
    processes: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="Time after which no further person is begun.")
    ] = None,
    readings: Annotated[
        Path | None, typer.Option(help="Folder in which the network's output is kept for another run.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = RESULTS,
) -> None:
    """Measure what a person's games bring, by their number, and whether people are told apart."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.person.people import held_out_people
    from studies.person.study import StudyOptions, identify, measure_people, summary

    chosen = held_out_people(records, game, people, most + held)
    if not chosen:
        raise UserError("nobody in the records is among the people of the study")
    sizes = tuple(int(word) for word in known_by.split(","))
    options = StudyOptions(game, held, 30, sizes, rating, backend, batch, readings)
    found, rows = [], []
    content: dict[str, Any] = {}
    for result in measure_people(chosen, options, processes, seconds):
        found.append(result)
        rows.append(
            {"name": result.name, "games": result.games, "rating": result.rating, "sizes": result.sizes}
        )
        print(_line(rows[-1], len(rows), len(chosen)), flush=True)
        content = {"game": game, "held": held, "summary": summary(found), "people": rows}
        write_json(provenance(command_line()) | content, out / f"{game}.json")
    content["identification"] = [row for size in sizes for row in identify(found, options, size)]
    write_json(provenance(command_line()) | content, out / f"{game}.json")
    _draw(out)


def _draw(out: Path) -> None:
    """Draws the figures of all games that were measured; nothing without matplotlib."""
    from sparring.base.plot_style import save_svg
    from studies.person.figures import gain_figure, identification_figure

    files = [out / f"{game}.json" for game in ("chess", "go")]
    reports = {file.stem: json.loads(file.read_text()) for file in files if file.is_file()}
    try:
        save_svg(gain_figure(reports), out, "gain")
        save_svg(identification_figure(reports), out, "identification")
    except MissingExtra as error:
        print(f"without figure: {error}")


def _line(row: dict[str, Any], number: int, total: int) -> str:
    parts = (f"{size}: {entry['nats']['value']:+.4f}" for size, entry in row["sizes"].items())
    return f"{number}/{total} {row['name']} ({row['games']} games): {', '.join(parts)}"


def person_style(
    game: GameName,
    records: Records,
    people: People = 40,
    games: Annotated[int, typer.Option(min=4, help="Most games of a person who trains.")] = 24,
    every: Annotated[int, typer.Option(min=1, help="One position in so many.")] = 3,
    dimensions: Annotated[int, typer.Option(min=1, help="Features of a move.")] = 32,
    hidden: Annotated[int, typer.Option(min=1, help="Width of the hidden layer.")] = 128,
    dropout: Annotated[float, typer.Option(min=0, max=0.9, help="Dropout of the hidden layer.")] = 0.3,
    weight_decay: Annotated[float, typer.Option(min=0, help="Weight decay.")] = 0.02,
    seconds: Annotated[float, typer.Option(min=1, help="Time of the training.")] = 30,
    threads: Annotated[int, typer.Option(min=1, help="Threads that encode positions.")] = 4,
    out: Annotated[Path, typer.Option(help="The style network's file; its run lies beside it.")] = Path(
        "style.npz"
    ),
) -> None:
    """Train the style network of a game on everybody but the people who are measured."""
    import torch

    from sparring import data
    from sparring.base.storage import atomic_write
    from sparring.networks.conditioned import ConditionedCodec
    from sparring.networks.formats import make_codec, read_network
    from studies.person.people import training_people
    from studies.person.style_training import StyleOptions, train_style
    from studies.person.trunk_features import TrunkReader

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, card = read_network(data.path("networks", f"human-{game}"))
    codec = make_codec(card)
    if not isinstance(codec, ConditionedCodec):
        raise UserError(f"human-{game} is not a network of people's moves")
    reader = TrunkReader(model, codec, device)
    chunks = reader.encoded(training_people(records, game, people, games), every, threads)
    positions = reader.positions(chunks)
    print(f"{len(positions.person):,} positions of {int(positions.person[-1]) + 1:,} people", flush=True)
    options = StyleOptions(hidden, dimensions, seconds, rate=3e-3, weight_decay=weight_decay, dropout=dropout)
    run = out.with_suffix("")
    print(f"{train_style(reader, positions, options, run):.5f} nats gained on people who did not train it")
    atomic_write(out, (run / "style.npz").read_bytes())


def person_games(
    game: GameName,
    records: Records,
    out: Annotated[Path, typer.Option(help="File of the games, .games.")],
    people: People = 40,
    most: Annotated[int, typer.Option(min=10, help="Most games of a person who is measured.")] = 1030,
    games: Annotated[int, typer.Option(min=0, help="Most games of the others.")] = 24,
) -> None:
    """Pack the games of the study into one small file."""
    from studies.person.packed_games import pack_games, read_games
    from studies.person.people import LEAST_GAMES, people_of

    everything = [record for path in records for record in read_games(path, game)]
    wanted: set[int] = set()
    for number, each in enumerate(people_of(everything, game, LEAST_GAMES)):
        size = most if number < people else games
        wanted.update(each.identities[len(each) - min(size, len(each)) :].tolist())
    kept = {record.identity(game): record for record in everything}
    pack_games([record for identity, record in kept.items() if identity in wanted], out)
    print(json.dumps({"games": len(wanted), "bytes": out.stat().st_size}))
