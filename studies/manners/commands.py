"""`python -m studies manners`, `manners-traces`, `manners-games`, `turing` and `turing-score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

import typer

from sparring.base.errors import UserError
from sparring.players.player_config import LevelTable, read_level_table, shipped_levels
from studies.options import command_line

RESULTS = Path("results/manners")
LEVELS = "1250,1650,2000,2400"
"""Levels of the shipped kit. The ACE paper's classes are 1250, 1650, 2150 and 2550."""
Levels: TypeAlias = Annotated[str, typer.Option(help="Levels, separated by commas.")]
Table: TypeAlias = Annotated[Path | None, typer.Option(help="Level table of ours; default: the shipped one.")]
Backend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks: onnxruntime or torch.")]


def manners_traces(
    files: Annotated[list[Path], typer.Argument(help="Games of people, or files by `manners-games`.")],
    out: Annotated[Path, typer.Option(help="The traces, .npz.")],
    game: Annotated[str, typer.Option(help="chess, or go for resignations.")] = "chess",
    held_out: Annotated[bool, typer.Option(help="Only validation and test games.")] = False,
    last: Annotated[int, typer.Option(min=1, help="Go: the last positions of each game.")] = 120,
    backend: Backend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
) -> None:
    """Evaluate every position of games with `human` and `strong`, for `manners`."""
    from sparring.policies import load_policy
    from sparring.records import RecordedGame, Split
    from studies.manners.traces import read_games, trace_games, trace_values
    from studies.manners.turing import read_program_games

    games, source = [], "people"
    for path in files:
        if path.suffix == ".jsonl":
            played = read_program_games(path)
            source = played[0].source
            games += [RecordedGame(game, each.record()) for each in played]
        else:
            games += list(read_games(path, game))
    games = [each for each in games if not held_out or each.split() is not Split.TRAIN]
    human = load_policy("human", game, backend=backend, batch=batch)
    if game == "chess":
        strong = load_policy("strong", game, backend=backend, batch=batch)
        traces = trace_games(games, source, human, strong)
    else:
        traces = trace_values(games, human, last)
    traces.save(out)
    print(f"{out}: {len(traces.rows):,} positions of {len(games):,} games")


def manners_games(
    source: Annotated[
        str, typer.Argument(help="ours, stockfish, or a policy with a temperature, such as maia-1500.pb.gz:1")
    ],
    out: Annotated[Path, typer.Option(help="The games, one a line.")],
    levels: Levels = LEVELS,
    games: Annotated[int, typer.Option(min=1, help="Games of each level.")] = 6,
    stockfish: Annotated[str, typer.Option(help="Stockfish's program.")] = "/usr/games/stockfish",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all moves.")] = 1,
    backend: Backend = "onnxruntime",
    table: Table = None,
) -> None:
    """Let programs play against themselves at some levels, for `turing` and for the judge."""
    from sparring.base.storage import Journal
    from studies.manners.programs import play_games

    journal = Journal(out)
    if journal.entries:
        raise UserError(f"{out} holds games already: give another --out")
    for level in _numbers(levels):
        played = play_games(
            source, level, games, seed=seed, stockfish=stockfish, table=_levels(table), backend=backend
        )
        for game in played:
            journal.add(vars(game))
        print(f"{out}: {source} at {level}", flush=True)


def manners_conversion(
    people: Annotated[list[Path], typer.Argument(help="Games of people with evaluations (PGN).")],
    levels: Levels = "800,1200,1600,2000,2400",
    games: Annotated[int, typer.Option(min=3, help="Won positions of each level.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all moves.")] = 1,
    backend: Backend = "onnxruntime",
    table: Table = None,
    out: Annotated[Path, typer.Option(help="JSON file of the report.")] = RESULTS / "conversion.json",
) -> None:
    """Measure how often people and ours win won positions and basic endings.

    Won positions are those of held-out games at the level. Games are kept in a journal beside the report as
    they end; the same command goes on from there. A level that the journal has with other dials or other
    people's games is refused. Without levels it only writes the report anew.
    """
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from sparring.records import Split
    from studies.manners.conversion import (
        ConvertedGame,
        conversion_positions,
        conversion_rows,
        convert,
        open_conversion_journal,
        people_endings,
        reached_endings,
    )  # fmt: skip
    from studies.manners.games import PeoplesEndings
    from studies.manners.traces import read_games

    level_table = _levels(table)
    known = [game for path in people for game in read_games(path)]
    numbers = _numbers(levels)
    conditions = {
        str(level): {"people": [path.name for path in people], "player": level_table.keys(level)}
        for level in numbers
    }
    journal = open_conversion_journal(out.with_suffix(".jsonl"), games, seed, conditions)
    played = [ConvertedGame(**entry) for entry in journal.entries]
    of_people = people_endings(reached_endings(known))

    def report() -> None:
        rows = {"people": of_people, "ours": conversion_rows(played)}
        write_json(provenance(command_line()) | rows, out)

    report()
    human = load_policy("human", "chess", backend=backend, batch=256)
    for level in numbers:
        near = [g for g in known if all(r is not None and abs(r - level) <= 100 for r in g.ratings)]
        near = [g for g in near if g.split() is not Split.TRAIN]
        positions = conversion_positions(near, games, seed)
        config, endings = level_table.at(level, name="ours"), PeoplesEndings(human, level)
        policy = load_policy(config.model, "chess", backend=backend, batch=256)
        done = {game.number for game in played if game.level == level}
        for game in convert(policy, config, level, positions, seed=seed, endings=endings, done=done):
            journal.add(vars(game))
            played.append(game)
        report()
        print(f"{out}: {level}", flush=True)


