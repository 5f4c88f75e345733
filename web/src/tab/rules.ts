// The games of a tab: their states in the core, names of moves, boards to draw, and what else only one game has.
import type { BoardView } from "../api";
import type { Text } from "../text";
import type { ChessState, Core, GoState, State } from "./core";
import { plain, sentence } from "./sentences";

type Options = Record<string, string | number | boolean>;
type Cells = BoardView["cells"];

export interface Rules {
  native: string;
  initial(core: Core, options: Options): State;
  parse(core: Core, text: string): State;
  /** A legal move as people write it. */
  moveName(state: State, move: number): string;
  board(state: State, before: State | null): BoardView;
  facts(state: State, options: Options): Text[];
  /** Why the player to move may claim a draw; empty if not. */
  claim(state: State): string;
  inCheck(state: State): boolean;
  /** Whether a player can still win, for a flag that falls. */
  canWin(state: State, player: number): boolean;
  /** Moves since the beginning of the game, also where play began from a later position. */
  ply(state: State): number;
  /** Options of the search that differ from the usual ones. */
  search: { repetition_draws?: boolean; find_immediate_wins?: boolean };
  /** Whether players prefer proven wins after a search. */
  proven: boolean;
}

const grid = (height: number, width: number): Cells => Array.from({ length: height }, () => Array.from({ length: width }, () => null));

const piece = (symbol: string, owner: number, label = "", accent = false) => ({ symbol, owner, label, accent });

const FILES = "abcdefgh";
const EIGHT = { columns: [...FILES], rows: [..."87654321"], stars: [], above: "", below: "" };

function usual(native: string): Rules {
  return {
    native,
    initial: (core) => core[`${native}State`]!.initial(),
    parse: (core, text) => core[`${native}State`]!.parse(text),
    moveName: (state, move) => state.moveText(move),
    board: () => ({ ...EIGHT, style: "checkered", cells: grid(8, 8), highlights: [] }),
    facts: () => [],
    claim: () => "",
    inCheck: () => false,
    canWin: () => true,
    ply: (state) => state.ply(),
    search: {},
    proven: true,
  };
}

// Chess.

const chessRow = (row: string): Cells[number] =>
  [...row].flatMap((letter) => (/\d/.test(letter) ? Array.from({ length: Number(letter) }, () => null) : [piece(letter, letter === letter.toUpperCase() ? 0 : 1)]));

/** The pieces of a FEN by square: 0 is a1. */
function chessPieces(fen: string): (string | undefined)[] {
  const rows = fen.split(" ")[0]!.split("/").map(chessRow);
  return Array.from({ length: 64 }, (_, square) => rows[7 - (square >> 3)]![square & 7]?.symbol);
}

export const squareName = (square: number) => FILES[square & 7]! + ((square >> 3) + 1);

/** A legal move in SAN, such as Nf3. */
function san(state: State, move: number): string {
  const [source, target] = [(move >> 6) & 63, move & 63];
  const pieces = chessPieces(state.text());
  const kind = pieces[source]?.toUpperCase();
  const after = state.play(move) as ChessState;
  const suffix = after.reason() === "checkmate" ? "#" : after.inCheck() ? "+" : "";
  after.delete();
  if (kind === "K" && Math.abs(source - target) === 2) return (target > source ? "O-O" : "O-O-O") + suffix;
  const file = FILES[source & 7]!;
  if (kind === "P") {
    const promoted = move >> 12 ? `=${" NBRQ"[move >> 12]}` : "";
    return ((source & 7) !== (target & 7) ? `${file}x` : "") + squareName(target) + promoted + suffix;
  }
  const rivals = Array.from(state.legalMoves()).filter((other) => (other & 63) === target && other !== move).map((other) => (other >> 6) & 63).filter((rival) => pieces[rival] === pieces[source]);
  let origin = "";
  if (rivals.length > 0) {
    const sameFile = rivals.some((rival) => (rival & 7) === (source & 7));
    const sameRank = rivals.some((rival) => rival >> 3 === source >> 3);
    origin = (sameRank || !sameFile ? file : "") + (sameFile ? String((source >> 3) + 1) : "");
  }
  return `${kind}${origin}${pieces[target] === undefined ? "" : "x"}${squareName(target)}${suffix}`;
}

