"""`sparring play`: a game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast, get_args

import numpy as np
import typer

from sparring.base.clock import TimeControl
from sparring.base.errors import BadConfig, UserError
from sparring.cli.arguments import (
    GameName,
    Options,
    PositionText,
    choose_game,
    choose_state,
    parse_rating,
    with_article,
)
from sparring.cli.console import visible
from sparring.cli.terminal import TerminalGame, TerminalOptions, check_writable, expand_user
from sparring.games import Game, describe
from sparring.play.opponent import Opponent, advice_on, imitated_rating, no_people
from sparring.players import DEFAULT_RATING, STRENGTHS, AdaptivePlayer, Player, PolicyPlayer, SearchPlayer
from sparring.players.game_players import games_with_bots
from sparring.players.player_config import StrengthScale, shipped_levels
from sparring.policies.person import PersonPolicy
from sparring.records.readers import written_formats


def play(
    game: GameName,
    side: Annotated[str, typer.Option(help="Your side by its name, such as white, or random.")] = "",
    level: Annotated[
        str | None,
        typer.Option(
            help="The opponent's strength (chess: whom it errs like, 600 to 2600; docs/levels.md), or "
            "`adapt`: it follows your results."
        ),
    ] = None,
    scale: Annotated[
        str,
        typer.Option(
            help="What --level means in chess: `people`, errs as people of that rating do in Lichess rapid; "
            "`engine`, as strong as an engine of that rating."
        ),
    ] = "people",
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
    style: Annotated[
        str, typer.Option(help="Shogi: the opponent's opening, static-rook or ranging-rook.")
    ] = "",
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
        typer.Option(
            help="In games with bots: the opponent by name (a wrong one lists all), or a TOML file of a bot."
        ),
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
        scale=_scale(scale),
        levels=None if levels is None else expand_user(levels),
        rating=its_rating,
        my_rating=your_rating,
        model=model,
        temperature=temperature,
        file=player,
        person=person,
        opening_style=style or None,
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
        lacks = no_people(game) if describe(game).people is not None and game not in DEFAULT_RATING else ""
        about = [describe_opponent(opponent, chosen.strength), advice_on(opponent, state), lacks]
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


# The opponent: what the options ask for, and what the terminal says about it.


def choose_opponent(rules: Game[Any], opponent: Opponent) -> Opponent:
    """The opponent that the options describe, completed; None is an option that was not given.

    Raises UserError for options that do not go together, BadConfig or NotFound for values.
    """
    game = opponent.game
    player, person, strength, bot = opponent.file, opponent.person, opponent.strength, opponent.bot
    human_like = (
        opponent.level, opponent.levels, opponent.rating, opponent.my_rating, opponent.model,
        opponent.temperature, opponent.repertoire,
    )  # fmt: skip
    given = opponent.adapt or any(value is not None for value in human_like)
    if opponent.levels is not None and opponent.level is None:
        raise UserError("--levels is the table of --level: say which level, such as --level 1500")
    if person is not None and player is not None:
        raise UserError("--person and --player both name the opponent: leave one out")
    if (player is not None or person is not None) and (given or strength is not None):
        raise UserError(
            f"{'--player' if person is None else '--person'} replaces --level, --rating, --rank, --model, "
            "--temperature, --repertoire and --strength: leave them out"
        )
    if bot is not None and game not in games_with_bots():
        raise UserError(f"--bot is for {', '.join(games_with_bots()) or 'games with bots'}, not for {game}")
    if strength is not None and given:
        raise UserError(
            "--strength is for the small search player: it has no level, rating, model, temperature or "
            "repertoire"
        )
    if rules.spec.hidden and given:
        raise UserError(
            f"policies do not play {game}, a game of hidden information: choose a --strength or a --bot"
        )
    if bot is not None and strength is not None:
        raise UserError("--bot names the opponent: leave out --strength")
    if given and opponent.model is None and game not in DEFAULT_RATING:
        raise UserError(f"{no_people(game)} Choose a --strength or a --model.")

    try:
        return opponent.completed()
    except BadConfig as error:
        if opponent.level not in STRENGTHS:
            raise
        raise UserError(f"{error}; a small search player is --strength 1 to 9") from None


def parse_level(text: str | None) -> int | None:
    """The number of a level; None if none is given. Raises UserError."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise UserError(f"--level {text}: expected a number such as 1500, or adapt") from None


def _scale(text: str) -> StrengthScale:
    """The scale of a name. Raises UserError."""
    for scale in get_args(StrengthScale):
        if scale == text:
            return cast(StrengthScale, scale)
    raise UserError(f"--scale {text}: expected {' or '.join(get_args(StrengthScale))}")


def describe_opponent(opponent: Player, strength: int | None) -> str:
    """A sentence on the opponent: its name, and how it plays."""
    name = visible(opponent.name)
    if isinstance(opponent, AdaptivePlayer):
        about = describe_opponent(opponent.player, None)
        return f"{about} Its level follows your results: {strength_text(opponent)}."
    if not isinstance(opponent, PolicyPlayer | SearchPlayer):
        name = name if strength is None else f"a search player, strength {strength} of 9"
        return f"Your opponent is {name}."
    policy, rating = opponent.policy, imitated_rating(opponent)
    if isinstance(policy, PersonPolicy):
        games = f"{policy.card.games:,} games of {visible(policy.card.person)}"
        return f"Your opponent is {name}, who plays as in {games}{_search_text(opponent)}."
    rated = None if rating is None else with_article(describe(policy.game).ratings.format(rating))
    style = _errors_text(opponent) or (f", who plays in the style of {rated}" if rated else "")
    level, table = opponent.config.level, shipped_levels(policy.game, opponent.config.scale)
    # A name in words is said with whom the level errs like.
    shown = "" if level is None else str(level) if table is None or table.has_names else table.text(level)
    if shown and not name.endswith(f" {shown}"):
        style = f", level {shown}{style}"
    if opponent.config.opening_style:
        style = f"{style}, {opponent.config.opening_style.replace('-', ' ')}"
    return f"Your opponent is {name} (model {visible(policy.name)}){style}{_search_text(opponent)}."


def _errors_text(opponent: PolicyPlayer | SearchPlayer) -> str:
    """Whom a level errs like, for the end of a sentence; empty for other players and scales, and for a level
    with changed values."""
    game, config = opponent.policy.game, opponent.config
    table = None if config.level is None else shipped_levels(game, config.scale)
    if config.level is None or table is None or table.scale != "people":
        return ""
    own = {**vars(config), "rating": config.rating_number("rating")}
    if any(own[key] != value for key, value in table.keys(config.level).items()):
        return ""
    if table.people_loss(config.level) is None:
        return f", whose level continues the trend of the measured ones ({table.family})"
    if table.has_names:
        return f", who errs as people do on {table.text(config.level)} ({table.family})"
    return f", who errs as people of {table.text(config.level)} do ({table.family})"


def strength_text(opponent: AdaptivePlayer) -> str:
    """The estimate of the person's strength, in words."""
    estimate = opponent.estimate
    if not estimate.games:
        return "this is your first game"
    games = f"{estimate.games} game{'' if estimate.games == 1 else 's'}"
    return f"after {games} your strength is {estimate.mean:.0f} ({estimate.low:.0f} to {estimate.high:.0f})"


def _search_text(opponent: PolicyPlayer | SearchPlayer) -> str:
    """The search of a player, for the end of a sentence; empty if it plays from its policy alone."""
    nodes = opponent.config.nodes if isinstance(opponent, SearchPlayer) else 0
    return f", with a search of {nodes:,} node{'' if nodes == 1 else 's'}" if nodes else ""
