// Captured pieces of chess, from the position alone.

const START: Record<string, number> = { p: 8, n: 2, b: 2, r: 2, q: 1 };
const WORTH: Record<string, number> = { p: 1, n: 3, b: 3, r: 5, q: 9 };

/** What a side has captured (roles of chessground, the least first), and by how much it is ahead. */
export function captured(fen: string, side: number): { roles: string[]; ahead: number } {
  const rows = fen.split(" ")[0]!;
  const count = (letter: string) => rows.split(letter).length - 1;
  const lost = (black: boolean, kind: string) => Math.max(0, START[kind]! - count(black ? kind : kind.toUpperCase()));
  const worth = (black: boolean) => Object.keys(WORTH).reduce((sum, kind) => sum + WORTH[kind]! * count(black ? kind : kind.toUpperCase()), 0);
  const enemyIsBlack = side === 0;
  const roles = Object.keys(START).flatMap((kind) => Array<string>(lost(enemyIsBlack, kind)).fill(kind));
  return { roles, ahead: worth(!enemyIsBlack) - worth(enemyIsBlack) };
}
