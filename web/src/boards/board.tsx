import { useState } from "preact/hooks";
import type { BoardView, GameView, HintView, PositionView, ScoreView } from "../api";
import { ChessBoard } from "./chess-board";
import { fromTo, squareName } from "./coordinates";
import { Confirm } from "./confirm";
import { GridBoard } from "./grid-board";
import { Promotion } from "./promotion";
import { ShogiBoard } from "./shogi-board";
import { t } from "../text";

interface Props {
  view: GameView;
  /** The square in the middle of a sense that waits to be confirmed. */
  aimed: string | null;
  past: PositionView | null;
  bottom: number;
  hint: HintView | null;
  /** Who will own each point of the position that is shown. */
  score: ScoreView | null;
  /** A move that waits for the person's confirmation. */
  chosen: string | null;
  onMove: (move: string) => void;
  /** A square was chosen in the sense phase of a hidden game. */
  onSense: (square: string) => void;
  onDead: (point: string) => void;
}

/** The board of a game, by its kind. */
export function Board(props: Props) {
  const { view, past, bottom, hint, chosen, onMove } = props;
  switch (view.traits.board) {
    case "chessboard":
      return view.traits.hidden ? <HiddenChessBoard {...props} /> : <OpenChessBoard {...props} />;
    case "shogiboard":
      return (
        <ShogiBoard
          sfen={past?.position ?? view.position!}
          bottom={bottom}
          you={view.you}
          legal={past ? [] : view.legal}
          last={past ? past.last : lastText(view)}
          check={!past && view.check}
          marks={past ? [] : shownMoves(hint, chosen)}
          premoves={!past && premoves(view)}
          onMove={onMove}
        />
      );
    case "points":
      return <GoBoard {...props} />;
    default:
      return <StackBoard {...props} />;
  }
}

const lastText = (view: GameView) => view.moves.at(-1)?.text ?? null;

/** Whether the person may choose a move in advance. */
const premoves = (view: GameView) => view.phase === "thinking" && view.you !== null;

const hintMoves = (hint: HintView) => [
  ...(hint.people && hint.people.text !== hint.best.text ? [{ text: hint.people.text, brush: "people" }] : []),
  { text: hint.best.text, brush: "best" },
];

/** The moves of a hint and the one that waits for confirmation, with the colour of each. */
function shownMoves(hint: HintView | null, chosen: string | null): { text: string; brush: string }[] {
  return [...(hint ? hintMoves(hint) : []), ...(chosen ? [{ text: chosen, brush: "pending" }] : [])];
}

/** The same for boards of points and squares: classes of the squares. */
function moveMarks(hint: HintView | null, chosen: string | null): Map<string, string> {
  return new Map(shownMoves(hint, chosen).map(({ text, brush }) => [text, brush]));
}

function OpenChessBoard({ view, past, bottom, hint, chosen, onMove }: Props) {
  const [choices, setChoices] = useState<string[]>([]);
  const play = (moves: string[]) => (moves.length > 1 ? setChoices(moves) : moves[0] && onMove(moves[0]));
  return (
    <div class="board">
      <ChessBoard
        fen={past?.position ?? view.position!}
        bottom={bottom}
        turn={view.turn}
        you={view.you}
        legal={past ? [] : view.legal}
        last={past ? past.last : lastText(view)}
        check={past ? false : view.check}
        onMove={play}
        premoves={!past && premoves(view)}
        arrows={past ? [] : shownMoves(hint, chosen)}
        placed={past ? null : chosen}
      />
      <Promotion moves={choices} bottom={bottom} onChoose={(move) => (setChoices([]), move && onMove(move))} />
    </div>
  );
}

/** A hidden game: known pieces, guessed ones as ghosts, fog over what is not certain, the last sense. */
function HiddenChessBoard({ view, past, bottom, chosen, aimed, onMove, onSense }: Props) {
  const [choices, setChoices] = useState<string[]>([]);
  const over = view.phase === "over";
  const sensing = view.phase === "sense";
  const hidden = over ? null : view.hidden;
  const marks = new Map<string, string>();
  hidden?.known.forEach((piece, square) => {
    const classes = [];
    if (piece === "?") classes.push("unknown");
    if (hidden.sensed.includes(square)) classes.push("sensed");
    if (aimed && isNear(squareName(square), aimed)) classes.push("aim");
    if (classes.length) marks.set(squareName(square), classes.join(" "));
  });
  const guesses = (hidden?.guess ?? []).flatMap((piece, square) => {
    const share = hidden!.guess_shares[square] ?? 0;
    return piece && share >= 0.15 && hidden!.known[square] === "?" ? [{ square: squareName(square), piece, share }] : [];
  });
  const play = (moves: string[]) => (moves.length > 1 ? setChoices(moves) : moves[0] && onMove(moves[0]));
  const last = over ? (past ? past.last : lastText(view)) : view.moves.filter((each) => fromTo(each.text)).at(-1)?.text;
  return (
    <div class={sensing ? "board sensing" : "board"}>
      <ChessBoard
        fen={past?.position ?? view.position ?? fenOf(view.board)}
        bottom={bottom}
        turn={view.turn}
        you={view.you}
        legal={past || sensing ? [] : view.legal}
        last={last ?? null}
        onMove={play}
        marks={marks}
        guesses={guesses}
        arrows={past ? [] : shownMoves(null, chosen)}
        placed={past ? null : chosen}
        onSquare={(square) => sensing && !past && onSense(square)}
      />
      <Promotion moves={choices} bottom={bottom} onChoose={(move) => (setChoices([]), move && onMove(move))} />
    </div>
  );
}

