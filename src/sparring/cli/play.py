"""`sparring play`: a game in the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from sparring.cli.arguments import GameName, Options, PositionText, choose_game, choose_state
from sparring.cli.errors import UserError
from sparring.cli.game_clock import parse_clock
from sparring.cli.game_file import check_writable, expand_user
from sparring.cli.opponent import (
    DEFAULT_STRENGTH,
    OpponentOptions,
    choose_player,
    choose_strength,
    find_player_of_person,
    load_opponent,
    parse_level,
)
from sparring.cli.opponent_text import describe_opponent, imitated_rating, opponent_advice, strength_text
from sparring.cli.ratings import parse_rating
from sparring.cli.session import TerminalOptions
from sparring.cli.terminal import TerminalGame
from sparring.games import Game, describe, resolve
from sparring.players import STRENGTHS, AdaptivePlayer, make_strength_player
from sparring.players.rbc import BOTS
from sparring.records.readers import written_formats


def play(
    game: GameName,
    side: Annotated[str, typer.Option(help="Your side by its name, such as white, or random.")] = "",
    level: Annotated[
        str | None,
        typer.Option(
            help="The opponent's measured strength (chess: 600 to 2600; docs/levels.md), or `adapt`: it "
            "follows your results."
        ),
    ] = None,
    levels: Annotated[
        Path | None,
        typer.Option(
            help="Level table of --level, such as one of `sparring tune levels` (the measured one)."
        ),
    ] = None,
    rating: Annotated[
        int | None,
        typer.Option(
            help="The opponent plays in the style of people of this rating (chess: 1500) and, in chess, as "
            "strongly: alone it is the --level of this number."
        ),
    ] = None,
    my_rating: Annotated[
        int | None,
        typer.Option(
            help="Your rating (default: the opponent's). People play differently against stronger players."
        ),
    ] = None,
    rank: Annotated[str | None, typer.Option(help="Go: the opponent's rank (5d).")] = None,
    my_rank: Annotated[str | None, typer.Option(help="Go: your rank.")] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", "--policy", "-p", help="Model name, network file or policy file (blend)."
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=100, help="Temperature of the moves: below 1 plays likely moves more often (1)."
        ),
    ] = None,
    player: Annotated[
        Path | None,
        typer.Option(
            help="TOML file of a player (docs/players.md), or an evaluation.json of `train treestrap`, "
            "in place of the options above."
        ),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option(help="The opponent plays like one person: a name of `sparring train person`."),
    ] = None,
    repertoire: Annotated[
        Path | None,
        typer.Option(
            help="The opponent's openings: a PGN with or without variations, another file of games, or a "
            "Polyglot book. After it, as people of its rating play."
        ),
    ] = None,
    strength: Annotated[
        int | None,
        typer.Option(
            min=STRENGTHS[0],
            max=STRENGTHS[-1],
            help="Small search player instead; each strength searches three times as long.",
        ),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(help=f"rbc: the opponent, one of {', '.join(BOTS)}, or a TOML file of a bot."),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            help="Clock: minutes and seconds added a move, such as 10 or 5+3. Without it, no clock."
        ),
    ] = None,
    byoyomi: Annotated[
        float, typer.Option(min=0, max=3600, help="Seconds for each move once the minutes are used up.")
    ] = 0,
    instant: Annotated[
        bool,
        typer.Option("--instant", help="With a clock: the opponent does not take the time that people take."),
    ] = False,
    letters: Annotated[
        bool, typer.Option("--letters", help="Show pieces as Latin letters instead of pictures or kanji.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            help="File or folder to save the game to. Without it, a new file in your data folder.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed: the same seed and moves give the same game.")
    ] = None,
    position: PositionText = None,
    option: Options = None,
) -> None:
    """Play a game in the terminal.

    The opponent plays in the style of people of a rating. Type moves at the prompt, or `help`.
    """
    rules = choose_game(game, option)
    rng = np.random.default_rng(seed)
    human = _choose_side(rules, side, rng)
    adapt = True if level == "adapt" else None
    options = OpponentOptions(
        None if adapt else parse_level(level),
        parse_rating(game, rating, rank),
        parse_rating(game, my_rating, my_rank, "my "),
        model,
        temperature,
        repertoire,
        adapt,
        levels,
    )
    if levels is not None and options.level is None:
        raise UserError("--levels is the table of --level: say which level, such as --level 1500")
    if person is not None:
        if player is not None:
            raise UserError("--person and --player both name the opponent: leave one out")
        player = find_player_of_person(person, game)
    if player is not None and (options or strength is not None):
        raise UserError(
            f"{'--player' if person is None else '--person'} replaces --level, --rating, --rank, --model, "
            "--temperature, --repertoire and --strength: leave them out"
        )
    if bot is not None and not rules.spec.hidden:
        raise UserError(f"--bot is for rbc, not for {game}")
    chosen_strength = strength
    strength = choose_strength(rules, strength, options) if player is None else None
    time_control = None if clock is None else parse_clock(clock, byoyomi)
    table = TerminalOptions(
        "", rng, letters, time_control, options.rating, options.my_rating, _check_save(save, game)
    )
    if rules.spec.hidden:
        if position is not None:
            raise UserError(
                f"{game} starts from its initial position: a position would reveal hidden information"
            )
        if bot is not None and chosen_strength is not None:
            raise UserError("--bot names the opponent: leave out --strength")
        if time_control is not None:
            raise UserError(f"{game} has no clock in the terminal: leave out --clock")
        source = bot or player
        small = strength or DEFAULT_STRENGTH
        with load_opponent(source, game) if source else make_strength_player(game, small) as opponent:
            table = replace(table, about=describe_opponent(opponent, None if source else small))
            resolve(describe(game).players.hidden_terminal)(rules, human, opponent, table).play()
        return
    state = choose_state(rules, position)
    if strength is not None:
        opponent = make_strength_player(game, strength)
    else:
        opponent = choose_player(game, options, player, seed, instant=instant)
        table = replace(table, rating=imitated_rating(opponent))
    about = " ".join(filter(None, [describe_opponent(opponent, strength), opponent_advice(opponent, state)]))
    with opponent:
        TerminalGame(rules, state, human, opponent, replace(table, about=about)).play()
        if isinstance(opponent, AdaptivePlayer) and opponent.estimate.games:
            print(f"{strength_text(opponent).capitalize()}.")


def _check_save(path: Path | None, game: str) -> Path | None:
    """The path, before the game begins. Raises UserError if no game can be saved there."""
    if path is None:
        return None
    path = expand_user(path)
    known = written_formats(game)
    try:
        is_folder = path.suffix == "" or path.is_dir()
        exists = path.exists() and not path.is_dir()
    except OSError:
        is_folder, exists = False, False  # a folder that cannot be searched: no file can be written there
    if exists:
        raise UserError(f"{path} exists already: choose another file for --save")
    if not is_folder and path.suffix.removeprefix(".").lower() not in known:
        raise UserError(f"--save {path}: games of {game} end in .{', .'.join(known)}")
    try:
        check_writable(path / f"game.{known[0]}" if is_folder else path)
    except UserError as error:
        raise UserError(f"--save {error}") from None
    return path


def _choose_side(rules: Game[Any], side: str, rng: np.random.Generator) -> int:
    names = [name.lower() for name in rules.spec.players]
    wanted = side.lower() or names[0]
    if wanted == "random":
        return int(rng.integers(2))
    if wanted not in names:
        raise UserError(f"the sides of {rules.spec.name} are {' and '.join(names)} (or random), not '{side}'")
    return names.index(wanted)
