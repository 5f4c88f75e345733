// Reviews of whole games: `sparring.measure.review` with the analysts of `sparring.measure.analysis`, and `sparring.server.review`.
import type { LegalMove, ReviewedMove, ReviewView } from "../api";
import type { Text } from "../text";
import type { Core, State } from "./core";
import type { ReadFile } from "./files";
import { predictOne, ratingNumber, shownRating, type Policies } from "./players";
import { rounded, type Policy, type Prediction, type Rating } from "./policies";
import { lineOf, type Recorded } from "./records";
import type { Rules } from "./rules";
import { ranked, search } from "./search";
import { refuse, sentence } from "./sentences";
import { inBatches, valuesAreUsable } from "./understand";

const DOUBTFUL = 0.05;
const MISTAKE = 0.1;
const BLUNDER = 0.2;
/** Moves that are analysed together. */
const BLOCK = 10;
const MOMENTS = 3;
/** Losses of the first analysis that are looked at again. What loses more is sure. */
const LOOK_AGAIN = [0.03, 0.4] as const;
/** Moves of a position whose values say how hard it is: the likeliest for people. */
const CANDIDATES = 6;
/** Probability from which people of a rating often play a move. It is marked only if it is a mistake. */
const USUAL = 0.25;
/** Moves of a line that is shown, and of a line that is kept. */
const [LINE, LEAST_LINE, LONGEST_LINE] = [6, 3, 12] as const;
const LONGEST_MATE = 8;
/** Moves of a game that are reviewed. */
const MOVES = 1000;

/** The value of a position, and how it goes on. */
interface Evaluation {
  /** Expected score of the side to move. */
  score: number;
  /** The best moves; empty if the game is over. */
  line: number[];
  /** Moves to a forced mate, negative if the side to move is mated; null without one. */
  mate: number | null;
}

/** Lets other requests of the page be answered. Throws Abandoned if nobody waits for the review any more. */
type Rest = () => Promise<void>;

class Abandoned extends Error {}

interface Analyst {
  /** The evaluations of consecutive states of one game; `deep` ones take several times as long. */
  evaluate(states: State[], deep: boolean, rest: Rest): Promise<Evaluation[]>;
  /** What each move gives away against the best of these moves, quickly. */
  lossesAtAGlance(state: State, moves: number[]): Promise<number[]>;
  close(): void;
}

