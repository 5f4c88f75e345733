// When a player of Go passes, and which stones are dead: `sparring.go.counting` and `sparring.go.safe_area`.
import type { Text } from "../text";
import type { GoState } from "./core";
import type { Prediction } from "./policies";
import { sentence } from "./sentences";

type Points = Set<number>;

const PLAYOUTS = 400;
const PASSING_PLAYOUTS = 100;
const RARE = 0.001;
const LEAST_SHARE = 0.2;
const OWNED = 0.5;
const LIKELY_PASS = 0.5;
const USUAL_PASS = 0.1;

const near = (point: number, size: number): number[] => {
  const [x, y] = [point % size, Math.floor(point / size)];
  return [...(x > 0 ? [point - 1] : []), ...(x < size - 1 ? [point + 1] : []), ...(y > 0 ? [point - size] : []), ...(y < size - 1 ? [point + size] : [])];
};

/** The connected parts of a set of points. */
function parts(points: Iterable<number>, size: number): number[][] {
  const left = new Set(points);
  const found: number[][] = [];
  for (const first of left) {
    left.delete(first);
    const part = [first];
    for (const point of part) for (const next of near(point, size)) if (left.delete(next)) part.push(next);
    found.push(part);
  }
  return found;
}

const pointsOf = (stones: Uint8Array, colour: number): number[] => Array.from(stones, (stone, point) => (stone === colour ? point : -1)).filter((point) => point >= 0);

/** Every chain with its owner. */
function chains(state: GoState): { owner: number; points: number[] }[] {
  const [stones, size] = [state.stones(), state.size()];
  return [1, 2].flatMap((colour) => parts(pointsOf(stones, colour), size).map((points) => ({ owner: colour - 1, points })));
}

/** The points of a player's unconditionally alive chains and of the regions that they alone enclose (Benson 1976). */
function safeArea(state: GoState, player: number): Points {
  const [size, stones] = [state.size(), state.stones()];
  const own = pointsOf(stones, player + 1);
  const ownChains = parts(own, size);
  const chainOf = new Map(ownChains.flatMap((chain, number) => chain.map((point) => [point, number] as const)));
  const regions = parts(Array.from(stones.keys()).filter((point) => stones[point] !== player + 1), size);
  const around = regions.map((region) => new Set(region.flatMap((point) => near(point, size).flatMap((next) => chainOf.get(next) ?? []))));
  const vital = regions.map((region) => {
    const touching = region.filter((point) => stones[point] === 0).map((point) => new Set(near(point, size).flatMap((next) => chainOf.get(next) ?? [])));
    return new Set([...(touching[0] ?? [])].filter((chain) => touching.every((each) => each.has(chain))));
  });
  let alive = new Set(ownChains.keys());
  let healthy = regions.map((_, number) => number);
  for (;;) {
    healthy = healthy.filter((number) => [...around[number]!].every((chain) => alive.has(chain)));
    const kept = new Set([...alive].filter((chain) => healthy.filter((number) => vital[number]!.has(chain)).length >= 2));
    if (kept.size === alive.size) break;
    alive = kept;
  }
  const safe = new Set([...alive].flatMap((chain) => ownChains[chain]!));
  for (const number of healthy) if ([...vital[number]!].some((chain) => alive.has(chain))) for (const point of regions[number]!) safe.add(point);
  return safe;
}

/** The points of all stones that the opponent will rather own, by random playouts or by `owners`, the expected owner of each
 * point from 1 for Black. The same state gives the same stones. */
export function deadStones(state: GoState, playouts = PLAYOUTS, owners: Float64Array | null = null): number[] {
  const black = owners ?? state.ownership(playouts);
  const alive: { owner: number; points: number[] }[] = [];
  const dead: { owner: number; points: number[] }[] = [];
  for (const chain of chains(state)) {
    const own = (chain.owner === 0 ? 1 : -1) * chain.points.reduce((sum, point) => sum + black[point]!, 0);
    (own < 0 ? dead : alive).push(chain);
  }
  const inOrder = (points: number[]) => points.sort((a, b) => a - b);
  if (owners) return inOrder(dead.flatMap((chain) => chain.points)); // only playouts fill shared liberties
  const size = state.size();
  const stones = state.stones();
  const liberties = (chain: { points: number[] }): Points => new Set(chain.points.flatMap((point) => near(point, size)).filter((point) => stones[point] === 0));
  const touches = (chain: { points: number[] }, other: { points: number[] }) => chain.points.some((point) => near(point, size).some((next) => other.points.includes(next)));
  const eyes = (points: Points, chain: { points: number[] }): number | null => ([...points].every((point) => near(point, size).every((next) => chain.points.includes(next))) ? points.size : null);
  const inSeki = (own: { owner: number; points: number[] }): boolean => {
    const ours = liberties(own);
    return alive.some((enemy) => {
      if (enemy.owner === own.owner || !touches(own, enemy)) return false;
      if (!alive.some((chain) => chain.owner === own.owner && touches(enemy, chain))) return false;
      const theirs = liberties(enemy);
      const shared = [...ours].filter((point) => theirs.has(point));
      const rest = (all: Points) => new Set([...all].filter((point) => !shared.includes(point)));
      const [mine, other] = [eyes(rest(ours), own), eyes(rest(theirs), enemy)];
      return mine !== null && mine === other && 2 - mine > 0 && shared.length >= 2 - mine;
    });
  };
  return inOrder(dead.filter((chain) => !inSeki(chain)).flatMap((chain) => chain.points));
}

