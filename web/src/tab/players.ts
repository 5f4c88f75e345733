// The opponents of a tab: `sparring.players.policy_player`, `levels` and `small_players`. The same seed gives the same moves
// as in Python, up to the rounding of the networks.
import type { OpponentChoice } from "../api";
import { Draws, Resignation, ThinkTime, type BehaviourModels, type Clock, type ThinkTimeModel } from "./behaviour";
import type { ReadFile } from "./files";
import type { Core, GoState, MaterialState, Search, State } from "./core";
import { passingRules } from "./go-counting";
import { BotPlayer, type BotConfig } from "./rbc-bots";
import type { Observation } from "./rbc-boards";
import { interpolate, Pool, rounded, type NetworkSettings, type Policy, type PoolSettings, type Prediction, type Rating } from "./policies";
import { Generator } from "./random";
import type { Rules } from "./rules";
import { mostVisited, preferProven, regularised, search, tempered, type SearchResult } from "./search";
import { refuse } from "./sentences";
import { uct } from "./uct";

export interface LevelRow {
  level: number;
  rating: number | null;
  temperature: number;
  nodes: number;
  cpuct: number;
  policy_temperature: number;
  policy: string;
}

/** What the package has of a game for its players; the build writes it (`sparring/server/browser_site.py`). */
export interface GameData {
  networks: Record<string, NetworkSettings>;
  policies: Record<string, PoolSettings>;
  levels: { policy: string; default: number; rows: LevelRow[] } | null;
  behaviour: BehaviourModels;
  /** The rating of the default player that plays like people; null without ratings. */
  rating: Rating;
  /** Whether ratings are ranks: then they are texts such as 3d. */
  ranks: boolean;
  /** The ratings that a player like people accepts; null without ratings. */
  accepted: [number, number] | null;
  /** Weights of the linear evaluation, [stages * features]. */
  evaluation: number[] | null;
  /** Files with the layers of a value network and with endgame tables: what they hold, in order; null without. */
  parts: { layers: [string, number][]; tables: [number, number, number][] } | null;
  /** Sizes of the layers of the line search; null without one. */
  lines: number[] | null;
  /** Moves of named openings. */
  openings: string[];
  /** Bots by name, and the one for beginners; null without bots. */
  bots: { default: string; configs: Record<string, BotConfig> } | null;
}

export interface Turn {
  state: State;
  /** What the player has observed so far in a game of hidden information, which is all that it may look at. */
  seen?: Observation[];
  clock: Clock | null;
  opponentClock: Clock | null;
  stopped: () => boolean;
}

export interface Decision {
  move: number;
  value: number | null;
  resign: boolean;
  offerDraw: boolean;
  /** Seconds that a person would have taken. */
  think: number;
  prediction: Prediction | null;
}

export interface Player {
  newGame(seed: number[]): void;
  choose(turn: Turn): Promise<Decision>;
  acceptsDraw(state: State): Promise<boolean>;
  close(): void;
}

/** A row of the level table, or between two of them: linear, nodes geometric. */
export function levelRow(data: GameData, level: number): LevelRow {
  const { rows } = data.levels!;
  const found = rows.find((row) => row.level === level);
  if (found) return found;
  const at = rows.map((row) => row.level);
  const between = (value: (row: LevelRow) => number) => interpolate(level, at, rows.map(value));
  const nodes = Math.exp(between((row) => Math.log(Math.max(row.nodes, 1))));
  const rating = rows[0]!.rating === null ? null : rounded(between((row) => row.rating ?? 0));
  return {
    level,
    rating: rating === 0 && data.ranks ? 1 : rating,
    temperature: rounded(between((row) => row.temperature), 3),
    nodes: nodes >= 1.5 ? rounded(nodes) : 0,
    cpuct: rounded(between((row) => row.cpuct), 3),
    policy_temperature: rounded(between((row) => row.policy_temperature), 3),
    policy: rows.filter((row) => row.level < level).at(-1)!.policy,
  };
}

