"""`sparring play`: a game in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from sparring.cli.arguments import GameName, Options, PositionText, choose_game, choose_state
from sparring.cli.errors import UserError
from sparring.cli.game_clock import parse_clock
from sparring.cli.game_file import check_writable, expand_user
from sparring.cli.printing import visible
from sparring.cli.ratings import check_rating_range, parse_rating, with_article
from sparring.cli.session import TerminalOptions
from sparring.cli.terminal import TerminalGame
from sparring.config import BadConfig
from sparring.games import Game, describe, resolve
from sparring.players import (
    DEFAULT_RATING,
    LOAD_ERRORS,
    STRENGTHS,
    AdaptivePlayer,
    BadPlayer,
    BadPlayerConfig,
    Player,
    PlayerConfig,
    PolicyPlayer,
    SearchPlayer,
    default_player_config,
    load_player,
    make_player,
    make_strength_player,
    open_player,
)
from sparring.players.levels import level_keys, level_of_rating, read_level_table
from sparring.players.persons import UnknownPerson, find_person
from sparring.players.rbc import BOTS
from sparring.policies import load_policy, rating_text, unrated
from sparring.policies.person import PersonPolicy
from sparring.records.readers import written_formats

_STRENGTH = 5
_REPERTOIRE_PLIES = 200
"""A repertoire is played as far as it goes."""


@dataclass(frozen=True)
class _OpponentOptions:
    """Options of an opponent that plays like people; None if not given."""

    level: int | None
    rating: int | None
    my_rating: int | None
    model: str | None
    temperature: float | None
    repertoire: Path | None = None
    adapt: bool | None = None
    levels: Path | None = None

    def __bool__(self) -> bool:
        return any(each is not None for each in vars(self).values())


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
    options = _OpponentOptions(
        None if adapt else _parse_level(level),
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
        player = _find_person(person, game)
    if player is not None and (options or strength is not None):
        raise UserError(
            f"{'--player' if person is None else '--person'} replaces --level, --rating, --rank, --model, "
            "--temperature, --repertoire and --strength: leave them out"
        )
    if bot is not None and not rules.spec.hidden:
        raise UserError(f"--bot is for rbc, not for {game}")
    chosen_strength = strength
    strength = _choose_strength(rules, strength, options) if player is None else None
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
        small = strength or _STRENGTH
        with _load(source, game) if source else make_strength_player(game, small) as opponent:
            table = replace(table, about=_about(opponent, None if source else small))
            resolve(describe(game).players.hidden_terminal)(rules, human, opponent, table).play()
        return
    state = choose_state(rules, position)
    if strength is not None:
        opponent = make_strength_player(game, strength)
    else:
        opponent = _choose_player(game, options, player, seed, instant=instant)
        table = replace(table, rating=_rating_of(opponent))
    about = " ".join(filter(None, [_about(opponent, strength), _advice(opponent, state)]))
    with opponent:
        TerminalGame(rules, state, human, opponent, replace(table, about=about)).play()
        if isinstance(opponent, AdaptivePlayer) and opponent.estimate.games:
            print(f"{_strength_text(opponent).capitalize()}.")


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


def _find_person(name: str, game: str) -> Path:
    """The player's file of a person. Raises UserError."""
    try:
        return find_person(name, game).path
    except UnknownPerson as error:
        raise UserError(str(error)) from None


def _load(source: str | Path, game: str, **overrides: Any) -> Player:
    try:
        return load_player(source, game, **overrides)
    except BadPlayer as error:
        raise UserError(str(error)) from None


def _choose_strength(rules: Game[Any], strength: int | None, options: _OpponentOptions) -> int | None:
    """The strength of the small search player; None for one that plays like people. Raises UserError."""
    game = rules.spec.name
    if strength is not None:
        if options:
            raise UserError(
                "--strength is for the small search player: it has no level, rating, model, temperature or "
                "repertoire"
            )
        return strength
    if rules.spec.hidden and options:
        raise UserError(
            f"policies do not play {game}, a game of hidden information: choose a --strength or a --bot"
        )
    if game in DEFAULT_RATING or options.model is not None:
        return None
    if options:
        raise UserError(f"there is no network of people's moves for {game}: choose a --strength or a --model")
    return _STRENGTH


