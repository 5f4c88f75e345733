// How people number the moves of a game.

/** Games in which a number stands for a move of each side. */
const PAIRED = new Set(["chess", "rbc"]);

/** The number of moves as people count them, of a game with so many plies. */
export const movesIn = (game: string, plies: number) => (PAIRED.has(game) ? Math.ceil(plies / 2) : plies);

/** The number in front of a move: 27. and 27… in chess, 53. in other games. `ply` is the number of plies before it. */
export function moveNumber(game: string, ply: number): string {
  return PAIRED.has(game) ? `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}` : `${ply + 1}.`;
}