const RANK = /^(\d{1,2})([kdp])$/;

/** A rating or rank as a number: 1 for 1d and -1 for 1k. */
export function ratingNumber(data: GameData, rating: string | number | null | undefined): Rating {
  if (rating == null) return null;
  if (!data.ranks) return Number.isFinite(Number(rating)) ? Number(rating) : null;
  if (typeof rating === "number") return rating;
  const match = RANK.exec(rating);
  return match ? { k: -1, d: 1, p: 1 }[match[2]!]! * Number(match[1]) + (match[2] === "p" ? 100 : 0) : null;
}

/** A number as a rating of the game, as the page shows it. */
export function shownRating(data: GameData, rating: Rating): string | number {
  if (rating === null) return "people";
  return data.ranks ? (rating > 100 ? `${rating - 100}p` : rating > 0 ? `${rating}d` : `${-rating}k`) : rating;
}

/** Loads networks when they are first needed. */
export type Networks = (settings: NetworkSettings) => Promise<Policy>;

/** Gives a new search what belongs to it. */
type Equipment = (search: Search) => void;

interface Endgames {
  add(strong: number, weak: number, values: Int8Array): void;
  equip(search: Search): void;
}

/** The policies of a game by name: networks, and pools of them. */
export class Policies {
  constructor(
    readonly data: GameData,
    private readonly networks: Networks,
    private readonly read: ReadFile,
  ) {}

  /** What a search player of the game uses beside its weights. */
  async equipment(core: Core, native: string): Promise<Equipment | null> {
    const { parts } = this.data;
    if (parts === null) return null;
    const game = native.toLowerCase();
    const [layers, tables] = await Promise.all([this.read(`${game}-network.bin.gz`), this.read(`${game}-endgames.bin.gz`)]);
    const network: Record<string, Float32Array> = {};
    let at = layers.byteOffset;
    for (const [name, length] of parts.layers) {
      network[name] = new Float32Array(layers.buffer, at, length);
      at += 4 * length;
    }
    const endgames = new (core as unknown as Record<string, new () => Endgames>)[`${native}Endgames`]!();
    at = tables.byteOffset;
    for (const [strong, weak, length] of parts.tables) {
      endgames.add(strong, weak, new Int8Array(tables.buffer, at, length));
      at += length;
    }
    return (search) => {
      endgames.equip(search);
      search.useNetwork(network);
    };
  }

  async policy(name: string): Promise<Policy> {
    const pool = this.data.policies[name];
    if (!pool) return this.networks(this.data.networks[name]!);
    const members = [];
    for (const { use, weight, by } of pool.members) members.push({ policy: await this.policy(use), weight, by });
    return new Pool(members, pool.scale);
  }

  /** The geometric mean of the human and the strong network with a share of the strong one. */
  async blend(share: number): Promise<Policy> {
    const weights = { human: 1 - share, strong: share };
    const members = [];
    for (const [name, weight] of Object.entries(weights)) if (weight > 0) members.push({ policy: await this.policy(name), weight: [[0, weight]] as [number, number][], by: [] });
    return new Pool(members);
  }
}

/** One position as a batch. */
export async function predictOne(core: Core, native: string, policy: Policy, state: State, rating: Rating, opponent = rating): Promise<Prediction> {
  const batch = new core[`${native}Positions`]!();
  try {
    batch.add(state);
    return (await policy.predict(batch, rating, opponent))[0]!;
  } finally {
    batch.delete();
  }
}

/** A player that is made when it is first asked: a game in a list needs no networks. */
export class LazyPlayer implements Player {
  private made: Promise<Player> | null = null;
  private seed: number[] = [0];

  constructor(private readonly make: () => Promise<Player>) {}

  newGame(seed: number[]): void {
    this.seed = seed;
    void this.made?.then((player) => player.newGame(seed));
  }

