"""What a person pastes or drops: a position, games in any format, or a list of moves is recognised.

Of a game with a bad move the part before it is read, and the bad move is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from threading import Event
from typing import Any, Literal, TypeAlias

from pydantic import Field

from sparring.base.errors import MissingExtra, first_line, raise_if_stopped
from sparring.base.sentences import Sentence
from sparring.games import GAMES, Game, IllegalMove, ParseError, describe, load_game
from sparring.games.states import states_to
from sparring.records.pgn_tags import result_text
from sparring.records.readers import formats, reader_of
from sparring.records.record import GameRecord, ParsedGame
from sparring.server.messages import ApiMessage, GameName, NewGame, RecordText, Text, encodable, text_of
from sparring.server.refusal import Refused, message_of, parser_sentence

MOST_GAMES = 1_000
"""Games of a text that are listed."""
_MOST_MOVES = 5_000
"""Words of a list of moves."""
_LONGEST_POSITION = 400
_SHOWN = 40
"""Characters of a bad move that are shown."""
_ILLEGAL = re.compile(
    r"(?:line [\d,]+: )?(?P<quote>')?(?P<move>.+?)(?(quote)') is no legal move at move (?P<n>\d+)"
)
_REPLACED = "\N{REPLACEMENT CHARACTER}"

# Formats.


_PATTERNS = {
    "sgf": r"\A\s*\(\s*;",
    "json": r"\A\s*\{",
    "csa": r"(?m)^(V\d|PI|P1|N[+-]|[+-]\d{4}[A-Z]{2})",
    "kif": r"(?m)手合割|^手数|^\s*\d+\s+[１-９1-9同]",
    "ki2": r"[▲△☗☖▽▼]",
    "pgn": r"(?m)^\s*\[\w+\s+\"|^\s*\d+\s*\.",
    "log": r"(?m)^\s*(%|[BW*] )|^\* ",
}
"""What a text of a format has. A suffix without a pattern is of files that are no text."""
_POSITION_WORDS = re.compile(r"(?:position\s+)?(?:fen|sfen)\s+|(?:position\s+)?(?=startpos\b)", re.IGNORECASE)
_COMPLETIONS = ("", " 0 1", " - 0 1", " - - 0 1", " w - - 0 1", " 1", " - 1", " b - 1")
"""Ends of positions that people leave out."""


@dataclass(frozen=True)
class PastedGame:
    """A game of a text."""

    record: GameRecord | None
    """The legal part; None if nothing can be read."""
    plies: int
    error: str | None
    """What cannot be read, in a sentence."""


@dataclass(frozen=True)
class Pasted:
    """What a text is."""

    game: str
    format: str
    position: str | None
    """The position; None if the text has games."""
    games: tuple[PastedGame, ...] = ()


def read_pasted(text: str, game: str | None, stop: Event | None = None) -> Pasted:
    """What a text is, first of all in a game if one is given. Raises Refused."""
    text = _trimmed(text)
    if not text:
        raise Refused(Sentence("There is nothing to read."), 422)
    order = [game, *(name for name in GAMES if name != game)] if game in GAMES else list(GAMES)
    names = [name for name in order if name is not None]
    if pasted := _position(text, names):
        return pasted
    read = [
        Pasted(name, suffix, None, games)
        for name, suffix in _candidates(text, names)
        if (games := read_games(name, suffix, text, MOST_GAMES, stop))
    ]
    for one in read:
        if any(_is_whole(entry) for entry in one.games):
            return one
    read += [listed for name in names if (listed := _moves(name, text, None)) is not None]
    if read and _legal_plies(best := max(read, key=_legal_plies)) > 0:
        return best
    if text.count(_REPLACED) > 3 or "\0" in text:
        raise Refused(Sentence("This is no text, or not in UTF-8: save it as UTF-8 and try again."), 422)
    if read and (reason := next((entry.error for one in read for entry in one.games), None)):
        raise Refused(Sentence("No game can be read in the text: {reason}", reason=reason), 422)
    raise Refused(Sentence("No position and no game is recognised in the text."), 422)


def parse_record(
    rules: Game[Any], text: str, suffix: str | None, index: int = 0
) -> tuple[GameRecord, str | None]:
    """The game with a number, from 0, of a text with games of one kind: its legal part, and a sentence on
    what could not be read, if anything. Raises Refused."""
    name, text = rules.spec.name, _trimmed(text)
    if suffix is None:
        pasted = read_pasted(text, name)
        if pasted.game != name:
            titles = load_game(pasted.game).spec.title, rules.spec.title
            raise Refused(Sentence("This is {read}, not {game}.", read=titles[0], game=titles[1]), 422)
        if pasted.position is not None:
            raise Refused(Sentence("This is a position, and no game."), 422)
        games = pasted.games
    elif suffix in formats(name):
        games = read_games(name, suffix, text, index + 1)
    elif suffix == _list_format(name):
        listed = _position(text, [name]) or _moves(name, text, None)
        games = () if listed is None else listed.games
    else:
        known = ", ".join(formats(name))
        raise Refused(
            Sentence(
                "Games of {game} are read as {formats}, not {suffix}.",
                game=name,
                formats=known,
                suffix=suffix[:8],
            ),
            422,
        )
    if index >= len(games) and games:
        raise Refused(Sentence("The text has {count} games.", count=len(games)), 422)
    record, reason = (games[index].record, games[index].error) if games else (None, None)
    if record is None:
        nothing = Sentence("There is no game of {game} in the text.", game=name)
        raise Refused(Sentence("{first} {second}", first=nothing, second=reason) if reason else nothing, 422)
    return record, reason


def _candidates(text: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        for suffix in formats(name):
            if suffix in _PATTERNS and re.search(_PATTERNS[suffix], text):
                yield name, suffix


def _is_whole(entry: PastedGame) -> bool:
    """Whether a game has no error, and moves or at least a position."""
    return entry.record is not None and not entry.error and bool(entry.plies or entry.record.start)


def _trimmed(text: str) -> str:
    """A text without what is before and after it in a box or in a file."""
    return text.strip("\N{BYTE ORDER MARK} \t\r\n")


def _legal_plies(pasted: Pasted) -> int:
    return max((entry.plies for entry in pasted.games), default=0)


# Games, whole or up to their first bad move.


def read_games(
    game: str, suffix: str, text: str, most: int, stop: Event | None = None
) -> tuple[PastedGame, ...]:
    """The games of a text in a format, at most so many. Raises Abandoned if `stop` is set meanwhile."""
    content, begin, games = text.encode("utf-8", "replace"), 0, []
    try:
        for parsed in reader_of(game, suffix)([content], 0):
            raise_if_stopped(stop)
            part = content[begin : parsed.end].decode("utf-8", "replace")
            games.append(_read(game, suffix, parsed, part))
            begin = parsed.end
            if len(games) == most:
                break
    except MissingExtra:
        raise
    except ValueError as error:
        if not games:
            games.append(PastedGame(None, 0, first_line(error)))
    return tuple(games)


def read_records(game: str, text: str, stop: Event | None = None) -> list[GameRecord]:
    """The whole games of a file, in the format in which most can be read. Raises Abandoned if `stop` is set
    meanwhile."""
    text, best = _trimmed(text), list[GameRecord]()
    for name, suffix in _candidates(text, [game]):
        records = []
        with suppress(ValueError):
            for parsed in reader_of(name, suffix)([text.encode("utf-8", "replace")], 0):
                raise_if_stopped(stop)
                if parsed.record is not None and not parsed.defect:
                    records.append(parsed.record)
        best = max(best, records, key=len)
    return best


def _read(game: str, suffix: str, parsed: ParsedGame, text: str) -> PastedGame:
    if parsed.record is not None and not parsed.defect:
        return PastedGame(parsed.record, parsed.record.plies(game), None)
    reason = parsed.error or parsed.defect
    record = None if parsed.defect else _legal_part(game, suffix, text)
    plies = 0 if record is None else record.plies(game)
    match = _ILLEGAL.fullmatch(reason)
    if match is None:
        shown = Sentence(
            "It cannot be read to its end: {reason}.", reason=parser_sentence(reason.rstrip("."))
        )
    else:
        move = " ".join(match["move"].split())[:_SHOWN]
        state = None if record is None else record.states(game)[-1]
        if state is not None and suffix == "sgf":
            move = _sgf_move(game, state, move)
        shown = _illegal(game, state, int(match["n"]), move)
    if plies == 0:
        return PastedGame(None, 0, shown)
    return PastedGame(record, plies, Sentence("{error} The game is read up to there.", error=shown))


def _illegal(game: str, state: Any, number: int, move: str) -> Sentence:
    """The sentence on a move that is not legal in `state`, numbered as people number the moves of the game:
    `number` is that of the file. The side is left out if `state` is None or of another move."""
    if state is not None and not describe(game).numbers_plies and state.ply // 2 + 1 == number:
        side = load_game(game).spec.players[state.to_move]
        return Sentence("Move {number} of {side}, {move}, is not legal.", number=number, side=side, move=move)
    return Sentence("Move {number}, {move}, is not legal.", number=number, move=move)


def _sgf_move(game: str, state: Any, point: str) -> str:
    """A point of SGF as people write it: pd is Q16 on a board of 19x19. Other texts stay as they are."""
    size = getattr(state, "size", None)
    if size is None or re.fullmatch("[a-s]{2}", point) is None:
        return point
    text = f"(;GM[1]SZ[{size}];B[{point}])"
    parsed = next(iter(reader_of(game, "sgf")([text.encode()], 0)), None)
    if parsed is None or parsed.record is None:
        return point
    start, played = parsed.record.states(game)
    return load_game(game).move_text(start, played.last_move)


def _legal_part(game: str, suffix: str, text: str) -> GameRecord | None:
    """The record of the longest beginning of a broken game that can be read."""
    reader = reader_of(game, suffix)

    def parse(part: str) -> ParsedGame | None:
        return next(iter(reader([part.encode("utf-8", "replace")], 0)), None)

    whole = parse(text)
    if whole is None:
        return None
    cuts = _cuts(suffix, text)
    low, high = 0, len(cuts)  # the cuts before `low` are before the bad move
    while low < high:
        middle = (low + high) // 2
        parsed = parse(text[: cuts[middle][0]] + cuts[middle][1])
        if parsed is not None and parsed.record is None and parsed.error == whole.error:
            high = middle
        else:
            low = middle + 1
    for end, closing in reversed(cuts[max(0, low - 3) : low]):
        parsed = parse(text[:end] + closing)
        if parsed is not None and parsed.record is not None and not parsed.defect:
            return parsed.record
    return None


def _cuts(suffix: str, text: str) -> list[tuple[int, str]]:
    """Places where the text of a game can end, ascending, and what closes it there."""
    if suffix == "sgf":
        return list(_sgf_cuts(text))
    if suffix == "pgn":
        return list(_pgn_cuts(text))
    marks = r"\n|[▲△☗☖▽▼]" if suffix == "ki2" else r"[\n,]" if suffix == "csa" else r"\n"
    return [(match.start(), "\n") for match in re.finditer(marks, text)]


def _sgf_cuts(text: str) -> Iterator[tuple[int, str]]:
    """Before each node."""
    depth, value, escaped = 0, False, False
    for place, sign in enumerate(text):
        if value:
            value = escaped or sign != "]"
            escaped = sign == "\\" and not escaped
        elif sign == "[":
            value = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == ";" and depth > 0:
            yield place, ")" * depth


def _pgn_cuts(text: str) -> Iterator[tuple[int, str]]:
    """Before each word of the main line."""
    tags = re.match(r"(?:\s*\[[^\]\n]*\]\s*?\n?)*", text)
    depth, comment, line, between = 0, False, False, True
    for place in range(tags.end() if tags else 0, len(text)):
        sign = text[place]
        if comment or line:
            comment, line = comment and sign != "}", line and sign != "\n"
        elif sign in "{;":
            comment, line = sign == "{", sign == ";"
        elif sign in "()":
            depth = max(0, depth + (1 if sign == "(" else -1))
        elif depth == 0 and between and not sign.isspace():
            yield place, " *\n"
        between = sign.isspace() or sign in "})"


# Positions and lists of moves.


def _list_format(game: str) -> str:
    """The name of a list of moves of a game as a format."""
    engine = describe(game).engine
    return "moves" if engine is None else engine.protocol


@cache
def _ranks(game: str) -> int:
    """The number of slashes in a position."""
    rules = load_game(game)
    return rules.text(rules.initial()).split()[0].count("/")


def _has_sizes(game: str) -> bool:
    """Whether the rules have boards of several sizes."""
    return any(option.name == "size" for option in fields(describe(game).rules))


def _position(text: str, names: Sequence[str]) -> Pasted | None:
    """A position in one line, or a position with moves as engines get it. Raises Refused if the line is
    one that cannot be used."""
    line = " ".join(text.split())
    match = _POSITION_WORDS.match(line)
    board, _, moves = line[match.end() if match else 0 :].partition(" moves ")
    board = board.removesuffix(" moves").strip()
    if (match is None and board.count("/") < 5) or len(board) > _LONGEST_POSITION:
        return None
    if board.startswith("["):  # a short PGN that begins with a position
        return None
    if board.lower() == "startpos":
        read = [listed for name in names if (listed := _moves(name, moves, None)) is not None]
        return max(read, key=_legal_plies, default=None)
    rows = (board.split() or [""])[0]
    fitting = [name for name in names if _ranks(name) == rows.count("/")]
    likely = [*fitting, *(name for name in names if name not in fitting and _has_sizes(name))]
    for name in likely:
        rules = load_game(name)
        if rules.spec.hidden:
            continue
        for completion in _COMPLETIONS:
            try:
                position = rules.text(rules.parse(board + completion))
            except (ValueError, IndexError):
                continue
            if moves:
                return _moves(name, moves, position) or Pasted(name, "position", position)
            return Pasted(name, "position", position)
    if likely:
        raise _unusable_position(board, rows, [*likely, *(name for name in names if name not in likely)])
    return None


def _unusable_position(board: str, rows: str, names: Sequence[str]) -> Refused:
    """The refusal of a position, in the words of the first game whose pieces have its letters."""
    open_games = [name for name in names if not load_game(name).spec.hidden]
    rules = load_game(min(open_games, key=lambda name: _strange_letters(name, rows)))
    reason = ""
    try:
        rules.parse(board)
    except (ValueError, IndexError) as error:
        reason = message_of(error)
    return Refused(
        Sentence(
            "This looks like a position of {game}, but it cannot be used: {reason}.",
            game=rules.spec.title,
            reason=reason,
        ),
        422,
    )


def _strange_letters(game: str, rows: str) -> int:
    """Letters of the rows of a position that are no pieces of a game."""
    return sum(sign.isalpha() and sign not in _pieces(game) for sign in rows)


@cache
def _pieces(game: str) -> str:
    """The letters of the pieces of a game: those at its begin, and in Go those of the first stones."""
    rules = load_game(game)
    states = [rules.initial()]
    for _ in rules.spec.players:
        states.append(rules.play(states[-1], rules.legal_moves(states[-1])[0]))
    return "".join(rules.text(state).split()[0] for state in states)


def _moves(game: str, text: str, position: str | None) -> Pasted | None:
    """A list of moves as a game, up to its first bad move; None if not even the first one is legal."""
    rules = load_game(game)
    if rules.spec.hidden:
        return None
    words = [
        word for word in re.sub(r"\b\d{1,4}\.+", " ", text[: _MOST_MOVES * 12]).split()[:_MOST_MOVES] if word
    ]
    state = start = rules.initial() if position is None else rules.parse(position)
    error = None
    for number, word in enumerate(words, 1):
        try:
            if rules.outcome(state) is not None:
                raise ParseError("the game is over")
            state = rules.play(state, rules.parse_move(state, word))
        except (ParseError, IllegalMove):
            if not describe(game).numbers_plies:
                number = state.ply // 2 + 1
            shown = _illegal(game, state, number, word[:_SHOWN])
            error = Sentence("{error} The game is read up to there.", error=shown)
            break
    plies = state.ply - start.ply
    if plies == 0:
        return None
    packed = state.pack_moves(describe(game).packed_move_bytes)
    record = GameRecord(moves=packed, result=None, start=position)
    return Pasted(game, _list_format(game), None, (PastedGame(record, plies, error),))


# The messages.


PastedKind: TypeAlias = Literal["position", "record"]


class ReadRequest(ApiMessage):
    """A text to recognise."""

    text: RecordText
    game: GameName | None = Field(default=None, description="The game that is tried first.")


class ReadGame(ApiMessage):
    """A game of a text."""

    title: str = Field(description="Event and date, as far as they are known.")
    players: tuple[str, str] = Field(description="Names of both players; empty where unknown.")
    result: str = Field(description="1-0, 0-1, 1/2-1/2 or *.")
    plies: int = Field(description="Moves that can be used.")
    error: Text | None = Field(description="What cannot be read; null for a whole game.")


class ReadView(ApiMessage):
    """What a text is."""

    game: str
    format: str = Field(description="For `format` of a record, such as pgn; position for a position.")
    kind: PastedKind
    position: str | None = Field(description="For `position` of a new game; null for a record.")
    games: list[ReadGame] = Field(description="In the order of the text, for `record_index`.")


def read_view(pasted: Pasted) -> ReadView:
    """The message of what a text is."""
    return ReadView(
        game=pasted.game,
        format=pasted.format,
        kind="record" if pasted.position is None else "position",
        position=pasted.position,
        games=[_game_view(entry) for entry in pasted.games],
    )


def _game_view(entry: PastedGame) -> ReadGame:
    record = entry.record
    facts = [] if record is None else [record.event, None if record.date is None else str(record.date)]
    return ReadGame(
        title=", ".join(encodable(fact) for fact in facts if fact),
        players=("", "")
        if record is None
        else (encodable(record.first or ""), encodable(record.second or "")),
        result="*" if record is None or entry.error else result_text(record.result),
        plies=entry.plies,
        error=None if entry.error is None else text_of(entry.error),
    )


# Games that a person pastes or opens, to be continued or reviewed.


def read_record(rules: Game[Any], wanted: NewGame) -> tuple[str | None, list[str], str | None]:
    """The first position (None for the usual one) and the moves of the record that a request continues, and
    a sentence on what could not be read, if anything.

    Raises Refused.
    """
    if wanted.record is None:
        return wanted.position, [], None
    if wanted.position is not None:
        raise Refused(Sentence("Give a position or a record, not both."), 422)
    record, warning = parse_record(rules, wanted.record, wanted.format, wanted.record_index)
    states = states_of(rules, record)
    moves = [rules.move_text(before, after.last_move) for before, after in pairwise(states)]
    return record.start, moves, warning


def states_of(rules: Game[Any], record: GameRecord) -> list[Any]:
    """The states of a game, from the first to the last."""
    start = rules.initial() if record.start is None else rules.parse(record.start)
    last = start.unpack_moves(record.moves, describe(rules.spec.name).packed_move_bytes)
    return states_to(last)