PARTS = ("think-time", "resignation", "go", "judge")


def manners(
    people: Annotated[list[Path], typer.Option(help="Traces of held-out games of people.")],
    clocks: Annotated[Path | None, typer.Option(help="Traces of games with clocks.")] = None,
    go: Annotated[list[Path] | None, typer.Option(help="Traces of Go games.")] = None,
    programs: Annotated[Path | None, typer.Option(help="Folder with traces of programs' games.")] = None,
    parts: Annotated[
        str, typer.Option(help="Parts, separated by commas; the others stay as they are in the report.")
    ] = ",".join(PARTS),
    write: Annotated[Path | None, typer.Option(help="Folder for the fitted models.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = RESULTS,
) -> None:
    """Fit think time, resignation and draws to people's games, and judge the games of programs."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import read_json, write_json
    from sparring.players.behaviour_models import ResignationModel, behaviour
    from studies.manners import study
    from studies.manners.figures import write_figures
    from studies.manners.models import resignation_json, think_time_json
    from studies.manners.traces import Traces

    wanted = set(parts.split(","))
    if unknown := wanted - set(PARTS):
        raise UserError(f"there is no part '{unknown.pop()}': there are {', '.join(PARTS)}")
    path = out / "manners.json"
    report: dict[str, Any] = (read_json(path) if path.exists() else {}) | provenance(command_line())
    known, models = Traces.load(*people), dict[str, Any]()
    if clocks is not None and "think-time" in wanted:
        think_time, report["think_time"] = study.fit_think_time(Traces.load(clocks))
        models["think-time"] = think_time_json(think_time)
    if "resignation" in wanted:
        resignation, report["resignation"] = study.fit_resignation(known, rating=1600, rating_scale=400)
        draws, report["draws"] = study.fit_draws(known)
        models["chess"] = {"resignation": resignation_json(resignation), "draws": draws}
    if go and "go" in wanted:
        go_model, report["resignation_go"] = study.fit_resignation(Traces.load(*go), rating=6, rating_scale=3)
        models["go"] = {"resignation": resignation_json(go_model)}
    if programs is not None and "judge" in wanted:
        found: dict[str, list[Path]] = {}
        for each in sorted(programs.rglob("games-*.npz")):
            found.setdefault(each.stem.rpartition("-")[0].removeprefix("games-"), []).append(each)
        loaded = {name: Traces.load(*paths) for name, paths in found.items()}
        model = ResignationModel.from_json(behaviour("chess")["resignation"])
        report["judge"] = study.judge_programs(known, loaded, model)
    if write is not None:
        for name, content in models.items():
            write.mkdir(parents=True, exist_ok=True)
            (write / f"{name}.json").write_text(json.dumps(content) + "\n", encoding="utf-8")
    write_json(report, path)
    for each in (path, *write_figures(out)):
        print(each)


def turing(
    people: Annotated[
        list[Path], typer.Option(help="Games of people (PGN); those in training are left out.")
    ],
    ours: Annotated[Path, typer.Option(help="Games of ours, by `manners-games ours`.")],
    engine: Annotated[Path, typer.Option(help="Games of an engine, by `manners-games stockfish`.")],
    out: Annotated[Path, typer.Option(help="Folder of the kit.")],
    levels: Levels = LEVELS,
    each: Annotated[int, typer.Option(min=1, help="Games of each source and level.")] = 6,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the choice and the order.")] = 0,
) -> None:
    """Write a Turing test: shuffled games of people, an engine and ours at each level, with a key."""
    from sparring.records import RecordedGame
    from studies.manners.turing import (
        ANSWERS,
        GAMES,
        KEY,
        can_be_judged,
        make_kit,
        people_at,
        read_program_games,
        write_kit,
    )  # fmt: skip

    programs = {"ours": read_program_games(ours), "engine": read_program_games(engine)}

    def played(source: str, level: int) -> list[RecordedGame]:
        known = (
            RecordedGame("chess", program.record()) for program in programs[source] if program.level == level
        )
        return [game for game in known if can_be_judged(game)]

    candidates = {
        level: {"people": people_at(people, level), "ours": played("ours", level),
                "engine": played("engine", level)}
        for level in _numbers(levels)
    }  # fmt: skip
    write_kit(make_kit(cast(Any, candidates), each=each, seed=seed), out)
    print(f"{out}: give away the PGN files and {ANSWERS}, and keep {KEY} ({GAMES} is for programs)")


def turing_score(
    kit: Annotated[Path, typer.Argument(help="Folder by `turing`.")],
    answers: Annotated[Path, typer.Argument(help="The sheet with verdicts: human or computer.")],
) -> None:
    """Score the verdicts of a Turing test."""
    from studies.manners.turing import score_answers

    print(json.dumps(score_answers(kit, answers), indent=1))


def _levels(path: Path | None) -> LevelTable:
    """The level table of a file, or the shipped one."""
    table = shipped_levels("chess", "engine") if path is None else read_level_table(path)
    assert table is not None
    return table


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",") if text]
    except ValueError:
        raise UserError(f"levels '{text}': expected whole numbers, separated by commas") from None
