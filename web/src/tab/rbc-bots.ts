// The bots of blind chess: `sparring.rbc.bots` and, for a bot without a clock, `sparring.rbc.knowledge`. The same seed and the
// same observations give the same senses and moves as in Python.
import type { Core } from "./core";
import type { Decision, Player, Turn } from "./players";
import { rounded } from "./policies";
import { Generator } from "./random";
import { boardsOf, Contradiction, guessObserves, halves, newGuess, NO_SENSE, PASS, SENSE, Sets, Tracker, type Boards, type NativeGuess, type Observation } from "./rbc-boards";

/** A bot's description: the keys of `BotConfig` that have a number or a text. */
export interface BotConfig {
  kind: "random" | "attacker" | "guesser" | "inference";
  depth: number;
  boards: number;
  sense_boards: number;
  move_boards: number;
  worst_case_weight: number;
  king_loss_weight: number;
  unseen_attack_rate: number;
  information_weight: number;
  opponent_rationality: number;
  king_danger_weight: number;
}

/** Sees observations, never the true board. */
interface Bot {
  observe(seen: Observation): void;
  /** A sense or a move request, whichever is due. */
  choose(legal: number[]): number;
  close(): void;
}

/** Centipawns behind the best request of a board beyond which scores are cut off. */
const MARGIN = 700;

// Prepared attacks.

const ATTACKS = [
  "b1c3 c3b5 b5d6 d6e8",
  "b1c3 c3d5 d5c7 c7e8",
  "b1c3 c3e4 e4f6 f6e8",
  "b1c3 c3e4 e4d6 d6e8",
  "g1h3 h3f4 f4h5 h5f6 f6e8",
  "g1h3 h3g5 g5f7 f7d6 d6e8",
  "g1f3 f3g5 g5f7 f7d6 d6e8",
  "e2e4 f1c4 d1h5 h5f7 f7e8",
  "e2e3 f1c4 d1f3 f3f7 f7e8",
  "e2e3 d1h5 h5f7 f7e8",
  "e2e4 d1g4 g4d7 d7e8",
  "c2c3 d1a4 a4d7 d7e8",
  "d2d4 c1f4 b1a3 a3b5 b5c7 c7e8",
];

const squareOf = (name: string) => name.charCodeAt(0) - 97 + 8 * (Number(name[1]) - 1);

const drawn = (legal: number[], random: Generator) => legal[random.integer(legal.length)]!;

const isSensing = (legal: number[]) => legal.at(-1) === NO_SENSE;

function randomBot(random: Generator): Bot {
  return { observe() {}, choose: (legal) => drawn(legal, random), close() {} };
}

/** Plays one of the attacks and senses where it goes next; afterwards it plays at random. */
function attacker(player: number, random: Generator): Bot {
  const turned = (square: number) => square ^ (player ? 56 : 0);
  const words = ATTACKS[random.integer(ATTACKS.length)]!.split(" ");
  let plan = words.map((word) => turned(squareOf(word.slice(2))) | (turned(squareOf(word)) << 6));
  return {
    observe(seen) {
      if (seen.kind === "move" && plan.length > 0 && seen.request === plan[0]) plan = seen.taken === seen.request ? plan.slice(1) : [];
    },
    choose(legal) {
      const sensing = isSensing(legal);
      if (plan.length > 0 && !sensing && !legal.includes(plan[0]!)) plan = [];
      if (plan.length === 0) return drawn(legal, random);
      return sensing ? SENSE + (plan[0]! & 63) : plan[0]!;
    },
    close() {},
  };
}

// One guessed board.

/** Plays the best move on its guess. It senses where that move captures, or where it lost a piece. */
class Guesser implements Bot {
  private readonly guess: NativeGuess;
  private lost: number | null = null;

  constructor(
    private readonly core: Core,
    private readonly player: number,
    private readonly random: Generator,
    private readonly depth: number,
  ) {
    this.guess = newGuess(core, player);
  }

