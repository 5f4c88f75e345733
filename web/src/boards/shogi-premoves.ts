// Where a shogi piece could go after the opponent's move, whatever that is: other pieces are not looked at.
import type { Key, Piece, Pieces } from "shogiground/types";

const FILES = [..."987654321"];
const RANKS = [..."abcdefghi"];
type Step = [number, number];
const FORWARD: Step = [0, -1];
const GOLD: Step[] = [[-1, -1], FORWARD, [1, -1], [-1, 0], [1, 0], [0, 1]];
const STRAIGHT: Step[] = [[0, -1], [0, 1], [-1, 0], [1, 0]];
const SLANTED: Step[] = [[-1, -1], [1, -1], [-1, 1], [1, 1]];

/** Single steps and long lines of a role, for the side that plays upwards. */
export const MOVES: Record<string, { steps: Step[]; lines: Step[] }> = {
  pawn: { steps: [FORWARD], lines: [] },
  lance: { steps: [], lines: [FORWARD] },
  knight: { steps: [[-1, -2], [1, -2]], lines: [] },
  silver: { steps: [FORWARD, ...SLANTED], lines: [] },
  gold: { steps: GOLD, lines: [] },
  tokin: { steps: GOLD, lines: [] },
  promotedlance: { steps: GOLD, lines: [] },
  promotedknight: { steps: GOLD, lines: [] },
  promotedsilver: { steps: GOLD, lines: [] },
  bishop: { steps: [], lines: SLANTED },
  rook: { steps: [], lines: STRAIGHT },
  horse: { steps: STRAIGHT, lines: SLANTED },
  dragon: { steps: SLANTED, lines: STRAIGHT },
  king: { steps: [...STRAIGHT, ...SLANTED], lines: [] },
};

/** Squares to which the piece on a square may be moved in advance. */
export function premoveTargets(from: Key, pieces: Pieces): Key[] {
  const piece = pieces.get(from);
  const { steps, lines } = MOVES[piece?.role ?? ""] ?? { steps: [], lines: [] };
  const sign = piece?.color === "gote" ? -1 : 1;
  const reached: Key[] = [];
  const add = ([right, down]: Step, length: number) => {
    const square = FILES[FILES.indexOf(from[0]!) + sign * length * right];
    const rank = RANKS[RANKS.indexOf(from[1]!) + sign * length * down];
    if (square && rank) reached.push(`${square}${rank}` as Key);
  };
  for (const step of steps) add(step, 1);
  for (const line of lines) for (let length = 1; length < 9; length++) add(line, length);
  return reached;
}

/** Squares on which a piece of the hand may be dropped in advance: where it could still move. */
export function predropTargets(piece: Piece): Key[] {
  const closed = piece.role === "knight" ? 2 : piece.role === "pawn" || piece.role === "lance" ? 1 : 0;
  const ranks = piece.color === "sente" ? RANKS.slice(closed) : RANKS.slice(0, 9 - closed);
  return FILES.flatMap((file) => ranks.map((rank) => `${file}${rank}` as Key));
}
