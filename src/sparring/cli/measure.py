"""`sparring measure`: how well policies predict people's moves, with intervals."""

from __future__ import annotations

import json
import shlex
import shutil
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.base.config import is_file
from sparring.base.errors import BadFile, UserError
from sparring.base.numbers import plus_minus
from sparring.base.provenance import provenance
from sparring.base.storage import lock_folder
from sparring.cli.arguments import (
    AsJson,
    Backend,
    Every,
    GameName,
    GroupPositions,
    Groups,
    Records,
    SessionThreads,
    SplitName,
    Trial,
    check_records,
    chosen_split,
    command_line,
    named_policies,
)
from sparring.cli.console import ProgressBar, foreign, make_console
from sparring.games import describe

_CELL, _MARGIN = 12, 28
"""Widths of a cell and of the columns to the left of the cells."""


def matching(
    game: GameName,
    policy: Annotated[
        list[str],
        typer.Option(
            "--policy", "-p", help="Name of a model, network file or policy TOML; or NAME=one of them."
        ),
    ],
    records: Records,
    out: Annotated[Path | None, typer.Option(help="Report folder; scores already there are reused.")] = None,
    split: SplitName = "test",
    trial: Trial = 0,
    trials: Annotated[int, typer.Option(min=1, help="Number of splits, with consecutive seeds.")] = 1,
    positions: GroupPositions = None,
    every: Every = 1,
    group: Groups = None,
    calibrate: Annotated[bool, typer.Option(help="Fit temperatures on the validation split first.")] = False,
    symmetries: Annotated[bool, typer.Option(help="Average networks over the board's symmetries.")] = False,
    backend: Backend = "onnxruntime",
    threads: SessionThreads = 1,
    batch: Annotated[int, typer.Option(min=1, help="Positions per batch.")] = 64,
    html: Annotated[bool, typer.Option("--html", help="Render the report as an HTML page too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure accuracy, likelihood and calibration by group."""
    from sparring import measure as measuring

    check_records(records)
    selection = measuring.GameSelection(
        game, tuple(records), chosen_split(split), trial, tuple(group or ()), positions, every
    )
    options = measuring.MeasureOptions(backend, threads, batch, symmetries, calibrate)
    sources = [measuring.PolicySource(*pair) for pair in named_policies(policy)]
    lock = nullcontext() if out is None else lock_folder(out)
    with lock, tempfile.TemporaryDirectory() as temporary, ProgressBar() as bar:
        content = measuring.measure(
            sources, selection, out or Path(temporary),
            trials=trials, options=options, on_progress=bar.on_progress,
        )  # fmt: skip
        no_figures = "" if out is None else _write(content, out, html)
    if as_json:
        policies = content["policies"]
        for aspect in ("differences", "trials"):
            for name, entries in content.get(aspect, {}).items():
                policies[name][aspect] = entries
        print(json.dumps({"policies": policies}))
    else:
        _show(content, out, no_figures)


def _write(content: dict[str, Any], out: Path, html: bool) -> str:
    from sparring.measure.matching_report import report_figures, write_page
    from sparring.measure.reports import write_report

    no_figures = write_report(content, out, command_line(), report_figures(content))
    if html:
        write_page(out)
    return no_figures


def _show(content: dict[str, Any], out: Path | None, no_figures: str) -> None:
    from sparring.measure.matching_report import few_games_warning

    console = make_console()
    policies = content["policies"]
    names = list(policies)
    width = max(_CELL, *map(len, names)) + 2
    at_once = max(1, (console.width - _MARGIN) // width)
    for begin in range(0, len(names), at_once):
        console.print(_table({name: policies[name] for name in names[begin : begin + at_once]}))
    for name, trials in content.get("trials", {}).items():
        spread = trials["mean"]
        often, interval = len(spread["trials"]), plus_minus(spread["deviation"], 3)
        console.print(f"{foreign(name)}: {spread['mean']:.3f} {interval} over {often} trials")
    if few := few_games_warning(content):
        console.print(f"[yellow]groups with {foreign(few)}[/]", soft_wrap=True)
    if out is not None:
        console.print(
            f"[dim]report: {foreign(out / 'report.json')}; HTML page: sparring report {foreign(out)}[/]",
            soft_wrap=True,
        )
    if no_figures:
        console.print(f"[yellow]{foreign(no_figures)}[/]", soft_wrap=True)


def _table(policies: dict[str, Any]) -> Table:
    """Accuracy by group, with half the width of the 95 % interval, and the mean over groups."""
    table = Table("group", "positions", *map(foreign, policies), box=None)
    for group, entry in next(iter(policies.values()))["groups"].items():
        cells = [_cell(metrics["groups"][group]) for metrics in policies.values()]
        table.add_row(foreign(group), f"{entry['positions']:,}", *cells)
    means = [metrics["mean"] for metrics in policies.values()]
    table.add_row("mean", "", *map(_cell, means), style="bold")
    table.add_row("[dim]nats per move[/]", "", *(f"[dim]{mean['nll']:.3f}[/]" for mean in means))
    return table


def _cell(entry: dict[str, float]) -> str:
    return f"{entry['top1']:.3f} [dim]{plus_minus((entry['high'] - entry['low']) / 2, 3)}[/]"


# `sparring measure mistakes`: what moves give away, by a judge.


def mistakes(
    game: GameName,
    records: Records,
    judge: Annotated[
        str,
        typer.Option(
            help="The command of a UCI or USI engine such as stockfish, or a policy such as strong."
        ),
    ] = "strong",
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of an engine's search of a position.")] = 40_000,
    quick: Annotated[
        int,
        typer.Option(
            min=0, help="Nodes of a first search; what it finds clear is not searched further. 0: none."
        ),
    ] = 0,
    centipawns: Annotated[
        bool,
        typer.Option("--centipawns", help="Values by the engine's score, not by its own chances."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Report folder; games judged there are not judged again.")
    ] = None,
    split: SplitName = "all",
    positions: GroupPositions = None,
    every: Every = 1,
    skip: Annotated[int, typer.Option(min=0, help="Plies at the start of a game that do not count.")] = 10,
    group: Groups = None,
    processes: Annotated[int, typer.Option(min=1, help="Games that are judged at the same time.")] = 1,
    points: Annotated[
        bool, typer.Option("--points", help="Go: judge points. The judge is a network that predicts a lead.")
    ] = False,
    visits: Annotated[
        int, typer.Option(min=1, help="With --points: visits of a search of a position; 1 does not search.")
    ] = 16,
    by_mover: Annotated[
        bool, typer.Option("--by-mover", help="Group moves by the rank of who made them.")
    ] = False,
    backend: Backend = "onnxruntime",
    threads: Annotated[int, typer.Option(min=1, help="With --points: searches at the same time.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="With --points: positions per batch.")] = 64,
    as_json: AsJson = False,
) -> None:
    """Measure what moves give away, by group: loss, mistakes, blunders.

    A loss is the drop of the expected score by a move, for who made it. Mistakes lose more than 0.1,
    blunders more than 0.2. Moves in decided positions (below 0.08, above 0.92) are counted apart.

    With --points a loss is the drop of the lead: mistakes lose more than 2 points, blunders more than 6, and
    decided are leads of 30.
    """
    from sparring import measure as measuring
    from sparring.players.engines import EngineFailure
    from sparring.records import PositionFilter

    part = chosen_split(split)
    check_records(records)
    if not (words := shlex.split(judge)):
        raise UserError("--judge is empty: name an engine's command or a policy")
    selection = measuring.GameSelection(
        game, tuple(records), part,
        groups=tuple(group or ()), positions=positions, every=every, filter=PositionFilter(skip),
        by_mover=by_mover,
    )  # fmt: skip
    if points:
        judge_of_points = measuring.PointsConfig(game, judge, visits, backend, threads, batch)
        _mistakes_in_points(selection, judge_of_points, out, as_json)
        return
    engine = () if shutil.which(words[0]) is None else tuple(words)
    config = measuring.JudgeConfig(
        game, policy="" if engine else judge, engine=engine, nodes=nodes, quick_nodes=quick,
        own_chances=not centipawns,
    )  # fmt: skip
    try:
        config.open().close()
    except BadFile as error:
        raise UserError(f"--judge {judge}: there is no such program, and {error}") from None
    except EngineFailure as error:
        raise UserError(f"--judge {judge}: {error}; an engine must speak UCI or USI") from None
    lock = nullcontext() if out is None else lock_folder(out)
    with lock, tempfile.TemporaryDirectory() as temporary, ProgressBar() as bar:
        sample = measuring.read_sample(selection)
        journal = (out or Path(temporary)) / "judged.jsonl"
        before, after = measuring.judge_games(
            sample, config, journal, processes=processes, on_progress=bar.on_progress
        )
    content: dict[str, Any] = {
        "game": game,
        "judge": config.header(),
        "groups": measuring.mistakes_report(sample, before, after),
    }
    if people := measuring.people_mistakes(game, config.header()):
        content["people"] = {name: people[int(name)] for name in content["groups"] if name.isdigit()
                             and int(name) in people}  # fmt: skip
    _show_mistakes(content, out, as_json, ("loss", "mistakes", "blunders"))


def _mistakes_in_points(selection: Any, judge: Any, out: Path | None, as_json: bool) -> None:
    """Judges points, and writes the leads of all measured moves beside the report."""
    import numpy as np

    from sparring import measure as measuring

    lock = nullcontext() if out is None else lock_folder(out)
    with lock, ProgressBar() as bar:
        sample = measuring.read_sample(selection)
        try:
            judged = measuring.judge_points(sample, judge, bar.on_progress)
        except BadFile as error:
            raise UserError(f"--judge {judge.policy}: {error}") from None
        if out is not None:
            games = [game.identity for game in sample.games]
            groups = [game.group for game in sample.games]
            np.savez_compressed(
                out / "leads.npz", games=games, groups=groups, metadata=sample.metadata,
                **{name: values.astype(np.float32) for name, values in vars(judged).items()},
            )  # fmt: skip
    content: dict[str, Any] = {
        "game": judge.game,
        "judge": judge.header(),
        "groups": measuring.mistakes_report(sample, judged.before, judged.after, measuring.POINTS),
    }
    _show_mistakes(content, out, as_json, ("drift", "mistakes", "blunders"))


def _show_mistakes(
    content: dict[str, Any], out: Path | None, as_json: bool, columns: tuple[str, str, str]
) -> None:
    """Prints the report of `mistakes`, and writes it."""
    from sparring.measure.reports import write_json

    if out is not None:
        write_json(provenance(command_line()) | content, out / "mistakes.json")
    if as_json:
        print(json.dumps(content))
        return
    console = make_console()
    people = content.get("people", {})
    headers = ["group", "games", "moves", "loss a move", "mistakes", "blunders"]
    table = Table(*headers, *(["people lose"] if people else []), box=None)
    for name, entry in content["groups"].items():
        cells = [_interval(entry[column]) for column in columns]
        if people:
            cells.append(_interval(people[name]["loss"]) if name in people else "-")
        table.add_row(foreign(name), f"{entry['games']:,}", f"{entry['moves']:,}", *cells)
    console.print(table)
    if out is not None:
        console.print(f"[dim]{foreign(out / 'mistakes.json')}[/]", soft_wrap=True)


def _interval(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:.3f} [dim]{plus_minus((estimate['high'] - estimate['low']) / 2, 3)}[/]"


# `sparring measure level`: how strong is a player, from its games.


_SHOWN = 20
"""Players that are printed without --name."""


def level(
    games: Annotated[Path, typer.Option("--pgn", "--games", help="File of games, or the folder of a table.")],
    name: Annotated[
        list[str] | None, typer.Option(help="Name of the player; repeatable. Default: all players.")
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Name of the game, where the file does not say it.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most games that are read.")] = 200,
    backend: Backend = "onnxruntime",
    threads: SessionThreads = 1,
    as_json: AsJson = False,
) -> None:
    """Estimate the rating of a player from its moves.

    Prints the rating with a 95 % interval.
    """
    from itertools import islice

    from sparring import measure
    from sparring.policies import load_policy
    from sparring.records import open_records

    if not (is_file(games) or games.is_dir()):
        raise UserError(f"no such file or table: {games}")
    names = tuple(name or ())
    try:
        records = open_records(games, game)
        model = measure.shipped_strength_model(records.game)
        wanted = (record for record in records if not names or not {*names}.isdisjoint(record.players))
        chosen = list(islice(wanted, limit))
        if not chosen:
            whose = f" of {', '.join(names)}" if names else ""
            raise UserError(f"{games.name}: there are no games{whose}")
        human = load_policy("human", records.game, backend=backend, threads=threads)
        with ProgressBar() as bar:
            levels = measure.measure_levels(
                chosen, names, model=model, human=human,
                on_game=lambda done: bar.on_progress("evaluating the moves", done, len(chosen)),
            )  # fmt: skip
    except ValueError as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps({"players": [_facts(player, records.game) for player in levels]}))
    else:
        _show_level(levels, names, records.game)


def _facts(player: Any, game: str) -> dict[str, Any]:
    """The numbers of a player; ranks are texts such as 3k."""
    estimate = player.estimate
    system = describe(game).ratings

    def written(rating: float) -> int | str:
        return round(rating) if system.word == "rating" else system.nearest(rating)

    return {
        "name": player.name,
        "rating": written(estimate.rating),
        "low": written(estimate.low),
        "high": written(estimate.high),
        "games": estimate.games,
        "moves": estimate.moves,
        "recorded_rating": None if player.known is None else written(player.known),
    }


def _show_level(levels: list[Any], names: tuple[str, ...], game: str) -> None:
    shown = levels if names else levels[:_SHOWN]
    word = describe(game).ratings.word
    table = Table("player", word, "95 %", "games", "moves", "in the records", box=None)
    for facts in (_facts(player, game) for player in shown):
        recorded = "" if facts["recorded_rating"] is None else str(facts["recorded_rating"])
        interval = f"{facts['low']} to {facts['high']}"
        table.add_row(foreign(facts["name"]), str(facts["rating"]), interval, str(facts["games"]),
                      str(facts["moves"]), recorded)  # fmt: skip
    console = make_console()
    console.print(table)
    if len(levels) > len(shown):
        console.print(f"[dim]and {len(levels) - len(shown)} more players; --name shows one[/]")


# `sparring measure person`: how much more likely a person's moves became, and whether they are told from
# others.


_SETS = (1, 2, 5, 10)
"""Numbers of games from which a person is identified."""


def measure_person(
    game: GameName,
    player: Annotated[
        list[Path],
        typer.Option(
            "--player",
            "-p",
            help="Name of a person in your data folder, or player's file of `sparring train person`; may be "
            "repeated.",
        ),
    ],
    records: Annotated[
        list[Path],
        typer.Option("--records", "-r", help="Files of games or folders of tables; may be repeated."),
    ],
    games: Annotated[int, typer.Option(min=1, help="Most games of a person, the latest ones.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Measure people's models on games that they did not see.

    With several players it also says who of them played a game.
    """
    from sparring.players.persons import find_person
    from sparring.training.person.measurement import measure_people

    try:
        named = (
            path if path.suffix in (".toml", ".person") else find_person(str(path), game).path
            for path in player
        )
        files = [path.with_suffix(".person") for path in named]
        with ProgressBar() as bar:
            results = measure_people(files, records, game, games, _SETS, bar.on_progress)
    except ValueError as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps(results))
    else:
        _show_person(results)


def _show_person(results: dict[str, Any]) -> None:
    console = make_console()
    for name, entry in results["people"].items():
        console.print(
            f"{foreign(name)}: {entry['games']:,} games that were not trained on; the base has top-1 "
            f"{entry['base_top1']:.3f}, {entry['base_nll']:.3f} nats a move",
            soft_wrap=True,
        )
        table = Table("phase", "moves", "nats gained", "top-1 gained", box=None)
        for phase, part in [*entry["phases"].items(), ("all", entry)]:
            gains = (_gain(part[metric]) for metric in ("nats", "top1"))
            table.add_row(phase, f"{part['positions']:,}", *gains)
        console.print(table)
    for entry in results.get("identification", []):
        plural = "game" if entry["games"] == 1 else "games"
        console.print(
            f"who of {len(results['people'])} played, from {entry['games']} {plural}: "
            f"{entry['value']:.0%} right ({entry['low']:.0%} to {entry['high']:.0%})"
        )


def _gain(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:+.3f} [dim]({estimate['low']:+.3f} to {estimate['high']:+.3f})[/]"
