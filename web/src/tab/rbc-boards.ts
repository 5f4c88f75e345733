// The possible boards of a player of blind chess: `sparring.rbc.tracker`, as far as bots and the page need it. The same
// observations and the same seed give the same boards as in Python.
import type { Core, State } from "./core";

export const PASS = 0;
/** The code of the sense of a1; those of the other squares follow. */
export const SENSE = 0x8000;
export const NO_SENSE = SENSE + 64;

/** The squares of a sense with their FEN letters, null for an empty one. */
export type Seen = [square: number, piece: string | null][];

/** What a player observes: its own sense, what became of its own request, or the opponent's move. */
export type Observation =
  | { kind: "sense"; pieces: Seen }
  | { kind: "move"; request: number; taken: number; capture: number | null }
  | { kind: "opponent"; capture: number | null };

export interface RbcState extends State {
  sensing(): boolean;
  sense(square: number): Seen;
  resultOf(request: number): { taken: number; capture: number | null };
}

/** A set of possible boards in the core; immutable. */
export interface Boards {
  delete(): void;
  size(): number;
  /** 0 if the set is complete; else one in 2 ** level boards was kept. */
  level(): number;
  toMove(): 0 | 1;
  sample(count: number, high: number, low: number): Boards;
  draw(high: number, low: number): RbcState;
  subsample(count: number, high: number, low: number): Boards;
  union(other: Boards): Boards;
  afterOpponent(capture: number | null, seen: Seen, limit: number, high: number, low: number): Boards;
  afterSense(seen: Seen): Boards;
  beforeMove(request: number, taken: number, capture: number | null): Boards;
  afterMove(request: number, taken: number, capture: number | null): Boards;
  repairCapture(capture: number | null): Boards;
  repairSense(seen: Seen): Boards;
  repairMove(taken: number, capture: number | null): Boards;
  withKingAttacked(): Boards;
  undominatedSenses(): Int32Array;
  senseEntropies(): Float64Array;
  partition(square: number): Uint32Array;
  /** The request that captures the king on every board. */
  winningRequest(): number | null;
  /** The first sense after which the king is captured for certain. */
  winningSense(): number | null;
  evaluateRequests(depth: number, margin: number): { requests: Uint16Array; scores: Int32Array; attacks: Uint8Array };
  knownPieces(): (string | null)[];
  /** Shares of the boards with each piece (`PNBRQKpnbrqk`) on each square, [12 * 64]; of a sample of a larger set. */
  pieceShares(count: number): Float64Array;
}

/** A board that is consistent with the latest observations. */
export interface NativeGuess {
  delete(): void;
  state(): RbcState;
  opponentMoved(capture: number | null): void;
  sensed(seen: Seen): void;
  moved(taken: number, capture: number | null): void;
}

interface RbcCore {
  RbcBoards: { of(state: State, player: number): Boards };
  RbcGuess: { of(player: number, state: State): NativeGuess };
}

const rbc = (core: Core) => core as unknown as RbcCore;

export const boardsOf = (core: Core, state: State, player: number): Boards => rbc(core).RbcBoards.of(state, player);

/** A guess from a position, by default the initial one. */
export function newGuess(core: Core, player: number, start: State | null = null): NativeGuess {
  const state = start ?? core.RbcState!.initial();
  const guess = rbc(core).RbcGuess.of(player, state);
  if (start === null) state.delete();
  return guess;
}

export function guessObserves(guess: NativeGuess, seen: Observation): void {
  if (seen.kind === "opponent") guess.opponentMoved(seen.capture);
  else if (seen.kind === "sense") guess.sensed(seen.pieces);
  else guess.moved(seen.taken, seen.capture);
}

/** The upper and the lower half of a seed. */
export const halves = (seed: bigint): [number, number] => [Number(seed >> 32n), Number(seed & 0xffffffffn)];

/** Sets of boards live in the core until they are deleted: this keeps those that are made, and deletes those not in use. */
export class Sets {
  private live = new Set<Boards>();

  keep(boards: Boards): Boards {
    this.live.add(boards);
    return boards;
  }

  sweep(used: Iterable<Boards | null>): void {
    const kept = new Set<Boards>();
    for (const boards of used) if (boards) kept.add(boards);
    for (const boards of this.live) if (!kept.has(boards)) boards.delete();
    this.live = kept;
  }
}

