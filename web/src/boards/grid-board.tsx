import { useState } from "preact/hooks";
import type { BoardView } from "../api";

interface Props {
  board: BoardView;
  bottom: number;
  label: string;
  /** Names of squares that can be chosen now. */
  active: Set<string>;
  chosen?: string | null;
  marks?: Map<string, string>;
  onSquare: (square: string) => void;
}

const CELL = 10;

/** Squares or points by SVG: Go, Expendibots and Breakthrough. Arrow keys move, Enter chooses. */
export function GridBoard({ board, bottom, label, active, chosen, marks, onSquare }: Props) {
  const [focus, setFocus] = useState<[number, number]>([board.rows.length - 1, 0]);
  const points = board.style === "points";
  const rows = board.rows.length;
  const columns = board.columns.length;
  const turned = bottom === 1 && !points;
  const place = (row: number, column: number): [number, number] =>
    turned ? [rows - 1 - row, columns - 1 - column] : [row, column];
  const lit = new Set(board.highlights.map(([row, column]) => `${row},${column}`));
  const stars = new Set(board.stars.map(([row, column]) => `${row},${column}`));
  const name = (row: number, column: number) => `${board.columns[column]}${board.rows[row]}`;
  const step = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const by = steps[event.key];
    if (by) {
      event.preventDefault();
      const sign = turned ? -1 : 1;
      const row = Math.min(rows - 1, Math.max(0, focus[0] + sign * by[0]));
      const column = Math.min(columns - 1, Math.max(0, focus[1] + sign * by[1]));
      setFocus([row, column]);
      const board = (event.currentTarget as Element).closest("svg");
      board?.querySelector<SVGElement>(`[data-square="${name(row, column)}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSquare(name(...focus));
    }
  };
  const width = columns * CELL + 10;
  const height = rows * CELL + 10;
  const squares = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [r, c] = place(row, column);
      const x = 5 + c * CELL;
      const y = 5 + r * CELL;
      const piece = board.cells[row]![column];
      const square = name(row, column);
      const kind = [
        "cell",
        points ? "point" : (row + column) % 2 ? "dark" : "light",
        lit.has(`${row},${column}`) ? "last" : "",
        active.has(square) ? "active" : "",
        chosen === square ? "chosen" : "",
        marks?.get(square) ?? "",
      ].join(" ");
      const says = piece ? `${["first", "second"][piece.owner] ?? ""} ${piece.label || piece.symbol}` : "empty";
      squares.push(
        <g
          key={square}
          class={kind}
          data-square={square}
          role="button"
          aria-label={`${square} ${says}`}
          tabindex={focus[0] === row && focus[1] === column ? 0 : -1}
          onClick={() => (setFocus([row, column]), onSquare(square))}
          onKeyDown={step}
        >
          <rect x={x} y={y} width={CELL} height={CELL} />
          {stars.has(`${row},${column}`) && !piece && <circle class="star" cx={x + 5} cy={y + 5} r="1" />}
          {piece && <Piece symbol={piece.label || piece.symbol} owner={piece.owner} points={points} x={x} y={y} />}
          {lit.has(`${row},${column}`) && points && <circle class="last-stone" cx={x + 5} cy={y + 5} r="1.6" />}
          {marks?.get(square) === "dead" && <path class="cross" d={`M${x + 3} ${y + 3}l4 4m0 -4l-4 4`} />}
          {active.has(square) && !piece && <circle class="target" cx={x + 5} cy={y + 5} r="1.5" />}
        </g>,
      );
    }
  }
  return (
    <svg class={`grid-board ${board.style}`} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={label}>
      <rect class="wood" width={width} height={height} rx="1.5" />
      {points && <path class="lines" d={lines(rows, columns)} />}
      {board.columns.map((text, column) => (
        <text key={text} class="label" x={10 + place(0, column)[1] * CELL} y={height - 1.4}>
          {text}
        </text>
      ))}
      {board.rows.map((text, row) => (
        <text key={text} class="label" x="2.4" y={11 + place(row, 0)[0] * CELL}>
          {text}
        </text>
      ))}
      {squares}
    </svg>
  );
}

function lines(rows: number, columns: number): string {
  const across = Array.from({ length: rows }, (_, row) => `M10 ${10 + row * CELL}h${(columns - 1) * CELL}`);
  const down = Array.from({ length: columns }, (_, column) => `M${10 + column * CELL} 10v${(rows - 1) * CELL}`);
  return across.concat(down).join("");
}

function Piece({ symbol, owner, points, x, y }: { symbol: string; owner: number; points: boolean; x: number; y: number }) {
  // In Go player 0 is Black; elsewhere White.
  const dark = points ? owner === 0 : owner === 1;
  const number = /\d+$/.exec(symbol)?.[0];
  return (
    <g class={`piece ${dark ? "black" : "white"}`}>
      <circle cx={x + 5} cy={y + 5} r={points ? 4.7 : 3.9} />
      {number && (
        <text x={x + 5} y={y + 6.6} class="count">
          {number}
        </text>
      )}
    </g>
  );
}
