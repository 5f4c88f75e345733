"""Opponents: players from what a person chose. Networks are loaded once and shared by all games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from sparring.games import Game, describe
from sparring.players import (
    DEFAULT_RATING,
    LOAD_ERRORS,
    BadPlayer,
    Player,
    default_player_config,
    load_player,
    make_player,
    make_strength_player,
)
from sparring.players.levels import level_keys, level_of_rating, level_range
from sparring.players.persons import PersonEntry, stored_persons
from sparring.players.player_file import load_player_config
from sparring.players.rbc import BOTS
from sparring.policies import Policy, PolicyPool, load_policy, rating_range
from sparring.policies.curve import Curve
from sparring.policies.pool import PoolMember
from sparring.policies.shared_policy import SharedPolicy
from sparring.server.messages import OpponentChoice
from sparring.server.refusal import Refused

BLEND, HUMAN, STRONG = "blend", "human", "strong"
"""Names of the shipped policies of a game with a network of people's moves."""
DEFAULT_LEVEL = 1500
DEFAULT_STRENGTH = 5
DEFAULT_BOT = "inference-3"
PERSON_BOTS = tuple(name for name, bot in BOTS.items() if bot.evaluator != "stockfish" and not bot.use_clock)
"""Bots that need no other program, the simplest first."""


class Opponents:
    """Makes players of choices. Safe for threads."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._policies: dict[tuple[str, str], tuple[int, SharedPolicy]] = {}
        self._lock = Lock()

    def policy(self, game: str, name: str, version: int = 0) -> SharedPolicy:
        """A policy of a game, loaded on first use and when its file has another version. Raises Refused."""
        with self._lock:
            known = self._policies.get((game, name))
            if known is None or known[0] != version:
                try:
                    loaded = load_policy(name, game, threads=self._threads)
                except LOAD_ERRORS as error:
                    raise Refused(str(error), 422) from None
                known = self._policies[game, name] = version, SharedPolicy(loaded)
            return known[1]

    def ratings(self, game: str) -> tuple[int, int] | None:
        """The ratings that the human-like opponent of a game accepts; None if it has none."""
        if game not in DEFAULT_RATING:
            return None
        accepted = rating_range(self.policy(game, BLEND))
        return None if accepted is None else (int(accepted[0]), int(accepted[1]))

    def people(self, game: str) -> SharedPolicy:
        """The network of people's moves of a game. Raises Refused."""
        if game not in DEFAULT_RATING:
            raise Refused(f"There is no network of people's moves for {game}.", 422)
        return self.policy(game, HUMAN)

    def people_rating(self, game: str, choice: OpponentChoice) -> int | None:
        """The rating of the people that a completed choice plays like; None if it has none."""
        accepted = self.ratings(game)
        if accepted is None:
            return None
        if choice.level is not None:
            number = level_keys(game, choice.level)["rating"]
        else:
            number = describe(game).ratings.number(choice.rating or DEFAULT_RATING[game])
        return None if number is None else min(max(number, accepted[0]), accepted[1])

    def complete(self, game: Game[Any], choice: OpponentChoice) -> OpponentChoice:
        """The choice with the defaults of the game, checked. Raises Refused."""
        name = game.spec.name
        kind = choice.kind or _given_kind(choice) or default_kind(game)
        keys: dict[str, Any] = {"kind": kind}
        match kind:
            case "human":
                self.people(name)
                keys["rating"] = self._rating(name, choice.rating)
            case "level":
                keys["level"] = self._level(name, choice.level)
            case "strength":
                keys["strength"] = DEFAULT_STRENGTH if choice.strength is None else choice.strength
            case "bot":
                if not game.spec.hidden:
                    raise Refused(f"Bots play games of hidden information, not {name}.", 422)
                keys["bot"] = choice.bot or DEFAULT_BOT
                if keys["bot"] not in BOTS:
                    raise Refused(f"There is no bot '{choice.bot}'. Choose {', '.join(BOTS)}.", 422)
            case "person":
                keys["person"] = person_entry(name, choice.person).path.stem
        if choice.adapt and kind != "level":
            raise Refused("Only the level of an opponent adapts.", 422)
        return choice.model_copy(update=keys)

    def make(self, game: Game[Any], choice: OpponentChoice) -> Player:
        """The player of a completed choice. Raises Refused."""
        name = game.spec.name
        try:
            match choice.kind:
                case "level":
                    assert choice.level is not None
                    keys = {**level_keys(name, choice.level), "think_time": choice.think_time}
                    return self._human_like(name, keys, choice.style)
                case "strength":
                    assert choice.strength is not None
                    return make_strength_player(name, choice.strength)
                case "bot":
                    return load_player(choice.bot or DEFAULT_BOT, name)
                case "person":
                    path = person_entry(name, choice.person).path
                    config = load_player_config(path)
                    policy = self.policy(name, config.model, Path(config.model).stat().st_mtime_ns)
                    return make_player(replace(config, think_time=choice.think_time), policy)
                case _:
                    keys = {"rating": choice.rating, "think_time": choice.think_time}
                    if choice.temperature is not None or choice.nodes:
                        keys["temperature"] = 1.0 if choice.temperature is None else choice.temperature
                        keys["nodes"] = choice.nodes
                    elif (level := level_of_rating(name, choice.rating)) is not None:
                        keys = {**level_keys(name, level), **keys}  # a rating alone is as strong as it says
                    return self._human_like(name, keys, choice.style)
        except (BadPlayer, *LOAD_ERRORS) as error:
            raise Refused(str(error), 422) from None

    def _level(self, game: str, given: int | None) -> int:
        """The level of a choice. Raises Refused."""
        accepted = level_range(game)
        if accepted is None:
            raise Refused(f"There are no levels in {game}.", 422)
        low, high = accepted
        if given is None:
            return min(max(DEFAULT_LEVEL, low), high)
        if not low <= given <= high:
            raise Refused(f"A level in {game} is from {low} to {high}, not {given}.", 422)
        return given

    def rating_number(self, game: str, given: int | str) -> int:
        """A rating or rank that the human-like opponent accepts, as a number. Raises Refused."""
        system, accepted = describe(game).ratings, self.ratings(game)
        if accepted is None:
            raise Refused(f"The opponent in {game} has no {system.word}.", 422)
        number = system.number(given)
        low, high = accepted
        if number is None or not low <= number <= high:
            raise Refused(
                f"A {system.word} in {game} is from {system.format(low)} to {system.format(high)}, not "
                f"'{str(given)[:20]}'.",
                422,
            )
        return number

    def _rating(self, game: str, given: int | str | None) -> int | str | None:
        """The rating of a choice as players' files write it. Raises Refused."""
        if given is None:
            return None if self.ratings(game) is None else DEFAULT_RATING[game]
        self.rating_number(game, given)
        return given

    def _human_like(self, game: str, keys: Mapping[str, Any], style: float | None) -> Player:
        """The player of these keys. With a style, its policy is the blend of that style."""
        config = default_player_config(game, **keys)
        return make_player(
            config, self.policy(game, config.model) if style is None else self._blend(game, style)
        )

    def _blend(self, game: str, style: float) -> Policy:
        """The geometric mean of the `human` and the `strong` network with this share of the strong one."""
        weights = {HUMAN: 1 - style, STRONG: style}
        members = [
            PoolMember(self.policy(game, name), Curve.constant(weight))
            for name, weight in weights.items()
            if weight > 0
        ]
        return PolicyPool(BLEND, tuple(members))


