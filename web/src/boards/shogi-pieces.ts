// Pictures of shogi pieces, as rules of a style sheet: signs (kanji) or letters.
import { word } from "../text";
import { KANJI } from "./kanji";
import { MOVES } from "./shogi-premoves";

export const PIECE_SETS = ["kanji", "dark", "letters", "moves"] as const;
export type PieceSet = (typeof PIECE_SETS)[number];

export const ROLES: Record<string, string> = {
  P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook", K: "king",
  "+P": "tokin", "+L": "promotedlance", "+N": "promotedknight", "+S": "promotedsilver", "+B": "horse", "+R": "dragon",
};
export const LETTERS = Object.fromEntries(Object.entries(ROLES).map(([letter, role]) => [role, letter]));
const PROMOTED: Record<string, string> = { pawn: "tokin", lance: "promotedlance", knight: "promotedknight", silver: "promotedsilver", bishop: "horse", rook: "dragon" };

const WORDS: Record<string, string> = {
  pawn: word("shogi|pawn"), lance: word("shogi|lance"), knight: word("shogi|knight"), silver: word("shogi|silver"), gold: word("shogi|gold"), bishop: word("shogi|bishop"), rook: word("shogi|rook"), king: word("shogi|king"),
  tokin: word("shogi|tokin"), promotedlance: word("shogi|promoted lance"), promotedknight: word("shogi|promoted knight"), promotedsilver: word("shogi|promoted silver"), horse: word("shogi|horse"), dragon: word("shogi|dragon"),
};
/** The template of a piece's name. */
export const roleWord = (role: string) => WORDS[role]!;

export const promotesTo = (role: string) => PROMOTED[role];
export const unpromotesTo = (role: string) => Object.keys(PROMOTED).find((each) => PROMOTED[each] === role);
export const fromForsyth = (letter: string) => ROLES[letter.toUpperCase()];
export const toForsyth = (role: string) => LETTERS[role];

/** Dots where a piece steps to, and lines along which it goes far. */
function moveMarks(role: string): string {
  const { steps, lines } = MOVES[role]!;
  const dots = steps.map(([right, down]) => `<circle cx='${2.5 * right}' cy='${0.7 + (Math.abs(down) === 2 ? -3.7 : 2.6 * down)}' r='0.5' fill='#2c6f9f'/>`);
  const rays = lines.map(([right, down]) => `<path d='M${1.9 * right} ${0.7 + 2 * down}L${2.9 * right} ${0.7 + 3.3 * down}' stroke='#2c6f9f' stroke-width='0.7' stroke-linecap='round'/>`);
  return [...dots, ...rays].join("");
}

function picture(letter: string, set: PieceSet, turned: boolean): string {
  const promoted = letter.startsWith("+");
  const dark = set === "dark";
  const ink = dark ? (promoted ? "#ff9d7a" : "#f3dfae") : promoted ? "#b01f1f" : "#1b1b1b";
  const sign =
    set === "kanji" || dark
      ? `<path fill='${ink}' transform='translate(0 0.5) scale(0.6)' d='${KANJI[letter]!.path}'/>`
      : set === "moves"
        ? `<path fill='${ink}' transform='translate(0 0.7) scale(0.34)' d='${KANJI[letter]!.path}'/>${moveMarks(ROLES[letter]!)}`
        : `<text x='0' y='2.7' font-family='sans-serif' font-weight='700' font-size='${promoted ? 5 : 6}' text-anchor='middle' fill='${ink}'>${letter}</text>`;
  const shape = `<path d='M0 -4.9L3.2 -3.6L4.3 4.7H-4.3L-3.2 -3.6Z' fill='${dark ? "#4b3423" : "#fcebc4"}' stroke='${dark ? "#1f140c" : "#6b4a1e"}' stroke-width='0.28'/>`;
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='-5 -5.45 10 10.9'><g${turned ? " transform='rotate(180)'" : ""}>${shape}${sign}</g></svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(svg)}")`;
}

/** The style sheet of a piece set. A piece points away from its owner, whichever side is below. */
export function pieceStyles(set: PieceSet): string {
  return Object.entries(ROLES)
    .flatMap(([letter, role]) => {
      const upright = `background-image:${picture(letter, set, false)}`;
      const turned = `background-image:${picture(letter, set, true)}`;
      return [
        `.orientation-sente piece.sente.${role},.orientation-gote piece.gote.${role}{${upright}}`,
        `.orientation-sente piece.gote.${role},.orientation-gote piece.sente.${role}{${turned}}`,
      ];
    })
    .join("\n");
}
