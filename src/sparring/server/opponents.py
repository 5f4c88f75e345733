"""Opponents on the page: players from what a visitor chose, and how long their moves take.

Networks are loaded once for all games.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Event, Lock
from typing import Any

from sparring import data
from sparring.base.errors import BadConfig, NotFound, SparringError
from sparring.base.sentences import Sentence, joined
from sparring.games import Game, describe, load_game
from sparring.measure.review import Reviewer
from sparring.networks import Position
from sparring.play.opponent import BLEND, HUMAN, STRONG, Opponent, rating_advice
from sparring.players import DEFAULT_RATING, LOAD_ERRORS, Player
from sparring.players.game_players import game_players
from sparring.players.persons import PersonEntry, stored_persons
from sparring.players.player_config import LevelTable, shipped_levels, shipped_table_name
from sparring.policies import Policy, load_policy, rating_range
from sparring.policies.policy import SharedPolicy
from sparring.server.messages import OpponentChoice
from sparring.server.refusal import Refused

_COMPLETED = ("kind", "level", "scale", "rating", "strength", "bot", "person")
"""Keys of a choice that completing it may fill in."""
_ANALYSTS = 3
"""Positions that are analysed at once: two reviews, and a move that the teacher judges."""


class Opponents:
    """Makes players of choices. Safe for threads."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._policies: dict[tuple[str, str], tuple[int, SharedPolicy]] = {}
        self._lock = Lock()
        self._reviewers: dict[str, Reviewer] = {}
        self._opening = Lock()
        self.speeds = Speeds(self.policy)

    def policy(self, game: str, name: str, version: int = 0) -> SharedPolicy:
        """A policy of a game, loaded on first use and when its file has another version. Raises Refused."""
        with self._lock:
            cached = self._policies.get((game, name))
            if cached is None or cached[0] != version:
                try:
                    loaded = load_policy(name, game, threads=self._threads)
                except LOAD_ERRORS as error:
                    raise Refused(str(error), 422) from None
                cached = self._policies[game, name] = version, SharedPolicy(loaded)
            return cached[1]

    def ratings(self, game: str) -> tuple[int, int] | None:
        """The ratings that the human-like opponent of a game accepts; None if it has none."""
        if game not in DEFAULT_RATING:
            return None
        accepted = rating_range(self.policy(game, BLEND))
        return None if accepted is None else (int(accepted[0]), int(accepted[1]))

    def people(self, game: str) -> SharedPolicy:
        """The network of people's moves of a game. Raises Refused."""
        if game not in DEFAULT_RATING:
            raise Refused(Sentence("There is no network of people's moves for {game}.", game=game), 422)
        return self.policy(game, HUMAN)

    def reviewer(self, game: str) -> Reviewer:
        """The judge of moves of a game, opened on first use. Raises Refused."""
        human, strong = self.people(game), self.policy(game, STRONG)
        with self._opening:
            if game not in self._reviewers:
                self._reviewers[game] = Reviewer(game, human, strong, threads=_ANALYSTS)
            return self._reviewers[game]

    def people_rating(self, game: str, choice: OpponentChoice) -> int | None:
        """The rating of the people that a completed choice plays like; None if it has none."""
        return _opponent(game, choice).people_rating(self.ratings(game))

    def complete(self, game: Game[Any], choice: OpponentChoice) -> OpponentChoice:
        """The choice with the defaults of the game, checked. Raises Refused."""
        name = game.spec.name
        bots = game_players(name).bots
        if choice.bot is not None and bots is not None and choice.bot not in bots.configs:
            raise Refused(
                Sentence(
                    "There is no bot '{bot}'. Choose {bots}.", bot=choice.bot, bots=", ".join(bots.configs)
                ),
                422,
            )
        if choice.kind == "person" or (choice.kind is None and choice.person is not None):
            person_entry(name, choice.person)
        try:
            completed = replace(_opponent(name, choice), seconds=None).completed()
            if completed.kind == "bot" and bots is not None:
                completed = replace(completed, bot=choice.bot or bots.for_beginners)
            completed = replace(completed, seconds=choice.seconds).completed()
        except (BadConfig, NotFound) as error:
            raise Refused(error.args[0], 422) from None
        if completed.kind == "human" and choice.rating is not None:
            self.rating_number(name, choice.rating)
        if completed.kind == "bot" and bots is not None:
            budgets = bots.budgets.get(completed.bot or "", ())
            if budgets and choice.seconds is None:
                choice = choice.model_copy(update={"seconds": budgets[len(budgets) // 2]})
        if choice.adapt and completed.kind != "level":
            raise Refused(Sentence("Only the level of an opponent adapts."), 422)
        keys = {name: getattr(completed, name) for name in _COMPLETED}
        return choice.model_copy(update={key: value for key, value in keys.items() if value is not None})

    def make(self, game: Game[Any], choice: OpponentChoice) -> Player:
        """The player of a completed choice. Raises Refused."""
        try:
            return _opponent(game.spec.name, choice).make(self)
        except LOAD_ERRORS as error:
            raise Refused(str(error), 422) from None

    def rating_number(self, game: str, given: int | str) -> int:
        """A rating or rank that the human-like opponent accepts, as a number. Raises Refused."""
        system, accepted = describe(game).ratings, self.ratings(game)
        if accepted is None:
            raise Refused(Sentence("The opponent in {game} has no {word}.", game=game, word=system.word), 422)
        number = system.number(given)
        low, high = accepted
        if number is None or not low <= number <= high:
            raise Refused(
                Sentence(
                    "A {word} in {game} is from {low} to {high}, not '{given}'.",
                    word=system.word,
                    game=game,
                    low=system.format(low),
                    high=system.format(high),
                    given=str(given)[:20],
                ),
                422,
            )
        return number


def _opponent(game: str, choice: OpponentChoice) -> Opponent:
    """The description of a choice. The page itself sets the level of an opponent that adapts."""
    keys = choice.model_dump(exclude={"adapt", "nodes", "kind"})
    kind = "level" if choice.kind is None and choice.adapt else choice.kind
    return Opponent(game, kind, **keys, nodes=choice.nodes or None)


_FILES: Mapping[str, tuple[data.Kind, ...]] = {
    "level": ("levels", "networks", "behaviour"),
    "human": ("networks", "behaviour"),
    "person": ("networks", "styles", "behaviour"),
    "strength": ("evaluations", "value_networks"),
    "bot": ("synopsis_networks", "value_networks"),
}
"""The kinds of shipped files that decide how an opponent plays, by its kind."""


def shipped_versions(game: str, choice: OpponentChoice) -> dict[str, int]:
    """The versions of the shipped files that decide how a completed choice plays, such as
    {"levels/chess": 1, "networks/human-chess": 1}."""
    styled: tuple[data.Kind, ...] = ("opening_styles",) if choice.opening_style else ()
    versions = data.game_versions(game, (*_FILES.get(choice.kind or "", ()), *styled))
    table = f"levels/{shipped_table_name(game, choice.scale)}"
    versions = {
        file: row for file, row in versions.items() if file == table or not file.startswith("levels/")
    }
    thinks = data.file_version("behaviour", "think-time")
    if (
        thinks is not None
        and choice.think_time == "human"
        and "behaviour" in _FILES.get(choice.kind or "", ())
    ):
        versions["behaviour/think-time"] = thinks.version
    policy = {"human": BLEND, "level": _policy_of_level(game, choice)}.get(choice.kind or "", "")
    row = data.file_version("policies", f"{policy}-{game}")
    return versions if row is None else {**versions, f"policies/{policy}-{game}": row.version}


def _policy_of_level(game: str, choice: OpponentChoice) -> str:
    table = shipped_levels(game, choice.scale)
    return "" if table is None or choice.level is None else str(table.keys(choice.level)["model"])


def person_entry(game: str, stem: str | None) -> PersonEntry:
    """The player of a person in the user's folder, by the name of its file. Raises Refused."""
    person = next((entry for entry in stored_persons(game) if entry.path.stem == stem), None)
    if person is None:
        raise Refused(Sentence("There is no such person's player of {game}.", game=game), 422)
    return person


def about(game: Game[Any], choice: OpponentChoice) -> tuple[str, str]:
    """Name and description of an opponent, for the page."""
    name, text = _opponent(game.spec.name, choice).name, _about(game, choice)
    people = describe(game.spec.name).people
    if choice.kind == "human" and choice.rating is not None:
        number = describe(game.spec.name).ratings.number(choice.rating)
        text = joined(text, rating_advice(game.spec.name, number))
    if choice.opening_style is not None:
        style = game_players(game.spec.name).opening_styles.get(choice.opening_style)
        text = joined(text, "" if style is None else Sentence("{style}.", style=style.title))
    if people is None or people.advice is None or choice.kind in ("strength", "bot"):
        return name, text
    return name, joined(text, people.advice(game.initial()))


def _about(game: Game[Any], choice: OpponentChoice) -> str:
    match choice.kind:
        case "level":
            level = choice.level or 0
            adapts = Sentence("The level follows your results.") if choice.adapt else ""
            table = shipped_levels(game.spec.name, choice.scale)
            if table is not None and table.scale == "people" and table.people_loss(level) is None:
                means = Sentence("Not measured: continues the trend of the measured levels.")
            elif table is not None and table.has_names:
                means = Sentence(
                    "Errs about as people do on {level} ({family}).",
                    level=table.text(level),
                    family=table.family,
                )
            elif table is not None and table.scale == "people":
                means = Sentence(
                    "Errs about as people of {level} do ({family}).",
                    level=table.text(level),
                    family=table.family,
                )
            else:
                family = "" if table is None else _capitals(table.family)
                means = Sentence(
                    "About as strong as {level} on the scale of {family}.", level=level, family=family
                )
            return joined(means, adapts)
        case "person":
            return Sentence("Plays like {name}.", name=_opponent(game.spec.name, choice).name)
        case "strength":
            return Sentence("A search player, strength {strength} of 9.", strength=choice.strength or 0)
        case "bot":
            bots = game_players(game.spec.name).bots
            name = choice.bot or ""
            return Sentence("The bot {bot}.", bot=name) if bots is None else bots.for_people.get(name, "")
    system = describe(game.spec.name).ratings
    number = None if choice.rating is None else system.number(choice.rating)
    shown = "" if number is None else system.format(number)
    return _in_style(shown or Sentence("people"), choice.nodes)


def _capitals(family: str) -> str:
    """The name of a family of engines as a name: Fairy-Stockfish."""
    return "-".join(part[:1].upper() + part[1:] for part in family.split("-"))


def _in_style(of: str, nodes: int) -> Sentence:
    if not nodes:
        return Sentence("Plays in the style of {people}.", people=of)
    return Sentence(
        "Plays in the style of {people}, with a search of {nodes} positions.",
        people=of,
        nodes=f"{nodes:,}",
    )


# How long the moves of a level take on this machine.


class Speeds:
    """Seconds that a network needs for a position, each timed once. Safe for threads."""

    def __init__(self, policy: Callable[[str, str], Policy]) -> None:
        """`policy`: (game, name) -> a policy."""
        self._policy = policy
        self._seconds: dict[tuple[str, str], float | None] = {}
        """Of a position, by game and policy; None while it is not known."""
        self.waiting: list[tuple[str, str]] = []
        """Game and name of the policies that somebody asked for and that are not timed."""
        self._lock = Lock()

    def move_seconds(self, table: LevelTable, level: int) -> float | None:
        """About how long a move of a level takes; None until `time_waiting` has timed its policy."""
        row = table.row(level)
        policy = row.policy or table.policy
        with self._lock:
            if (table.game, policy) not in self._seconds:
                self._seconds[table.game, policy] = None
                self.waiting.append((table.game, policy))
            seconds = self._seconds[table.game, policy]
        return None if seconds is None else float(f"{seconds * max(row.nodes, 1):.2g}")

    def time_waiting(self, stop: Event) -> None:
        """Times the policies that wait, one after the other, until `stop` is set."""
        while self.waiting and not stop.is_set():
            game, name = self.waiting[0]
            try:
                seconds = position_seconds(game, self._policy(game, name))
            except (SparringError, *LOAD_ERRORS):  # it cannot be loaded: then nobody plays it
                seconds = None
            if stop.is_set():
                return
            with self._lock:
                self._seconds[game, name] = seconds
                self.waiting.pop(0)


def position_seconds(game: str, policy: Policy) -> float:
    """Seconds that a policy needs for a position, after one for warmth."""
    state: Any = load_game(game).initial()
    for _ in range(2):
        began = time.perf_counter()
        policy.predict([Position(state, *_any_rating(policy))])
        seconds = time.perf_counter() - began
    return seconds


def _any_rating(policy: Policy) -> tuple[int | None, int | None]:
    """A rating of both players that a policy accepts."""
    accepted = rating_range(policy)
    rating = None if accepted is None else int(accepted[0])
    return rating, rating