def person_entry(game: str, stem: str | None) -> PersonEntry:
    """The player of a person in the user's folder, by the name of its file. Raises Refused."""
    found = next((each for each in stored_persons(game) if each.path.stem == stem), None)
    if found is None:
        raise Refused(f"There is no such person's player of {game}.", 422)
    return found


def default_kind(game: Game[Any]) -> str:
    """The kind of a game's default opponent."""
    if game.spec.hidden:
        return "bot"
    if level_range(game.spec.name) is not None:
        return "level"
    return "human" if game.spec.name in DEFAULT_RATING else "strength"


def _given_kind(choice: OpponentChoice) -> str | None:
    """The kind that a choice means by the keys that it has."""
    given = {
        "level": choice.adapt or choice.level,
        "human": choice.rating,
        "strength": choice.strength,
        "bot": choice.bot,
        "person": choice.person,
    }
    return next((kind for kind, value in given.items() if value not in (None, False)), None)


def about(game: Game[Any], choice: OpponentChoice) -> tuple[str, str]:
    """Name and description of an opponent, for the page."""
    name, text = _about(game, choice)
    advice = describe(game.spec.name).players.advice
    if advice is None or choice.kind in ("strength", "bot"):
        return name, text
    return name, f"{text} {advice(game.initial())}".rstrip()


def _about(game: Game[Any], choice: OpponentChoice) -> tuple[str, str]:
    match choice.kind:
        case "level":
            adapts = " The level follows your results." if choice.adapt else ""
            return f"Sparring, level {choice.level}", f"As strong as {choice.level}.{adapts}"
        case "person":
            entry = next((e for e in stored_persons(game.spec.name) if e.path.stem == choice.person), None)
            name = entry.name if entry is not None else choice.person or ""
            return name, f"Plays like {name}."
        case "strength":
            return f"Strength {choice.strength}", f"A search player, strength {choice.strength} of 9."
        case "bot":
            return choice.bot or "", f"The bot {choice.bot}."
    system = describe(game.spec.name).ratings
    number = None if choice.rating is None else system.number(choice.rating)
    shown = "" if number is None else system.format(number)
    search = f", with a search of {choice.nodes:,} positions" if choice.nodes else ""
    return f"Sparring {shown}".strip(), f"Plays in the style of {shown or 'people'}{search}."
