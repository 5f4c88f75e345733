// Chess pieces besides chessground's own: plain shapes and letters, drawn here, as rules of a style sheet.
import { setting } from "../settings";

export const chessPieces = setting("chess-pieces", ["classic", "plain", "letters"]);

const SHAPES: Record<string, string> = {
  pawn: "M22.5 9a6.5 6.5 0 0 1 4 11.600L30 35H15l3.5-14.400A6.5 6.5 0 0 1 22.5 9z",
  knight: "M13 35c0-9 9-11 8-18l-7 5-5-4 7-10 1-4 5 3c9 1 13 11 12 28z",
  bishop: "M22.5 4c6 5 11 13 4 19l4 12h-16l4-12c-7-6-2-14 4-19z",
  rook: "M11 8h5v4h4V8h5v4h4V8h5v9l-3 3 2 15H12l2-15-3-3z",
  queen: "M11 35 7 13l8.5 9L17 7l5.5 14L28 7l1.5 15L38 13l-4 22z",
  king: "M20.8 4h3.400v4h4v3.400h-4V17c9-5 16 4 9 18H12C5 21 12 12 20.8 17v-5.600h-4V8h4z",
};
const LETTERS: Record<string, string> = { pawn: "P", knight: "N", bishop: "B", rook: "R", queen: "Q", king: "K" };

function picture(role: string, colour: string): string {
  const white = colour === "white";
  const [fill, line] = white ? ["#ffffff", "#24211c"] : ["#2c2a27", "#0d0c0b"];
  const shape =
    chessPieces.value === "plain"
      ? `<path d='${SHAPES[role]} M10 36.500h25v4H10z' fill='${fill}' stroke='${line}' stroke-width='1.5' stroke-linejoin='round'/>`
      : `<circle cx='22.5' cy='22.5' r='17' fill='${fill}' stroke='${line}' stroke-width='1.5'/><text x='22.5' y='30.5' font-family='sans-serif' font-weight='700' font-size='23' text-anchor='middle' fill='${white ? "#24211c" : "#ffffff"}'>${LETTERS[role]}</text>`;
  return `url("data:image/svg+xml,${encodeURIComponent(`<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 45 45'>${shape}</svg>`)}")`;
}

const sheet = document.createElement("style");
document.head.append(sheet);
chessPieces.subscribe((set) => {
  const rules = Object.keys(SHAPES).flatMap((role) => ["white", "black"].map((colour) => `.cg-wrap piece.${role}.${colour}{background-image:${picture(role, colour)}}`));
  sheet.textContent = set === "classic" ? "" : rules.join("\n");
});
