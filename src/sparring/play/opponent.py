"""Who plays: one description of an opponent, for Python, the command line and the page.

An `Opponent` says what was asked for. `completed` fills in the defaults of the game and checks it; `make`
makes the player. The kinds are: `level` (as strong as asked), `human` (plays like people of a rating),
`person` (like one person), `strength` (a small search player), `bot` (a named bot of a game), `file` (a
player's TOML file) and `engine` (another program).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, get_args

from sparring import data
from sparring.base.errors import BadConfig, unknown_word
from sparring.base.sentences import Sentence, joined
from sparring.games import Game, describe, load_game
from sparring.players.adaptive import AdaptivePlayer
from sparring.players.engine_player import EnginePlayer
from sparring.players.engines import EngineConfig, option_text
from sparring.players.game_players import game_players
from sparring.players.loading import load_player_file, open_player
from sparring.players.persons import PersonEntry, find_person, stored_persons
from sparring.players.player import Player
from sparring.players.player_config import (
    DEFAULT_RATING,
    PlayerConfig,
    StrengthScale,
    default_player_config,
    level_keys,
    level_of_rating,
    level_of_rating_alone,
    load_player_config,
    read_level_table,
    results_scale,
    shipped_levels,
)
from sparring.players.policy_player import PolicyPlayer, SearchPlayer, find_opening_style, make_player
from sparring.players.small_players import STRENGTHS, make_strength_player
from sparring.policies import (
    Policy,
    PolicyPool,
    load_policy,
    rating_out_of_range,
    unrated,
)
from sparring.policies.policy import Curve
from sparring.policies.pool import PoolMember
from sparring.search import SearchLimits

OpponentKind: TypeAlias = Literal["level", "human", "person", "strength", "bot", "file", "engine"]
ThinkTime: TypeAlias = Literal["none", "human"]
BLEND, HUMAN, STRONG = "blend", "human", "strong"
"""Names of the shipped policies of a game with a network of people's moves."""
DEFAULT_STRENGTH = 5
_REPERTOIRE_PLIES = 200
"""A repertoire is played as far as it goes."""
_MOST_SECONDS = 1000
"""Most seconds a turn of a bot."""
_ENGINE_SECONDS = 1.0
"""Time of an engine's move without a clock and without limits of its own."""


class Policies(Protocol):
    """A source of policies, such as one that shares them between games."""

    def policy(self, game: str, name: str, version: int = 0) -> Policy:
        """The policy of a name or file; `version` changes with the file. Raises BadConfig or BadFile."""


class LoadedPolicies:
    """Loads each policy when it is asked for."""

    def policy(self, game: str, name: str, version: int = 0) -> Policy:
        """The policy of a name or file. Raises BadConfig or BadFile."""
        return load_policy(name, game)


