// Blind chess in a tab: `sparring.rbc.page`. The person sees observations, and the truth when the game is over; a finished game
// can be replayed with what each side could know, and saved as reconchess's GameHistory (`sparring.rbc.history`).
import type { BeliefStep, BeliefView, GameSummary, GameView, ReplayView } from "../api";
import type { Text } from "../text";
import type { State } from "./core";
import { LiveGame } from "./live-game";
import type { Decision } from "./players";
import { NO_SENSE, PASS, SENSE, Tracker, type Boards, type Observation, type RbcState } from "./rbc-boards";
import { knownBoard, squareName } from "./rules";
import { joined, refuse, sentence } from "./sentences";

const LETTERS = "PNBRQKpnbrqk";
/** Boards that shares are estimated from. */
const SAMPLE = 2_000;
/** Boards that are followed for the person, and of all earlier turns together. */
const BOARDS = 100_000;
/** Boards that a replay follows for each side. */
const REPLAYED_BOARDS = 50_000;
/** Milliseconds that a request for steps computes before it answers with what it has. */
const REPLAY_TIME = 500;
const NOTES = 20;

/** What `player` observes when the last move of `after` is played in `before`; null if nothing. */
export function observe(before: State, after: State, player: number): Observation | null {
  const state = before as RbcState;
  const move = after.lastMove();
  const own = player === state.toMove();
  if (move >= SENSE) return own ? { kind: "sense", pieces: move === NO_SENSE ? [] : state.sense(move - SENSE) } : null;
  const { taken, capture } = state.resultOf(move);
  return own ? { kind: "move", request: move, taken, capture } : { kind: "opponent", capture };
}

/** An observation in sentences: to the player, or about the player of this name. */
function inWords(seen: Observation | null, state: State, player = ""): Text[] {
  if (seen === null) return [];
  if (seen.kind === "sense") {
    const pieces = seen.pieces.flatMap(([square, letter]) => (letter ? [`${letter} on ${squareName(square)}`] : [])).join(", ");
    if (player) return [pieces ? sentence("{side} sees {pieces}.", { side: player, pieces }) : sentence("{side} sees nothing.", { side: player })];
    return [pieces ? sentence("You see {pieces}.", { pieces }) : sentence("You see nothing.")];
  }
  const square = seen.capture === null ? "" : squareName(seen.capture);
  if (seen.kind === "opponent") {
    if (!square) return [];
    return [player ? sentence("{side}'s piece on {square} was taken.", { side: player, square }) : sentence("Your piece on {square} was taken.", { square })];
  }
  const found: Text[] = [];
  const move = state.moveText(seen.request);
  if (seen.request === PASS) found.push(player ? sentence("{side} passes.", { side: player }) : sentence("You pass."));
  else if (seen.taken === PASS) found.push(sentence("{move} did not happen: something was in the way.", { move }));
  else if (seen.taken !== seen.request) found.push(sentence("{move} became {taken}.", { move, taken: state.moveText(seen.taken) }));
  if (square) found.push(player ? sentence("{side} captured on {square}.", { side: player, square }) : sentence("You captured on {square}.", { square }));
  return found;
}

const digits = (share: number) => Number(share.toFixed(4));

/** For each square the likeliest piece of some letters and its share. */
function likeliest(shares: Float64Array, first: number, count: number): { pieces: string[]; shares: number[]; sums: number[] } {
  const found = { pieces: [] as string[], shares: [] as number[], sums: [] as number[] };
  for (let square = 0; square < 64; square++) {
    const column = Array.from({ length: count }, (_, index) => shares[64 * (first + index) + square]!);
    const most = Math.max(...column);
    found.pieces.push(most > 0 ? LETTERS[first + column.indexOf(most)]! : "");
    found.shares.push(digits(most));
    found.sums.push(digits(column.reduce((sum, share) => sum + share, 0)));
  }
  return found;
}

/** A game of blind chess of a person against a bot. */
export class BlindGame extends LiveGame {
  private tracker: Tracker | null = null;
  /** Plies that the tracker has seen. */
  private followed = 0;
  private readonly notes: Text[] = [];
  private sensed: number[] = [];
  private readonly sizes: number[] = [];
  private steps: BeliefStep[] = [];
  private coming: Iterator<BeliefStep> | null = null;
  private replayed: Tracker[] = [];

  override view(): GameView {
    const shown = super.view();
    const boards = this.known();
    const { you } = this.settings;
    const hidden = { ...shown, phase: this.shownPhase(), hidden: this.hiddenView(boards) };
    if (this.end) return hidden;
    const moves = shown.moves.filter((played) => played.player === you);
    return { ...hidden, position: null, board: knownBoard(boards.knownPieces()), check: false, moves };
  }

  override summary(): GameSummary {
    const moves = Math.ceil(this.moves.length / 4);
    return { ...super.summary(), moves, phase: this.shownPhase(), position: null, board: null };
  }

  override requireTruth(template: string): void {
    if (!this.end) refuse(template, {}, 409);
  }

  /** What both sides could know, from a step on. */
  override replay(since: number): ReplayView {
    this.requireTruth("Beliefs are shown after the game.");
    const total = this.moves.length + 1;
    this.coming ??= this.beliefSteps();
    const until = performance.now() + REPLAY_TIME;
    while (this.steps.length < total) {
      this.steps.push(this.coming.next().value as BeliefStep);
      if (performance.now() > until) break;
    }
    return { total, done: this.steps.length === total, steps: this.steps.slice(since) };
  }