def _choose_player(
    game: str, options: _OpponentOptions, file: Path | None, seed: int | None, *, instant: bool
) -> Player:
    """The player of a file, or of a policy at a rating in its range. Raises UserError."""
    if file is not None:
        return _load(file, game, **({} if seed is None else {"seed": seed}))
    keys = _level_keys(game, _level_of(game, options), options.levels)
    model = options.model or keys.get("model", PlayerConfig.model)
    try:
        policy = load_policy(model, game)
    except LOAD_ERRORS as error:
        raise UserError(str(error)) from None
    rating = keys.get("rating", DEFAULT_RATING.get(game)) if options.rating is None else options.rating
    if complaint := unrated(policy):
        if options.rating is not None or options.my_rating is not None:
            raise UserError(f"{complaint} in {game}: give no {describe(game).ratings.word}")
        rating = None
    check_rating_range(policy, options.rating)
    check_rating_range(policy, options.my_rating, whose="my ")
    given: dict[str, Any] = {"model": model, "rating": rating, "opponent_rating": options.my_rating}
    if options.temperature is not None:
        given["temperature"] = options.temperature
    if options.repertoire is not None:
        given |= {"book": str(expand_user(options.repertoire)), "book_plies": _REPERTOIRE_PLIES}
    given["think_time"] = "none" if instant else "human"
    config = default_player_config(game, **{**keys, **given, "seed": seed})
    try:
        return open_player(replace(config, adapt=True)) if options.adapt else make_player(config, policy)
    except LOAD_ERRORS as error:
        raise UserError(str(error)) from None


def _level_of(game: str, options: _OpponentOptions) -> int | None:
    """The level that was asked for, else that of the rating's number: a rating alone plays as strongly as it
    says. None if the game has no such level, or if a model, a temperature or results say how to play."""
    given = (options.level, options.model, options.temperature)
    if options.adapt or any(each is not None for each in given):
        return options.level
    return level_of_rating(game, DEFAULT_RATING.get(game) if options.rating is None else options.rating)


def _parse_level(text: str | None) -> int | None:
    """The number of a level; None if none is given. Raises UserError."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise UserError(f"--level {text}: expected a number such as 1500, or adapt") from None


def _level_keys(game: str, level: int | None, table: Path | None) -> Mapping[str, Any]:
    """The keys of the player of a level, by a level table's file or the shipped one; none without a level.
    Raises UserError."""
    if level is None:
        return {}
    try:
        return level_keys(game, level) if table is None else _keys_of_file(game, level, expand_user(table))
    except BadPlayerConfig as error:
        hint = "; a small search player is --strength 1 to 9" if level in STRENGTHS else ""
        raise UserError(f"{error}{hint}") from None


def _keys_of_file(game: str, level: int, file: Path) -> Mapping[str, Any]:
    """The same of a level table's file, whose policies may be files beside it."""
    try:
        table = read_level_table(file)
    except BadConfig as error:
        raise UserError(str(error)) from None
    if table.game != game:
        raise UserError(f"{file} has levels of {table.game}, not of {game}")
    keys = table.keys(level)
    beside = file.parent / keys["model"]
    return keys | ({"model": str(beside)} if beside.is_file() else {})


def _rating_of(opponent: Player) -> int | None:
    """The rating whose style a player imitates; None if it has none."""
    if isinstance(opponent, AdaptivePlayer):
        return _rating_of(opponent.player)
    return (
        opponent.config.rating_number("rating") if isinstance(opponent, PolicyPlayer | SearchPlayer) else None
    )


def _about(opponent: Player, strength: int | None) -> str:
    """A sentence on the opponent: its name, and how it plays."""
    name = visible(opponent.name)
    if isinstance(opponent, AdaptivePlayer):
        return f"{_about(opponent.player, None)} Its level follows your results: {_strength_text(opponent)}."
    if not isinstance(opponent, PolicyPlayer | SearchPlayer):
        return f"Your opponent is {name}{'' if strength is None else f', strength {strength} of 9'}."
    policy, rating = opponent.policy, _rating_of(opponent)
    if isinstance(policy, PersonPolicy):
        games = f"{policy.card.games:,} games of {visible(policy.card.person)}"
        return f"Your opponent is {name}, who plays as in {games}{_search_text(opponent)}."
    rated = None if rating is None else with_article(rating_text(policy.game, rating))
    style = f", who plays in the style of {rated}" if rated else ""
    if opponent.config.level is not None:
        style = f", level {opponent.config.level}{style}"
    return f"Your opponent is {name} (model {visible(policy.name)}){style}{_search_text(opponent)}."


def _strength_text(opponent: AdaptivePlayer) -> str:
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


def _advice(opponent: Player, state: Any) -> str:
    """What a person should know who plays the shipped network from this state."""
    if not isinstance(opponent, PolicyPlayer | SearchPlayer):
        return ""
    advice = describe(opponent.policy.game).players.advice
    return "" if advice is None else advice(state)


def _choose_side(rules: Game[Any], side: str, rng: np.random.Generator) -> int:
    names = [name.lower() for name in rules.spec.players]
    wanted = side.lower() or names[0]
    if wanted == "random":
        return int(rng.integers(2))
    if wanted not in names:
        raise UserError(f"the sides of {rules.spec.name} are {' and '.join(names)} (or random), not '{side}'")
    return names.index(wanted)