@dataclass(frozen=True)
class Opponent:
    """What was asked for. Without any key: the default opponent of the game."""

    game: str
    kind: OpponentKind | None = None
    """None: by the keys that are given."""
    level: int | None = None
    """Strength on the scale of the game's level table."""
    scale: StrengthScale = "people"
    """Scale of the level: people's errors, or games against engines."""
    rating: int | str | None = None
    """Rating, or in Go the rank, of the people that it plays like."""
    person: str | None = None
    """A person whose games it was trained on: the name, or that of the player's file."""
    strength: int | None = None
    """Strength of the small search player, 1 to 9."""
    bot: str | None = None
    """Name or TOML file of one of the game's bots."""
    seconds: float | None = None
    """Seconds a turn of a bot that has a time budget."""
    file: Path | None = None
    """A player's TOML file, or an evaluation by `sparring train treestrap`."""
    engine: tuple[str, ...] = ()
    """The program and arguments of an engine that speaks the game's protocol."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the engine, such as {"UCI_Elo": 1600}."""
    limits: SearchLimits = field(default_factory=SearchLimits)
    """Nodes, depth or seconds of an engine's move."""
    adapt: bool = False
    """The level follows the opponent's results."""
    levels: Path | None = None
    """Level table in place of the game's own."""
    my_rating: int | str | None = None
    """Rating of the person who plays against it; None: the same as its own."""
    model: str | None = None
    """Policy in place of the default one."""
    temperature: float | None = None
    nodes: int | None = None
    """Nodes of a search on top of the policy."""
    style: float | None = None
    """Share of the strong network in a blend with the human one."""
    opening_style: str | None = None
    """Style of its opening, such as ranging-rook in shogi; None for any."""
    repertoire: Path | None = None
    """Openings that it plays: a file of games, or a Polyglot book."""
    think_time: ThinkTime = "none"
    """With a clock: `human` takes the time that people take."""

    def completed(self) -> Opponent:
        """The opponent with its kind and the defaults of the game, checked. Raises BadConfig or NotFound."""
        describe(self.game)
        self._check_values()
        if self.adapt and self.scale != (scale := results_scale(self.game, self.scale)):
            return replace(self, scale=scale).completed()
        kind = self.kind or self._given_kind() or default_kind(load_game(self.game))
        keys: dict[str, Any] = {"kind": kind}
        match kind:
            case "human":
                if self.game not in DEFAULT_RATING and self.model is None:
                    raise BadConfig(no_people(self.game))
                keys["rating"] = self._checked_rating()
            case "level":
                keys["level"] = self._checked_level()
            case "strength":
                keys["strength"] = DEFAULT_STRENGTH if self.strength is None else self.strength
                if keys["strength"] not in STRENGTHS:
                    raise BadConfig(
                        f"A strength is from {STRENGTHS[0]} to {STRENGTHS[-1]}, not {self.strength}."
                    )
            case "bot":
                keys["bot"] = self._checked_bot()
            case "person":
                keys["person"] = self.person_entry().path.stem
        if self.opening_style:
            if kind not in ("level", "human"):
                raise BadConfig(f"An opponent of the kind {kind} has no style of the opening.")
            find_opening_style(self.game, self.opening_style)
        if self.adapt and kind != "level":
            raise BadConfig(Sentence("Only the level of an opponent adapts."))
        if self.seconds is not None and kind != "bot":
            raise BadConfig(Sentence("Only bots have a time budget."))
        return replace(self, **keys)

    def make(self, policies: Policies | None = None, seed: int | None = None) -> Player:
        """The player of a completed opponent, by its `name`. Raises one of `players.LOAD_ERRORS`."""
        player = self._player(policies or LoadedPolicies(), seed)
        is_unrated = self.kind == "human" and imitated_rating(player) is None
        name = replace(self, rating=None).name if is_unrated else self.name
        if name and not self.adapt:
            player.name = str(name)
        return player

    @property
    def name(self) -> str:
        """The name of a completed opponent by its kind and number, for records, tables and the page; empty
        where its file or program says it."""
        match self.kind:
            case "level":
                table = shipped_levels(self.game, self.scale) if self.levels is None else None
                if table is not None and table.has_ranks:
                    return Sentence("Sparring {rating}", rating=table.text(self.level or 0))
                return Sentence("Sparring, level {level}", level=self.level or 0)
            case "strength":
                return Sentence("Strength {strength}", strength=self.strength or 0)
            case "person":
                persons = (entry for entry in stored_persons(self.game) if entry.path.stem == self.person)
                entry = next(persons, None)
                return self.person or "" if entry is None else entry.name
            case "bot" if self.bot is None or Path(self.bot).suffix != ".toml":
                if self.seconds is None:
                    return self.bot or ""
                return Sentence("{bot}, {seconds} s a turn", bot=self.bot or "", seconds=self.seconds)
            case "bot" | "file" | "engine":
                return ""
        system = describe(self.game).ratings
        number = None if self.rating is None else system.number(self.rating)
        return "Sparring" if number is None else Sentence("Sparring {rating}", rating=system.format(number))

    def _player(self, policies: Policies, seed: int | None) -> Player:
        match self.kind:
            case "strength":
                return make_strength_player(self.game, self.strength or DEFAULT_STRENGTH)
            case "bot":
                assert self.bot is not None
                return load_player_file(self._bot_config(self.bot), self.game)
            case "file":
                assert self.file is not None
                has_seed = seed is not None and game_players(self.game).bots is None  # bots have no such key
                return load_player_file(self.file, self.game, **({"seed": seed} if has_seed else {}))
            case "engine":
                return EnginePlayer(self._engine_config())
            case "person":
                config = load_player_config(self.person_entry().path)
                version = Path(config.model).stat().st_mtime_ns
                policy = policies.policy(self.game, config.model, version)
                return make_player(replace(config, think_time=self.think_time, seed=seed), policy)
        return self._human_like(policies, seed)

    def person_entry(self) -> PersonEntry:
        """The person's player in the user's folder. Raises NotFound."""
        return find_person(self.person or "", self.game)

    def people_rating(self, accepted: tuple[int, int] | None) -> int | None:
        """The rating of the people that a completed opponent plays like, within the accepted ones."""
        if accepted is None:
            return None
        if self.level is not None:
            number = self.level_keys(self.level)["rating"]
        else:
            number = describe(self.game).ratings.number(self.rating or DEFAULT_RATING.get(self.game))
        return None if number is None else min(max(number, accepted[0]), accepted[1])

    # Parts

    def _check_values(self) -> None:
        """Raises BadConfig for a value that nothing can work with."""
        seconds = self.seconds
        if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds <= _MOST_SECONDS):
            raise BadConfig(f"seconds = {seconds!r}: expected a number above 0, up to {_MOST_SECONDS}")
        whole = {"level": self.level, "strength": self.strength, "nodes": self.nodes}
        for name, value in whole.items():
            least = None if name == "level" else 0  # 3k is -3
            is_number = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (is_number and (least is None or value >= least)):
                raise BadConfig(f"{name} = {value!r}: expected a whole number")
        if self.style is not None and not 0 <= self.style <= 1:
            raise BadConfig(f"style = {self.style!r}: expected a number from 0 to 1")
        if self.temperature is not None and not 0 <= self.temperature <= 1000:
            raise BadConfig(f"temperature = {self.temperature!r}: expected a number from 0 to 1000")
        if self.scale not in get_args(StrengthScale):
            raise BadConfig(f"scale = {self.scale!r}: expected people or engine")
        if self.think_time not in get_args(ThinkTime):
            raise BadConfig(f"think_time = {self.think_time!r}: expected none or human")
        if self.kind is not None and self.kind not in get_args(OpponentKind):
            raise BadConfig(f"kind = {self.kind!r}: expected one of {', '.join(get_args(OpponentKind))}")
        if (self.kind == "file" and self.file is None) or (self.kind == "engine" and not self.engine):
            raise BadConfig(f"an opponent of the kind {self.kind} needs {self.kind}")
        if self.levels is not None and self.level is None:
            raise BadConfig("levels is the table of a level: give the level too")
        if self.adapt and self.style is not None:
            raise BadConfig("An opponent that adapts has the style of its level.")

    def _given_kind(self) -> OpponentKind | None:
        """The kind that the given keys mean."""
        given: dict[OpponentKind, object] = {
            "level": self.adapt or self.level,
            "human": self.rating,
            "strength": self.strength,
            "bot": self.bot,
            "person": self.person,
            "file": self.file,
            "engine": self.engine,
        }
        kinds = [
            kind for kind, value in given.items() if not (value is None or value is False or value == ())
        ]
        if "level" in kinds and "human" in kinds:
            kinds.remove("human")  # the level's strength in the style of the rating
        if len(kinds) > 1:
            raise BadConfig(f"An opponent has one of {' and '.join(kinds)}, not both.")
        own_keys = (self.model, self.temperature, self.style, self.repertoire, self.my_rating)
        if not kinds and any(value is not None for value in own_keys):
            return "human"
        return kinds[0] if kinds else None

    def _checked_level(self) -> int:
        if self.levels is not None:
            assert self.level is not None  # by _check_values
            return self.level
        if (table := shipped_levels(self.game, self.scale)) is None:
            raise BadConfig(f"There are no levels in {self.game}.")
        if self.level is not None:
            return table.row(self.level).level
        low, high = table.range
        guess = self.my_rating if self.adapt and isinstance(self.my_rating, int) else table.default_level
        return min(max(guess, low), high)

    def _checked_rating(self) -> int | str | None:
        system, default = describe(self.game).ratings, DEFAULT_RATING.get(self.game)
        if self.rating is None:
            return default
        is_number = isinstance(self.rating, int) and system.word == "rating"  # the policy has the range
        if not is_number and system.number(self.rating) is None:
            raise BadConfig(
                f"A {system.word} in {self.game} is such as {system.example}, not '{self.rating}'."
            )
        return self.rating

    def _checked_bot(self) -> str:
        bots = game_players(self.game).bots
        if bots is None:
            raise BadConfig(f"There are no bots of {self.game}.")
        name = self.bot or bots.default
        if name not in bots.configs and Path(name).suffix != ".toml":
            names = ", ".join(bots.configs)
            raise BadConfig(f"there is no player '{name}': expected a TOML file, or one of {names}")
        if self.seconds is not None and (name not in bots.budgets or bots.with_seconds is None):
            raise BadConfig(Sentence("The bot {bot} has no time budget.", bot=name))
        return name

    def _bot_config(self, name: str) -> Any:
        """The configuration of a bot with its time budget; without one the name or file alone."""
        bots = game_players(self.game).bots
        if self.seconds is None or bots is None or bots.with_seconds is None:
            return name
        return bots.with_seconds(bots.configs[name], self.seconds)

    def level_keys(self, level: int) -> Mapping[str, Any]:
        """The keys of the player of a level. Raises BadConfig."""
        if self.levels is None:
            return level_keys(self.game, level, self.scale)
        table = read_level_table(self.levels)
        if table.game != self.game:
            raise BadConfig(f"{self.levels} has levels of {table.game}, not of {self.game}")
        keys = table.keys(level)
        beside = self.levels.parent / keys["model"]
        return keys | ({"model": str(beside)} if beside.is_file() else {})

    def _human_like(self, policies: Policies, seed: int | None) -> Player:
        """A player by a policy: of a level, or of a rating. A rating alone is as strong as it says."""
        level = self.level
        if self.kind == "human":
            own = {"model": self.model, "temperature": self.temperature, "nodes": self.nodes}
            keys_given = [name for name, value in own.items() if value is not None]
            level = level_of_rating_alone(self.game, self.rating, keys_given)
        keys: dict[str, Any] = {} if level is None else dict(self.level_keys(level))
        keys |= {"scale": self.scale, "think_time": self.think_time, "seed": seed}
        given = {"model": self.model, "opponent_rating": self.my_rating, "temperature": self.temperature}
        keys |= {key: value for key, value in given.items() if value is not None}
        named_by_level = self.kind == "human" and level is not None
        if not named_by_level and (self.kind == "human" or self.rating is not None):
            keys["rating"] = self.rating
        if self.opening_style:
            keys["opening_style"] = self.opening_style
        if self.nodes is not None:
            keys |= {"nodes": self.nodes, "temperature": keys.get("temperature", 1.0)}
        if self.repertoire is not None:
            keys |= {"book": str(self.repertoire), "book_plies": _REPERTOIRE_PLIES}
        name = keys.get("model", PlayerConfig.model)
        policy = policies.policy(self.game, name) if self.style is None else self._blend(policies, self.style)
        if complaint := unrated(policy):
            if self.rating not in (None, DEFAULT_RATING.get(self.game)) or self.my_rating is not None:
                raise BadConfig(f"{complaint} in {self.game}: give no {describe(self.game).ratings.word}")
            keys["rating"] = None
        system = describe(self.game).ratings
        for whose, rating in (("", self.rating), (f"my {system.word}: ", self.my_rating)):
            number = rating if isinstance(rating, int) else system.number(rating)
            complaint = rating_out_of_range(policy, number)
            if named_by_level and not whose:  # levels go beyond the ranks that the network knows
                keys["rating"] = keys["rating"] if complaint else rating
            elif complaint:
                raise BadConfig(f"{whose}{complaint}")
        config = default_player_config(self.game, **keys)
        return open_player(replace(config, adapt=True)) if self.adapt else make_player(config, policy)

    def _blend(self, policies: Policies, style: float) -> Policy:
        """The geometric mean of the `human` and the `strong` network with this share of the strong one."""
        weights = {HUMAN: 1 - style, STRONG: style}
        members = [
            PoolMember(policies.policy(self.game, name), Curve.constant(weight))
            for name, weight in weights.items()
            if weight > 0
        ]
        return PolicyPool(BLEND, tuple(members))

    def _engine_config(self) -> EngineConfig:
        support = describe(self.game).engine
        if support is None:
            raise BadConfig(f"there is no protocol for engines of {self.game}")
        limits = self.limits if self.limits.bounded else SearchLimits(seconds=_ENGINE_SECONDS)
        options = {name: option_text(value) for name, value in self.options.items()}
        return EngineConfig(Path(self.engine[0]).stem, support.protocol, self.engine, options, limits=limits)


