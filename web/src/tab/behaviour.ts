// When a player resigns, offers a draw, and how long it thinks: `sparring.players.behaviour_models`.
import type { Generator } from "./random";
import { interpolate, type Prediction, type Rating } from "./policies";

/** The models of people's behaviour in a game; empty where the package has none. */
export interface BehaviourModels {
  resignation?: { weights: Record<string, number>; rating: number; rating_scale: number };
  draws?: { within: number; after: number; chance: number };
}

export interface ThinkTimeModel {
  quantiles: number[];
  low: number[];
  high: number[];
  centre: number[];
  scale: number[];
  layers: [number[][], number[]][];
}

/** A player's clock at one moment, in seconds. */
export interface Clock {
  remaining: number;
  increment: number;
  movesToGo: number | null;
  byoyomi: number;
}

const LOST = 0.15;
const HOPEFUL = 0.2;

/** Resigns below an expected score for some moves in a row, or with the chance with which people do. */
export class Resignation {
  private lost = 0;
  private before: number | null = null;

  constructor(
    private readonly model: BehaviourModels["resignation"],
    private readonly rating: Rating,
  ) {}

  decide(value: number, ply: number, random: Generator): boolean {
    const score = (value + 1) / 2;
    if (!this.model) {
      this.lost = score < 0.05 ? this.lost + 1 : 0;
      return this.lost >= 3;
    }
    this.lost = score < LOST ? this.lost + 1 : 0;
    const before = this.before ?? score;
    this.before = score;
    const drawn = random.random();
    return score < HOPEFUL && drawn < this.chance(score, before, ply);
  }

  private chance(score: number, before: number, ply: number): number {
    const { weights, rating, rating_scale } = this.model!;
    const strength = this.rating === null ? 0 : (this.rating - rating) / rating_scale;
    const odds = logit(score);
    const features = [1, odds, Math.min(odds + 2, 0), odds - logit(before), Math.log1p(this.lost), Math.log(Math.max(ply, 1)), strength, strength * odds];
    const sum = Object.values(weights).reduce((all, weight, index) => all + weight * features[index]!, 0);
    return 1 / (1 + Math.exp(-sum));
  }
}

function logit(score: number): number {
  const clipped = Math.min(Math.max(score, 1e-3), 1 - 1e-3);
  return Math.log(clipped / (1 - clipped));
}

/** Draws are offered and accepted in level positions; without a model of people they are only accepted. */
export class Draws {
  constructor(private readonly model: BehaviourModels["draws"]) {}

  offers(ply: number, value: number, random: Generator): boolean {
    const { model } = this;
    if (!model || Math.abs(value) / 2 >= model.within || ply < model.after) return false;
    return model.chance >= 1 || random.random() < model.chance;
  }

  accepts(ply: number, value: number): boolean {
    const { within, after } = this.model ?? { within: 0.05, after: 60 };
    return within > 0 && value / 2 < within && ply >= after;
  }
}

const UNKNOWN_RATING = 1500;
const MOVES_LEFT = 30;
const RESERVE = 1;

/** Draws the seconds that a person would think. */
export class ThinkTime {
  private base: number | null = null;
  private opponentLeft: number | null = null;
  private value: number | null = null;

  constructor(private readonly model: ThinkTimeModel) {}

  seconds(clock: Clock, opponent: Clock | null, prediction: Prediction, chosen: number, ply: number, rating: Rating, random: Generator): number {
    this.base ??= clock.remaining + clock.byoyomi;
    const increment = clock.increment + clock.byoyomi;
    const value = (prediction.value + 1) / 2;
    const spent = opponent === null || this.opponentLeft === null ? null : Math.max(this.opponentLeft - opponent.remaining + opponent.increment, 0);
    const pace = Math.max(clock.remaining / MOVES_LEFT + 0.8 * increment, 0.05);
    const { moves, probabilities } = prediction;
    const base = Math.max(this.base, clock.remaining);
    const features = [
      Math.log(pace),
      Math.log((clock.remaining + 1) / (base + 1)),
      increment / pace,
      Math.log((clock.remaining + 1) / (Math.max(opponent?.remaining ?? clock.remaining, 0) + 1)),
      spent === null ? 0 : Math.log((spent + 0.5) / pace),
      Number(spent === null),
      Math.min(ply, 120) / 60,
      Math.exp(-ply / 6),
      Math.exp(-ply / 20),
      Math.log(Math.max(moves.length, 1)),
      Number(moves.length === 1),
      -probabilities.reduce((sum, share) => sum + share * Math.log(Math.max(share, 1e-12)), 0),
      Math.max(...probabilities),
      -Math.log(Math.max(chosen, 1e-4)),
      value,
      4 * value * (1 - value),
      this.value === null ? 0 : value - this.value,
      (rating ?? UNKNOWN_RATING) / 1000,
    ];
    this.opponentLeft = opponent?.remaining ?? null;
    this.value = value;
    return withinClock(interpolate(random.random(), this.model.quantiles, this.predict(features, pace)), clock);
  }

  private predict(features: number[], pace: number): number[] {
    const { low, high, centre, scale, layers } = this.model;
    let values = features.map((feature, index) => (Math.min(Math.max(feature, low[index]!), high[index]!) - centre[index]!) / scale[index]!);
    layers.forEach(([weights, biases], number) => {
      const next = biases.map((bias, output) => values.reduce((sum, value, input) => sum + value * weights[input]![output]!, bias));
      values = number + 1 < layers.length ? next.map(Math.tanh) : next;
    });
    return values.sort((a, b) => a - b).map((value) => Math.max(Math.exp(value) * pace - 0.5, 0));
  }
}

function withinClock(seconds: number, clock: Clock): number {
  const left = clock.remaining - Math.min(RESERVE, 0.1 * clock.remaining);
  const share = clock.remaining > 10 ? 0.2 : 0.05;
  const most = clock.byoyomi
    ? left + Math.max(clock.byoyomi - RESERVE, 0.5 * clock.byoyomi)
    : Math.max(left * share, clock.movesToGo ? left / clock.movesToGo : 0, Math.min(0.8 * clock.increment, left));
  return Math.min(Math.max(seconds, 0), most);
}
