"""`sparring play`: a game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from sparring.base.clock import TimeControl
from sparring.base.errors import UserError
from sparring.cli.arguments import GameName, Options, PositionText, choose_game, choose_state, parse_rating
from sparring.cli.opponent import choose_opponent, describe_opponent, parse_level, strength_text
from sparring.cli.session import TerminalOptions, check_writable, expand_user
from sparring.cli.terminal import TerminalGame
from sparring.games import Game, describe
from sparring.play.opponent import Opponent, advice_on, imitated_rating
from sparring.players import STRENGTHS, AdaptivePlayer
from sparring.players.game_players import games_with_bots
from sparring.records.readers import written_formats

_BOTS = " ".join(
    f"{game}: the opponent, one of {', '.join(bots.configs)}, or a TOML file of a bot."
    for game, bots in games_with_bots().items()
)


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
        typer.Option(help=_BOTS),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            help="Clock: minutes (10), with seconds added a move (5+3), with byo-yomi (20+3x30), Canadian "
            "(10+300/15) or for so many moves (40/90+30). Without it, no clock."
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
    my_number = parse_rating(game, my_rating, my_rank, "my ")
    number = parse_rating(game, rating, rank)
    system = describe(game).ratings
    its_rating, your_rating = (
        value if value is None or system.word == "rating" else system.format(value)
        for value in (number, my_number)
    )
    adapt = level == "adapt"
    asked = Opponent(
        game,
        level=None if adapt else parse_level(level),
        adapt=adapt,
        levels=None if levels is None else expand_user(levels),
        rating=its_rating,
        my_rating=your_rating,
        model=model,
        temperature=temperature,
        file=player,
        person=person,
        repertoire=None if repertoire is None else expand_user(repertoire),
        strength=strength,
        bot=bot,
        think_time="none" if instant else "human",
    )
    chosen = choose_opponent(rules, asked)
    try:
        time_control = None if clock is None else TimeControl.parse(clock, byoyomi)
    except ValueError as error:
        raise UserError(str(error)) from None
    if rules.spec.hidden and position is not None:
        raise UserError(
            f"{game} starts from its initial position: a position would reveal hidden information"
        )
    if rules.spec.hidden and time_control is not None:
        raise UserError(f"{game} has no clock in the terminal: leave out --clock")
    saved = _check_save(save, game)
    state = choose_state(rules, position)
    with chosen.make(seed=seed) as opponent:
        about = [describe_opponent(opponent, chosen.strength), advice_on(opponent, state)]
        options = TerminalOptions(
            " ".join(filter(None, about)),
            rng,
            letters,
            time_control,
            imitated_rating(opponent),
            my_number,
            saved,
        )
        own = describe(game).terminal_game
        kind: type[TerminalGame] = TerminalGame if own is None else own()
        kind(rules, state, human, opponent, options).play()
        if isinstance(opponent, AdaptivePlayer) and opponent.estimate.games:
            print(f"{strength_text(opponent).capitalize()}.")


def _check_save(path: Path | None, game: str) -> Path | None:
    """The path, before the game begins. Raises UserError if no game can be saved there."""
    if path is None:
        return None
    path = expand_user(path)
    suffixes = written_formats(game)
    try:
        is_folder = path.suffix == "" or path.is_dir()
        exists = path.exists() and not path.is_dir()
    except OSError:
        is_folder, exists = False, False  # a folder that cannot be searched: no file can be written there
    if exists:
        raise UserError(f"{path} exists already: choose another file for --save")
    if not is_folder and path.suffix.removeprefix(".").lower() not in suffixes:
        raise UserError(f"--save {path}: games of {game} end in .{', .'.join(suffixes)}")
    try:
        check_writable(path / f"game.{suffixes[0]}" if is_folder else path)
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
