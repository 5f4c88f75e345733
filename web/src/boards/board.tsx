import { useState } from "preact/hooks";
import type { BoardView, GameView, HintView, PositionView } from "../api";
import { ChessBoard } from "./chess-board";
import { fromTo } from "./coordinates";
import { GridBoard } from "./grid-board";
import { ShogiBoard } from "./shogi-board";

interface Props {
  view: GameView;
  past: PositionView | null;
  bottom: number;
  hint: HintView | null;
  onMove: (move: string) => void;
  onDead: (point: string) => void;
}

/** The board of a game, by its kind. */
export function Board(props: Props) {
  switch (props.view.game) {
    case "chess":
      return <OpenChessBoard {...props} />;
    case "rbc":
      return <HiddenChessBoard {...props} />;
    case "shogi":
      return <ShogiBoard {...props} />;
    case "go":
      return <GoBoard {...props} />;
    default:
      return <StackBoard {...props} />;
  }
}

function OpenChessBoard({ view, past, bottom, hint, onMove }: Props) {
  const [choices, setChoices] = useState<string[]>([]);
  const play = (moves: string[]) => (moves.length > 1 ? setChoices(moves) : moves[0] && onMove(moves[0]));
  return (
    <div class="with-choice">
      <ChessBoard
        fen={past?.position ?? view.position!}
        bottom={bottom}
        turn={view.turn}
        you={view.you}
        legal={past ? [] : view.legal}
        last={past ? past.last : (view.moves.at(-1)?.text ?? null)}
        check={past ? false : view.check}
        onMove={play}
        arrows={hint ? [{ text: hint.move.text, brush: "green" }] : []}
      />
      <Promotion choices={choices} onChoose={(move) => (setChoices([]), move && onMove(move))} />
    </div>
  );
}

const PIECES: Record<string, string> = { q: "Queen", r: "Rook", b: "Bishop", n: "Knight" };

function Promotion({ choices, onChoose }: { choices: string[]; onChoose: (move: string | null) => void }) {
  if (choices.length === 0) return null;
  return (
    <div class="choice-box" role="dialog" aria-label="Promote to">
      {choices.map((move) => (
        <button key={move} autofocus={move.endsWith("q")} onClick={() => onChoose(move)}>
          {PIECES[move.slice(-1)] ?? move}
        </button>
      ))}
      <button class="quiet" onClick={() => onChoose(null)}>
        Cancel
      </button>
    </div>
  );
}

/** Reconnaissance blind chess: known pieces, likely enemies shaded, squares of the last sense marked. */
function HiddenChessBoard({ view, past, bottom, onMove }: Props) {
  const [choices, setChoices] = useState<string[]>([]);
  const over = view.phase === "over";
  const sensing = view.phase === "sense";
  const marks = new Map<string, string>();
  view.hidden?.known.forEach((piece, square) => {
    const name = `${"abcdefgh"[square % 8]}${Math.floor(square / 8) + 1}`;
    const classes = [];
    if (!over && piece === "?") classes.push(`unknown likely-${Math.min(9, Math.floor(10 * view.hidden!.likely[square]!))}`);
    if (!over && view.hidden!.sensed.includes(square)) classes.push("sensed");
    if (classes.length) marks.set(name, classes.join(" "));
  });
  const play = (moves: string[]) => (moves.length > 1 ? setChoices(moves) : moves[0] && onMove(moves[0]));
  const last = over ? (past ? past.last : view.moves.at(-1)?.text) : view.moves.filter((each) => fromTo(each.text)).at(-1)?.text;
  return (
    <div class={sensing ? "with-choice sensing" : "with-choice"}>
      <ChessBoard
        fen={past?.position ?? view.position ?? fenOf(view.board)}
        bottom={bottom}
        turn={view.turn}
        you={view.you}
        legal={past || sensing ? [] : view.legal}
        last={last ?? null}
        check={false}
        onMove={play}
        marks={marks}
        onSquare={(square) => sensing && onMove(`sense ${square}`)}
      />
      <Promotion choices={choices} onChoose={(move) => (setChoices([]), move && onMove(move))} />
    </div>
  );
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

function GoBoard({ view, past, bottom, hint, onMove, onDead }: Props) {
  const counting = view.phase === "counting";
  const legal = past ? [] : view.legal.map((each) => each.text).filter((text) => text !== "pass");
  const marks = new Map<string, string>((view.counting?.dead ?? []).map((point) => [point, "dead"]));
  if (hint && !past) marks.set(hint.move.text, "hint");
  return (
    <GridBoard
      board={past?.board ?? view.board}
      bottom={bottom}
      label="Board. Arrow keys move, Enter plays."
      active={new Set()}
      marks={marks}
      onSquare={(point) => (counting ? onDead(point) : legal.includes(point) && onMove(point))}
    />
  );
}

interface StackMove {
  text: string;
  from: string;
  to: string;
  count: number;
}

/** Breakthrough and Expendibots: choose a square, then a target; stacks ask how many tokens move. */
function StackBoard({ view, past, bottom, hint, onMove }: Props) {
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
    if (from && targets.has(square)) {
      const found = moves.filter((each) => each.from === from && each.to === square);
      if (square === from || found.length > 1) return setChoices(found);
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
  const marks = new Map<string, string>();
  if (hint && !past) for (const each of moves) if (each.text === hint.move.text) marks.set(each.from, "hint"), marks.set(each.to, "hint");
  return (
    <div class="with-choice">
      <GridBoard
        board={past?.board ?? view.board}
        bottom={bottom}
        label="Board. Arrow keys move, Enter chooses a piece, then its target."
        active={from ? targets : new Set()}
        chosen={from}
        marks={marks}
        onSquare={choose}
      />
      {choices.length > 0 && (
        <div class="choice-box" role="dialog" aria-label="Which move">
          {choices.map((each, index) => (
            <button key={each.text} autofocus={index === 0} onClick={() => finish(each.text)}>
              {each.count === 0 ? "Boom" : `Move ${each.count}`}
            </button>
          ))}
          <button class="quiet" onClick={() => finish(null)}>
            Cancel
          </button>
        </div>
      )}
    </div>
  );
}
