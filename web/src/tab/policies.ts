// Networks and pools of them: what `sparring.networks.conditioned` and `sparring.policies.pool` are in Python, for one
// position or a batch. Probabilities are those of the legal moves in ascending order.
import type { Positions } from "./core";

/** What a graph computes: inputs and outputs by name. */
export interface Session {
  run(inputs: Record<string, { type: "uint8" | "float32"; data: Uint8Array | Float32Array; shape: number[] }>): Promise<Record<string, Float32Array>>;
}

export type Rating = number | null;

export interface Prediction {
  moves: Uint16Array;
  probabilities: Float32Array;
  /** Expected result of the side to move, from -1 to 1. */
  value: number;
  /** Expected owner of each point, 1 for the side to move; only of networks that know it. */
  ownership?: Float32Array;
  /** Points by which the side to move is ahead; with `ownership`. */
  lead?: number;
}

export interface Policy {
  /** The predictions for a batch: all players to move have one rating, and their opponents the same or another one. */
  predict(batch: Positions, rating: Rating, opponent?: Rating): Promise<Prediction[]>;
}

/** The settings of a network, from its model card. */
export interface NetworkSettings {
  game: string;
  file: string;
  encoding: string;
  history: number;
  lowest: number;
  highest: number;
  /** How many servers the network tells apart: ratings are those of the first. */
  servers: number;
  /** Where komi stands in an encoding; null for networks without it. */
  komi: { encoding: string; column: number } | null;
}

export type Knots = [number, number][];

export interface PoolSettings {
  members: { use: string; weight: Knots; by: number[] }[];
  /** Means and deviations of the features; null if weights do not depend on the position. */
  scale: { means: number[]; stds: number[] } | null;
}

const LEAST = 1e-12;
const CLIP = 3;

/** `numpy.interp`: linear between the knots, constant beyond them. */
export function interpolate(at: number, xs: readonly number[], ys: readonly number[]): number {
  if (at <= xs[0]!) return ys[0]!;
  for (let index = 1; index < xs.length; index++)
    if (at < xs[index]!) {
      const slope = (ys[index]! - ys[index - 1]!) / (xs[index]! - xs[index - 1]!);
      return slope * (at - xs[index - 1]!) + ys[index - 1]!;
    }
  return ys.at(-1)!;
}

/** `numpy.round` to some digits, and Python's to whole numbers: half goes to the even one. */
export function rounded(value: number, digits = 0): number {
  if (digits > 0) return Number(value.toFixed(digits));
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
}

const curve = (knots: Knots, at: number) => interpolate(at, knots.map(([x]) => x), knots.map(([, y]) => y));

const logs = (probabilities: ArrayLike<number>) => Array.from(probabilities, (share) => Math.log(Math.max(share, LEAST)));

function softmax(scores: readonly number[]): Float32Array {
  const highest = Math.max(...scores);
  let total = 0;
  for (const score of scores) total += Math.exp(score - highest);
  const norm = Math.log(total) + highest;
  return Float32Array.from(scores, (score) => Math.exp(score - norm));
}

/** A network of people's moves, or one that was trained to play well. */
export class NetworkPolicy implements Policy {
  constructor(
    private readonly settings: NetworkSettings,
    private readonly session: Session,
  ) {}

  async predict(batch: Positions, rating: Rating, opponent = rating): Promise<Prediction[]> {
    const { encoding, history, lowest, highest } = this.settings;
    const rows = batch.size();
    const planes = batch.encode(encoding, history);
    const player = (number: Rating) => (number === null ? [0, 0] : [Math.min(Math.max((number - lowest) / (highest - lowest), 0), 1), 1]);
    const { komi, servers } = this.settings;
    const facts = komi && batch.encode(komi.encoding, 1);
    const server = Array.from({ length: servers }, (_, index) => (index === 0 ? 1 : 0));
    const width = 6 + (komi ? 1 : 0) + servers;
    const context = new Float32Array(width * rows);
    for (let row = 0; row < rows; row++) {
      const komiHere = komi ? [facts![(row * facts!.length) / rows + komi.column]!] : [];
      context.set([...player(rating), ...player(opponent), 0, 0, ...komiHere, ...server], width * row);
    }
    const outputs = await this.session.run({
      planes: { type: planes instanceof Uint8Array ? "uint8" : "float32", data: planes, shape: [rows, ...batch.shape(encoding, history)] },
      context: { type: "float32", data: context, shape: [rows, width] },
    });
    const { probabilities, ends } = batch.decode(outputs.policy!, encoding);
    const { wdl, ownership, lead } = outputs as { wdl: Float32Array; ownership?: Float32Array; lead?: Float32Array };
    const points = ownership ? ownership.length / rows : 0;
    return Array.from({ length: rows }, (_, row) => ({
      moves: batch.legalMoves(row),
      probabilities: probabilities.slice(row ? ends[row - 1]! : 0, ends[row]!),
      value: wdl[3 * row]! - wdl[3 * row + 2]!,
      ...(ownership && lead ? { ownership: ownership.slice(points * row, points * (row + 1)), lead: lead[row]! } : {}),
    }));
  }
}

/** The geometric pool of policies. Its weights depend on the rating, and with a scale on the position. */
export class Pool implements Policy {
  private readonly middle: number | null;

  constructor(
    private readonly members: { policy: Policy; weight: Knots; by: number[] }[],
    private readonly scale: PoolSettings["scale"] = null,
  ) {
    const knots = members.flatMap(({ weight }) => (weight.length > 1 ? weight.map(([rating]) => rating) : []));
    this.middle = knots.length > 0 ? (Math.min(...knots) + Math.max(...knots)) / 2 : null;
  }

  async predict(batch: Positions, rating: Rating, opponent = rating): Promise<Prediction[]> {
    const base = this.members.map(({ weight }) => curve(weight, rating ?? this.middle ?? weight[0]![0]));
    const used = this.members.map((_, index) => index).filter((index) => this.scale !== null || base[index] !== 0);
    const predicted: Prediction[][] = [];
    for (const index of used) predicted.push(await this.members[index]!.policy.predict(batch, rating, opponent));
    return predicted[0]!.map((first, row) => {
      const all = predicted.map((each) => logs(each[row]!.probabilities));
      const weights = this.scale === null ? used.map((index) => base[index]!) : this.adjusted(base, all, batch.ply(row));
      const mixed = all[0]!.map((_, move) => all.reduce((sum, each, index) => sum + weights[index]! * each[move]!, 0));
      return { ...first, probabilities: softmax(mixed) };
    });
  }

  /** The weights in a position, by its features: ply, Jensen-Shannon divergence, and each policy's entropy. */
  private adjusted(base: number[], all: number[][], ply: number): number[] {
    const shares = all.map((each) => each.map(Math.exp));
    const entropies = shares.map((each, index) => -each.reduce((sum, share, move) => sum + share * all[index]![move]!, 0));
    const mean = shares[0]!.map((_, move) => shares.reduce((sum, each) => sum + each[move]!, 0) / shares.length);
    const entropy = entropies.reduce((sum, each) => sum + each, 0) / entropies.length;
    const divergence = -mean.reduce((sum, share) => sum + share * Math.log(Math.max(share, 1e-300)), 0) - entropy;
    const features = [ply, divergence, ...entropies].map((feature, index) => {
      const scaled = (feature - this.scale!.means[index]!) / this.scale!.stds[index]!;
      return Math.min(Math.max(scaled, -CLIP), CLIP);
    });
    return base.map((weight, index) => weight + this.members[index]!.by.reduce((sum, by, feature) => sum + by * features[feature]!, 0));
  }
}
