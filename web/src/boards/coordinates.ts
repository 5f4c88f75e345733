// Squares and moves in the notations of the protocols.
import { word } from "../text";

export interface FromTo {
  from: string;
  to: string;
  rest: string;
}

const FILES = [..."abcdefgh"];

/** The squares of a UCI-like move such as e2e4, e7e8q or b2b3; undefined for others. */
export function fromTo(text: string): FromTo | undefined {
  const found = /^([a-h][1-8])([a-h][1-8])(.*)$/.exec(text);
  return found ? { from: found[1]!, to: found[2]!, rest: found[3]! } : undefined;
}

/** Targets by source square. */
export function destinations(moves: { text: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { text } of moves) {
    const move = fromTo(text);
    if (!move) continue;
    const targets = found.get(move.from) ?? [];
    if (!targets.includes(move.to)) targets.push(move.to);
    found.set(move.from, targets);
  }
  return found;
}

/** The name of a square by its number from a1. */
export const squareName = (square: number) => `${FILES[square % 8]}${Math.floor(square / 8) + 1}`;

/** The number of a square from a1, by its name. */
export const squareNumber = (name: string) => FILES.indexOf(name[0]!) + 8 * (Number(name[1]) - 1);

/** The pieces of a FEN, as letters by square. */
export function fenPieces(fen: string): Map<string, string> {
  const found = new Map<string, string>();
  fen.split(" ")[0]!.split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else found.set(`${FILES[file++]}${8 - index}`, letter);
    }
  });
  return found;
}

/** Rows of a FEN from letters by square number; empty strings are empty squares. */
export function piecesFen(letters: string[]): string {
  return [7, 6, 5, 4, 3, 2, 1, 0]
    .map((rank) =>
      FILES.map((_, file) => letters[8 * rank + file] || "1")
        .join("")
        .replace(/1+/g, (run) => String(run.length)),
    )
    .join("/");
}

const NAMES: Record<string, string> = { p: word("pawn"), n: word("knight"), b: word("bishop"), r: word("rook"), q: word("queen"), k: word("king") };

/** Role and colour of a FEN letter, in chessground's words. */
export function chessPiece(letter: string): { role: string; color: "white" | "black" } {
  const small = letter.toLowerCase();
  return { role: NAMES[small]!, color: letter === small ? "black" : "white" };
}
