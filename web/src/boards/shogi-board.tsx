import { useState } from "preact/hooks";
import type { GameView, HintView, PositionView } from "../api";
import { KANJI } from "./kanji";

interface Props {
  view: GameView;
  past: PositionView | null;
  bottom: number;
  hint: HintView | null;
  onMove: (move: string) => void;
}

interface ShogiPiece {
  kind: string;
  owner: number;
}

const HAND = ["R", "B", "G", "S", "N", "L", "P"];
const NAMES: Record<string, string> = {
  P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook", K: "king",
};
const CELL_X = 10;
const CELL_Y = 11;

/** Squares (by USI names such as 7g) and hands of an SFEN. */
export function parseSfen(sfen: string): { board: Map<string, ShogiPiece>; hands: Record<string, number>[] } {
  const [rows = "", , hand = "-"] = sfen.split(" ");
  const board = new Map<string, ShogiPiece>();
  rows.split("/").forEach((row, rank) => {
    let file = 9;
    for (const [token] of row.matchAll(/\+?[a-zA-Z]|\d/g)) {
      if (/\d/.test(token)) file -= Number(token);
      else {
        const kind = token.toUpperCase();
        board.set(`${file}${"abcdefghi"[rank]}`, { kind, owner: token === kind ? 0 : 1 });
        file -= 1;
      }
    }
  });
  const hands: Record<string, number>[] = [{}, {}];
  for (const [, count, letter] of hand.matchAll(/(\d*)([a-zA-Z])/g)) {
    const kind = letter!.toUpperCase();
    hands[letter === kind ? 0 : 1]![kind] = Number(count || 1);
  }
  return { board, hands };
}

