// How people number the moves of a game.
import { offerOf } from "./offers";

/** Plies that have one number: a move of each side, with its sense where a turn has one; one where each ply is numbered. */
function pliesOfANumber(game: string): number {
  const offer = offerOf(game);
  if (!offer || offer.numbers_plies) return 1;
  return offer.senses ? 4 : 2;
}

/** The number of moves as people count them, of a game with so many plies. */
export const movesIn = (game: string, plies: number) => Math.ceil(plies / pliesOfANumber(game));

/** The number in front of a move: 27. and 27… in chess, 53. in shogi. `ply` is the number of plies before it. */
export function moveNumber(game: string, ply: number): string {
  const plies = pliesOfANumber(game);
  return `${Math.floor(ply / plies) + 1}${ply % plies < Math.ceil(plies / 2) ? "." : "…"}`;
}