/** Eyes of the player to move. */
function ownEyes(state: GoState): Points {
  const [size, stones, me] = [state.size(), state.stones(), state.toMove() + 1];
  const at = (x: number, y: number): number => (x < 0 || y < 0 || x >= size || y >= size ? -1 : stones[y * size + x]!);
  const eyes = new Set<number>();
  stones.forEach((stone, point) => {
    const [x, y] = [point % size, Math.floor(point / size)];
    const sides = [at(x, y - 1), at(x, y + 1), at(x - 1, y), at(x + 1, y)];
    const corners = [at(x - 1, y - 1), at(x + 1, y - 1), at(x - 1, y + 1), at(x + 1, y + 1)];
    const enemies = corners.filter((each) => each === 3 - me).length;
    if (stone === 0 && sides.every((each) => each === me || each === -1) && enemies <= (corners.includes(-1) ? 0 : 1)) eyes.add(point);
  });
  return eyes;
}

const passesOf = (state: GoState) => state.facts()[3]!;

/** The probabilities of a player's choice by the passing rules of `apply_passing_rules`. The last move is the pass. */
export function passingRules(state: GoState, moves: ArrayLike<number>, probabilities: Float64Array, value: number): Float64Array {
  const shares = Float64Array.from(Float32Array.from(probabilities));
  const pass = shares.length - 1;
  const eyes = ownEyes(state);
  Array.from(moves).forEach((move, index) => eyes.has(move) && (shares[index] = 0));
  if (nothingToDo(state, moves)) shares.fill(0, 0, pass);
  const passes = passesOf(state);
  const content = (passes > 0 || shares[pass]! >= RARE) && isContent(state, shares0(probabilities), value);
  if (!shares.subarray(0, pass).some(Boolean) || state.ply() >= 2 * state.size() ** 2 || (passes > 0 && content)) {
    shares.fill(0, 0, pass);
    shares[pass] = 1;
  } else if (!content) shares[pass] = 0;
  const total = shares.reduce((sum, each) => sum + each, 0);
  return shares.map((share) => share / total);
}

const shares0 = (probabilities: Float64Array) => Float32Array.from(probabilities);

function nothingToDo(state: GoState, moves: ArrayLike<number>): boolean {
  const [points, me, stones] = [state.size() ** 2, state.toMove(), state.stones()];
  if (LEAST_SHARE * points > pointsOf(stones, me + 1).length) return false;
  const safe = safeArea(state, me);
  if (Array.from(moves).some((move) => move < points && !safe.has(move))) return false;
  const score = state.score([]);
  return !pointsOf(stones, 2 - me).some((point) => safe.has(point)) || score[me]! > score[1 - me]!;
}

function isContent(state: GoState, probabilities: Float32Array, value: number): boolean {
  const stones = state.stones();
  if (2 * stones.filter(Boolean).length < stones.length) return false;
  const me = state.toMove();
  const points = state.score([]);
  const ahead = points[me]! > points[1 - me]!;
  const likeliest = probabilities.indexOf(Math.max(...probabilities)) === probabilities.length - 1;
  const givesUp = likeliest && (value <= 0 || (passesOf(state) === 1 && isDecided(state, state.ownership(PASSING_PLAYOUTS))));
  if (!ahead && !givesUp) return false;
  const counted = state.score(deadStones(state, PASSING_PLAYOUTS));
  return counted[me]! > counted[1 - me]! ? ahead : givesUp;
}

const isDecided = (state: GoState, owners: Float64Array) => Array.from(state.legalMoves()).every((move) => move >= owners.length || Math.abs(owners[move]!) > OWNED);

/** Whether the player to move answers a pass with a pass, if dead stones are agreed on afterwards. */
export function wouldPass(state: GoState, prediction: Prediction, value: number): boolean {
  const share = prediction.probabilities.at(-1)!;
  const { ownership } = prediction;
  const stones = state.stones();
  const full = 2 * stones.filter(Boolean).length >= stones.length;
  if (passesOf(state) !== 1 || (share < USUAL_PASS && !full && !ownership)) return false;
  if (share >= LIKELY_PASS) return true;
  const sign = state.toMove() === 0 ? 1 : -1;
  const owned = ownership ? Float64Array.from(ownership, (owner) => sign * owner) : null;
  const owners = owned ?? state.ownership(PLAYOUTS);
  if (share < USUAL_PASS && !isDecided(state, owners)) return false;
  const [black, white] = state.score(deadStones(state, PLAYOUTS, owned));
  const total = owners.reduce((sum, owner) => sum + owner, 0);
  const [lead, expected] = [sign * (black! - white!), sign * (total - state.facts()[0]!)];
  return lead > 0 ? expected > 0 : expected <= 0 && (owned !== null || value <= 0);
}

/** The stones of the chains at some points; null if there is none on a point. */
export function stonesAt(state: GoState, points: string[]): number[] | null {
  const all = chains(state);
  const found = points.map((text) => all.find((chain) => chain.points.includes(state.parseMove(text.toUpperCase()))));
  return found.every(Boolean) ? found.flatMap((chain) => chain!.points) : null;
}

/** The score in a sentence, the winner (null for a draw), and the margin. */
export function counted(state: GoState, dead: number[], person: number | null): { text: Text; winner: 0 | 1 | null; margin: number } {
  const [black, white] = state.score(dead);
  const score = sentence("Black has {black} points, White {white} (komi {komi})", { black: black!, white: white!, komi: state.facts()[0]! });
  if (black === white) return { text: sentence("{counted}: a draw.", { counted: score }), winner: null, margin: 0 };
  const winner = white! > black! ? 1 : 0;
  const margin = Math.abs(black! - white!);
  const text = winner === person ? sentence("{counted}: you win by {margin}.", { counted: score, margin }) : sentence("{counted}: {side} wins by {margin}.", { counted: score, side: ["Black", "White"][winner]!, margin });
  return { text, winner, margin };
}
