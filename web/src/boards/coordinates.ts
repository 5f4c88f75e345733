// Squares and moves in the notations of the protocols.

export interface FromTo {
  from: string;
  to: string;
  rest: string;
}

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