/** Whether a square is one of the nine around another. */
function isNear(one: string, other: string): boolean {
  return Math.abs(one.charCodeAt(0) - other.charCodeAt(0)) <= 1 && Math.abs(one.charCodeAt(1) - other.charCodeAt(1)) <= 1;
}

/** The pieces of a board as FEN; what is not certain is empty. */
function fenOf(board: BoardView): string {
  return board.cells
    .map((row) =>
      row
        .map((piece) => (piece && piece.owner >= 0 ? piece.symbol : "1"))
        .join("")
        .replace(/1+/g, (run) => String(run.length)),
    )
    .join("/");
}

function GoBoard({ view, past, bottom, hint, score, chosen, onMove, onDead }: Props) {
  const counting = view.phase === "counting";
  const board = past?.board ?? view.board;
  const legal = new Set((past ? [] : view.legal).map((each) => each.text).filter((text) => text !== "pass"));
  const choose = (point: string) => {
    if (!counting || past) return void (legal.has(point) && onMove(point));
    const [row, column] = [board.rows.indexOf(point.slice(1)), board.columns.indexOf(point[0]!)];
    if (board.cells[row]?.[column]) onDead(point); // only stones are dead
  };
  const marks = past ? new Map<string, string>() : moveMarks(hint, chosen);
  if (!past) for (const point of view.counting?.dead ?? []) marks.set(point, "dead");
  return (
    <GridBoard
      board={board}
      bottom={bottom}
      label={t("Board. Arrow keys move, Enter plays.")}
      marks={marks}
      playable={{ points: legal, owner: view.you ?? 0 }}
      placed={past ? null : chosen}
      owners={score?.owners ?? null}
      onSquare={choose}
    />
  );
}

const focus = (element: HTMLElement | null) => element?.focus();

interface StackMove {
  text: string;
  from: string;
  to: string;
  count: number;
}

/** Breakthrough and Expendibots: choose a square, then a target; stacks ask how many tokens move. */
function StackBoard({ view, past, bottom, hint, chosen, onMove }: Props) {
  const [from, setFrom] = useState<string | null>(null);
  const [choices, setChoices] = useState<StackMove[]>([]);
  const legal = past ? [] : view.legal;
  const moves = legal.flatMap(({ text }): StackMove[] => {
    const boom = /^boom ([a-h][1-8])$/.exec(text);
    if (boom) return [{ text, from: boom[1]!, to: boom[1]!, count: 0 }];
    const found = /^(\d*)([a-h][1-8])-?([a-h][1-8])$/.exec(text);
    return found ? [{ text, from: found[2]!, to: found[3]!, count: Number(found[1] || 1) }] : [];
  });
  const sources = new Set(moves.map((each) => each.from));
  const targets = new Set(moves.filter((each) => each.from === from).map((each) => each.to));
  const choose = (square: string) => {
    setChoices([]);
    if (from && targets.has(square) && square !== from) {
      const found = moves.filter((each) => each.from === from && each.to === square);
      if (found.length > 1) return setChoices(found);
      setFrom(null);
      return onMove(found[0]!.text);
    }
    setFrom(sources.has(square) && square !== from ? square : null);
  };
  const finish = (move: string | null) => {
    setChoices([]);
    setFrom(null);
    if (move) onMove(move);
  };
  const booms = moves.filter((each) => each.from === from && each.to === from);
  const offered = choices.length > 0 ? choices : booms;
  const marks = new Map<string, string>();
  if (!past)
    for (const [text, mark] of moveMarks(hint, chosen)) {
      const move = moves.find((each) => each.text === text);
      if (move) marks.set(move.from, mark).set(move.to, mark);
    }
  return (
    <div class="board">
      <GridBoard
        board={past?.board ?? view.board}
        bottom={bottom}
        label={t("Board. Arrow keys move, Enter chooses a piece, then its target.")}
        active={from ? targets : new Set()}
        chosen={from}
        marks={marks}
        mover={view.you ?? 0}
        placed={moves.find((each) => each.text === chosen && each.count > 0)?.to ?? null}
        onSquare={choose}
      />
      {offered.length > 0 && (
        <Confirm label={t("Which move")} text={choices.length > 0 ? t("How many tokens go there?") : t("Choose a target, or:")}>
          {offered.map((each, index) => (
            <button key={each.text} ref={choices.length > 0 && index === 0 ? focus : undefined} class={each.count === 0 ? "danger" : "main"} onClick={() => finish(each.text)}>
              {each.count === 0 ? t("Explode the stack") : t("Move {count}", { count: each.count })}
            </button>
          ))}
          <button onClick={() => finish(null)}>{t("Cancel")}</button>
        </Confirm>
      )}
    </div>
  );
}