  async choose(turn: Turn): Promise<Decision> {
    return (await this.player()).choose(turn);
  }

  async acceptsDraw(state: State): Promise<boolean> {
    return (await this.player()).acceptsDraw(state);
  }

  close(): void {
    void this.made?.then((player) => player.close());
  }

  private player(): Promise<Player> {
    this.made ??= this.make().then((player) => {
      player.newGame(this.seed);
      return player;
    });
    this.made.catch(() => (this.made = null)); // a lost connection: it is tried again
    return this.made;
  }
}

const WON = 0.5;

/** Plays from a policy, with a search where its level has nodes. */
export class PolicyPlayer implements Player {
  private random = new Generator([0]);
  private resignation: Resignation;
  private readonly draws: Draws;
  private thinkTime: ThinkTime | null;

  constructor(
    private readonly core: Core,
    private readonly rules: Rules,
    private readonly policy: Policy,
    private readonly config: { rating: Rating; temperature: number; nodes: number; cPuct: number; policyTemperature: number; rule: "visits" | "regularised"; strength: Rating },
    private readonly behaviour: BehaviourModels,
    private readonly model: ThinkTimeModel | null,
  ) {
    this.resignation = new Resignation(behaviour.resignation, config.strength);
    this.draws = new Draws(behaviour.draws);
    this.thinkTime = model && new ThinkTime(model);
  }

  newGame(seed: number[]): void {
    this.random = new Generator(seed);
    this.resignation = new Resignation(this.behaviour.resignation, this.config.strength);
    this.thinkTime = this.model && new ThinkTime(this.model);
  }

  async choose(turn: Turn): Promise<Decision> {
    const { config, rules, random } = this;
    const { result, prediction, weights } = await this.consider(turn);
    const total = weights.reduce((sum, each) => sum + each, 0);
    const moves = result?.moves ?? prediction.moves;
    const move = moves[random.choice(weights.map((weight) => weight / total))]!;
    const value = result?.value ?? prediction.value;
    const ply = rules.ply(turn.state);
    const chosen = prediction.probabilities[prediction.moves.indexOf(move)] ?? 0;
    const think = this.thinkTime && turn.clock ? this.thinkTime.seconds(turn.clock, turn.opponentClock, prediction, chosen, ply, config.rating, random) : 0;
    const resign = this.resignation.decide(this.behaviour.resignation ? prediction.value : value, ply, random);
    const offerDraw = this.draws.offers(ply, this.behaviour.draws ? prediction.value : value, random);
    return { move, value, resign, offerDraw, think, prediction };
  }

  async acceptsDraw(state: State): Promise<boolean> {
    const { value } = await predictOne(this.core, this.rules.native, this.policy, state, this.config.rating);
    return this.draws.accepts(this.rules.ply(state), -value); // the person is to move
  }

  close(): void {}

  private async consider({ state, clock, stopped }: Turn): Promise<{ result: SearchResult | null; prediction: Prediction; weights: Float64Array }> {
    const { config, core, rules } = this;
    const { rating } = config;
    if (config.nodes === 0) {
      const prediction = await predictOne(core, rules.native, this.policy, state, rating);
      return { result: null, prediction, weights: this.adjusted(state, prediction.moves, tempered(prediction.probabilities, config.temperature), prediction.value) };
    }
    const nodes = clock && state.legalMoves().length === 1 ? 1 : config.nodes;
    const options = { c_puct: config.cPuct, policy_temperature: config.policyTemperature, ...rules.search };
    const time = clock ? { time: 1000 * allocatedTime(clock) } : {};
    const result = await search(core, rules.native, state, options, (leaves) => this.policy.predict(leaves, rating), { nodes, stopped, ...time });
    const shares = config.rule === "visits" ? mostVisited(result) : regularised(result, config.cPuct, config.temperature);
    const prediction = result.evaluation ?? (await predictOne(core, rules.native, this.policy, state, rating));
    const weights = this.adjusted(state, result.moves, rules.proven ? preferProven(result, shares) : shares, result.value);
    return { result, prediction, weights: result.value > WON && result.nodes >= result.moves.length ? withoutDraws(state, result.moves, weights) : weights };
  }