  observe(seen: Observation): void {
    if (seen.kind === "opponent") this.lost = seen.capture;
    guessObserves(this.guess, seen);
  }

  choose(legal: number[]): number {
    const { ranked, pieces } = this.evaluated();
    if (!isSensing(legal)) return ranked.find((move) => legal.includes(move)) ?? legal.at(-1)!;
    if (this.lost !== null) return SENSE + this.lost;
    const isOwn = (piece: string | null) => piece !== null && (piece === piece.toUpperCase()) === (this.player === 0);
    const target = (ranked[0] ?? PASS) & 63;
    if (pieces[target] !== null && !isOwn(pieces[target]!)) return SENSE + target;
    const elsewhere = pieces.flatMap((piece, square) => (isOwn(piece) ? [] : [square]));
    return SENSE + drawn(elsewhere, this.random);
  }

  close(): void {
    this.guess.delete();
  }

  /** The requests on the guessed board, best first, and its pieces. */
  private evaluated(): { ranked: number[]; pieces: (string | null)[] } {
    const state = this.guess.state();
    const board = boardsOf(this.core, state, this.player);
    const { requests, scores } = board.evaluateRequests(this.depth, MARGIN);
    const order = Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]! || a - b);
    const found = { ranked: order.map((index) => requests[index]!), pieces: board.knownPieces() };
    board.delete();
    state.delete();
    return found;
  }
}

// All possible boards: values of requests and senses over them.

const SCALE = 350;
const WORST_SHARE = 0.1;
const WIN = 100_000;
const FAR = 0.06;
const FLOOR = 0.02;
const [QUIET_TURNS, RATE_STEP] = [12, 0.03];
const MAX_STATISTICS_BOARDS = 200_000;
const MAX_WIN_SEARCH_BOARDS = 20_000;

/** Boards of a sample with the values of all requests on them. */
interface Sample {
  boards: Boards;
  requests: Uint16Array;
  /** Win probabilities, a row for each board. */
  won: Float64Array[];
  weights: Float64Array;
}

/** The sum as NumPy computes it, up to the last digit: it decides between senses that are nearly equal. */
function sumOf(numbers: ArrayLike<number>, first = 0, count = numbers.length): number {
  if (count > 128) {
    const half = Math.floor(count / 2) - (Math.floor(count / 2) % 8);
    return sumOf(numbers, first, half) + sumOf(numbers, first + half, count - half);
  }
  const blocks = count - (count % 8);
  const sums = Array.from({ length: 8 }, (_, lane) => {
    let sum = blocks ? numbers[first + lane]! : 0;
    for (let at = 8; at < blocks; at += 8) sum += numbers[first + at + lane]!;
    return sum;
  }) as [number, number, number, number, number, number, number, number];
  let total = (sums[0] + sums[1]) + (sums[2] + sums[3]) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (let at = blocks; at < count; at++) total += numbers[first + at]!;
  return total;
}

/** The win probability of a score. An attack on the king wins if it goes unseen. */
function winProbability(score: number, attacks: number, rate: number): number {
  let seen = FAR + (1 - 2 * FAR) * (1 / (1 + Math.exp(-Math.min(Math.max(score, -5000), 5000) / SCALE)));
  if (Math.abs(score) > WIN / 2) seen = score > 0 ? 1 - FAR / 4 : FAR / 4;
  if (Math.abs(score) >= WIN - 1) seen = Number(score > 0);
  return seen + rate * attacks * (1 - seen);
}

/** Weights of the boards, which add up to 1. Boards on which the opponent must have blundered weigh less. */
function likelihoods(won: Float64Array[], inDanger: boolean[], share: number, config: BotConfig): Float64Array {
  const best = won.map((row) => row.reduce((most, value) => Math.max(most, value)));
  const least = Math.min(...best);
  const weights = Float64Array.from(best, (value) => Math.exp(-config.opponent_rationality * (value - least)) + FLOOR);
  if (inDanger.some(Boolean) && !inDanger.every(Boolean)) {
    const odds = config.king_danger_weight * share;
    const mass = odds / (odds + 1 - share);
    const scale = (side: boolean, wanted: number) => wanted / sumOf(weights.filter((_, index) => inDanger[index] === side));
    const [danger, safe] = [scale(true, mass), scale(false, 1 - mass)];
    weights.forEach((weight, index) => (weights[index] = weight * (inDanger[index] ? danger : safe)));
  }
  const total = sumOf(weights);
  return weights.map((weight) => weight / total);
}