def load_player(
    game: str,
    file: str | Path | None = None,
    *,
    engine: str | list[str] | tuple[str, ...] = (),
    seed: int | None = None,
    **keys: Any,
) -> Player:
    """Loads a player of a game.

    Args:
        game: the game's name, such as "chess".
        file: a player's TOML file (docs/players.md).
        engine: the command of another program that speaks UCI, USI or GTP, with `options` and `limits`.
        seed: seed of a player by a policy or a file, in all its games; `play_game` has one for both players.
        keys: the other fields of `Opponent`: `level`, `rating`, `person`, `strength`, `bot`, `seconds`,
            `my_rating`, `model`, `temperature`, `nodes`, `style`, `opening_style`, `repertoire`,
            `think_time`, `adapt`, `levels`.

    Without any of these it is the default opponent of the game. Raises BadConfig, also for an unknown game or
    key, NotFound or BadFile.
    """
    describe(game)
    known = [entry.name for entry in fields(Opponent)]
    for key in keys.keys() - set(known):
        raise unknown_word("key", key, known)
    command = (engine,) if isinstance(engine, str) else tuple(engine)
    path = None if file is None else Path(file)
    for name in ("levels", "repertoire"):
        if isinstance(keys.get(name), str):
            keys[name] = Path(keys[name])
    return Opponent(game, file=path, engine=command, **keys).completed().make(seed=seed)