  /** A sense has no pause. */
  override pause(decision: Decision): number {
    return decision.move >= SENSE ? 0 : super.pause(decision);
  }

  override close(): void {
    super.close();
    for (const tracker of [this.tracker, ...this.replayed]) tracker?.close();
  }

  protected override seenBy(player: number): Observation[] {
    return this.moves.flatMap((_, ply) => observe(this.states[ply]!, this.states[ply + 1]!, player) ?? []);
  }

  private shownPhase(): GameView["phase"] {
    return this.phase === "move" && (this.state as RbcState).sensing() ? "sense" : this.phase;
  }

  /** The boards that the person may think possible, after what it has observed since it was last asked. */
  private known(): Boards {
    const { you } = this.settings;
    this.tracker ??= newTracker(this, you, BOARDS);
    for (; this.followed < this.moves.length; this.followed++) {
      const before = this.states[this.followed]!;
      const seen = observe(before, this.states[this.followed + 1]!, you);
      if (seen) this.tracker.observe(seen);
      if (seen?.kind === "sense") this.sensed = seen.pieces.map(([square]) => square);
      else this.notes.push(...inWords(seen, before));
      if (seen?.kind === "opponent") this.sensed = [];
      this.sizes.push(this.tracker.boards.size());
    }
    return this.tracker.boards;
  }

  private hiddenView(boards: Boards): GameView["hidden"] {
    const { pieces, shares, sums } = likeliest(boards.pieceShares(SAMPLE), 6 - 6 * this.settings.you, 6);
    return {
      known: boards.knownPieces(),
      likely: sums,
      guess: pieces,
      guess_shares: shares,
      possible: boards.size(),
      exact: this.tracker!.exact,
      notes: this.notes.slice(-NOTES),
      sensed: this.sensed,
      sizes: this.sizes,
    };
  }

  /** The steps of the finished game, the first one before the first sense. */
  private *beliefSteps(): Generator<BeliefStep> {
    const trackers = (this.replayed = [0, 1].map((side) => newTracker(this, side, REPLAYED_BOARDS)));
    const sides = () => trackers.map(belief) as [BeliefView, BeliefView];
    const start = { ply: 0, player: null, phase: null, text: null, name: null, note: joined() };
    yield { ...start, position: this.states[0]!.fullText(), sides: sides() };
    for (const [ply, { text, name, player }] of this.moves.entries()) {
      const [before, after] = [this.states[ply]!, this.states[ply + 1]!];
      const seen = [0, 1].map((side) => observe(before, after, side));
      // No possible board survives the capture of a king.
      if (!after.reason()) trackers.forEach((tracker, side) => seen[side] && tracker.observe(seen[side]));
      const own = seen[player]!;
      const note = joined(...inWords(own, before, this.offer.sides[player]));
      yield { ply: ply + 1, player, phase: own.kind === "sense" ? "sense" : "move", text, name, position: after.fullText(), note, sides: sides() };
    }
    for (const tracker of trackers.splice(0)) tracker.close();
  }

  /** The finished game as a GameHistory of reconchess. */
  history(): string {
    const tagged = (type: string, value: string | null) => (value === null ? null : { type, value });
    const fen = (state: State) => state.text().replace(/ \w+$/, "");
    const names = ["senses", "sense_results", "requested_moves", "taken_moves", "capture_squares", "fens_before_move", "fens_after_move"] as const;
    const columns = Object.fromEntries(names.map((name) => [name, { true: [] as unknown[], false: [] as unknown[] }]));
    this.moves.forEach(({ player }, ply) => {
      const [before, after] = [this.states[ply]!, this.states[ply + 1]!];
      const add = (name: (typeof names)[number], cell: unknown) => columns[name]![player === 0 ? "true" : "false"].push(cell);
      const seen = observe(before, after, player)!;
      if (seen.kind === "sense") {
        add("senses", after.lastMove() === NO_SENSE ? null : after.lastMove() - SENSE);
        add("sense_results", seen.pieces.map(([square, piece]) => [square, tagged("Piece", piece)]));
      } else if (seen.kind === "move") {
        add("requested_moves", tagged("Move", seen.request === PASS ? null : before.moveText(seen.request)));
        add("taken_moves", tagged("Move", seen.taken === PASS ? null : before.moveText(seen.taken)));
        add("capture_squares", seen.capture);
        add("fens_before_move", fen(before));
        add("fens_after_move", fen(after));
      }
    });
    const { score, reason } = this.end!;
    const players = [0, 1].map((side) => (side === this.settings.you ? "You" : this.opponentName().text));
    const winner = score === 0.5 ? null : score === 1;
    const word = reason === "resignation" ? "RESIGN" : reason === "time forfeit" ? "TIMEOUT" : winner === null ? "MOVE_LIMIT" : "KING_CAPTURE";
    return JSON.stringify({ type: "GameHistory", white_name: players[0], black_name: players[1], ...columns, winner_color: winner, win_reason: tagged("WinReason", word) });
  }
}

const newTracker = ({ core }: LiveGame, side: number, limit: number) => new Tracker(core, side, { limit, pastLimit: limit, seed: 0n });

function belief(tracker: Tracker): BeliefView {
  const { pieces, shares } = likeliest(tracker.boards.pieceShares(SAMPLE), 0, 12);
  return { possible: tracker.boards.size(), exact: tracker.exact, pieces, shares };
}