/** Values of the requests: the weighted mean and the mean of the worst boards, minus the risk for the king. */
function requestValues({ won, weights, requests }: Sample, config: BotConfig): Float64Array {
  const worst = Math.max(1, rounded(WORST_SHARE * won.length));
  return Float64Array.from(requests, (_, request) => {
    const column = Float64Array.from(won, (row) => row[request]!);
    const lowest = sumOf(column.slice().sort().subarray(0, worst)) / worst;
    let [mean, risk] = [0, 0];
    column.forEach((value, board) => {
      mean += weights[board]! * value;
      if (value <= 0) risk += weights[board]!;
    });
    return (1 - config.worst_case_weight) * mean + config.worst_case_weight * lowest - config.king_loss_weight * risk;
  });
}

/** Values of the senses: the mean win probability of the best request after the sense result. */
function senseValues({ boards, won, weights, requests }: Sample, senses: Int32Array): Float64Array {
  return Float64Array.from(senses, (square) => {
    const parts = boards.partition(square);
    const together: Float64Array[] = [];
    won.forEach((row, board) => {
      const sums = (together[parts[board]!] ??= new Float64Array(requests.length));
      for (let request = 0; request < sums.length; request++) sums[request]! += weights[board]! * row[request]!;
    });
    return sumOf(together.map((sums) => sums.reduce((most, value) => Math.max(most, value))));
  });
}

const bestOf = (values: Float64Array) => values.reduce((best, value, index) => (value > values[best]! ? index : best), 0);

/** Tracks all possible boards. It senses for its next move, and moves by mean and worst case. */
class InferenceBot implements Bot {
  private readonly sets = new Sets();
  private tracker: Tracker;
  private readonly options: { limit: number; pastLimit: number; seed: bigint };
  private quietTurns = 0;

  constructor(
    private readonly core: Core,
    private readonly player: number,
    private readonly random: Generator,
    private readonly config: BotConfig,
  ) {
    this.options = { limit: config.boards, pastLimit: 2 * config.boards, seed: random.large() };
    this.tracker = new Tracker(core, player, this.options);
  }

  observe(seen: Observation): void {
    if (seen.kind !== "sense") {
      if (seen.capture !== null) this.quietTurns = 0;
      else if (seen.kind === "move") this.quietTurns += 1;
    }
    try {
      this.tracker.observe(seen);
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      this.beginAnew(seen);
    }
  }

  choose(legal: number[]): number {
    try {
      return isSensing(legal) ? this.sense() : this.move(legal);
    } finally {
      this.sets.sweep([]);
    }
  }

  close(): void {
    this.sets.sweep([]);
    this.tracker.close();
  }

  /** An observation contradicts all boards: tracking goes on from a guess. */
  private beginAnew(seen: Observation): void {
    const board = this.tracker.boards.draw(...this.draw());
    const guess = newGuess(this.core, this.player, board);
    guessObserves(guess, seen);
    const state = guess.state();
    this.tracker.close();
    this.tracker = new Tracker(this.core, this.player, this.options, state);
    if (seen.kind === "sense") this.tracker.observe({ kind: "sense", pieces: [] });
    for (const made of [board, guess, state]) made.delete();
  }