/** An observation that no followed board is consistent with. */
export class Contradiction extends Error {}

type Phase = "opponent" | "sense" | "move";
type OwnMove = [request: number, taken: number, capture: number | null];

interface Observed {
  capture: number | null;
  sensed: Seen;
  move: OwnMove | null;
}

interface PastTurn {
  observed: Observed;
  boards: Boards;
  exact: boolean;
}

interface Current {
  boards: Boards;
  exact: boolean;
  phase: Phase;
  observed: Observed;
  /** The boards before the opponent's move, while `boards` is a sample of their successors. */
  parents: Boards | null;
  parentsExact: boolean;
}

interface Resampled {
  boards: Boards;
  exact: boolean;
  turns: PastTurn[];
}

const NOTHING: Observed = { capture: null, sensed: [], move: null };
const REPAIRED = 500;
const [MIN_ATTEMPTS, MAX_ATTEMPTS, BOARDS_OF_ATTEMPTS] = [4, 32, 4_000_000];
const MASK64 = (1n << 64n) - 1n;

/** Follows the possible boards of a player: its observations expand and filter them; a large set becomes a sample. */
export class Tracker {
  private readonly sets = new Sets();
  private now: Current;
  private origin: { boards: Boards; turns: number; exact: boolean };
  private past: PastTurn[] = [];

  constructor(
    core: Core,
    private readonly player: number,
    private readonly options: { limit: number; pastLimit: number; seed: bigint },
    start: State | null = null,
  ) {
    const state = start ?? core.RbcState!.initial();
    const boards = this.sets.keep(boardsOf(core, state, player));
    if (start === null) state.delete();
    this.now = { boards, exact: true, phase: boards.toMove() === player ? "sense" : "opponent", observed: NOTHING, parents: null, parentsExact: true };
    this.origin = { boards, turns: 0, exact: true };
  }

  get boards(): Boards {
    return this.now.boards;
  }

  /** Whether `boards` are all that are possible. */
  get exact(): boolean {
    return this.now.exact;
  }

  /** Raises Contradiction. */
  observe(seen: Observation): void {
    if (seen.kind === "opponent") this.opponentMoved(seen.capture);
    else if (seen.kind === "sense") this.sensed(seen.pieces);
    else this.moved(seen.request, seen.taken, seen.capture);
    this.sets.sweep([this.now.boards, this.now.parents, this.origin.boards, ...this.past.map((turn) => turn.boards)]);
  }

  close(): void {
    this.sets.sweep([]);
  }

  private opponentMoved(capture: number | null): void {
    const { now } = this;
    const observed = { ...NOTHING, capture };
    const boards = this.expand(now.boards, observed, this.seed());
    const after = this.resampledIfEmpty(boards, now.exact, observed);
    if (after === null) return this.restart(this.repaired((some) => some.repairCapture(capture)), "sense", observed);
    const sampled = boards.size() > 0 && boards.level() > 0;
    this.enter({ boards: after.boards, exact: after.exact, phase: "sense", observed, parents: sampled ? now.boards : null, parentsExact: now.exact }, after.turns);
  }

  /** `seen` is empty without a sense. */
  sensed(seen: Seen): void {
    const { now } = this;
    const observed = { ...now.observed, sensed: seen };
    const boards = now.parents === null ? this.sets.keep(now.boards.afterSense(seen)) : this.expand(now.parents, observed, this.seed());
    const exact = now.parents === null ? now.exact : now.parentsExact && boards.level() === 0;
    const after = this.resampledIfEmpty(boards, exact, observed);
    if (after === null) {
      const fitting = this.sets.keep(this.repaired((some) => some.repairSense(seen)).afterSense(seen));
      if (fitting.size() === 0) throw new Contradiction();
      return this.restart(fitting, "move", observed);
    }
    this.enter({ ...now, boards: after.boards, exact: after.exact, phase: "move", observed, parents: null }, after.turns);
  }

