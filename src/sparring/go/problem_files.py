"""Go problems in SGF: a position, the side to move, and a tree of right and wrong lines.

Collections mark the lines in different ways, all of which are read:

- words in a comment (C) or a node's name (N): RIGHT, CORRECT, WRONG, ✓, ✗, and the usual Chinese and Japanese
  words, as on goproblems.com and its kin;
- GB and GW, good for Black or White; TE and BM, a good or a bad move, on the solver's moves.

A tree without marks has its solution in the first variation of each of the solver's moves; all variations
of the opponent's replies belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from sparring._core import GoState
from sparring.base.errors import BadFile
from sparring.games import IllegalMove, Move, ParseError
from sparring.records.sources import detect_charset, open_chunks

_LARGEST_FILE = 1 << 26
_LONGEST_LINE = 100
"""Moves of a line: longer ones are games, not problems."""
_LARGEST, _SMALLEST = 19, 5
_WRONG = re.compile(
    r"\b(wrong|incorrect|fail(ed|ure|s)?|not correct)\b|✗|✘|❌|失败|失敗|错误|錯誤|不正解|不正确|不正確",
    re.IGNORECASE,
)
_RIGHT = re.compile(r"\bRIGHT\b|\b(?i:correct)\b|✓|✔|✅|正解|正确|正確|恭喜")
"""RIGHT in capitals only: "the right side" is no mark."""


@dataclass(frozen=True)
class Step:
    """A move of a solution tree, with what may follow it."""

    move: Move
    right: bool
    """Of the solver's move: it solves the problem, or goes on solving it. Of a reply: the solver has a right
    move after it, or has solved the problem."""
    following: tuple[Step, ...] = ()


@dataclass(frozen=True)
class GoProblem:
    """A position and the tree of its solution. At least one first move is right."""

    state: GoState
    """With the solver to move."""
    tries: tuple[Step, ...]
    """The solver's first moves, right and wrong."""

    @cached_property
    def right_moves(self) -> tuple[Move, ...]:
        """The right first moves."""
        return tuple(step.move for step in self.tries if step.right)


@dataclass(frozen=True)
class GoProblemRecord:
    """A problem of a file."""

    name: str
    """Its title, or its place in the file."""
    problem: GoProblem


def begins_sgf(line: str) -> bool:
    """Whether a file with this first line is SGF."""
    return line.startswith("(") or "(;" in line


def read_problems(path: Path) -> Iterator[GoProblemRecord]:
    """The problems of a file, one for each game tree. Raises BadFile or OSError."""
    roots = parse_sgf(_read(path), str(path))
    for number, root in enumerate(roots, 1):
        where = f"problem {number}"
        try:
            yield GoProblemRecord(_title(root) or where, problem_of(root))
        except (ParseError, IllegalMove, ValueError) as error:
            place = f"{path}, {where} (line {root.line})" if len(roots) > 1 else str(path)
            raise BadFile(f"{place}: {error}") from None


def parse_problem(text: str) -> GoProblem:
    """The problem of an SGF text with one game tree.

    Raises BadFile, ParseError, IllegalMove or ValueError.
    """
    roots = parse_sgf(text, "the SGF")
    if len(roots) > 1:
        raise BadFile(f"the SGF has {len(roots)} problems in place of one")
    return problem_of(roots[0])


def _read(path: Path) -> str:
    content = bytearray()
    for chunk in open_chunks(path):
        content += chunk
        if len(content) > _LARGEST_FILE:
            raise BadFile(f"{path}: more than {_LARGEST_FILE >> 20} MiB: this is no file of problems")
    data = bytes(content)
    declared = re.search(rb"\bCA\s*\[([^\]]{1,40})\]", data)
    charset = detect_charset([data], declared[1].decode("ascii", "replace") if declared else "")
    return data.decode("utf-8-sig" if charset in ("utf-8", "ascii") else charset, "replace")


# SGF as trees.


@dataclass
class SgfNode:
    """A node of an SGF tree."""

    line: int
    """Where it begins, counted from 1."""
    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[SgfNode] = field(default_factory=list)

    def text(self, name: str) -> str:
        """The first value of a property, trimmed; empty without one."""
        return self.properties.get(name, [""])[0].strip()


_TOKEN = re.compile(r"\s+|[();]|(?P<name>[A-Za-z]+)|\[(?P<value>(?:[^\]\\]|\\.)*)\]", re.DOTALL)
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)