  private adjusted(state: State, moves: Uint16Array, weights: Float64Array, value: number): Float64Array {
    return this.rules.native === "Go" ? passingRules(state as GoState, moves, weights, value) : weights;
  }
}

/** The weights without moves that end the game as a draw; as they are if all do. */
function withoutDraws(state: State, moves: Uint16Array, weights: Float64Array): Float64Array {
  const others = weights.map((weight, index) => {
    if (weight <= 0) return 0;
    const after = state.play(moves[index]!);
    const drawn = after.reason() !== "" && after.winner() < 0;
    after.delete();
    return drawn ? 0 : weight;
  });
  return others.some(Boolean) ? others : weights;
}

const MOVES_LEFT = 30;
/** Largest share of the remaining time for one move. */
const MOST = 0.3;

/** Seconds of a search on a clock, as `sparring.search.limits.allocate_time`. */
function allocatedTime(clock: Clock): number {
  const left = Math.max(clock.remaining - 0.1, 0);
  const share = left / (clock.movesToGo ?? MOVES_LEFT) + 0.8 * clock.increment;
  const most = clock.movesToGo === 1 ? left : MOST * left;
  if (clock.byoyomi) return Math.max(Math.min(share, most), 0) + Math.max(clock.byoyomi - 0.1, 0) * (left <= 0 ? 1 : 0.8);
  return Math.max(Math.min(share, most), 0.001);
}

/** Search effort relative to strength 1: a factor of 3 a step. */
export const effort = (strength: number) => 3 ** (strength - 1);

/** The small search players of strengths 1 to 9: alpha-beta over material or a learned evaluation, in Go UCT. */
export class StrengthPlayer implements Player {
  private random = new Generator([0]);
  private searcher: Search | null = null;

  constructor(
    private readonly core: Core,
    private readonly rules: Rules,
    private readonly data: GameData,
    private readonly strength: number,
    private readonly equip: Equipment | null = null,
  ) {}

  newGame(seed: number[]): void {
    this.close();
    this.random = new Generator(seed);
  }

  async choose({ state, stopped }: Turn): Promise<Decision> {
    if (this.rules.native === "Go") {
      const found = await uct(state, 60 * effort(this.strength), this.random, stopped);
      return { ...found, resign: false, offerDraw: false, think: 0, prediction: null };
    }
    const { moves, value } = this.data.evaluation ? this.learned(state) : this.material(state);
    return { move: moves[this.random.integer(moves.length)]!, value, resign: false, offerDraw: false, think: 0, prediction: null };
  }

  async acceptsDraw(): Promise<boolean> {
    return false;
  }

  close(): void {
    this.searcher?.delete();
    this.searcher = null;
  }

  /** The best moves first. */
  best(state: State): { moves: number[]; value: number | null } {
    return this.data.evaluation ? this.learned(state) : this.material(state);
  }

  private material(state: State): { moves: number[]; value: null } {
    const { moves, scores } = (state as MaterialState).alphabeta(150 * effort(this.strength), 15);
    return { moves: Array.from(moves).filter((_, index) => scores[index]! >= scores[0]! - 15), value: null };
  }

  private learned(state: State): { moves: number[]; value: number } {
    const weights = Float64Array.from(this.data.evaluation!);
    if (this.searcher === null) {
      this.searcher = new this.core[`${this.rules.native}Search`]!(weights, Math.max(1, Math.floor(effort(this.strength) / 100)));
      this.equip?.(this.searcher);
    }
    const { moves, values, pliesToEnd } = this.searcher.analyse(state, 150 * effort(this.strength), 0.25);
    const good = Array.from(moves).filter((_, index) => values[index]! >= values[0]! - 0.25);
    return { moves: pliesToEnd === null ? good : good.slice(0, 1), value: Math.max(-1, Math.min(1, values[0]! / 100)) };
  }
}