  private sense(): number {
    const { boards } = this.tracker;
    const counted = this.upTo(boards, MAX_STATISTICS_BOARDS, [0, 0]);
    const senses = counted.undominatedSenses();
    if (senses.length === 0) return NO_SENSE;
    const winning = (boards.size() > MAX_WIN_SEARCH_BOARDS ? this.sets.keep(boards.subsample(MAX_WIN_SEARCH_BOARDS, ...this.draw())) : boards).winningSense();
    if (winning !== null) return SENSE + winning;
    const values = senseValues(this.evaluated(this.config.sense_boards), senses);
    const entropies = counted.senseEntropies();
    return SENSE + senses[bestOf(values.map((value, index) => value + this.config.information_weight * entropies[senses[index]!]!))]!;
  }

  private move(legal: number[]): number {
    const winner = this.tracker.boards.winningRequest();
    if (winner !== null && legal.includes(winner)) return winner;
    const sample = this.evaluated(this.config.move_boards);
    const allowed = new Set(legal);
    const values = requestValues(sample, this.config).map((value, index) => (allowed.has(sample.requests[index]!) ? value : -Infinity));
    const best = bestOf(values);
    return values[best] === -Infinity ? drawn(legal, this.random) : sample.requests[best]!;
  }

  /** A sample of the boards with the values of all requests on them. */
  private evaluated(count: number): Sample {
    const all = this.tracker.boards;
    const attacked = this.sets.keep(all.withKingAttacked());
    const boards = this.sample(count, attacked);
    const { requests, scores, attacks } = boards.evaluateRequests(this.config.depth, MARGIN);
    const rate = Math.min(1, this.config.unseen_attack_rate + RATE_STEP * Math.max(0, this.quietTurns - QUIET_TURNS));
    const width = requests.length;
    const rows = Array.from({ length: boards.size() }, (_, board) => width * board);
    const won = rows.map((first) => Float64Array.from(requests, (_, index) => winProbability(scores[first + index]!, attacks[first + index]!, rate)));
    const inDanger = rows.map((first) => scores[first]! <= 1 - WIN); // the first request, the pass, loses the king
    return { boards, requests, won, weights: likelihoods(won, inDanger, attacked.size() / all.size(), this.config) };
  }

  /** A sample of the boards; a fifth of it has an attacked king, if there are such boards. */
  private sample(count: number, attacked: Boards): Boards {
    const all = this.tracker.boards;
    const sample = this.upTo(all, count, this.draw());
    if (all.size() <= count || attacked.size() === 0) return sample;
    return this.sets.keep(sample.union(this.sets.keep(attacked.sample(Math.max(1, Math.floor(count / 4)), ...this.draw()))));
  }

  private upTo(boards: Boards, count: number, seed: [number, number]): Boards {
    return boards.size() > count ? this.sets.keep(boards.subsample(count, ...seed)) : boards;
  }

  private draw(): [number, number] {
    return halves(this.random.large());
  }
}

function newBot(core: Core, config: BotConfig, player: number, seed: number[]): Bot {
  const random = new Generator(seed);
  if (config.kind === "random") return randomBot(random);
  if (config.kind === "attacker") return attacker(player, random);
  return config.kind === "guesser" ? new Guesser(core, player, random, config.depth) : new InferenceBot(core, player, random, config);
}

/** A bot as a player: it observes what its side has seen since its last turn. */
export class BotPlayer implements Player {
  private bot: Bot | null = null;
  private seed: number[] = [0];
  private observed = 0;

  constructor(
    private readonly core: Core,
    private readonly config: BotConfig,
  ) {}

  newGame(seed: number[]): void {
    this.close();
    this.seed = seed;
    this.observed = 0;
  }

  choose({ state, seen = [] }: Turn): Promise<Decision> {
    this.bot ??= newBot(this.core, this.config, state.toMove(), this.seed);
    for (const observation of seen.slice(this.observed)) this.bot.observe(observation);
    this.observed = seen.length;
    const move = this.bot.choose(Array.from(state.legalMoves()));
    return Promise.resolve({ move, value: null, resign: false, offerDraw: false, think: 0, prediction: null });
  }

  acceptsDraw(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): void {
    this.bot?.close();
    this.bot = null;
  }
}