def parse_sgf(text: str, source: str) -> list[SgfNode]:
    """The roots of the game trees of an SGF text; what stands before the first is skipped. Raises BadFile."""
    begin = re.search(r"\(\s*;", text)
    if begin is None:
        raise BadFile(f"{source}: no problem in it: an SGF game tree begins with (;")
    position, line = begin.start(), 1 + text.count("\n", 0, begin.start())
    roots: list[SgfNode] = []
    branches: list[SgfNode | None] = []  # the last node before each open bracket
    node: SgfNode | None = None
    name = ""
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            if not branches:  # words between game trees
                position += 1
                continue
            what = "a value that no ] ends" if text[position] == "[" else f"'{text[position]}' out of place"
            raise BadFile(f"{source}, line {line}: {what}")
        mark = token[0]
        if mark == "(":
            branches.append(node)
        elif mark == ")":
            if not branches:
                raise BadFile(f"{source}, line {line}: a ) without its (")
            node = branches.pop()
        elif mark == ";" and branches:
            parent, node, name = node, SgfNode(line), ""
            (roots if parent is None else parent.children).append(node)
        elif token["name"]:
            name = "".join(letter for letter in mark if letter.isupper())
        elif token["value"] is not None and branches:
            if node is None or not name:
                raise BadFile(f"{source}, line {line}: a value without its property")
            node.properties.setdefault(name, []).append(_ESCAPE.sub(_unescaped, token["value"]))
        line += mark.count("\n")
        position = token.end()
    if branches:
        raise BadFile(f"{source}: the file ends within a game tree: a ) is missing")
    return roots


def _unescaped(escape: re.Match[str]) -> str:
    return "" if escape[1][0] in "\r\n" else escape[1]


# Trees as problems.


def problem_of(root: SgfNode) -> GoProblem:
    """The problem of a game tree. Raises ParseError, IllegalMove or ValueError."""
    size = _board_size(root)
    stones: dict[int, str] = {}
    side, node = "", root
    while True:
        _set_up(stones, node, size)
        side = node.text("PL")[:1].upper() or side
        if len(node.children) != 1 or _color(node.children[0]):
            break
        node = node.children[0]
    if _color(root):
        raise ValueError("a move stands in the first node: this is no problem")
    if not stones:
        raise ValueError("no stones on the board: this is no problem")
    firsts = [child for child in node.children if _color(child)]
    if not firsts:
        raise ValueError("no solution: the tree has no moves")
    colors = {_color(child) for child in firsts}
    solver = side if side in colors else _color(firsts[0])
    state = _state(stones, size, solver)
    firsts = [child for child in firsts if _color(child) == solver]
    is_marked = _marked(firsts, solver)
    tried = _Tree(solver, is_marked).steps(state, firsts, 1)
    if is_marked and not any(verdict is _Verdict.RIGHT for _, verdict in tried):
        # Marks that a strict reading of the tree cannot join: any line to a right end will do.
        tried = _Tree(solver, is_marked, strict=False).steps(state, firsts, 1)
    steps = tuple(step for step, _ in tried)
    if not any(step.right for step in steps):
        raise ValueError("no right answer: no line is marked as right, and the others are marked as wrong")
    return GoProblem(state, steps)


def _board_size(root: SgfNode) -> int:
    text = root.text("SZ") or "19"
    columns, _, rows = text.partition(":")
    if not columns.strip().isdecimal() or (rows and rows.strip() != columns.strip()):
        raise ValueError(f"board size '{text[:20]}': a number from {_SMALLEST} to {_LARGEST} is needed")
    size = int(columns)
    if not _SMALLEST <= size <= _LARGEST:
        raise ValueError(f"board size {size}: from {_SMALLEST} to {_LARGEST} is possible")
    game = root.text("GM")
    if game not in ("", "1"):
        raise ValueError(f"GM[{game[:10]}] is another game than Go")
    return size


def _point(text: str, size: int) -> int:
    """The point of two SGF letters, from the left and the top."""
    letters = text.strip()
    column, row = (ord(letter) - ord("a") for letter in letters) if len(letters) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        raise ParseError(f"'{letters[:20]}' is not a point of a board of {size}x{size}")
    return (size - 1 - row) * size + column