/** The choice with the defaults of the game, checked. */
export function completed(data: GameData, choice: Partial<OpponentChoice>, title: string): OpponentChoice {
  const usual = data.levels ? "level" : data.bots ? "bot" : Object.keys(data.networks).length > 0 ? "human" : "strength";
  const kind = choice.kind ?? (choice.bot != null ? "bot" : choice.level != null ? "level" : choice.rating != null || choice.style != null ? "human" : choice.strength != null ? "strength" : usual);
  const made = { think_time: "human", nodes: 0, adapt: false, ...choice, kind } as OpponentChoice;
  if (choice.adapt || choice.scale === "engine" || kind === "person" || (kind === "strength" && data.bots)) return refuse("A tab cannot do this: it needs the installed program.");
  if (kind === "bot") {
    const bot = choice.bot ?? data.bots?.default ?? "";
    const names = Object.keys(data.bots?.configs ?? {});
    return names.includes(bot) ? { ...made, bot } : refuse("There is no bot '{bot}'. Choose {bots}.", { bot, bots: names.join(", ") });
  }
  if (kind === "level") {
    if (!data.levels) return refuse("There are no levels in {game}.", { game: title });
    const { rows } = data.levels;
    const level = choice.level ?? data.levels.default;
    const [low, high] = [rows[0]!.level, rows.at(-1)!.level];
    if (level < low || level > high) return refuse("A {word} in {game} is from {low} to {high}, not '{given}'.", { word: "level", game: title, low, high, given: level });
    return { ...made, level };
  }
  if (kind === "human") {
    if (!data.networks.human) return refuse("There is no network of people's moves for {game}.", { game: title });
    const rating = choice.rating ?? (data.rating === null ? null : shownRating(data, data.rating));
    return { ...made, rating };
  }
  return { ...made, strength: choice.strength ?? 5 };
}

/** The player of a completed choice. */
export async function makePlayer(core: Core, rules: Rules, policies: Policies, choice: OpponentChoice, model: ThinkTimeModel): Promise<Player> {
  const { data } = policies;
  if (choice.kind === "bot") return new BotPlayer(core, data.bots!.configs[choice.bot!]!);
  if (choice.kind === "strength") return new StrengthPlayer(core, rules, data, choice.strength ?? 5, await policies.equipment(core, rules.native));
  const rating = ratingNumber(data, choice.rating);
  const ownStrength = choice.nodes > 0 || choice.temperature != null;
  const asLevel = data.levels && data.levels.rows[0]!.rating !== null && rating !== null && !ownStrength ? rating : null;
  const inTable = asLevel !== null && asLevel >= data.levels!.rows[0]!.level && asLevel <= data.levels!.rows.at(-1)!.level ? asLevel : null;
  const level = choice.kind === "level" ? choice.level! : inTable;
  const row = level === null ? null : levelRow(data, level);
  const name = row ? row.policy || data.levels!.policy : "blend";
  const policy = choice.style == null ? await policies.policy(name) : await policies.blend(choice.style);
  const config = {
    rating: data.accepted === null ? null : inTable === null && (choice.kind === "human" || choice.rating != null) ? rating : row!.rating,
    temperature: choice.temperature ?? row?.temperature ?? 1,
    nodes: choice.nodes || (row?.nodes ?? 0),
    cPuct: row?.cpuct ?? 1.5,
    policyTemperature: row?.policy_temperature ?? 1,
    rule: row ? ("regularised" as const) : ("visits" as const),
  };
  const strength = level ?? config.rating;
  return new PolicyPlayer(core, rules, policy, { ...config, strength }, data.behaviour, choice.think_time === "human" ? model : null);
}
