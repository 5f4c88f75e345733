// Games as files: PGN of chess, SGF of Go, CSA of shogi, as `sparring.records` and `sparring.server.pasted` read and write them
// (KIF is read too), and everything of a tab as one JSON file, to be read by another one.
import type { ReadView } from "../api";
import type { Text } from "../text";
import type { Core, GoState, State } from "./core";
import type { LiveGame, Settings, StoredGame } from "./live-game";
import { RULES, shogiPieces, typedMove, type Rules } from "./rules";
import { refuse, Refusal, sentence } from "./sentences";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const WIDTH = 80;

/** A game of chess as PGN. */
function pgn(game: LiveGame): string {
  const { settings, moves, end, states } = game;
  const [white, black] = names(game);
  const result = end === null ? "*" : end.score === 1 ? "1-0" : end.score === 0 ? "0-1" : "1/2-1/2";
  const ratings = [0, 1].map((side) => (side === settings.you ? settings.yourRating : (settings.opponent.level ?? settings.opponent.rating)));
  const elo = ratings.flatMap((rating, side): [string, string][] => (rating == null ? [] : [[side === 0 ? "WhiteElo" : "BlackElo", String(rating)]]));
  const start = states[0]!.text();
  const tags: [string, string][] = [
    ["Event", "A game in a tab"],
    ["Site", "?"],
    ["Date", day(game)],
    ["Round", "-"],
    ["White", white!],
    ["Black", black!],
    ["Result", result],
    ...elo,
    ...(start === START ? [] : ([["SetUp", "1"], ["FEN", start]] as [string, string][])),
  ];
  let number = Number(start.split(" ").at(-1));
  const words = moves.flatMap(({ name, player }, index) => {
    const shown = player === 0 ? [`${number}.`, name] : index === 0 ? [`${number}...`, name] : [name];
    if (player === 1) number += 1;
    return shown;
  });
  const lines = [""];
  for (const word of [...words, result]) {
    if (lines.at(-1)!.length + word.length >= WIDTH) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  const escaped = (text: string) => text.replace(/[\\"]/g, "\\$&");
  return `${tags.map(([tag, value]) => `[${tag} "${escaped(value)}"]`).join("\n")}\n\n${lines.join("\n")}\n`;
}


// Go and shogi as files.

/** A point of SGF; empty for a pass. */
const sgfPoint = (point: number, size: number) => (point === size * size ? "" : String.fromCharCode(97 + (point % size), 97 + size - 1 - Math.floor(point / size)));

/** A game of Go as SGF. */
function sgf(game: LiveGame): string {
  const { states, end } = game;
  const start = states[0] as GoState;
  const stones = start.stones();
  const size = start.size();
  const escaped = (text: string) => text.replace(/[\\\]]/g, "\\$&");
  const [black, white] = names(game);
  const how = { resignation: "R", time: "T" }[end?.reason ?? ""] ?? (end?.margin ? String(end.margin) : "");
  const result = end === null ? "" : end.score === 0.5 ? "0" : `${end.score === 1 ? "B" : "W"}+${how}`;
  const facts: [string, string][] = [
    ["GM", "1"], ["FF", "4"], ["CA", "UTF-8"], ["SZ", String(size)], ["KM", String(start.facts()[0])], ["RU", start.text().includes(" territory") ? "Japanese" : start.text().includes(" suicide") ? "NZ" : "Chinese"],
    ["HA", start.toMove() === 1 && stones.includes(1) && !stones.includes(2) ? String(stones.filter((stone) => stone === 1).length) : ""], ["PB", black!], ["PW", white!], ["RE", result], ["DT", day(game).replaceAll(".", "-")],
  ]; // prettier-ignore
  const placed = (colour: number) => Array.from(stones.keys()).filter((point) => stones[point] === colour).map((point) => `[${sgfPoint(point, size)}]`).join("");
  const setup = ["AB", "AW"].map((name, index) => (placed(index + 1) ? name + placed(index + 1) : "")).join("") + (start.toMove() === 1 ? "PL[W]" : "");
  const nodes = states.slice(1).map((state, index) => `;${"BW"[states[index]!.toMove()]}[${sgfPoint(state.lastMove(), size)}]`);
  return `(;${facts.filter(([, value]) => value).map(([name, value]) => `${name}[${escaped(value)}]`).join("")}${setup}${nodes.join("")})\n`;
}

const CSA_LETTERS: Record<string, string> = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R", OU: "K", TO: "+P", NY: "+L", NK: "+N", NG: "+S", UM: "+B", RY: "+R" };
const CSA_PIECES = Object.fromEntries(Object.entries(CSA_LETTERS).map(([name, letter]) => [letter, name]));
const CSA_ENDS: Record<string, string> = { resignation: "%TORYO", time: "%TIME_UP", checkmate: "%TSUMI", repetition: "%SENNICHITE", impasse: "%JISHOGI", declaration: "%KACHI" };
const csaSquare = (usi: string) => usi[0]! + ("abcdefghi".indexOf(usi[1]!) + 1);
const usiSquare = (csa: string) => csa[0]! + "abcdefghi"[Number(csa[1]) - 1];
const csaPiece = (piece: string) => (piece === piece.toUpperCase() ? "+" : "-") + CSA_PIECES[piece.toUpperCase()];
const SHOGI_START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/** A game of shogi as CSA 2.2. */
function csa(game: LiveGame): string {
  const { states, end } = game;
  const [black, white] = names(game);
  const [first] = states;
  const lines = ["V2.2", `N+${black}`, `N-${white}`, `$START_TIME:${day(game).replaceAll(".", "/")}`, ...csaPosition(first!.text())];
  states.slice(1).forEach((state, index) => {
    const before = states[index]!;
    const usi = before.moveText(state.lastMove());
    if (usi === "win") return void lines.push("%KACHI");
    const target = usi.slice(2, 4);
    const piece = shogiPieces(state.text()).get(target)!.toUpperCase();
    lines.push(`${"+-"[before.toMove()]}${usi[1] === "*" ? "00" : csaSquare(usi)}${csaSquare(target)}${CSA_PIECES[piece]}`);
  });
  const closing = end && (CSA_ENDS[end.reason] ?? (end.score === 0.5 ? "%HIKIWAKE" : "%CHUDAN"));
  if (closing && lines.at(-1) !== "%KACHI") lines.push(closing);
  return `${lines.join("\n")}\n/\n`;
}

/** The P statements of the first position, and the side to move. */
function csaPosition(sfen: string): string[] {
  const [, side, hands] = sfen.split(" ");
  const sign = side === "b" ? "+" : "-";
  if (sfen === SHOGI_START) return ["PI", sign];
  const pieces = shogiPieces(sfen);
  const onSquare = (square: string) => (pieces.has(square) ? csaPiece(pieces.get(square)!) : " * ");
  const rows = [..."abcdefghi"].map((rank, index) => `P${index + 1}${[..."987654321"].map((file) => onSquare(file + rank)).join("")}`);
  const held = Array.from(hands!.matchAll(/(\d*)([A-Za-z])/g), ([, count, piece]) => `P${csaPiece(piece!)[0]}${`00${csaPiece(piece!).slice(1)}`.repeat(Number(count || 1))}`);
  return [...rows, ...held, sign];
}

/** The position of P statements. Throws on statements that are none. */
function sfenOfCsa(statements: string[], sign: string): string {
  if (statements.every((text) => text === "PI")) return SHOGI_START.replace(" b ", sign === "+" ? " b " : " w ");
  const rows: string[] = [];
  const hands: Record<string, number> = {};
  for (const text of statements) {
    if (/^P[1-9]/.test(text)) {
      const squares = Array.from({ length: 9 }, (_, file) => text.slice(2 + 3 * file, 5 + 3 * file).trim());
      rows[Number(text[1]) - 1] = squares.map((square) => (square === "*" || square === "" ? "1" : square[0] === "+" ? CSA_LETTERS[square.slice(1)]! : CSA_LETTERS[square.slice(1)]!.toLowerCase())).join("").replace(/1+/g, (empty) => String(empty.length));
    } else
      for (const [, square, name] of text.slice(2).matchAll(/(\d\d)([A-Z]{2})/g)) {
        const letter = CSA_LETTERS[name!];
        if (square !== "00" || !letter) throw new Error(text);
        const piece = text[1] === "+" ? letter : letter.toLowerCase();
        hands[piece] = (hands[piece] ?? 0) + 1;
      }
  }
  const held = Object.entries(hands).map(([piece, count]) => (count > 1 ? String(count) : "") + piece).join("");
  return `${rows.join("/")} ${sign === "+" ? "b" : "w"} ${held || "-"} 1`;
}

// Writing.

const names = (game: LiveGame) => [0, 1].map((side) => (side === game.settings.you ? game.settings.yourName || "You" : game.opponentName().text));
const day = (game: LiveGame) => new Date(1000 * game.settings.created).toISOString().slice(0, 10).replaceAll("-", ".");

/** A game as a file of a format. */
export const written = (game: LiveGame, format: string): string => ({ pgn, sgf, csa })[format]!(game);

// Reading.

/** A game of a text. */
export interface Recorded {
  options: Settings["options"];
  /** The first position; null for the usual one. */
  position: string | null;
  /** Texts of moves as the core writes them. */
  moves: string[];
  players: [string, string];
  ratings: [string | null, string | null];
  /** 1-0, 0-1, 1/2-1/2 or *. */
  result: string;
  title: string;
}

interface ReadRecord {
  /** The legal part. */
  recorded: Recorded;
  /** What cannot be read; null for a whole game. */
  error: Text | null;
}

/** Formats of a text by what it looks like, the likeliest first; a list of moves is tried last. */
const PATTERNS: [string, string, RegExp][] = [
  ["go", "sgf", /^\s*\(\s*;/],
  ["shogi", "csa", /^(V\d|PI|P1|N[+-]|[+-]\d{4}[A-Z]{2})/m],
  ["shogi", "kif", /手合割|^手数|^\s*\d+\s+[１-９同]/m],
  ["chess", "pgn", /^\s*\[\w+\s+"|^\s*\d+\s*\./m],
];
const LISTS: Record<string, string> = { chess: "uci", shogi: "usi", go: "gtp", breakthrough: "moves", expendibots: "moves" };
const MOST_GAMES = 1000;

const empty = (): Recorded => ({ options: {}, position: null, moves: [], players: ["", ""], ratings: [null, null], result: "*", title: "" });

const firstState = (core: Core, rules: Rules, { position, options }: Recorded): State => (position === null ? rules.initial(core, options) : rules.parse(core, position));

/** The states of a game, from the first to the last. */
export function lineOf(core: Core, rules: Rules, recorded: Recorded): State[] {
  const states = [firstState(core, rules, recorded)];
  for (const text of recorded.moves) states.push(states.at(-1)!.play(states.at(-1)!.parseMove(text)));
  return states;
}

/** The sentence on a move that is not legal, numbered as people number the moves of the game. */
function illegal(rules: Rules, state: State, number: number, move: string) {
  if (rules.native !== "Chess" || Math.floor(rules.ply(state) / 2) + 1 !== number) return sentence("Move {number}, {move}, is not legal.", { number, move });
  return sentence("Move {number} of {side}, {move}, is not legal.", { number, side: ["White", "Black"][state.toMove()]!, move });
}

/** The game with the moves that `words` mean, up to the first one that is not legal. `numberOf` counts moves as the format
 * does. */
function played(core: Core, rules: Rules, recorded: Recorded, words: string[], meaning: (state: State, word: string) => number | null, numberOf = (_: State, index: number) => index + 1): ReadRecord {
  let state = firstState(core, rules, recorded);
  try {
    for (const [index, word] of words.entries()) {
      const move = state.reason() ? null : meaning(state, word);
      if (move === null) {
        const shown = illegal(rules, state, numberOf(state, index), word.slice(0, 40));
        return { recorded: { ...recorded, result: "*" }, error: sentence("{error} The game is read up to there.", { error: shown }) };
      }
      recorded.moves.push(state.moveText(move));
      const next = state.play(move);
      state.delete();
      state = next;
    }
    return { recorded, error: null };
  } finally {
    state.delete();
  }
}

type Reader = (core: Core, text: string, most: number) => ReadRecord[];

const wordsOf = (text: string) => text.replace(/\b\d{1,4}\.+/g, " ").split(/\s+/).filter(Boolean);
const titled = (...facts: (string | undefined)[]) => facts.filter((fact) => fact && !/^[?.\s]*$/.test(fact)).join(", ");

/** A list of moves, or `position ... moves ...` as engines get it. */
function readList(core: Core, game: string, text: string): ReadRecord[] {
  const rules = RULES[game]!;
  const given = /^(?:position\s+)?(?:startpos|(?:fen|sfen)\s+(.+?))\s+moves\s+(.+)$/s.exec(text.trim());
  const recorded = { ...empty(), position: given?.[1] ?? null };
  const read = played(core, rules, recorded, wordsOf(given?.[2] ?? text), (state, word) => typedMove(rules, state, word));
  return read.recorded.moves.length > 0 ? [read] : [];
}

const readPgn: Reader = (core, text, most) => {
  const games: { tags: Record<string, string>; body: string }[] = [];
  let comment = false;
  for (const line of text.split(/\r?\n/)) {
    const tag = comment ? null : /^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$/.exec(line);
    if (games.length === 0 || (tag && games.at(-1)!.body.trim())) games.push({ tags: {}, body: "" });
    if (tag) games.at(-1)!.tags[tag[1]!] = tag[2]!.replace(/\\(.)/g, "$1");
    else games.at(-1)!.body += `${line}\n`;
    if (!tag) comment = line.lastIndexOf("{") > line.lastIndexOf("}") || (comment && !line.includes("}"));
  }
  return games.slice(0, most).map(({ tags, body }) => {
    let moves = body.replace(/\{[^}]*\}?/g, " ").replace(/;[^\n]*/g, " ");
    for (let last = ""; last !== moves; ) [last, moves] = [moves, moves.replace(/\([^()]*\)/g, " ")];
    const words = wordsOf(moves.replace(/\$\d+/g, " "));
    const end = words.findIndex((word) => /^(1-0|0-1|1\/2-1\/2|\*)$/.test(word));
    const rating = (name: string) => (/^\d+$/.test(tags[name] ?? "") ? tags[name]! : null);
    const recorded: Recorded = {
      ...empty(),
      position: tags.FEN ?? null,
      players: [tags.White ?? "", tags.Black ?? ""],
      ratings: [rating("WhiteElo"), rating("BlackElo")],
      result: end < 0 ? "*" : words[end]!,
      title: titled(tags.Event, tags.Date),
    };
    const fullMove = (state: State) => Number(state.text().split(" ").at(-1));
    return played(core, RULES.chess!, recorded, end < 0 ? words : words.slice(0, end), (state, word) => typedMove(RULES.chess!, state, word), fullMove);
  });
};

/** The nodes of the main line of each game of an SGF file, as properties with their values. */
function* sgfGames(text: string): Generator<Record<string, string[]>[]> {
  const token = /\(|\)|;|([A-Za-z]+)((?:\s*\[(?:[^\]\\]|\\[\s\S])*\])+)/g;
  let [depth, nodes, isMain] = [0, [] as Record<string, string[]>[], true];
  for (const [sign, name, values] of text.matchAll(token)) {
    if (sign === "(") depth += 1;
    else if (sign === ")") {
      isMain = false; // the first variation that ends is the main line
      if (--depth === 0) {
        yield nodes;
        [nodes, isMain] = [[], true];
      }
    } else if (!isMain) continue;
    else if (sign === ";") nodes.push({});
    else if (nodes.length > 0) nodes.at(-1)![name!.replace(/[a-z]/g, "")] = Array.from(values!.matchAll(/\[((?:[^\]\\]|\\[\s\S])*)\]/g), ([, value]) => value!.replace(/\\([\s\S])/g, "$1"));
  }
  if (nodes.length > 0) yield nodes;
}

const readSgf: Reader = (core, text, most) => {
  const found: ReadRecord[] = [];
  for (const nodes of sgfGames(text)) {
    if (nodes.length === 0 || found.length === most) continue;
    const [root] = nodes as [Record<string, string[]>];
    const fact = (name: string) => root[name]?.[0]?.trim() ?? "";
    const size = Number(fact("SZ") || 19);
    const result = /^B\+/i.test(fact("RE")) ? "1-0" : /^W\+/i.test(fact("RE")) ? "0-1" : /^(0|draw|jigo)$/i.test(fact("RE")) ? "1/2-1/2" : "*";
    const rank = (name: string) => /^(\d{1,2})\s*([kdp])/i.exec(fact(name))?.slice(1, 3).join("").toLowerCase() ?? null;
    const recorded: Recorded = {
      ...empty(),
      position: goSetup(root, size, fact),
      players: [fact("PB"), fact("PW")],
      ratings: [rank("BR"), rank("WR")],
      result,
      title: titled(fact("EV") || fact("GN"), fact("DT")),
    };
    const words = nodes.flatMap((node) => (["B", "W"] as const).flatMap((colour) => (node[colour] ? [colour + node[colour]![0]!.trim()] : [])));
    found.push(played(core, RULES.go!, recorded, words, (state, word) => goMove(state, word, size)));
  }
  return found;
};

/** The first position of a game of Go, with its komi and rules. */
function goSetup(root: Record<string, string[]>, size: number, fact: (name: string) => string): string {
  const board = Array.from({ length: size }, () => Array.from({ length: size }, () => "1"));
  for (const [name, letter] of [["AB", "X"], ["AW", "O"]] as const) for (const point of root[name] ?? []) board[point.charCodeAt(1) - 97]![point.charCodeAt(0) - 97] = letter;
  const rows = board.map((row) => row.join("").replace(/1+/g, (none) => String(none.length)));
  const side = fact("PL")[0]?.toLowerCase() ?? (root.AB && !root.AW ? "w" : "b");
  const isTerritory = /^(japan|korea)/i.test(fact("RU"));
  const unknown = fact("HA") === "0" && fact("KM") === "0" && fact("BR") !== "" && fact("BR") === fact("WR"); // Fox writes 0 for the usual komi
  const komi = unknown ? (isTerritory ? 6.5 : 7.5) : Number(fact("KM")) || 0;
  return `${rows.join("/")} ${side} - 0 0 0 ${komi} simple${/^(NZ|new)/i.test(fact("RU")) ? " suicide" : ""}${isTerritory ? " territory" : ""}`;
}

/** The move of a word such as Bdd; null if it is another side's turn or not legal. */
function goMove(state: State, word: string, size: number): number | null {
  if ("BW"[state.toMove()] !== word[0]) return null;
  const place = word.slice(1).toLowerCase();
  const isPass = place === "" || (place === "tt" && size <= 19);
  const point = isPass ? size * size : (size - 1 - (place.charCodeAt(1) - 97)) * size + (place.charCodeAt(0) - 97);
  return state.legalMoves().includes(point) ? point : null;
}

/** The result of a shogi game by its last word: who is to move lost, won, or nobody. */
function shogiResult(end: string, toMove: number): string {
  const [lost, won] = toMove === 0 ? ["0-1", "1-0"] : ["1-0", "0-1"];
  if (/TORYO|TSUMI|TIME_UP|投了|詰み|切れ負け/.test(end)) return lost;
  if (/KACHI|入玉勝ち/.test(end)) return won;
  return /SENNICHITE|JISHOGI|HIKIWAKE|千日手|持将棋/.test(end) ? "1/2-1/2" : "*";
}

const legalUsi = (state: State, ...texts: string[]): number | null => {
  const move = Array.from(state.legalMoves()).find((legal) => texts.includes(state.moveText(legal)));
  return move ?? null;
};

const readCsa: Reader = (core, text, most) =>
  text.split(/^\/\s*$/m).filter((part) => part.trim()).slice(0, most).map((part) => {
    const statements = part.split(/\r?\n/).filter((line) => !line.startsWith("'")).flatMap((line) => (/^[N$]/.test(line) ? [line] : line.split(","))).map((line) => line.trimEnd());
    const begin = (start: string) => statements.find((line) => line.startsWith(start))?.slice(start.length).trim() ?? "";
    const sign = statements.find((line) => line === "+" || line === "-") ?? "+";
    const position = sfenOfCsa(statements.filter((line) => /^P[I1-9+-]/.test(line)), sign);
    const words = statements.filter((line) => /^[+-]\d{4}[A-Z]{2}|^%KACHI/.test(line));
    const recorded: Recorded = { ...empty(), position: position === SHOGI_START ? null : position, players: [begin("N+"), begin("N-")], title: titled(begin("$EVENT:"), begin("$START_TIME:").split(" ")[0]) };
    const read = played(core, RULES.shogi!, recorded, words, (state, word) => {
      if (word.startsWith("%")) return legalUsi(state, "win");
      const [, from, to, name] = /^[+-](\d\d)(\d\d)([A-Z]{2})/.exec(word)!;
      const letter = CSA_LETTERS[name!] ?? "";
      if (from === "00") return legalUsi(state, `${letter}*${usiSquare(to!)}`);
      const usi = usiSquare(from!) + usiSquare(to!);
      const moved = shogiPieces(state.text()).get(usiSquare(from!))?.toUpperCase();
      return moved === letter ? legalUsi(state, usi) : `+${moved}` === letter ? legalUsi(state, `${usi}+`) : null;
    });
    if (!read.error) read.recorded.result = shogiResult(statements.find((line) => line.startsWith("%")) ?? "", (words.length + Number(sign === "-")) % 2);
    return read;
  });

const KIF_DROPS: Record<string, string> = { 歩: "P", 香: "L", 桂: "N", 銀: "S", 金: "G", 角: "B", 飛: "R" };
const KIF_MOVE = /^\s*\d+\s+(?:同[\s　]*|([１-９1-9])([一二三四五六七八九]))(成[香桂銀]|[歩香桂銀金角飛玉王と馬龍竜杏圭全])(打|不成|成)?(?:\((\d)(\d)\))?/;

const readKif: Reader = (core, text, most) =>
  text.split(/^(?=手合割)/m).filter((part) => KIF_MOVE.test(part) || part.split("\n").some((line) => KIF_MOVE.test(line))).slice(0, most).map((part) => {
    const fact = (...keys: string[]) => new RegExp(`^(?:${keys.join("|")})[：:](.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
    const lines = part.split(/\r?\n/);
    const variation = lines.findIndex((line) => line.startsWith("変化"));
    const main = variation < 0 ? lines : lines.slice(0, variation);
    const words = main.filter((line) => KIF_MOVE.test(line)).map((line) => line.trim());
    const recorded: Recorded = { ...empty(), players: [fact("先手", "下手"), fact("後手", "上手")], title: titled(fact("棋戦"), fact("開始日時").split(" ")[0]) };
    if (!/^(平手)?$/.test(fact("手合割"))) return { recorded, error: sentence("A tab reads KIF of even games alone.") };
    let last = "";
    const read = played(core, RULES.shogi!, recorded, words, (state, word) => {
      const [, file, rank, name, how, from, row] = KIF_MOVE.exec(word)!;
      const target = file ? String("１２３４５６７８９".indexOf(file) + 1 || file) + "abcdefghi"["一二三四五六七八九".indexOf(rank!)]! : last;
      last = target;
      if (how === "打" || !from) return legalUsi(state, `${KIF_DROPS[name!]}*${target}`);
      return legalUsi(state, usiSquare(from + row) + target + (how === "成" ? "+" : ""));
    });
    const end = main.find((line) => /^\s*\d+\s+(投了|詰み|千日手|持将棋|切れ負け|入玉勝ち)/.test(line));
    if (!read.error) read.recorded.result = shogiResult(end ?? "", words.length % 2);
    return read;
  });

const READERS: Record<string, Reader> = { pgn: readPgn, sgf: readSgf, csa: readCsa, kif: readKif };

/** The games of a text of a format; none if it cannot be read. */
function readGames(core: Core, game: string, format: string, text: string, most = MOST_GAMES): ReadRecord[] {
  const isOfGame = PATTERNS.some(([of, name]) => of === game && name === format);
  try {
    return isOfGame ? READERS[format]!(core, text, most) : readList(core, game, text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return [];
  }
}

const plies = (records: ReadRecord[]) => Math.max(0, ...records.map(({ recorded }) => recorded.moves.length));

/** What a text is: a position, or games. Raises Refusal. */
export function readPasted(core: Core, games: string[], text: string): ReadView {
  for (const game of games) {
    try {
      const state = RULES[game]!.parse(core, text.trim().replace(/^(position\s+)?(fen|sfen)\s+/, ""));
      const position = state.fullText();
      state.delete();
      return { game, format: "position", kind: "position", position, games: [] };
    } catch {
      continue;
    }
  }
  const likely = PATTERNS.filter(([game, , pattern]) => games.includes(game) && pattern.test(text)).map(([game, format]) => [game, format] as const);
  const tried = [...likely, ...games.map((game) => [game, LISTS[game]!] as const)];
  let best: { game: string; format: string; records: ReadRecord[] } | null = null;
  for (const [game, format] of tried) {
    const records = readGames(core, game, format, text);
    if (plies(records) > plies(best?.records ?? [])) best = { game, format, records };
    if (records.length > 0 && plies(records) > 0 && records.every(({ error }) => error === null)) break;
  }
  if (best === null) return refuse("A tab reads positions, lists of moves, PGN, SGF, KIF and CSA: this text is none of them.");
  const shown = best.records.map(({ recorded, error }) => ({ title: recorded.title, players: recorded.players, result: recorded.result, plies: recorded.moves.length, error }));
  return { game: best.game, format: best.format, kind: "record", position: null, games: shown };
}

/** One game of a text, and what could not be read of it. Raises Refusal. */
export function readRecord(core: Core, game: string, text: string, format: string | null, index: number): { recorded: Recorded; warning: Text | null } {
  const records = readGames(core, game, format ?? readPasted(core, [game], text).format, text, index + 1);
  const found = records[index];
  if (!found || found.recorded.moves.length === 0) return refuse("There is no game of {game} in the text.", { game });
  return { recorded: found.recorded, warning: found.error };
}

const KIND = "sparring-tab-games";

export const exported = (games: StoredGame[]): string => JSON.stringify({ kind: KIND, version: 1, games });

/** The games of an exported file; null if it is none. */
export function imported(text: string): StoredGame[] | null {
  try {
    const content = JSON.parse(text) as { kind?: string; games?: StoredGame[] };
    const games = content.kind === KIND && Array.isArray(content.games) ? content.games : null;
    return games?.every((game) => typeof game.settings?.id === "string" && Array.isArray(game.moves)) ? games : null;
  } catch {
    return null;
  }
}