def _set_up(stones: dict[int, str], node: SgfNode, size: int) -> None:
    for name, color in (("AB", "X"), ("AW", "O"), ("AE", "")):
        for value in node.properties.get(name, ()):
            first, colon, last = value.partition(":")
            begin, end = _point(first, size), _point(last if colon else first, size)
            columns = sorted((begin % size, end % size))
            rows = sorted((begin // size, end // size))
            for row in range(rows[0], rows[1] + 1):
                for column in range(columns[0], columns[1] + 1):
                    stones[row * size + column] = color
    for point in [point for point, color in stones.items() if not color]:
        del stones[point]


def _state(stones: dict[int, str], size: int, solver: str) -> GoState:
    rows = "/".join(
        "".join(stones.get(row * size + column, ".") for column in range(size))
        for row in reversed(range(size))
    )
    rows = re.sub(r"\.+", lambda run: str(len(run[0])), rows)
    return GoState.parse(f"{rows} {solver.lower()} - 0 0 0 7.5 simple")


def _title(root: SgfNode) -> str:
    """The problem's name in one line."""
    text = root.text("GN") or root.text("N") or root.text("EV") or root.text("C")
    return " ".join(text.split())[:60]


def _color(node: SgfNode) -> str:
    """B or W for a move, else empty."""
    return next((color for color in "BW" if color in node.properties), "")


class _Verdict:
    RIGHT, WRONG, OPEN = "right", "wrong", "open"


def _mark(node: SgfNode, solver: str) -> str:
    """What a node's own marks say of the line to it."""
    words = " ".join(chain(node.properties.get("C", ()), node.properties.get("N", ())))
    other = "BW"[solver == "B"]
    own = _color(node) == solver
    has = node.properties.__contains__
    if _WRONG.search(words) or has(f"G{other}") or (own and has("BM")):
        return _Verdict.WRONG
    if _RIGHT.search(words) or has(f"G{solver}") or (own and has("TE")):
        return _Verdict.RIGHT
    return _Verdict.OPEN


def _marked(firsts: Sequence[SgfNode], solver: str) -> bool:
    """Whether the tree has a mark of a right line."""
    waiting = list(firsts)
    while waiting:
        node = waiting.pop()
        if _mark(node, solver) is _Verdict.RIGHT:
            return True
        waiting += node.children
    return False


@dataclass(frozen=True)
class _Tree:
    """Turns nodes into steps."""

    solver: str
    marked: bool
    """Whether right lines are marked: a line without a mark is then not right. Else the first variation of
    the solver's moves is right that is not marked as wrong."""
    strict: bool = True
    """Whether a move must be right against all replies; else against one."""

    def steps(self, state: GoState, nodes: Sequence[SgfNode], depth: int) -> list[tuple[Step, str]]:
        """The steps of the nodes that follow `state`, with verdicts. Raises IllegalMove, ParseError or
        ValueError."""
        if depth > _LONGEST_LINE:
            raise ValueError(f"a line of more than {_LONGEST_LINE} moves: this is a game and not a problem")
        steps, taken = [], self.marked
        for node in nodes:
            color = _color(node)
            after = _played(state, color, node.properties[color][0])
            below = self.steps(after, list(_moves_below(node)), depth + 1)
            own = color == self.solver
            verdict = _mark(node, self.solver)
            if verdict is _Verdict.OPEN:
                verdict = self._joined([one for _, one in below], own)
            if own and not self.marked and verdict is not _Verdict.WRONG:
                verdict, taken = (_Verdict.OPEN if taken else _Verdict.RIGHT), True
            move = after.last_move
            assert move is not None, "it was played"
            steps.append((Step(move, verdict is _Verdict.RIGHT, tuple(step for step, _ in below)), verdict))
        return steps

    def _joined(self, below: Sequence[str], own: bool) -> str:
        """The verdict on a move from those on its successors: replies if it is the solver's own."""
        if own and self.strict and _Verdict.WRONG in below:
            return _Verdict.WRONG
        if _Verdict.RIGHT in below:
            return _Verdict.RIGHT
        if not below or _Verdict.OPEN in below:
            return _Verdict.OPEN
        return _Verdict.WRONG


def _moves_below(node: SgfNode) -> Iterator[SgfNode]:
    """The next moves; nodes without a move are skipped."""
    for child in node.children:
        if _color(child):
            yield child
        else:
            yield from _moves_below(child)


def _played(state: GoState, color: str, point: str) -> GoState:
    """The state after a move. Raises IllegalMove, ParseError or ValueError."""
    if "BW"[state.to_move] != color:
        side, other = ("Black", "W") if color == "B" else ("White", "B")
        raise ValueError(f"{side} moves twice in a row; a pass between is written {other}[]")
    size, place = state.size, point.strip()
    return state.play(size * size if place in ("", "tt") else _point(place, size))
