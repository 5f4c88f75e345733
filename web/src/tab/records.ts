// Games as files: PGN of chess, and everything of a tab as one JSON file, to be read by another one.
import type { LiveGame, StoredGame } from "./live-game";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const WIDTH = 80;

/** A game of chess as PGN. */
export function pgn(game: LiveGame): string {
  const { settings, moves, end, states } = game;
  const names = [0, 1].map((side) => (side === settings.you ? settings.yourName || "You" : game.opponentName().text));
  const result = end === null ? "*" : end.score === 1 ? "1-0" : end.score === 0 ? "0-1" : "1/2-1/2";
  const date = new Date(1000 * settings.created).toISOString().slice(0, 10).replaceAll("-", ".");
  const ratings = [0, 1].map((side) => (side === settings.you ? settings.yourRating : (settings.opponent.level ?? settings.opponent.rating)));
  const elo = ratings.flatMap((rating, side): [string, string][] => (rating == null ? [] : [[side === 0 ? "WhiteElo" : "BlackElo", String(rating)]]));
  const start = states[0]!.text();
  const tags: [string, string][] = [
    ["Event", "A game in a tab"],
    ["Site", "?"],
    ["Date", date],
    ["Round", "-"],
    ["White", names[0]!],
    ["Black", names[1]!],
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
