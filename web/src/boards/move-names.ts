// Moves as people write them: the server's names, in Japanese kanji for shogi, in German the letters of the pieces there.
import { computed } from "@preact/signals";
import { offerOf } from "../offers";
import { setting } from "../settings";
import { language, t } from "../text";

/** How moves and squares of shogi are written: as in the language, P-7f, or ７六歩. */
export const shogiNotation = setting("shogi-notation", ["language", "letters", "kanji"]);
/** Whether shogi is written in kanji. */
export const inKanji = computed(() => shogiNotation.value === "kanji" || (shogiNotation.value === "language" && language.value === "ja"));

const FILES = "１２３４５６７８９";
const RANKS = "一二三四五六七八九";
const PIECES: Record<string, string> = {
  P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉",
  "+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "龍",
};

interface Move {
  text: string;
  name: string;
}

/** The name of a move in the person's language. `before` is the move before it, as text. */
export function moveName(game: string, move: Move, before?: string | null): string {
  switch (offerOf(game)?.board) {
    case "shogiboard":
      return inKanji.value ? kanjiMove(move, before) : move.name;
    case "chessboard":
      return localSan(move.name);
    default:
      return move.name;
  }
}

/** The letters of knight, bishop, rook, queen and king in the person's language, as N, B, R, Q and K in English. */
const pieceLetters = () => t("chess|NBRQK");

/** A chess move in SAN with the letters of the person's language: Nf3 is Sf3 in German. Other texts stay as they are. */
function localSan(name: string): string {
  const letters = pieceLetters();
  if (letters === ENGLISH || !SAN.test(name)) return name;
  return name.replace(/[NBRQK]/g, (letter) => letters[ENGLISH.indexOf(letter)]!);
}

const ENGLISH = "NBRQK";
const SAN = /^([NBRQK][a-h1-8x]|[a-h].*=[NBRQ])/;

/** A typed move as the server reads it: a chess move with the letters of the person's language is turned into English. */
export function typedMove(game: string, typed: string): string {
  const letters = pieceLetters();
  if (offerOf(game)?.board !== "chessboard" || letters === ENGLISH) return typed;
  const english = (letter: string) => ENGLISH[letters.indexOf(letter.toUpperCase())] ?? letter;
  // A small letter that names a file is a pawn's: dxe5.
  return typed.replace(/^[A-Zi-z](?=[a-h]?[1-8]?x?[a-h][1-8])/, english).replace(/=([A-Za-z])/, (_, letter: string) => `=${english(letter)}`);
}

/** The name of a square of shogi: 7g, or 七 for its rank. */
export const shogiSquare = (square: string) => (inKanji.value ? `${FILES[Number(square[0]) - 1]}${RANKS["abcdefghi".indexOf(square[1]!)]}` : square);

/** A shogi move in kanji, such as ７六歩, 同銀成 or ５五歩打; the square it comes from where two pieces could go. */
export function kanjiMove({ text, name }: Move, before?: string | null): string {
  const target = text.slice(2, 4);
  const piece = PIECES[/^\+?[PLNSGBRK]/.exec(name)?.[0] ?? ""];
  if (!piece || !/^[1-9][a-i]$/.test(target)) return name;
  const place = before?.slice(2, 4) === target ? "同" : `${FILES[Number(target[0]) - 1]}${RANKS["abcdefghi".indexOf(target[1]!)]}`;
  if (text[1] === "*") return `${place}${piece}打`;
  const ending = text.endsWith("+") ? "成" : name.endsWith("=") ? "不成" : "";
  const origin = /^\+?[PLNSGBRK][1-9][a-i]/.test(name) ? `(${text[0]}${"abcdefghi".indexOf(text[1]!) + 1})` : "";
  return `${place}${piece}${ending}${origin}`;
}
