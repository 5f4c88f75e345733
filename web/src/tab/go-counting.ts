// When a player of Go passes, which stones are dead, and who is ahead: `sparring.go.counting`.
import type { ScoreView } from "../api";
import type { Text } from "../text";
import type { GoState } from "./core";
import { interpolate, rounded, type Prediction } from "./policies";
import { plain, sentence } from "./sentences";

type Points = Set<number>;

const PLAYOUTS = 400;
const PASSING_PLAYOUTS = 100;
const RARE = 0.001;
const LEAST_SHARE = 0.2;
const OWNED = 0.5;
const LIKELY_PASS = 0.5;
const USUAL_PASS = 0.1;
/** What the side to move gains on small boards and the network does not see, by size; less where fewer points are open. */
const MISSED = { sizes: [9, 13, 19], points: [5.7, 3.5, 0] };
const OPEN_POINTS = 20;

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
  const size = state.size();
  const stones = state.stones();
  type Chain = { owner: number; points: number[] };
  const around = new Map([...alive, ...dead].map((chain) => [chain, new Set(chain.points.flatMap((point) => near(point, size)).filter((point) => !chain.points.includes(point)))]));
  const besides = (points: Iterable<number>, all: Points) => [...points].filter((point) => !all.has(point));
  const liberties = (chain: Chain): Points => new Set([...around.get(chain)!].filter((point) => stones[point] === 0));
  const meets = (points: Points, others: Iterable<number>) => [...others].some((point) => points.has(point));
  const eyes = (points: number[], chain: Chain): number | null => (points.every((point) => near(point, size).every((next) => chain.points.includes(next))) ? points.length : null);
  const inSeki = (own: Chain): boolean => {
    const ours = liberties(own);
    return [...alive, ...dead].some((enemy) => {
      if (enemy.owner === own.owner || !meets(ours, around.get(enemy)!)) return false;
      if (!alive.some((chain) => chain.owner === own.owner && meets(around.get(enemy)!, chain.points))) return false;
      const theirs = liberties(enemy);
      const shared: Points = new Set([...ours].filter((point) => theirs.has(point)));
      const friends = alive.filter((chain) => chain.owner === enemy.owner && chain !== enemy).map(liberties);
      if (friends.some((points) => meets(shared, points) && besides(points, shared).length > 0)) return false;
      const prey = dead.filter((chain) => chain.owner === own.owner && chain !== own);
      if (prey.some((chain) => meets(around.get(chain)!, enemy.points) && besides(liberties(chain), shared).length > 0)) return false;
      const [mine, other] = [eyes(besides(ours, shared), own), eyes(besides(theirs, shared), enemy)];
      return mine !== null && mine === other && 2 - mine > 0 && shared.size >= 2 - mine;
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
  const owned = ownersOf(state, prediction);
  const owners = owned ?? state.ownership(PLAYOUTS);
  if (share < USUAL_PASS && !isDecided(state, owners)) return false;
  const [black, white] = state.score(deadStones(state, PLAYOUTS, owned));
  const total = owners.reduce((sum, owner) => sum + owner, 0);
  const [lead, expected] = [sign * (black! - white!), sign * (total - state.facts()[0]!)];
  return lead > 0 ? expected > 0 : expected <= 0 && (owned !== null || value <= 0);
}

/** The expected owner of each point, 1 for Black, by a prediction; null without one that knows it. */
export function ownersOf(state: GoState, prediction: Prediction | null): Float64Array | null {
  const sign = state.toMove() === 0 ? 1 : -1;
  return prediction?.ownership ? Float64Array.from(prediction.ownership, (owner) => sign * owner) : null;
}

type Score = Omit<ScoreView, "ply">;

/** Values by point as rows from the top. */
const rowsOf = (state: GoState, owners: ArrayLike<number>): number[][] => {
  const size = state.size();
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => Number(owners[(size - 1 - row) * size + column]!.toFixed(2))));
};

/** Who is ahead, and who will own each point: by a network, or by random playouts without one. */
export function estimated(state: GoState, prediction: Prediction | null): Score {
  const known = ownersOf(state, prediction);
  const owners = known ?? state.ownership(PLAYOUTS);
  let lead = owners.reduce((sum, owner) => sum + owner, 0) - areaKomi(state);
  if (known) {
    const open = known.reduce((sum, owner) => sum + 1 - Math.abs(owner), 0);
    const mover = prediction!.lead! + interpolate(state.size(), MISSED.sizes, MISSED.points) * Math.min(1, open / OPEN_POINTS);
    lead = state.toMove() === 0 ? mover : -mover;
  }
  const note = known
    ? sentence("An estimate by a network that knows people's games: it can be wrong.")
    : sentence("A rough estimate by random games, often 10 points off: this package has no network that knows people's games.");
  return { text: leadText(lead), note, lead: Number(lead.toFixed(1)), owners: rowsOf(state, owners), counted: false };
}

/** Komi for a count by area: where territory is counted, every stone that was played costs a point. */
function areaKomi(state: GoState): number {
  const [komi, byBlack, byWhite] = state.facts() as unknown as [number, number, number];
  if (!/ territory\b/.test(state.fullText())) return komi;
  const stones = state.stones();
  return komi + pointsOf(stones, 1).length - pointsOf(stones, 2).length + byWhite - byBlack;
}

function leadText(lead: number): Text {
  const points = Math.abs(rounded(2 * lead) / 2);
  const side = lead < 0 ? "White" : "Black";
  if (points === 0) return sentence("The score is about even.");
  return points === 1 ? sentence("{side} leads by about 1 point.", { side }) : sentence("{side} leads by about {points} points.", { side, points });
}

/** The score without the dead stones, and who owns each point by area. */
export function finalScore(state: GoState, dead: number[], person: number | null): Score {
  const owners = Float64Array.from(state.stones(), (stone) => [0, 1, -1][stone]!);
  for (const point of dead) owners[point] = 0;
  for (const region of parts(Array.from(owners.keys()).filter((point) => owners[point] === 0), state.size())) {
    const border = new Set(region.flatMap((point) => near(point, state.size())).map((point) => owners[point]!));
    border.delete(0);
    if (border.size === 1) for (const point of region) owners[point] = [...border][0]!;
  }
  const [black, white] = state.score(dead);
  return { text: counted(state, dead, person).text, note: plain(""), lead: black! - white!, owners: rowsOf(state, owners), counted: true };
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