/** Whether a side has more than a lone king and minor pieces that cannot mate, as python-chess counts. */
function canMate(fen: string, player: number): boolean {
  const letters = fen.split(" ")[0]!.replace(/[\d/]/g, "");
  const own = [...letters].filter((letter) => (letter === letter.toUpperCase()) === (player === 0)).map((letter) => letter.toLowerCase());
  const other = [...letters].filter((letter) => (letter === letter.toUpperCase()) !== (player === 0)).map((letter) => letter.toLowerCase());
  if (own.some((letter) => "prq".includes(letter))) return true;
  if (own.includes("n")) return own.length > 2 || other.some((letter) => "rnbp".includes(letter));
  if (own.includes("b")) return own.length > 2 || other.some((letter) => "np".includes(letter));
  return false;
}

/** The pieces of a FEN, and the squares of the last move. */
function chessBoard(fen: string, last: number): BoardView {
  const squares = last < 0 ? [] : [(last >> 6) & 63, last & 63];
  const highlights = squares.map((square) => [7 - (square >> 3), square & 7] as [number, number]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { ...EIGHT, style: "checkered", cells: fen.split(" ")[0]!.split("/").map(chessRow), highlights };
}

const chess: Rules = {
  ...usual("Chess"),
  initial: (core) => (core.ChessState as unknown as { initial(claim: boolean): State }).initial(false),
  parse: (core, text) => core.ChessState!.parseRules(text, false),
  moveName: san,
  board: (state) => chessBoard(state.text(), state.lastMove()),
  claim: (state) => (state as ChessState).claimableDraw(),
  inCheck: (state) => (state as ChessState).inCheck(),
  canWin: (state, player) => canMate(state.text(), player),
  ply: (state) => 2 * (Number(state.text().split(" ").at(-1)) - 1) + state.toMove(),
};

// Blind chess. A turn is a sense and a move: senses have codes from 0x8000 on, 0 is the pass.

const rbc: Rules = {
  ...usual("Rbc"),
  board: (state) => {
    const last = state.lastMove();
    return chessBoard(state.text(), last > 0 && last < 0x8000 ? last : -1);
  },
};

/** The request that a text such as Nf3, exd5, e8=Q or O-O means, by the player's own pieces alone; null if none or several. */
function typedRequest(state: State, text: string): number | null {
  const castling = /^o-?o(-?o)?$/i.exec(text.replace(/0/g, "O"));
  const match = /^([KQRBN])?([a-h])?([1-8])?[x:-]?([a-h][1-8])=?([QRBNqrbn])?$/.exec(text.replace(/[+#!?\s]/g, ""));
  const pieces = chessPieces(state.text());
  const found = Array.from(state.legalMoves()).filter((move) => {
    const [source, target] = [(move >> 6) & 63, move & 63];
    const kind = pieces[source]?.toUpperCase();
    if (move === 0 || move >= 0x8000) return false;
    if (castling) return kind === "K" && target - source === (castling[1] ? -2 : 2);
    if (!match || squareName(target) !== match[4]) return false;
    const [, piece, file, rank, , promotion] = match;
    if ((file && FILES[source & 7] !== file) || (rank && (source >> 3) + 1 !== Number(rank))) return false;
    if (" NBRQ"[move >> 12] !== (promotion?.toUpperCase() ?? " ")) return false;
    return piece ? kind === piece : kind === "P" ? Boolean(file) || (source & 7) === (target & 7) : Boolean(file && rank);
  });
  return found.length === 1 ? found[0]! : null;
}

/** The pieces that are certain, and `?` where possible boards differ, by squares from a1. */
export function knownBoard(known: (string | null)[]): BoardView {
  const cells = grid(8, 8);
  known.forEach((letter, square) => {
    if (letter) cells[7 - (square >> 3)]![square & 7] = piece(letter, letter === "?" ? -1 : Number(letter !== letter.toUpperCase()));
  });
  return { ...EIGHT, style: "checkered", cells, highlights: [] };
}

// Go.

const COLUMNS = "ABCDEFGHJKLMNOPQRST";

interface RuleSet {
  title: string;
  ko: string;
  suicide: boolean;
  scoring: string;
  tax: string;
  komi: number;
  /** Handicap stones without compensation; null for no compensation. */
  free: number | null;
}

/** Rule sets of the page, as in `sparring.go.game`. */
const RULE_SETS: Record<string, RuleSet> = {
  chinese: { title: "Chinese", ko: "simple", suicide: false, scoring: "area", tax: "none", komi: 7.5, free: 0 },
  japanese: { title: "Japanese", ko: "simple", suicide: false, scoring: "territory", tax: "seki", komi: 6.5, free: null },
  aga: { title: "AGA", ko: "situational", suicide: false, scoring: "area", tax: "none", komi: 7.5, free: 1 },
  "new-zealand": { title: "New Zealand", ko: "situational", suicide: true, scoring: "area", tax: "none", komi: 7, free: null },
  "tromp-taylor": { title: "Tromp-Taylor", ko: "positional", suicide: true, scoring: "area", tax: "none", komi: 7.5, free: null },
};

function goStars(size: number): [number, number][] {
  const edge = size >= 13 ? 3 : 2;
  const corners = size >= 7 ? [edge, size - 1 - edge] : [];
  const middle = size % 2 ? [(size - 1) / 2] : [];
  const lines = size >= 15 ? [...corners, ...middle] : corners;
  const stars = new Map<string, [number, number]>();
  for (const row of lines) for (const column of lines) stars.set(`${row},${column}`, [row, column]);
  for (const row of middle) stars.set(`${row},${row}`, [row, row]);
  return [...stars.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

const go: Rules = {
  ...usual("Go"),
  initial: (core, options) => {
    const size = Number(options.size ?? 19);
    const handicap = Number(options.handicap ?? 0);
    const rules = RULE_SETS[String(options.rules ?? "")];
    const bonus = rules && rules.free !== null ? Math.max(handicap - rules.free, 0) : 0;
    const komi = Number(options.komi ?? (handicap ? 0.5 : (rules?.komi ?? 7.5))) + bonus;
    const { ko, suicide, scoring, tax } = rules ?? { ko: "positional", suicide: false, scoring: "area", tax: "none" };
    return core.GoState!.initial(size, komi, ko, suicide, scoring, tax, handicap);
  },
  board: (state) => {
    const size = (state as GoState).size();
    const cells = grid(size, size);
    (state as GoState).stones().forEach((stone, point) => {
      if (stone) cells[size - 1 - Math.floor(point / size)]![point % size] = piece(stone === 1 ? "X" : "O", stone - 1);
    });
    const last = state.lastMove();
    const [, black, white] = (state as GoState).facts();
    return {
      style: "points",
      columns: [...COLUMNS.slice(0, size)],
      rows: Array.from({ length: size }, (_, row) => String(size - row)),
      cells,
      highlights: last < 0 || last === size * size ? [] : [[size - 1 - Math.floor(last / size), last % size]],
      stars: goStars(size),
      above: "",
      below: `prisoners: Black ${black}, White ${white}${last === size * size ? "; passed" : ""}`,
    };
  },
  facts: (state, options) => {
    const [komi, black, white] = (state as GoState).facts();
    const rules = RULE_SETS[String(options.rules ?? "")];
    return [
      sentence("Prisoners: Black {black}, White {white}.", { black: black!, white: white! }),
      sentence("Komi {komi}.", { komi: komi! }),
      ...(rules ? [sentence("{rules} rules.", { rules: sentence(rules.title) })] : []),
      ...(options.handicap ? [sentence("{stones} handicap stones.", { stones: Number(options.handicap) })] : []),
    ];
  },
  search: { find_immediate_wins: false, repetition_draws: false },
  proven: false,
};

// Shogi.

const RANKS = "abcdefghi";
const shogiTokens = (row: string) => row.match(/\d|\+?[A-Za-z]/g) ?? [];

/** The pieces of an SFEN by square, such as 7g. */
export function shogiPieces(sfen: string): Map<string, string> {
  const board = new Map<string, string>();
  sfen.split(" ")[0]!.split("/").forEach((row, rank) => {
    let file = 9;
    for (const token of shogiTokens(row)) {
      if (/\d/.test(token)) file -= Number(token);
      else board.set(`${file--}${RANKS[rank]}`, token);
    }
  });
  return board;
}

interface ShogiParts {
  piece: string;
  source: string | null;
  target: string;
  promotes: boolean;
}

function shogiParts(usi: string, pieces: Map<string, string>): ShogiParts | null {
  const drop = /^([A-Z])\*(..)$/.exec(usi);
  if (drop) return { piece: drop[1]!, source: null, target: drop[2]!, promotes: false };
  const match = /^(..)(..)(\+?)$/.exec(usi);
  return match && { piece: (pieces.get(match[1]!) ?? "").toUpperCase(), source: match[1]!, target: match[2]!, promotes: match[3] === "+" };
}

/** A legal move as in English books: P-7f, Bx2b+, G6i-5h where two could go, P*5e for a drop. */
function western(state: State, move: number): string {
  const usi = state.moveText(move);
  const pieces = shogiPieces(state.text());
  const parts = shogiParts(usi, pieces);
  if (parts === null) return usi;
  if (parts.source === null) return `${parts.piece}*${parts.target}`;
  const others = Array.from(state.legalMoves(), (other) => shogiParts(state.moveText(other), pieces)).filter((other) => other?.piece === parts.piece && other.target === parts.target);
  const source = others.some((other) => other!.source !== parts.source && other!.source !== null) ? parts.source : "";
  const choice = new Set(others.filter((other) => other!.source === parts.source).map((other) => other!.promotes));
  return `${parts.piece}${source}${pieces.has(parts.target) ? "x" : "-"}${parts.target}${parts.promotes ? "+" : choice.size > 1 ? "=" : ""}`;
}

function shogiHand(text: string, owner: number): string {
  const held = (text.match(/\d*[A-Za-z]/g) ?? []).filter((each) => (each.at(-1)! === each.at(-1)!.toLowerCase()) === (owner === 1));
  return held.map((each) => each.at(-1)! + (each.length > 1 ? each.slice(0, -1) : "")).join(" ") || "none";
}

const shogi: Rules = {
  ...usual("Shogi"),
  moveName: western,
  board: (state, before) => {
    const [rows, , hands] = state.text().split(" ");
    const last = state.lastMove();
    const squares = before === null || last < 0 ? [] : (before.moveText(last).match(/\d[a-i]/g) ?? []);
    return {
      style: "grid",
      columns: [..."987654321"],
      rows: [...RANKS],
      cells: rows!.split("/").map((row) => shogiTokens(row).flatMap((token) => (/\d/.test(token) ? Array.from({ length: Number(token) }, () => null) : [piece(token, token.at(-1)! === token.at(-1)!.toLowerCase() ? 1 : 0)]))),
      highlights: squares.map((square) => [RANKS.indexOf(square[1]!), 9 - Number(square[0])] as [number, number]),
      stars: [],
      above: `White's hand: ${shogiHand(hands!, 1)}`,
      below: `Black's hand: ${shogiHand(hands!, 0)}`,
    };
  },
  inCheck: (state) => (state as ChessState).inCheck(),
  ply: (state) => Number(state.text().split(" ").at(-1)) - 1,
};

// Breakthrough and Expendibots: squares whose text is rows of letters.

/** The squares that differ between two boards. */
function changed(cells: Cells, before: Cells | null): [number, number][] {
  const found: [number, number][] = [];
  cells.forEach((row, y) => row.forEach((cell, x) => before && cell?.symbol !== before[y]![x]?.symbol && found.push([y, x])));
  return found;
}

const letterRows = (text: string, of: (letter: string) => ReturnType<typeof piece>): Cells =>
  text.split(" ")[0]!.split("/").map((row) => [...row].flatMap((letter) => (/\d/.test(letter) ? Array.from({ length: Number(letter) }, () => null) : [of(letter)])));

function lettered(native: string, of: (letter: string) => ReturnType<typeof piece>): Rules {
  return {
    ...usual(native),
    board: (state, before) => {
      const cells = letterRows(state.text(), of);
      return { ...EIGHT, style: "checkered", cells, highlights: changed(cells, before && letterRows(before.text(), of)) };
    },
  };
}

const breakthrough = lettered("Breakthrough", (letter) => (letter === letter.toUpperCase() ? piece("W", 0) : piece("B", 1)));
const expendibots = lettered("Expendibots", (letter) => {
  const owner = letter === letter.toUpperCase() ? 0 : 1;
  const height = letter.toUpperCase().charCodeAt(0) - 64;
  return piece(`${"WB"[owner]}${height}`, owner, String(height));
});

export const RULES: Record<string, Rules> = { chess, rbc, go, shogi, breakthrough, expendibots };

/** The move that a text means: the protocol's text, or the name of a move as people type it. Null if there is none. */
export function typedMove(rules: Rules, state: State, text: string): number | null {
  const words = text.trim();
  const legal = Array.from(state.legalMoves());
  const exact = legal.find((move) => state.moveText(move).toLowerCase() === words.toLowerCase());
  if (exact !== undefined) return exact;
  if (rules.native === "Rbc") return typedRequest(state, words);
  const usual = (name: string) => name.replace(/0/g, "O").replace(/[+#!?=x\s-]/g, "");
  const wanted = usual(words.replace(/^\d+\.+\s*/, ""));
  const named = legal.filter((move) => usual(rules.moveName(state, move)) === wanted);
  if (named.length === 1) return named[0]!;
  const loose = legal.filter((move) => [rules.moveName(state, move), state.moveText(move)].some((name) => usual(name).toLowerCase() === wanted.toLowerCase()));
  if (loose.length === 1) return loose[0]!;
  const ends = legal.filter((move) => state.moveText(move).toLowerCase().endsWith(wanted.toLowerCase()) && wanted.length >= 2);
  return rules.native === "Breakthrough" && ends.length === 1 ? ends[0]! : null;
}

/** The reason of an end, for people. */
export const reasonText = (reason: string): Text => (reason ? sentence(reason) : plain(""));
