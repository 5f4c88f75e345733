// PUCT with a policy, and the choice of a move from its result: `sparring.search.puct` and `move_selection`.
import type { Core, Positions, RootMoves, State, Tree } from "./core";
import type { Prediction } from "./policies";

export interface SearchResult extends RootMoves {
  value: number;
  nodes: number;
  evaluation: Prediction | null;
  /** The principal variation that begins with a move. */
  pv: (first: number) => number[];
}

/** Evaluates a batch: priors of the legal moves, and values. */
export type Evaluator = (leaves: Positions) => Promise<Prediction[]>;

export interface Limits {
  nodes: number;
  /** Milliseconds. */
  time?: number;
  /** Ends the search as soon as no other move can get the most visits. */
  untilDecided?: boolean;
  stopped?: () => boolean;
}

const BATCH = 16;
const BATCH_SHARE = 0.1;

/** Searches a state with an empty tree. */
export async function search(core: Core, native: string, state: State, options: object, evaluate: Evaluator, limits: Limits): Promise<SearchResult> {
  const tree: Tree = new core[`${native}Tree`]!(state, options);
  const began = Date.now();
  let evaluation: Prediction | null = null;
  const simulate = async (count: number): Promise<boolean> => {
    const before = tree.visits();
    const leaves = tree.select(count, count);
    try {
      if (leaves.size() === 0) return tree.visits() > before;
      const predictions = await evaluate(leaves);
      const priors = new Float32Array(predictions.reduce((sum, each) => sum + each.probabilities.length, 0));
      let at = 0;
      for (const { probabilities } of predictions) {
        priors.set(probabilities, at);
        at += probabilities.length;
      }
      tree.evaluate(priors, Float32Array.from(predictions, ({ value }) => value));
      if (before === 0) evaluation = predictions[0]!;
      return true;
    } finally {
      leaves.delete();
    }
  };
  try {
    await simulate(1);
    while (tree.visits() < limits.nodes && !limits.stopped?.() && !(limits.time !== undefined && Date.now() - began >= limits.time)) {
      const left = limits.nodes - tree.visits();
      if (limits.untilDecided && tree.lead() > left) break;
      const size = Math.min(Math.max(Math.trunc(BATCH_SHARE * tree.visits()), 1), BATCH, left);
      if (!(await simulate(size))) break;
    }
    const root = tree.rootMoves();
    const lines = new Map(Array.from(root.moves, (move) => [move, [] as number[]]));
    for (const move of lines.keys()) lines.set(move, Array.from(tree.pv(move)));
    return { ...root, value: tree.value(), nodes: tree.visits(), evaluation, pv: (first) => lines.get(first) ?? [first] };
  } finally {
    tree.delete();
  }
}

/** Indices of the moves from best to worst: proven wins, then visits, then priors; proven losses last. */
export function ranked({ forced, visits, priors }: RootMoves): number[] {
  const sign = (index: number) => Math.sign(forced[index]!);
  return Array.from(forced, (_, index) => index).sort(
    (a, b) => sign(b) - sign(a) || forced[a]! - forced[b]! || visits[b]! - visits[a]! || priors[b]! - priors[a]! || a - b,
  );
}

const oneHot = (length: number, index: number) => Float64Array.from({ length }, (_, at) => Number(at === index));

/** The move with the most visits. */
export const mostVisited = (result: SearchResult): Float64Array => oneHot(result.moves.length, ranked(result)[0]!);

/** The regularised policy lambda P / (alpha - Q), to the power of 1 / temperature (Grill et al. 2020). */
export function regularised(result: SearchResult, cPuct: number, temperature: number): Float64Array {
  const { priors, moves } = result;
  const visits = result.visits.reduce((sum, each) => sum + each, 0);
  const weight = (cPuct * Math.sqrt(visits)) / (moves.length + visits);
  const values = Array.from(result.values, (value) => (Number.isNaN(value) ? result.value : value));
  const policy = reverseKl(priors, values, weight);
  if (temperature === 0) {
    const order = Array.from(policy, (_, index) => index).sort((a, b) => policy[b]! - policy[a]! || priors[b]! - priors[a]! || a - b);
    return oneHot(moves.length, order[0]!);
  }
  return tempered(policy, temperature);
}

/** weight * P / (alpha - Q), with alpha found by bisection so that it sums to 1. */
function reverseKl(priors: Float64Array, values: number[], weight: number): Float64Array {
  const sum = (numbers: ArrayLike<number>) => Array.prototype.reduce.call(numbers, (all, each) => (all as number) + (each as number), 0) as number;
  const normalised = (numbers: ArrayLike<number>) => {
    const total = sum(numbers);
    return Float64Array.from(numbers, (each) => each / total);
  };
  if (!Number.isFinite(weight)) return normalised(priors);
  if (weight <= 0) {
    const most = Math.max(...values);
    return normalised(Array.from(priors, (prior, index) => (values[index] === most ? Math.max(prior, 1e-300) : 0)));
  }
  const shares = (alpha: number) => Array.from(priors, (prior, index) => (prior > 0 ? (weight * prior) / (alpha - values[index]!) : 0));
  let low = Math.max(...values.map((value, index) => value + weight * priors[index]!));
  let high = Math.max(...values) + weight * sum(priors);
  for (let step = 0; step < 100; step++) {
    const alpha = (low + high) / 2;
    if (alpha === low || alpha === high) break;
    if (sum(shares(alpha)) > 1) low = alpha;
    else high = alpha;
  }
  return normalised(shares(high));
}

/** Probabilities to the power of 1 / temperature, normalised; at temperature 0 the likeliest alone. */
export function tempered(probabilities: ArrayLike<number>, temperature: number): Float64Array {
  const all = Array.from(probabilities);
  if (temperature === 0) return oneHot(all.length, all.indexOf(Math.max(...all)));
  const scores = all.map((share) => Math.log(share) / temperature);
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, each) => sum + each, 0);
  return Float64Array.from(weights, (each) => each / total);
}

/** Adds proven results to a distribution: the shortest proven win if there is one, and no avoidable proven loss. */
export function preferProven(result: SearchResult, shares: Float64Array): Float64Array {
  const { forced, priors } = result;
  if (forced.some((plies) => plies > 0)) return mostVisited(result);
  const lost = Array.from(forced, (plies) => plies < 0);
  if (lost.every(Boolean) || !lost.some(Boolean)) return shares;
  let kept = shares.map((share, index) => (lost[index] ? 0 : share));
  if (!kept.some(Boolean)) kept = Float64Array.from(priors, (prior, index) => (lost[index] ? 0 : prior));
  const total = kept.reduce((sum, each) => sum + each, 0);
  return total > 0 ? kept.map((share) => share / total) : mostVisited(result);
}
