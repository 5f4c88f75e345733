"""`python -m studies rbc-...`: tracking, matches, variants, ratings, points, belief, attacks, kings."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.base.errors import UserError
from sparring.base.storage import atomic_write
from sparring.cli.console import foreign, make_console
from studies.options import command_line
from studies.rbc.histories import find_histories

if TYPE_CHECKING:
    from sparring.records import GameRecord
    from studies.rbc.replays import ReplayPlanner


def rbc_tracking(
    records: Annotated[Path, typer.Option(help="reconchess histories: a file or a folder.")],
    games: Annotated[int | None, typer.Option(min=1, help="Maximum number of games.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum size of a complete set.")] = 1_000_000,
    compared: Annotated[int, typer.Option(min=0, help="Games that the reference tracker follows too.")] = 200,
    compared_boards: Annotated[
        int, typer.Option(min=1, help="Largest set for the reference tracker.")
    ] = 20_000,
    sampled: Annotated[int, typer.Option(min=0, help="Games followed beyond the limit, with a sample.")] = 10,
    threads: Annotated[int, typer.Option(min=0, help="Threads of the tracker; 0 for all cores.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/rbc"),
) -> None:
    """Check the belief tracker on recorded games, against the truth and a reference tracker."""
    from studies.rbc import tracking as study

    paths = find_histories(records)
    config = study.TrackingConfig(limit, compared, compared_boards, sampled, threads)
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def on_progress(number: int, followed: study.TrackedSide) -> None:
            bar.update(
                task, description=f"game {number:,}: {followed.most:,} boards, {followed.misses} misses"
            )

        report = study.run(paths, config, out, command_line(), games, on_progress)
    complete, reference = report["complete"], report["reference_tracker"]
    table = Table("", "observations", "wrong", box=None)
    table.add_row(
        "the true board is in the complete set", f"{complete['observations']:,}", str(complete["misses"])
    )
    table.add_row(
        "the set is the reference tracker's", f"{reference['observations']:,}", str(reference["different"])
    )
    make_console().print(f"{report['games']:,} games, {report['broken']} broken, {report['sides']:,} sides")
    make_console().print(table)
    if complete["misses"] or reference["different"] or report["contradictions_of_complete_sets"]:
        raise UserError("the tracker is wrong: see the report")


def rbc_games(
    records: Annotated[Path, typer.Option(help="reconchess histories: a file or a folder.")],
    limit: Annotated[int, typer.Option(min=1, help="Maximum size of a complete set.")] = 100_000,
    replayed: Annotated[int, typer.Option(min=0, help="Games to replay for the figure.")] = 2_000,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/rbc"),
) -> None:
    """Count games of reconnaissance blind chess; draw the win rate by number of possible boards."""
    from studies.rbc import games as study

    paths = find_histories(records)
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        report = study.run(
            paths,
            study.ReplayConfig(limit, replayed),
            out,
            command_line(),
            lambda games: bar.update(task, description=f"{games:,} games replayed"),
        )
    table = Table("possible boards, up to", "turns", "points", "95 %", box=None)
    for each in report["win_rate_by_boards"]:
        low, high = each["interval_95"]
        table.add_row(
            f"{each['boards_up_to']:,}", f"{each['turns']:,}", f"{each['share']:.1%}", f"{low:.1%}-{high:.1%}"
        )
    make_console().print(f"{report['games']:,} games, {report['broken']} broken")
    make_console().print(table)


def rbc_matches(
    bot: Annotated[str, typer.Option(help="A bot: a name or a TOML file (docs/rbc-bots.md).")] = "inference",
    opponents: Annotated[str, typer.Option(help="Bots of reconchess.")] = "trout,attacker,random",
    games: Annotated[int, typer.Option(min=1, help="Games against each.")] = 100,
    first: Annotated[int, typer.Option(min=0, help="Number of the first game.")] = 0,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds on each clock.")] = 120,
    increment: Annotated[float, typer.Option(min=0, help="Seconds added after each turn.")] = 5,
    processes: Annotated[int, typer.Option(min=1, help="Games played in parallel.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/rbc"),
) -> None:
    """Play a bot against the bots of reconchess, as rc-bot-match does."""
    importlib.import_module("reconchess")  # fails here instead of in every worker
    from sparring.rbc.bots import load_bot_config
    from sparring.rbc.evaluators import find_stockfish
    from studies.rbc import matches as study

    names = [name.strip() for name in opponents.split(",")]
    unknown = [name for name in names if name not in study.OPPONENTS]
    if unknown:
        raise UserError(f"reconchess has no bot '{unknown[0]}': choose {', '.join(study.OPPONENTS)}")
    config = load_bot_config(bot)
    needs = "trout" in names or config.evaluator == "stockfish"
    stockfish = find_stockfish() if needs else None
    matches = [study.RbcMatch(bot, name, games, seconds, increment, first) for name in names]

    def on_progress(played: Sequence[study.RbcGameResult]) -> None:
        last = played[-1]
        make_console().print(
            f"{foreign(last.bot)} - {foreign(last.opponent)}, game {last.number + 1}: {last.score} "
            f"({last.reason.lower()}, {last.turns} turns, {last.left:.0f} s left)",
        )

    report = study.run(matches, out, command_line(), processes, stockfish, on_progress)
    table = Table("match", "games", "won", "drawn", "lost", "points", "95 %", box=None)
    for match in report["matches"]:
        low, high = match["interval_95"]
        numbers = (str(match[name]) for name in ("games", "won", "drawn", "lost"))
        table.add_row(
            foreign(f"{match['bot']} - {match['opponent']}"),
            *numbers,
            f"{match['share']:.1%}",
            f"{low:.1%}-{high:.1%}",
        )
    make_console().print(table)


def rbc_variants(
    bots: Annotated[str, typer.Option(help="Bots: names or TOML files, separated by commas.")],
    opponents: Annotated[str, typer.Option(help="Opponents of each of them.")] = "inference",
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Each bot plays each other one instead.")
    ] = False,
    games: Annotated[int, typer.Option(min=1, help="Games of each match.")] = 20,
    first: Annotated[int, typer.Option(min=0, help="Number of the first game.")] = 0,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds on each clock.")] = 60,
    increment: Annotated[float, typer.Option(min=0, help="Seconds added after each turn.")] = 1,
    opponent_time: Annotated[
        float, typer.Option(min=0.01, help="Factor of the opponents' seconds and increment.")
    ] = 1.0,
    processes: Annotated[int, typer.Option(min=1, help="Games played in parallel.")] = 1,
    limit: Annotated[float | None, typer.Option(min=1, help="Ends the run after so many seconds.")] = None,
    processor_time: Annotated[
        bool,
        typer.Option("--processor-time", help="Clocks count processor time, for a machine that is shared."),
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/dsmcp"),
) -> None:
    """Play bots of ours against each other with clocks."""
    from sparring.rbc.bots import load_bot_config
    from studies.rbc import variants as study

    names = [[name.strip() for name in text.split(",")] for text in (bots, opponents)]
    for name in names[0] + names[1]:
        load_bot_config(name)
    pairs = itertools.combinations(names[0], 2) if round_robin else itertools.product(*names)
    matches = [
        study.VariantMatch(bot, other, seconds, increment, opponent_time=opponent_time)
        for bot, other in pairs
    ]
    if not matches:
        raise UserError("a round robin needs two bots")

    def on_progress(game: study.VariantGame) -> None:
        make_console().print(
            f"{foreign(game.bot)} - {foreign(game.opponent)}, game {game.number + 1}: {game.score} "
            f"({foreign(game.reason)}, {game.turns} turns, {game.playouts} playouts)",
        )

    report = study.run(
        matches,
        games,
        out,
        command_line(),
        processes,
        limit,
        on_progress,
        first=first,
        processor_time=processor_time,
    )
    table = Table("match", "games", "won", "drawn", "lost", "points", "95 %", "playouts", box=None)
    for match in report["matches"]:
        low, high = match["interval_95"]
        table.add_row(
            foreign(f"{match['bot']} - {match['opponent']}"),
            *(str(match[name]) for name in ("games", "won", "drawn", "lost")),
            f"{match['share']:.1%}",
            f"{low:.1%}-{high:.1%}",
            str(match["playouts"]),
        )
    make_console().print(table)


def rbc_ratings(
    journals: Annotated[str, typer.Option(help="Journals of rbc-variants and rbc-matches, with commas.")],
    anchor: Annotated[str, typer.Option(help="Bot whose rating is given.")] = "inference",
    at: Annotated[float, typer.Option(help="Its rating.")] = 1500,
    same: Annotated[str, typer.Option(help="Bots that are rated as others: name=other, with commas.")] = "",
    table: Annotated[Path | None, typer.Option(help="Writes the ratings for the page, too.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/dsmcp/matches"),
) -> None:
    """Rate bots by their games."""
    from studies.rbc import ratings as study

    aliases = dict(pair.strip().split("=", 1) for pair in same.split(",") if "=" in pair)
    paths = [Path(path.strip()) for path in journals.split(",")]
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise UserError(f"there is no journal {missing[0]}")
    try:
        report = study.run(paths, anchor, at, aliases, out, command_line())
    except ValueError as error:
        raise UserError(str(error)) from None
    if table is not None:
        atomic_write(table, study.rating_table(report))
    shown = Table("bot", "Elo", "95 %", "games", box=None)
    for rating in report["ratings"]:
        shown.add_row(
            foreign(rating["bot"]),
            f"{rating['elo']:.0f}",
            f"+- {rating['half_width_95']:.0f}",
            str(rating["games"]),
        )
    make_console().print(shown)


def rbc_points(
    reports: Annotated[
        list[str],
        typer.Argument(help="Folders of rbc-matches and rbc-variants, each FOLDER or LABEL=FOLDER."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the figure.")] = Path("results/dsmcp/matches"),
) -> None:
    """Draw the points of matches with their intervals."""
    from studies.rbc import points as study

    named = [each.rpartition("=") for each in reports]
    try:
        report = study.run([(label, Path(folder)) for label, _, folder in named], out, command_line())
    except ValueError as error:
        raise UserError(str(error)) from None
    make_console().print(f"{len(report['matches'])} matches: {foreign(str(out / study.NAME))}.svg")


def rbc_belief(
    records: Annotated[Path, typer.Option(help="reconchess histories: a file or a folder.")],
    bot: Annotated[
        str, typer.Option(help="A planner: a name or a TOML file. It plays without a clock.")
    ] = "planner",
    games: Annotated[int, typer.Option(min=1, help="Maximum number of games.")] = 20,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/dsmcp/belief"),
) -> None:
    """Compare the planner's belief and choices in recorded games with the inference bot's."""
    from studies.rbc import belief as study

    report = _replayed(study.run, records, bot, games, out)
    table = Table("mean", "", "95 %", box=None)
    for name, each in report["means"].items():
        low, high = each["interval_95"]
        table.add_row(name.replace("_", " "), f"{each['mean']:.3f}", f"{low:.3f} to {high:.3f}")
    make_console().print(f"{report['decisions']:,} decisions of {report['games']} games")
    make_console().print(table)


def _replayed(
    run: Callable[..., dict[str, Any]], records: Path, bot: str, games: int, out: Path
) -> dict[str, Any]:
    """The report of a study that replays recorded games to a planner."""
    planner, chosen = _read_planner_games(records, bot, games)
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("replaying", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, description=f"game {done} of {total}")

        return run(chosen, planner, out, command_line(), progress)


def _read_planner_games(records: Path, bot: str, games: int) -> tuple[ReplayPlanner, list[GameRecord]]:
    """The planner of a name or a file, without a clock, and the first games of the records."""
    from sparring.rbc.bots import load_bot_config, make_bot
    from sparring.rbc.planner import PlannerBot
    from studies.rbc.histories import read_games
    from studies.rbc.replays import ReplayPlanner

    config = replace(load_bot_config(bot), use_clock=False)
    made = make_bot(config)
    if not isinstance(made, PlannerBot):
        raise UserError(f"the bot '{bot}' is no planner")
    parsed = (game.record for game in read_games(find_histories(records)))
    chosen = list(itertools.islice((record for record in parsed if record is not None), games))
    if not chosen:
        raise UserError(f"there are no games in {records}")
    return ReplayPlanner(made, config), chosen


def rbc_attacks(
    records: Annotated[Path, typer.Option(help="reconchess histories: a file or a folder.")],
    bot: Annotated[
        str, typer.Option(help="A planner with attack_weight 1: a name or a TOML file.")
    ] = "dsmcp",
    games: Annotated[int, typer.Option(min=1, help="Maximum number of games.")] = 20,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/dsmcp/attacks"),
) -> None:
    """Compare the attacks on the king that a planner believes in with those of recorded games."""
    from studies.rbc import attacks as study

    report = _replayed(study.run, records, bot, games, out)
    table = Table("opponent", "decisions in doubt", "believed", "attacked", "odds factor", "95 %", box=None)
    for opponent in report["opponents"]:
        low, high = opponent["interval_95"]
        table.add_row(
            foreign(opponent["opponent"]),
            str(opponent["decisions"]),
            f"{opponent['believed']:.1%}",
            f"{opponent['attacked']:.1%}",
            f"{opponent['factor']:.1f}",
            f"{low:.1f} to {high:.1f}",
        )
    make_console().print(table)


def rbc_kings(
    records: Annotated[
        list[Path], typer.Option(help="reconchess histories: files or folders; again for more.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/rbc/kings"),
) -> None:
    """Say how kings were lost in recorded games: seen or not, and since when nothing saved them."""
    from studies.rbc import kings as study
    from studies.rbc.histories import read_games

    paths = [path for folder in records for path in find_histories(folder)]
    games = (game.record for game in read_games(paths))
    report = study.run((record for record in games if record is not None), out, command_line())
    table = Table("loser", "kings", "attacked before", "unseen", "never seen", "could be saved", box=None)
    for row in report["losers"]:
        counts = (row[name]["count"] for name in ("attacked", "unseen", "never_seen", "escape"))
        table.add_row(foreign(row["loser"]), str(row["kings"]), *map(str, counts))
    make_console().print(table)