function ended(state: State): Evaluation | null {
  if (!state.reason()) return null;
  return { score: state.winner() < 0 ? 0.5 : Number(state.winner() === state.toMove()), line: [], mate: null };
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const digits = (value: number, count: number) => Number(value.toFixed(count));

/** The expected score after a move, for its mover. */
const moverScore = (state: State, after: State, answer: Evaluation) => (after.toMove() === state.toMove() ? answer.score : 1 - answer.score);

/** The result of `work` on a state after some moves, which are then deleted. */
async function after<T>(state: State, moves: number[], work: (line: State[]) => Promise<T> | T): Promise<T> {
  const line: State[] = [];
  try {
    for (const move of moves) line.push((line.at(-1) ?? state).play(move));
    return await work(line);
  } finally {
    for (const next of line) next.delete();
  }
}

// The strong network.

/** Visits of a position in the search with the strong network: usually, deep. On a large board of Go a visit takes several
 * times as long, and there are a third as many. */
const NODES = [24, 160] as const;
const FEW_NODES = [8, 48] as const;
const LARGE_BOARD = 13 * 13;

class NetworkAnalyst implements Analyst {
  constructor(
    private readonly core: Core,
    private readonly native: string,
    private readonly strong: Policy,
    private readonly nodes: readonly [number, number],
  ) {}

  async evaluate(states: State[], deep: boolean, rest: Rest): Promise<Evaluation[]> {
    const found: Evaluation[] = [];
    for (const state of states) {
      await rest();
      found.push(ended(state) ?? (await this.searched(state, this.nodes[deep ? 1 : 0])));
    }
    return found;
  }

  private async searched(state: State, nodes: number): Promise<Evaluation> {
    const result = await search(this.core, this.native, state, {}, (leaves) => this.strong.predict(leaves, null), { nodes });
    const best = ranked(result)[0]!;
    const [move, forced, value] = [result.moves[best]!, result.forced[best]!, result.values[best]!];
    const mate = forced === 0 ? null : Math.sign(forced) * Math.floor((Math.abs(forced) + 1) / 2);
    return { score: (1 + (Number.isNaN(value) ? result.value : value)) / 2, line: result.pv(move).slice(0, LONGEST_LINE), mate };
  }

  async lossesAtAGlance(state: State, moves: number[]): Promise<number[]> {
    const children = moves.map((move) => state.play(move));
    const open = children.filter((child) => !child.reason());
    const values = await inBatches(this.core, this.native, this.strong, open);
    const scores = children.map((child) => moverScore(state, child, ended(child) ?? { score: (1 + values[open.indexOf(child)]!.value) / 2, line: [], mate: null }));
    for (const child of children) child.delete();
    return scores.map((score) => Math.max(...scores) - score);
  }

  close(): void {}
}

// The line search of chess, blended with the strong network.

/** Nodes at a glance, usually, and deep. */
const LINE_NODES = [1_500, 150_000, 500_000] as const;
const MEGABYTES = 16;
const SEARCH_WEIGHT = 0.55;
const NETWORK_WEIGHT = 0.225;
/** Moves of a line after which the strong network sees the positions. */
const SEEN_MOVES = 5;
/** Centipawns that multiply the odds by e, and where scores end. */
const SCORE_SCALE = 271.59;
const MOST_LOGIT = 3.68208;
const CENTIPAWNS = 0.68;
const WIN = 1_000_000;
const DECIDED = WIN - 1_000;
const MATE_CENTIPAWNS = 32_000;

interface Lines {
  best(state: State, nodes: number): { moves: Uint16Array; score: number };
  clear(): void;
  delete(): void;
}
type MakeLines = new (first: Int16Array, firstBias: Int16Array, last: Int16Array, lastBias: Int32Array, megabytes: number) => Lines;

/** Opens the line search: its layers lie one after the other in a file. */
async function openLines(core: Core, read: ReadFile, sizes: number[]): Promise<Lines> {
  const content = (await read("chess-lines.bin.gz")).slice().buffer;
  const at = sizes.map((_, index) => 2 * sum(sizes.slice(0, index)));
  const shorts = (index: number) => new Int16Array(content, at[index], sizes[index]);
  const make = (core as unknown as { ChessLines: MakeLines }).ChessLines;
  return new make(shorts(0), shorts(1), shorts(2), new Int32Array(content, at[3], sizes[3]), MEGABYTES);
}

function logit(score: number): number {
  const clipped = Math.min(Math.max(score, 0.0246), 0.9754);
  return Math.log(clipped / (1 - clipped));
}

const chance = (odds: number) => 1 / (1 + Math.exp(-odds));

class LineAnalyst implements Analyst {
  constructor(
    private readonly core: Core,
    private readonly native: string,
    private readonly strong: Policy,
    private readonly lines: Lines,
  ) {}

  async evaluate(states: State[], deep: boolean, rest: Rest): Promise<Evaluation[]> {
    if (!deep) this.lines.clear();
    const found: Evaluation[] = [];
    for (const state of [...states].reverse()) {
      await rest();
      found.unshift(this.searched(state, LINE_NODES[deep ? 2 : 1]));
    }
    for (const [index, state] of states.entries()) {
      await rest();
      found[index] = await this.blended(state, found[index]!);
    }
    return found;
  }

  private searched(state: State, nodes: number): Evaluation {
    const over = ended(state);
    if (over) return over;
    const { moves, score } = this.lines.best(state, nodes);
    const isMate = Math.abs(score) > DECIDED;
    const mate = isMate ? Math.sign(score) * Math.floor((WIN - Math.abs(score) + 1) / 2) : null;
    const centipawns = mate === null ? rounded(CENTIPAWNS * score) : Math.sign(score) * MATE_CENTIPAWNS - mate;
    const odds = Math.min(Math.max(centipawns / SCORE_SCALE, -MOST_LOGIT), MOST_LOGIT);
    return { score: chance(odds), line: Array.from(moves).slice(0, LONGEST_LINE), mate };
  }

  /** The network's mean value along the line and the score of the search, added as logarithms of odds. */
  private blended(state: State, evaluation: Evaluation): Promise<Evaluation> {
    return after(state, evaluation.line.slice(0, SEEN_MOVES), async (line) => {
      const seen = evaluation.mate === null ? [state, ...line] : [];
      const end = seen.findIndex((next) => next.reason());
      const open = end < 0 ? seen : seen.slice(0, end);
      if (open.length === 0) return evaluation;
      const values = await inBatches(this.core, this.native, this.strong, open);
      const mean = sum(values.map(({ value }, index) => (open[index]!.toMove() === state.toMove() ? value : -value))) / open.length;
      return { ...evaluation, score: chance(SEARCH_WEIGHT * logit(evaluation.score) + NETWORK_WEIGHT * logit((1 + mean) / 2)) };
    });
  }

  async lossesAtAGlance(state: State, moves: number[]): Promise<number[]> {
    const scores: number[] = [];
    for (const move of moves) scores.push(await after(state, [move], ([child]) => moverScore(state, child!, this.searched(child!, LINE_NODES[0]))));
    return scores.map((score) => Math.max(...scores) - score);
  }

  close(): void {
    this.lines.delete();
  }
}

// The review of a move.

interface Facts {
  state: State;
  child: State;
  best: Evaluation;
  answer: Evaluation;
  people: Prediction;
}

class Reviewer {
  constructor(
    private readonly core: Core,
    private readonly rules: Rules,
    private readonly human: Policy,
    private readonly strong: Policy,
    private readonly analyst: Analyst,
    /** Whether it can judge moves: a strong network alone must have values that can be used. */
    private readonly judges: boolean,
    /** Positions of named openings, by `openingKey`. */
    private readonly openings: Set<string>,
  ) {}

  /** The reviews of the moves from ply `begin` on, at most BLOCK. */
  async block(states: State[], begin: number, ratings: [Rating, Rating], rest: Rest): Promise<ReviewedMove[]> {
    const part = states.slice(begin, begin + BLOCK + 1);
    while (part.length > 1 && part.at(-2)!.reason()) part.pop(); // some records go on after the end by the rules
    const evaluations = part.length < 2 ? [] : await this.evaluations(part, rest);
    const reviews: ReviewedMove[] = [];
    for (let index = 0; index + 1 < part.length; index++) {
      await rest();
      const [state, child] = [part[index]!, part[index + 1]!];
      const people = await predictOne(this.core, this.rules.native, this.human, state, ratings[state.toMove()], ratings[1 - state.toMove()]);
      const passes = isPass(this.rules, states, begin + index + 1) || isPass(this.rules, states, begin + index);
      reviews.push(await this.review({ state, child, best: evaluations[index]!, answer: evaluations[index + 1]!, people }, passes));
    }
    return reviews;
  }

  private async evaluations(states: State[], rest: Rest): Promise<Evaluation[]> {
    const found = await this.analyst.evaluate(states, false, rest);
    const again = new Set<number>();
    for (let ply = 0; ply + 1 < states.length; ply++) {
      const [best, answer] = [found[ply]!, found[ply + 1]!];
      const loss = best.score - moverScore(states[ply]!, states[ply + 1]!, answer);
      const mates = best.mate !== null || answer.mate !== null;
      if ((LOOK_AGAIN[0] <= loss && loss < LOOK_AGAIN[1]) || (mates && loss >= 0.01)) again.add(ply).add(ply + 1);
    }
    const places = [...again].sort((a, b) => a - b);
    const deep = await this.analyst.evaluate(places.map((place) => states[place]!), true, rest);
    for (const [index, place] of places.entries()) found[place] = deep[index]!;
    return found;
  }

  private async review(facts: Facts, passes: boolean): Promise<ReviewedMove> {
    const { state, child, best, answer, people } = facts;
    const { moves, probabilities } = people;
    const [move, better] = [child.lastMove(), best.line[0]!];
    const likely = probabilities[moves.indexOf(move)]!;
    const reached = moverScore(state, child, answer);
    const loss = better === move ? 0 : Math.max(0, best.score - reached);
    const { found, difficulty, expected } = await this.difficulty(facts, loss);
    let mark = this.mark(child, loss, likely, passes);
    const mateAfter = answer.mate === null ? null : -answer.mate;
    const missedMate = best.mate !== null && best.mate > 0 && best.mate <= LONGEST_MATE && (mateAfter ?? 0) <= 0;
    if (!mark && this.judges && missedMate && !child.reason() && loss > 0.01) mark = "doubtful";
    const player = state.toMove();
    const name = (wanted: number) => this.rules.moveName(state, wanted);
    const peopleScore = (1 + people.value) / 2;
    return {
      ply: state.ply(),
      player,
      text: state.moveText(move),
      name: name(move),
      likely: digits(likely, 5),
      expected: state.moveText(expected),
      expected_name: name(expected),
      best: state.moveText(better),
      best_name: name(better),
      best_likely: digits(probabilities[moves.indexOf(better)]!, 5),
      found: this.judged(found),
      loss: this.judged(loss),
      difficulty: this.judged(difficulty),
      score: digits(player === 0 ? peopleScore : 1 - peopleScore, 4),
      blunder: mark === "mistake" || mark === "blunder",
      mark,
      line: mark ? await this.shown(state, await this.completed(state, best.line)) : [],
      answer: mark ? await this.shown(child, answer.line.slice(0, LINE)) : [],
      kind: "",
      kind_text: null,
      chance: this.judged(player === 0 ? reached : 1 - reached),
      mate: best.mate,
    };
  }

  private readonly judged = (value: number) => (this.judges ? digits(value, 4) : null);

  /** Probability that people play a good move, what they give away on average, and the move that they play most often. */
  private async difficulty({ state, child, best, people }: Facts, loss: number) {
    const { moves, probabilities } = people;
    const [played, better] = [moves.indexOf(child.lastMove()), moves.indexOf(best.line[0]!)];
    const order = Array.from(moves.keys()).sort((a, b) => probabilities[b]! - probabilities[a]! || a - b);
    const others = order.slice(0, CANDIDATES).filter((place) => place !== played && place !== better);
    const glances = await this.analyst.lossesAtAGlance(state, [...others, better].map((place) => moves[place]!));
    const losses = new Map([[better, 0], [played, loss]]);
    for (const [index, place] of others.entries()) losses.set(place, Math.max(0, glances[index]! - glances.at(-1)!));
    const total = sum([...losses.keys()].map((place) => probabilities[place]!));
    const share = (place: number) => probabilities[place]! / total;
    return {
      found: sum([...losses].filter(([, lost]) => lost < DOUBTFUL).map(([place]) => share(place))),
      difficulty: sum([...losses].map(([place, lost]) => share(place) * lost)),
      expected: moves[order[0]!]!,
    };
  }

  /** The mark of a move. It has none if it is a pass or answers one, or if it loses little and belongs to a named opening
   * or is often played by people. */
  private mark(child: State, loss: number, likely: number, passes: boolean): ReviewedMove["mark"] {
    if (loss < DOUBTFUL || !this.judges || passes) return "";
    if (loss < MISTAKE && (likely >= USUAL || this.openings.has(openingKey(child)))) return "";
    return loss < MISTAKE ? "doubtful" : loss < BLUNDER ? "mistake" : "blunder";
  }

  /** At most six moves; at least three unless the game ends, by the strong network where the line is shorter. */
  private async completed(state: State, line: number[]): Promise<number[]> {
    const moves = line.slice(0, LINE);
    while (moves.length < LEAST_LINE) {
      const next = await after(state, moves, async (states) => {
        const last = states.at(-1) ?? state;
        if (last.reason()) return null;
        const prediction = await predictOne(this.core, this.rules.native, this.strong, last, null);
        return prediction.moves[prediction.probabilities.indexOf(Math.max(...prediction.probabilities))]!;
      });
      if (next === null) break;
      moves.push(next);
    }
    return moves;
  }

  private shown(state: State, line: number[]): Promise<LegalMove[]> {
    return after(state, line, (states) => line.map((move, index) => {
      const at = index === 0 ? state : states[index - 1]!;
      return { text: at.moveText(move), name: this.rules.moveName(at, move) };
    }));
  }

  close(): void {
    this.analyst.close();
  }
}

/** Whether a state of a game comes after a pass. */
const isPass = (rules: Rules, states: State[], ply: number) => rules.native === "Go" && ply > 0 && states[ply - 1]!.moveText(states[ply]!.lastMove()) === "pass";

/** Pieces, side to move and castling rights: other facts do not make another opening. */
const openingKey = (state: State) => state.text().split(" ").slice(0, 3).join(" ");

/** The positions of all named openings, with those on the way to them. */
function openingPositions(core: Core, rules: Rules, lines: string[]): Set<string> {
  const found = new Set<string>();
  const start = rules.initial(core, {});
  for (const text of lines) {
    const line = [start];
    for (const move of text.split(" ")) line.push(line.at(-1)!.play(line.at(-1)!.parseMove(move)));
    for (const state of line) found.add(openingKey(state));
    for (const state of line.slice(1)) state.delete();
  }
  start.delete();
  return found;
}

/** The plies of the moves that gave away the most, at most three, in the order of the game. */
function mostLost(moves: ReviewedMove[]): number[] {
  const worst = moves.filter((move) => move.mark).sort((a, b) => (b.loss ?? 0) - (a.loss ?? 0)).slice(0, MOMENTS);
  return worst.map((move) => move.ply).sort((a, b) => a - b);
}

// The reviews of a tab.

/** Milliseconds without a request after which a review rests until it is asked for. Pages in the background ask once a
 * minute. */
const UNASKED = 90_000;
/** Milliseconds between two looks whether an opponent still thinks: a game comes first. */
const PAUSE = 100;

/** A game that is reviewed, and what belongs to it. */
export interface Subject {
  game: string;
  rules: Rules;
  policies: Policies;
  recorded: Recorded;
  warning: Text | null;
}

interface Job extends Subject {
  states: State[];
  ratings: [Rating, Rating];
  moves: ReviewedMove[];
  moments: number[];
  asked: number;
  runs: boolean;
  done: boolean;
  error: Text | null;
}

/** Reviews, each computed move by move as long as somebody asks for it. The last one alone is computed. */
export class Reviews {
  private readonly jobs = new Map<string, Job>();
  private latest = "";

  constructor(
    private readonly core: Core,
    private readonly read: ReadFile,
    /** Whether an opponent thinks, who comes first. */
    private readonly isBusy: () => boolean,
  ) {}

  /** Starts a review. Raises Refusal. */
  begin(subject: Subject, rating: string | number | null): ReviewView {
    const { recorded, rules, policies } = subject;
    const states = lineOf(this.core, rules, recorded);
    if (states.length < 2 || states.length > MOVES + 1) {
      for (const state of states) state.delete();
      return refuse("A game of 1 to {most} moves can be reviewed.", { most: "1,000" });
    }
    const id = crypto.randomUUID();
    const warning = subject.warning ?? (fewNodes(states[0]!) ? sentence("On a large board a tab looks less far ahead than the installed program.") : null);
    this.jobs.set(id, { ...subject, warning, states, ratings: assumedRatings(policies, recorded, rating), moves: [], moments: [], asked: Date.now(), runs: false, done: false, error: null });
    for (const [old, job] of this.jobs) if (old !== id && !job.runs) this.forget(old);
    return this.view(id, 0);
  }

  /** A review, with its moves from a number on. Raises Refusal. */
  view(id: string, since: number): ReviewView {
    const job = this.jobs.get(id) ?? refuse("There is no such review of yours.", {}, 404);
    job.asked = Date.now();
    this.latest = id;
    void this.run(id, job);
    const { game, policies, recorded, ratings, states, moves, moments, done, error, warning } = job;
    const shown = ratings.map((rating) => (rating === null ? null : shownRating(policies.data, rating))) as ReviewView["ratings"];
    const players = recorded.players.map((name) => name || null) as ReviewView["players"];
    return { id, game, players, ratings: shown, total: states.length - 1, moves: moves.slice(since), levels: [null, null], moments, done, error, warning };
  }

  private forget(id: string): void {
    for (const state of this.jobs.get(id)!.states) state.delete();
    this.jobs.delete(id);
  }

  private async run(id: string, job: Job): Promise<void> {
    if (job.done || job.runs) return;
    job.runs = true;
    const rest = async () => {
      do await new Promise((resolve) => setTimeout(resolve, this.isBusy() ? PAUSE : 0));
      while (this.isBusy());
      if (this.latest !== id || Date.now() - job.asked > UNASKED) throw new Abandoned();
    };
    let reviewer: Reviewer | null = null;
    try {
      reviewer = await this.reviewer(job);
      while (job.moves.length < job.states.length - 1) {
        const moves = await reviewer.block(job.states, job.moves.length, job.ratings, rest);
        if (moves.length === 0) break; // the record goes on after the end by the rules
        job.moves.push(...moves);
      }
      job.moments = mostLost(job.moves);
      job.done = true;
    } catch (error) {
      if (!(error instanceof Abandoned)) {
        job.error = sentence("The review ended: {error}", { error: (error as Error).message });
        job.done = true;
      }
    } finally {
      reviewer?.close();
      job.runs = false;
    }
  }

  private async reviewer({ rules, policies, states }: Job): Promise<Reviewer> {
    const { data } = policies;
    const [human, strong] = [await policies.policy("human"), await policies.policy("strong")];
    const analyst = data.lines
      ? new LineAnalyst(this.core, rules.native, strong, await openLines(this.core, this.read, data.lines))
      : new NetworkAnalyst(this.core, rules.native, strong, fewNodes(states[0]!) ? FEW_NODES : NODES);
    const judges = data.lines !== null || (await valuesAreUsable(this.core, rules, strong));
    return new Reviewer(this.core, rules, human, strong, analyst, judges, openingPositions(this.core, rules, data.openings));
  }
}

const fewNodes = (state: State) => "size" in state && (state as State & { size(): number }).size() ** 2 > LARGE_BOARD;

/** The ratings of both players: the wanted one, else those of the record, within the range of the network. */
function assumedRatings({ data }: Policies, recorded: Recorded, wanted: string | number | null): [Rating, Rating] {
  if (data.accepted === null) return [null, null];
  const [low, high] = data.accepted;
  const within = (rating: number) => Math.min(Math.max(rating, low), high);
  const number = ratingNumber(data, wanted);
  if (number !== null) return [within(number), within(number)];
  const [first, second] = recorded.ratings.map((rating) => ratingNumber(data, rating));
  const fallback = first ?? second ?? data.rating ?? low;
  return [within(first ?? fallback), within(second ?? fallback)];
}
