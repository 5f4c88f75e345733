import { useState } from "preact/hooks";
import type { BoardView } from "../api";
import { t } from "../text";

interface Props {
  board: BoardView;
  bottom: number;
  label: string;
  /** Names of squares that can be chosen now. */
  active?: Set<string>;
  chosen?: string | null;
  marks?: Map<string, string>;
  /** A square on which the piece of a move stands that waits for confirmation. */
  placed?: string | null;
  /** The player whose piece that is. */
  mover?: number;
  /** Points where the person may put a stone, and its owner. */
  playable?: { points: Set<string>; owner: number };
  /** Rows from the top: who will own each point, 1 for player 0 and -1 for player 1. */
  owners?: number[][] | null;
  /** Without it: a picture of a position. */
  onSquare?: (square: string) => void;
}

const CELL = 10;
/** Signs on a point: each has a form of its own, and they fit into each other. */
const MARKS: Record<string, (mark: string, x: number, y: number) => preact.JSX.Element> = {
  best: (mark, x, y) => <rect key={mark} class={`sign ${mark}`} x={x + 1.1} y={y + 1.1} width="7.8" height="7.8" stroke-width="0.9" />,
  people: (mark, x, y) => <circle key={mark} class={`sign ${mark}`} cx={x + 5} cy={y + 5} r="3.1" stroke-width="0.9" />,
  played: (mark, x, y) => <path key={mark} class={`sign ${mark}`} d={`M${x + 5} ${y + 3.3}l1.6 2.8h-3.2z`} stroke-width="0.8" />,
  pending: (mark, x, y) => <circle key={mark} class={`sign ${mark}`} cx={x + 5} cy={y + 5} r="3.6" stroke-width="0.9" />,
};
/** Ownership above which a point is marked, and above which it is called one side's. */
const SHOWN = 0.15;
const LIKELY = 0.5;
const STEPS: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Squares or points by SVG: Go, Expendibots and Breakthrough. Arrow keys move, Enter chooses. */
export function GridBoard(props: Props) {
  const { board, bottom, label, chosen, marks, playable, owners, onSquare } = props;
  const [focus, setFocus] = useState<[number, number]>([board.rows.length - 1, 0]);
  const points = board.style === "points";
  const rows = board.rows.length;
  const columns = board.columns.length;
  // Labels are on the left and below.
  const margin = onSquare ? 5 : points ? 1 : 0;
  const edge = onSquare ? 2 : margin;
  const turned = bottom === 1 && !points;
  const place = (row: number, column: number): [number, number] =>
    turned ? [rows - 1 - row, columns - 1 - column] : [row, column];
  const lit = new Set(board.highlights.map(([row, column]) => `${row},${column}`));
  const stars = new Set(board.stars.map(([row, column]) => `${row},${column}`));
  const name = (row: number, column: number) => `${board.columns[column]}${board.rows[row]}`;
  const step = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by) {
      event.preventDefault();
      event.stopPropagation();
      const sign = turned ? -1 : 1;
      const row = Math.min(rows - 1, Math.max(0, focus[0] + sign * by[0]));
      const column = Math.min(columns - 1, Math.max(0, focus[1] + sign * by[1]));
      setFocus([row, column]);
      (event.currentTarget as Element).closest("svg")?.querySelector<SVGElement>(`[data-square="${name(row, column)}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSquare?.(name(...focus));
    }
  };
  const width = columns * CELL + margin + edge;
  const height = rows * CELL + margin + edge;
  const slide = movedBy(board, place);
  const squares = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [r, c] = place(row, column);
      const x = margin + c * CELL;
      const y = edge + r * CELL;
      const piece = board.cells[row]![column];
      const square = name(row, column);
      const here = lit.has(`${row},${column}`);
      const active = props.active?.has(square) ?? false;
      const free = playable?.points.has(square) ?? false;
      const kind = [
        "cell",
        points ? "point" : (row + column) % 2 ? "dark" : "light",
        here ? "last" : "",
        active ? "active" : "",
        free ? "playable" : "",
        chosen === square ? "chosen" : "",
        marks?.get(square) ?? "",
      ].join(" ");
      const says = piece ? t("{side} {piece}", { side: [t("first"), t("second")][piece.owner] ?? "", piece: piece.label || piece.symbol }) : t("empty");
      const owner = owners?.[row]?.[column] ?? 0;
      const isOpen = !piece || (piece.owner === 0 ? owner < 0 : owner > 0); // a living stone needs no mark
      const whose = isOpen && Math.abs(owner) > LIKELY ? `, ${owner > 0 ? t("Black's point") : t("White's point")}` : "";
      const control = onSquare && {
        role: "button" as const,
        "aria-label": `${square} ${says}${whose}`,
        tabindex: focus[0] === row && focus[1] === column ? 0 : -1,
        onClick: () => (setFocus([row, column]), onSquare(square)),
        onKeyDown: step,
      };
      squares.push(
        <g key={square} class={kind} data-square={square} {...(control || {})}>
          <rect x={x} y={y} width={CELL} height={CELL} />
          {stars.has(`${row},${column}`) && !piece && <circle class="star" cx={x + 5} cy={y + 5} r="0.9" />}
          {free && !piece && <circle class={`ghost piece ${playable!.owner === 0 ? "black" : "white"}`} cx={x + 5} cy={y + 5} r="4.6" fill={playable!.owner === 0 ? "#1d1d1f" : "#fbfaf6"} />}
          {props.placed === square && (
            <g class="placed">
              <Piece symbol="" owner={props.mover ?? playable?.owner ?? 0} points={points} x={x} y={y} slide={null} />
            </g>
          )}
          {piece && <Piece key={`${piece.owner}${piece.label}${here}`} symbol={piece.label || piece.symbol} owner={piece.owner} points={points} x={x} y={y} slide={here ? slide : null} />}
          {here && points && piece && <circle class={`last-stone ${piece.owner === 0 ? "on-black" : "on-white"}`} cx={x + 5} cy={y + 5} r="2.3" />}
          {points && marks?.get(square)?.split(" ").map((mark) => MARKS[mark]?.(mark, x, y))}
          {marks?.get(square) === "dead" && <path class="cross" d={`M${x + 3} ${y + 3}l4 4m0 -4l-4 4`} />}
          {isOpen && Math.abs(owner) > SHOWN && <rect class={`owner ${owner > 0 ? "black" : "white"}`} x={x + 3.2} y={y + 3.2} width="3.6" height="3.6" opacity={Math.abs(owner)} />}
          {active && !piece && <circle class="target" cx={x + 5} cy={y + 5} r="1.6" />}
        </g>,
      );
    }
  }
  return (
    <svg class={`grid-board ${board.style} ${onSquare ? "live" : ""}`} viewBox={`0 0 ${width} ${height}`} role={onSquare ? "group" : "img"} aria-label={label}>
      <rect class="wood" width={width} height={height} rx="1.2" />
      {points && <path class="lines" d={lines(rows, columns, margin + 5, edge + 5)} />}
      {onSquare &&
        board.columns.map((text, column) => (
          <text key={text} class="label" x={10 + place(0, column)[1] * CELL} y={height - 1.5}>
            {text}
          </text>
        ))}
      {onSquare &&
        board.rows.map((text, row) => (
          <text key={text} class="label" x="2.5" y={edge + 6 + place(row, 0)[0] * CELL}>
            {text}
          </text>
        ))}
      {squares}
    </svg>
  );
}

/** How far the last piece moved, for its animation: from the empty one of two lit squares to the other. */
function movedBy(board: BoardView, place: (row: number, column: number) => [number, number]): [number, number] | null {
  if (board.highlights.length !== 2) return null;
  const [one, other] = board.highlights as [[number, number], [number, number]];
  const [from, to] = board.cells[one[0]]![one[1]] ? [other, one] : [one, other];
  const [r0, c0] = place(...from);
  const [r1, c1] = place(...to);
  return [(c0 - c1) * CELL, (r0 - r1) * CELL];
}

function lines(rows: number, columns: number, left: number, top: number): string {
  const across = Array.from({ length: rows }, (_, row) => `M${left} ${top + row * CELL}h${(columns - 1) * CELL}`);
  const down = Array.from({ length: columns }, (_, column) => `M${left + column * CELL} ${top}v${(rows - 1) * CELL}`);
  return across.concat(down).join("");
}

function Piece(props: { symbol: string; owner: number; points: boolean; x: number; y: number; slide: [number, number] | null }) {
  const { symbol, owner, points, x, y, slide } = props;
  // In Go player 0 is Black; elsewhere White.
  const dark = points ? owner === 0 : owner === 1;
  const number = /\d+$/.exec(symbol)?.[0];
  const radius = points ? 4.75 : 3.8;
  const motion = slide ? { style: { "--dx": `${slide[0]}px`, "--dy": `${slide[1]}px` } } : {};
  return (
    <g class={`piece ${dark ? "black" : "white"} ${slide ? "slide" : points ? "stone" : ""}`} {...motion}>
      <circle class="shade" cx={x + 5.25} cy={y + 5.4} r={radius} />
      <circle class="disc" cx={x + 5} cy={y + 5} r={radius} />
      {!points && <circle class="rim" cx={x + 5} cy={y + 5} r={radius - 0.8} />}
      {number && (
        <text x={x + 5} y={y + 6.4} class="count">
          {number}
        </text>
      )}
    </g>
  );
}