/** A shogi board with both hands. Tap a piece or a piece in hand, then its target. */
export function ShogiBoard({ view, past, bottom, hint, onMove }: Props) {
  const [from, setFrom] = useState<string | null>(null);
  const [choices, setChoices] = useState<string[]>([]);
  const [focus, setFocus] = useState("5i");
  const { board, hands } = parseSfen(past?.position ?? view.position!);
  const legal = past ? [] : view.legal.map((each) => each.text);
  const last = past ? past.last : (view.moves.at(-1)?.text ?? null);
  const targets = new Set(legal.filter((text) => from && text.startsWith(from)).map((text) => text.slice(2, 4)));
  const finish = (move: string | null) => {
    setChoices([]);
    setFrom(null);
    if (move) onMove(move);
  };
  const choose = (square: string) => {
    setChoices([]);
    if (from && targets.has(square)) {
      const found = legal.filter((text) => text.slice(0, 4) === from + square);
      return found.length > 1 ? setChoices(found) : finish(found[0]!);
    }
    setFrom(legal.some((text) => text.startsWith(square)) && square !== from ? square : null);
  };
  const files = bottom === 0 ? [9, 8, 7, 6, 5, 4, 3, 2, 1] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const ranks = bottom === 0 ? [..."abcdefghi"] : [..."ihgfedcba"];
  const step = (event: KeyboardEvent) => {
    const file = files.indexOf(Number(focus[0]));
    const rank = ranks.indexOf(focus[1]!);
    const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const by = moves[event.key];
    if (by) {
      event.preventDefault();
      const next = `${files[Math.min(8, Math.max(0, file + by[0]))]}${ranks[Math.min(8, Math.max(0, rank + by[1]))]}`;
      setFocus(next);
      (event.currentTarget as Element).closest("svg")?.querySelector<SVGElement>(`[data-square="${next}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(focus);
    }
  };
  const hand = (owner: number) => (
    <Hand
      pieces={hands[owner]!}
      owner={owner}
      name={view.sides[owner]!}
      turned={owner !== bottom}
      chosen={from}
      canDrop={(kind) => owner === view.you && legal.some((text) => text.startsWith(`${kind}*`))}
      onChoose={(kind) => setFrom(from === `${kind}*` ? null : `${kind}*`)}
    />
  );
  return (
    <div class="with-choice shogi">
      {hand(1 - bottom)}
      <svg class="grid-board shogi-board" viewBox="0 0 96 106" role="group" aria-label="Board. Arrow keys move, Enter chooses a piece, then its target.">
        <rect class="wood" width="96" height="106" rx="1.5" />
        {files.map((file, column) => (
          <text key={file} class="label" x={7 + column * CELL_X} y="3.6">
            {file}
          </text>
        ))}
        {ranks.map((rank, row) => (
          <text key={rank} class="label" x="94" y={11 + row * CELL_Y}>
            {rank}
          </text>
        ))}
        {ranks.flatMap((rank, row) =>
          files.map((file, column) => {
            const square = `${file}${rank}`;
            const piece = board.get(square);
            const lit = last !== null && (last.slice(2, 4) === square || last.slice(0, 2) === square);
            const hinted = hint && !past && (hint.move.text.slice(2, 4) === square || hint.move.text.slice(0, 2) === square);
            const kind = ["cell", lit ? "last" : "", from === square ? "chosen" : "", targets.has(square) ? "active" : "", hinted ? "hint" : ""].join(" ");
            const x = 2 + column * CELL_X;
            const y = 5 + row * CELL_Y;
            return (
              <g
                key={square}
                class={kind}
                data-square={square}
                role="button"
                aria-label={`${square} ${piece ? `${view.sides[piece.owner]} ${pieceName(piece.kind)}` : "empty"}`}
                tabindex={focus === square ? 0 : -1}
                onClick={() => (setFocus(square), choose(square))}
                onKeyDown={step}
              >
                <rect x={x} y={y} width={CELL_X} height={CELL_Y} />
                {piece && <PieceShape piece={piece} turned={piece.owner !== bottom} x={x + CELL_X / 2} y={y + CELL_Y / 2} />}
                {targets.has(square) && !piece && <circle class="target" cx={x + CELL_X / 2} cy={y + CELL_Y / 2} r="1.4" />}
              </g>
            );
          }),
        )}
      </svg>
      {hand(bottom)}
      {choices.length > 0 && (
        <div class="choice-box" role="dialog" aria-label="Promote?">
          <button autofocus onClick={() => finish(choices.find((text) => text.endsWith("+")) ?? null)}>
            Promote
          </button>
          <button onClick={() => finish(choices.find((text) => !text.endsWith("+")) ?? null)}>Do not promote</button>
          <button class="quiet" onClick={() => finish(null)}>
            Cancel
          </button>
        </div>
      )}
    </div>
  );
}

const pieceName = (kind: string) => `${kind.startsWith("+") ? "promoted " : ""}${NAMES[kind.slice(-1)]}`;

function PieceShape({ piece, turned, x, y }: { piece: ShogiPiece; turned: boolean; x: number; y: number }) {
  const glyph = KANJI[piece.kind]!;
  return (
    <g class="shogi-piece" transform={`translate(${x} ${y})${turned ? " rotate(180)" : ""}`}>
      <path class="wedge" d="M0 -4.8L3.1 -3.5L4.2 4.6H-4.2L-3.1 -3.5Z" />
      <path class={piece.kind.startsWith("+") ? "kanji promoted" : "kanji"} d={glyph.path} transform="translate(0 0.4) scale(0.58)" />
    </g>
  );
}

function Hand(props: {
  pieces: Record<string, number>;
  owner: number;
  name: string;
  turned: boolean;
  chosen: string | null;
  canDrop: (kind: string) => boolean;
  onChoose: (kind: string) => void;
}) {
  const held = HAND.filter((kind) => props.pieces[kind]);
  return (
    <div class="hand" role="group" aria-label={`${props.name}'s pieces in hand`}>
      {held.length === 0 && <span class="about">no pieces in hand</span>}
      {held.map((kind) => (
        <button
          key={kind}
          class={props.chosen === `${kind}*` ? "chosen" : ""}
          disabled={!props.canDrop(kind)}
          aria-label={`${props.pieces[kind]} ${NAMES[kind]}`}
          onClick={() => props.onChoose(kind)}
        >
          <svg viewBox="-5 -5.5 10 11" width="30" height="33" aria-hidden="true">
            <PieceShape piece={{ kind, owner: props.owner }} turned={props.turned} x={0} y={0} />
          </svg>
          <span aria-hidden="true">{props.pieces[kind]! > 1 ? props.pieces[kind] : ""}</span>
        </button>
      ))}
    </div>
  );
}