  private moved(...move: OwnMove): void {
    const { now } = this;
    const observed = { ...now.observed, move };
    const after = this.resampledIfEmpty(this.sets.keep(now.boards.beforeMove(...move)), now.exact, observed);
    if (after === null) {
      const boards = this.repaired((some) => some.repairMove(move[1], move[2]));
      this.appendPast({ observed, boards: now.boards, exact: false });
      return this.restart(boards, "opponent", NOTHING);
    }
    const turn = { observed, boards: after.boards, exact: after.exact };
    this.enter({ boards: this.boardsAfter(turn), exact: after.exact, phase: "opponent", observed: NOTHING, parents: null, parentsExact: true }, after.turns);
    this.appendPast(turn);
  }

  private enter(after: Current, turns: PastTurn[]): void {
    this.now = after;
    this.past.splice(this.past.length - turns.length, turns.length, ...turns);
  }

  /** The boards after the opponent's move, if one is due, and the sense. */
  private expand(boards: Boards, observed: Observed, seed: bigint): Boards {
    if (boards.toMove() === this.player) return this.sets.keep(boards.afterSense(observed.sensed));
    return this.sets.keep(boards.afterOpponent(observed.capture, observed.sensed, this.options.limit, ...halves(seed)));
  }

  private boardsAfter({ boards, observed }: PastTurn): Boards {
    return this.sets.keep(boards.afterMove(...observed.move!));
  }

  /** Adds a finished turn; beyond the limit of past boards, the largest sets become samples. */
  private appendPast(turn: PastTurn): void {
    const seed = halves(this.seed());
    this.past.push(turn);
    while (this.past.reduce((sum, { boards }) => sum + boards.size(), 0) > this.options.pastLimit) {
      const largest = this.past.reduce((most, other) => (other.boards.size() > most.boards.size() ? other : most));
      largest.boards = this.sets.keep(largest.boards.subsample(Math.floor(largest.boards.size() / 4), ...seed));
      largest.exact = false;
    }
  }

  /** The boards, or if there are none those of another sample; null if there are no others. */
  private resampledIfEmpty(boards: Boards, exact: boolean, observed: Observed): Resampled | null {
    if (boards.size() > 0) return { boards, exact: exact && boards.level() === 0, turns: [] };
    if (this.now.exact || (this.now.parents !== null && this.now.parentsExact)) return null;
    const lastExact = this.past.map((turn) => turn.exact).lastIndexOf(true);
    const attempts = Math.min(Math.max(MIN_ATTEMPTS, Math.floor(BOARDS_OF_ATTEMPTS / this.options.limit)), MAX_ATTEMPTS);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const found = this.resample(lastExact, attempt, observed);
      if (found) return found;
    }
    return null;
  }

  /** Replays the observations since the last complete set with other seeds; null if no board is left. */
  private resample(lastExact: number, attempt: number, observed: Observed): Resampled | null {
    const origin = lastExact < 0 ? this.origin : { boards: this.boardsAfter(this.past[lastExact]!), turns: lastExact + 1, exact: true };
    let { boards, exact } = origin;
    const turns: PastTurn[] = [];
    const replayed = [...this.past.map((turn) => turn.observed), observed];
    for (let number = origin.turns; number < replayed.length; number++) {
      const seen = replayed[number]!;
      boards = this.expand(boards, seen, this.seed(number, attempt));
      exact &&= boards.level() === 0;
      if (seen.move) boards = this.sets.keep(boards.beforeMove(...seen.move));
      if (boards.size() === 0) return null;
      if (number < this.past.length) {
        turns.push({ observed: seen, boards, exact });
        boards = this.boardsAfter(turns.at(-1)!);
      }
    }
    return { boards, exact, turns };
  }

  /** The seed of a turn and attempt. */
  private seed(turn = this.past.length, attempt = 0): bigint {
    return (this.options.seed * 1_000_003n + BigInt(turn) * 1009n + BigInt(attempt)) & MASK64;
  }

  /** Some of the boards, edited to fit what was observed. Raises Contradiction. */
  private repaired(edit: (boards: Boards) => Boards): Boards {
    try {
      return this.sets.keep(edit(this.sets.keep(this.now.boards.subsample(REPAIRED, ...halves(this.seed())))));
    } catch {
      throw new Contradiction();
    }
  }

  /** Goes on from repaired boards: no earlier set is known to be complete any more. */
  private restart(boards: Boards, phase: Phase, observed: Observed): void {
    for (const turn of this.past) turn.exact = false;
    this.origin = { boards, turns: this.past.length, exact: false };
    this.now = { boards, exact: false, phase, observed, parents: null, parentsExact: true };
  }
}
