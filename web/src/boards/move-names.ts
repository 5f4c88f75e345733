// Moves as people write them: the server's names, and in Japanese kanji for shogi.
import { language } from "../text";

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
  return game === "shogi" && language.value === "ja" ? kanjiMove(move, before) : move.name;
}

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