def default_kind(game: Game[Any]) -> OpponentKind:
    """The kind of a game's default opponent."""
    name = game.spec.name
    if game_players(name).bots is not None:
        return "bot"
    rating = DEFAULT_RATING.get(name)
    if shipped_levels(name) is not None and (rating is None or level_of_rating(name, rating) is not None):
        return "level"  # also where its levels are people's ratings
    return "human" if name in DEFAULT_RATING else "strength"


# What front ends say about an opponent.


def no_people(game: str) -> str:
    """A sentence that says that a game has no network of people's moves, and why if a build left it out."""
    reason = data.lacking(game)
    if not reason or describe(game).people is None:
        return f"There is no network of people's moves for {game}."
    return f"This package has no network of people's moves for {game}: it was {reason}."


def imitated_rating(opponent: Player) -> int | None:
    """The rating whose style a player imitates; None if it has none."""
    if isinstance(opponent, AdaptivePlayer):
        return imitated_rating(opponent.player)
    if isinstance(opponent, PolicyPlayer | SearchPlayer):
        return opponent.config.rating_number("rating")
    return None


def advice_on(opponent: Player, state: Any) -> str:
    """What a person should know who plays the shipped network from this state; empty if nothing."""
    if isinstance(opponent, AdaptivePlayer):
        return advice_on(opponent.player, state)
    if not isinstance(opponent, PolicyPlayer | SearchPlayer):
        return ""
    game = opponent.policy.game
    people = describe(game).people
    board = "" if people is None or people.advice is None else people.advice(state)
    rating = imitated_rating(opponent) if opponent.config.level is None else None
    return joined(rating_advice(game, rating), board)


def rating_advice(game: str, rating: int | None) -> str:
    """What the shipped network's rating means to a person: whose scale it is, and whether it is below that of
    the people whom the network learned from. Empty if there is nothing to say."""
    people = describe(game).people
    if people is None or rating is None:
        return ""
    system = describe(game).ratings
    weakest = None if people.weakest is None else system.number(people.weakest)
    if weakest is None or rating >= weakest:
        return people.rating_source
    return Sentence(
        "Learned from people of {weakest} and stronger: a lower rank hardly plays weaker.",
        weakest=system.format(weakest),
    )
