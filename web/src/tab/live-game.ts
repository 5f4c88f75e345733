// A game in progress in the tab: `sparring.play.game` and what the page sees of it (`sparring.server.page_game`).
import type { GameOffer, GameSummary, GameView, OpponentChoice, ReplayView } from "../api";
import type { Text } from "../text";
import { clockText, GameClock, type Snapshot, type TimeControl } from "./clock";
import type { Core, GoState, State } from "./core";
import { counted, deadStones, finalScore, stonesAt, wouldPass } from "./go-counting";
import type { Decision, Player } from "./players";
import { Generator } from "./random";
import type { Observation } from "./rbc-boards";
import { reasonText, typedMove, type Rules } from "./rules";
import { plain, refuse, sentence } from "./sentences";

/** The facts of a game that do not change. They are stored. */
export interface Settings {
  id: string;
  game: string;
  you: 0 | 1;
  opponent: OpponentChoice;
  seed: number;
  /** Unix time. */
  created: number;
  options: Record<string, string | number | boolean>;
  position: string | null;
  clock: TimeControl | null;
  resigns: boolean;
  /** The person's name and rating in records; not in games of an older version. */
  yourName?: string;
  yourRating?: string | number | null;
}

export interface StoredMove {
  text: string;
  left: number | null;
  clocks: Snapshot | null;
  offersDraw: boolean;
}

export interface End {
  /** Score of player 0. */
  score: number;
  reason: string;
  margin: number;
}

/** A game as IndexedDB has it. */
export interface StoredGame {
  settings: Settings;
  moves: StoredMove[];
  end: End | null;
  message: Text;
  updated: number;
  /** Dead stones of Go; not in games of an older version. */
  dead?: number[] | null;
}

interface Played extends StoredMove {
  name: string;
  player: 0 | 1;
}

const NOTHING = plain("");
const LOW_CLOCK = 10;

export class LiveGame {
  readonly states: State[];
  readonly moves: Played[] = [];
  readonly clock: GameClock;
  end: End | null = null;
  message: Text = NOTHING;
  /** Grows with every change. */
  changes = Date.now();
  updated = Date.now() / 1000;
  /** Dead stones while both count, and those of a game that ended by counting. */
  private dead: Set<number> | null = null;
  private readonly full: Snapshot;

  constructor(
    readonly core: Core,
    readonly rules: Rules,
    readonly offer: GameOffer,
    readonly settings: Settings,
    readonly player: Player,
  ) {
    this.states = [settings.position === null ? rules.initial(core, settings.options) : rules.parse(core, settings.position)];
    this.clock = new GameClock(settings.clock);
    this.holdClock();
    this.full = this.clock.snapshot();
    this.startPlayer();
  }

  get state(): State {
    return this.states.at(-1)!;
  }

  get phase(): "move" | "thinking" | "counting" | "over" {
    if (this.end) return "over";
    if (this.dead) return "counting";
    return this.state.toMove() === this.settings.you ? "move" : "thinking";
  }

  /** Goes on with a stored game, or with the moves of an opening. */
  restore(moves: StoredMove[], end: End | null = null, message: Text = NOTHING, dead: number[] | null = null): void {
    for (const move of moves) {
      const code = typedMove(this.rules, this.state, move.text);
      if (code === null) return refuse("{move} is not legal here", { move: move.text });
      if (move.clocks) this.clock.restore(move.clocks);
      this.push(code, move);
    }
    this.holdClock();
    this.startPlayer();
    this.end = end;
    this.message = message;
    if (!end && this.state.reason()) this.settle();
    if (dead && this.offer.passes && this.state.reason()) this.dead = new Set(dead);
  }

  stored(): StoredGame {
    const moves = this.moves.map(({ text, left, clocks, offersDraw }) => ({ text, left, clocks, offersDraw }));
    return { settings: this.settings, moves, end: this.end, message: this.message, updated: this.updated, dead: this.dead && [...this.dead] };
  }

  // What the person does.

  play(text: string, ply: number): void {
    if (this.end) return refuse("The game is over.", {}, 409);
    if (this.phase !== "move") return refuse("It is not your turn.", {}, 409);
    if (ply !== this.moves.length) return refuse("The game has {moves} moves, not {ply}: reload it.", { moves: this.moves.length, ply }, 409);
    const move = typedMove(this.rules, this.state, text);
    if (move === null) return refuse("{error}.", { error: sentence("{move} is not legal here", { move: text.slice(0, 40) }) });
    if (this.spend(this.settings.you)) this.make(move, false);
  }

  takeBack(count: number): void {
    this.require("undo");
    const own = this.ownTurns();
    if (count > own.length) return refuse("You have made {made} moves: {count} cannot be taken back.", { made: own.length, count }, 409);
    this.backTo(own.at(-count)!);
    this.change(count === 1 ? sentence("You take a move back.") : sentence("You take {count} moves back.", { count }));
  }

  resign(): void {
    this.require("resign");
    const { you } = this.settings;
    this.dead = null;
    this.finish({ score: you, reason: "resignation", margin: 0 }, sentence("You resign: {winner} wins.", { winner: this.side(1 - you) }));
  }

  async proposeDraw(): Promise<void> {
    this.require("draw");
    const claim = this.rules.claim(this.state);
    const version = this.changes;
    if (claim) this.finish({ score: 0.5, reason: claim, margin: 0 }, sentence("A draw: you claim it by {reason}.", { reason: reasonText(claim) }));
    else if (this.drawOffered || (await this.player.acceptsDraw(this.state))) {
      if (version === this.changes) this.finish({ score: 0.5, reason: "agreement", margin: 0 }, sentence("A draw by agreement."));
    } else if (version === this.changes) this.change(sentence("The opponent declines the draw."));
  }

  mark(points: string[]): void {
    this.require("count");
    const stones = stonesAt(this.state as GoState, points);
    if (stones === null) return refuse("{error}.", { error: sentence("there is no stone on {point}", { point: points.join(" ").slice(0, 40) }) });
    for (const stone of stones) if (!this.dead!.delete(stone)) this.dead!.add(stone);
    this.change(this.message);
  }

  agree(): void {
    this.require("count");
    const { text, winner, margin } = this.count();
    this.finish({ score: winner === null ? 0.5 : 1 - winner, reason: "score", margin }, text);
  }

  resume(): void {
    this.require("count");
    const own = this.ownTurns();
    if (own.length === 0) return refuse("There is no move of yours to take back.", {}, 409);
    this.backTo(own.at(-1)!);
    this.change(sentence("You play on."));
  }

  /** Both passed: proposes the stones as dead that the opponent will own, by a network in place of playouts. */
  propose(owners: Float64Array): void {
    this.dead = new Set(deadStones(this.state as GoState, 0, owners));
  }

  /** The score after both passed: with the dead stones that were agreed on, or with those of a network. */
  score(owners: Float64Array | null) {
    const state = this.state as GoState;
    return finalScore(state, [...(this.dead ?? deadStones(state, undefined, owners))], this.settings.you);
  }

  require(command: string): void {
    if (!this.commands().has(command)) refuse(this.end ? "The game is over." : "That is not possible now.", {}, 409);
  }

  // What the opponent does.

  /** The opponent's decision, for `accept`; null if it is not its turn. */
  async decide(): Promise<{ decision: Decision; change: number } | null> {
    if (this.phase !== "thinking") return null;
    this.clock.start();
    const change = this.changes;
    const { state } = this;
    const player = state.toMove();
    const turn = { state, seen: this.seenBy(player), clock: this.clock.clock(player), opponentClock: this.clock.clock((1 - player) as 0 | 1), stopped: () => change !== this.changes };
    const decision = await this.player.choose(turn);
    if (change !== this.changes) return { decision, change };
    if (!this.settings.resigns) decision.resign = false;
    const pass = this.offer.passes && decision.prediction && !decision.resign && wouldPass(state as GoState, decision.prediction, decision.value ?? 0);
    return { decision: pass ? { ...decision, move: (state as GoState).size() ** 2 } : decision, change };
  }

  /** Plays a decision unless the game has changed since. */
  async accept({ decision, change }: { decision: Decision; change: number }): Promise<boolean> {
    if (change !== this.changes || this.end) return false;
    const player = this.state.toMove();
    if (!this.spend(player)) return true;
    if (decision.resign) this.finish({ score: player, reason: "resignation", margin: 0 }, sentence("{side} resigns: {wins}.", { side: this.side(player), wins: this.wins(1 - player) }));
    else this.make(decision.move, decision.offerDraw);
    return true;
  }

  /** Milliseconds that an opponent waits with its move: as long as a person thinks. */
  pause({ think, prediction, move }: Decision): number {
    if (this.settings.opponent.think_time !== "human") return 0;
    if (this.settings.clock) return 1000 * think;
    const random = new Generator([this.settings.seed, this.moves.length, 11]).random();
    const chosen = prediction?.probabilities[prediction.moves.indexOf(move)] ?? 0.3;
    return 1000 * Math.min(Math.max(0.5 + 2 * random * (1 - chosen), 0.5), 4);
  }

  checkFlag(): boolean {
    const player = this.state.toMove();
    if (!["move", "thinking"].includes(this.phase) || this.clock.untilFlag(player) !== 0) return false;
    this.flag(player);
    return true;
  }

  close(): void {
    this.player.close();
    for (const state of this.states) state.delete();
  }

  // What there is to see.

  view(): GameView {
    const { settings, state, offer, rules } = this;
    const turn = this.end ? null : state.toMove();
    const mine = this.phase === "move";
    return {
      id: settings.id,
      version: this.changes,
      game: settings.game,
      title: offer.title,
      traits: { board: offer.board, hidden: offer.hidden, senses: offer.senses, passes: offer.passes, points: offer.points, draws: offer.draws, numbers_plies: offer.numbers_plies },
      options: settings.options,
      versions: {},
      sides: offer.sides,
      players: [this.playerView(0), this.playerView(1)],
      you: settings.you,
      phase: this.phase,
      turn,
      ply: this.moves.length,
      position: state.fullText(),
      board: rules.board(state, this.states.at(-2) ?? null),
      legal: mine ? Array.from(state.legalMoves(), (move) => ({ text: state.moveText(move), name: rules.moveName(state, move) })) : [],
      moves: this.moves.map(({ text, name, player, left }) => ({ text, name, player, left })),
      check: rules.inCheck(state),
      clock: this.clockView(turn),
      draw_offered: this.drawOffered,
      can: [...this.commands()].sort(),
      message: this.message,
      facts: rules.facts(state, settings.options),
      counting: this.dead && { dead: [...this.dead].sort((a, b) => a - b).map((point) => state.moveText(point)), text: this.count().text },
      hidden: null,
      result: this.end && { score: this.end.score, winner: winnerOf(this.end), text: this.resultText(this.end) },
      warning: null,
      estimate: null,
    };
  }

  summary(): GameSummary {
    const { settings, state, offer, end } = this;
    const plies = this.moves.length;
    const score = end && (settings.you === 0 ? end.score : 1 - end.score);
    return {
      id: settings.id,
      game: settings.game,
      title: offer.title,
      opponent: this.opponentName(),
      moves: offer.numbers_plies ? plies : Math.ceil(plies / 2),
      result: end && this.message,
      you: settings.you,
      phase: this.phase,
      turn: end ? null : state.toMove(),
      position: state.fullText(),
      board: this.rules.board(state, null),
      created: settings.created,
      updated: this.updated,
      outcome: score === null ? null : score === 0.5 ? "drawn" : score === 1 ? "won" : "lost",
      plies,
      clock: clockText(settings.clock),
      level: String(this.offer.levels?.names[String(settings.opponent.level)] ?? settings.opponent.level ?? settings.opponent.rating ?? settings.opponent.strength ?? ""),
    };
  }

  opponentName(): Text {
    const { kind, level, rating, strength, bot } = this.settings.opponent;
    if (kind === "bot") return plain(bot!);
    if (kind === "level") {
      const name = this.offer.levels!.names[String(level)];
      return name ? sentence("Sparring {rating}", { rating: name }) : sentence("Sparring, level {level}", { level: level! });
    }
    if (kind === "strength") return sentence("Strength {strength}", { strength: strength! });
    return rating == null ? plain("Sparring") : sentence("Sparring {rating}", { rating });
  }

  /** Refuses with a sentence while the true board is hidden from the person. */
  requireTruth(_template: string): void {}

  /** What both sides could know in a game of hidden information, from a step on. */
  replay(_since: number): ReplayView {
    return refuse("In {game} both players see the board.", { game: this.offer.title });
  }

  /** What a player of a game of hidden information has observed. */
  protected seenBy(_player: number): Observation[] {
    return [];
  }

  private about(): Text {
    const { kind, level, rating, strength, nodes, bot } = this.settings.opponent;
    if (kind === "bot") return this.offer.bots.find((other) => other.name === bot)?.about ?? NOTHING;
    if (kind === "level") return this.levelMeans(level!);
    if (kind === "strength") return sentence("A search player, strength {strength} of 9.", { strength: strength! });
    const people = rating ?? sentence("people");
    return nodes ? sentence("Plays in the style of {people}, with a search of {nodes} positions.", { people, nodes }) : sentence("Plays in the style of {people}.", { people });
  }

  private levelMeans(level: number): Text {
    const { scale, family, estimates, names } = this.offer.levels!;
    if (scale !== "people") return sentence("About as strong as {level} on the scale of {family}.", { level, family });
    if (estimates.find((step) => step.level === level)?.loss === null) return sentence("Not measured: continues the trend of the measured levels.");
    if (String(level) in names && this.offer.levels!.word.text !== "rank") return sentence("Errs about as people do on {level} ({family}).", { level: names[String(level)]!, family });
    return sentence("Errs about as people of {level} do ({family}).", { level: names[String(level)] ?? level, family });
  }

  private playerView(side: number) {
    if (side === this.settings.you) return { name: sentence("You"), about: NOTHING, is_person: true };
    return { name: this.opponentName(), about: this.about(), is_person: false };
  }

  private get drawOffered(): boolean {
    return this.end === null && Boolean(this.moves.at(-1)?.offersDraw);
  }

  private commands(): Set<string> {
    if (this.end) return new Set();
    if (this.dead) return new Set(["count", "resign"]);
    const can = new Set(["resign"]);
    if (this.offer.hidden) return can;
    if (this.ownTurns().length > 0) can.add("undo");
    if (this.phase === "move") {
      can.add("hint");
      if (this.offer.draws) can.add("draw");
    }
    return can;
  }

  private clockView(turn: 0 | 1 | null): GameView["clock"] {
    const { control } = this.clock;
    if (control === null) return null;
    const left: [number, number] = [...this.clock.left];
    const running = this.clock.running ? turn : null;
    let used = 0;
    if (running !== null) {
      const rest = left[running] - this.clock.turnSeconds;
      left[running] = Math.max(0, rest);
      used = Math.max(0, -rest);
    }
    const toGo = [0, 1].map((player) => this.clock.clock(player as 0 | 1)!.movesToGo) as [number | null, number | null];
    const periods: [number, number] = [this.clock.periods(0), this.clock.periods(1)];
    const low = Math.min(LOW_CLOCK, (control.base || control.byoyomi || control.increment) / 10);
    return { left, running, increment: control.increment, byoyomi: control.byoyomi, periods, overtime_used: used, moves_to_go: toGo, low };
  }

  private resultText(end: End): Text {
    const { you } = this.settings;
    const winner = winnerOf(end);
    const reason = this.reason(end);
    if (winner === null) return end.reason === "agreement" ? sentence("A draw by agreement.") : reason.text ? sentence("A draw: {reason}.", { reason }) : sentence("A draw.");
    if (end.reason === "resignation") return winner === you ? sentence("You won: {side} resigned.", { side: this.side(1 - winner) }) : sentence("You lost: you resigned.");
    if (end.margin) {
      const points = end.margin === 1 ? sentence("1 point") : sentence("{points} points", { points: end.margin });
      return winner === you ? sentence("You won by {points}.", { points }) : sentence("You lost by {points}.", { points });
    }
    if (winner === you) return reason.text ? sentence("You won: {reason}.", { reason }) : sentence("You won.");
    return reason.text ? sentence("You lost: {reason}.", { reason }) : sentence("You lost.");
  }

  private reason(end: End): Text {
    if (end.reason !== "time forfeit") return reasonText(end.reason);
    return sentence(winnerOf(end) === null ? "time ran out, and the other side cannot win" : "time ran out");
  }

  // Parts.

  private startPlayer(): void {
    if (this.offer.hidden && this.moves.length > 0) return; // it has observed the game
    this.player.newGame([this.settings.seed, 1 - this.settings.you, this.moves.length]);
  }

  private make(move: number, offersDraw: boolean): void {
    const left = this.settings.clock === null ? null : this.clock.left[this.state.toMove()];
    this.push(move, { text: this.state.moveText(move), left, clocks: this.settings.clock && this.clock.snapshot(), offersDraw });
    this.change(offersDraw ? sentence("The opponent offers a draw.") : NOTHING);
    this.holdClock();
    this.clock.beginTurn();
    if (this.state.reason()) this.settle();
  }

  private push(move: number, stored: StoredMove): void {
    const { state } = this;
    const text = state.moveText(move);
    this.moves.push({ ...stored, text, name: this.rules.moveName(state, move), player: state.toMove() });
    this.states.push(state.play(move));
  }

  private settle(): void {
    const { state, settings } = this;
    this.clock.stop();
    if (this.rules.native === "Go") {
      this.dead = new Set(deadStones(state as GoState));
      return;
    }
    const winner = state.winner();
    const reason = reasonText(state.reason());
    const text = winner < 0 ? sentence("A draw: {reason}.", { reason }) : winner === settings.you ? sentence("You win: {reason}.", { reason }) : sentence("{side} wins: {reason}.", { side: this.side(winner), reason });
    this.finish({ score: winner < 0 ? 0.5 : 1 - winner, reason: state.reason(), margin: 0 }, text);
  }

  private count() {
    return counted(this.state as GoState, [...this.dead!], this.settings.you);
  }

  private finish(end: End, message: Text): void {
    this.clock.stop();
    this.end = end;
    this.change(message);
  }

  private spend(player: 0 | 1): boolean {
    if (this.clock.spend(player)) return true;
    this.flag(player);
    return false;
  }

  private flag(player: 0 | 1): void {
    this.clock.left[player] = 0;
    const won = this.rules.canWin(this.state, 1 - player);
    const wins = won ? this.wins(1 - player) : sentence("a draw");
    const text = player === this.settings.you ? sentence("You are out of time: {wins}.", { wins }) : sentence("{side} is out of time: {wins}.", { side: this.side(player), wins });
    this.finish({ score: won ? player : 0.5, reason: "time forfeit", margin: 0 }, text);
  }

  private side(player: number): string {
    return this.offer.sides[player]!;
  }

  private wins(player: number): Text {
    return player === this.settings.you ? sentence("you win") : sentence("{side} wins", { side: this.side(player) });
  }

  private change(message: Text): void {
    this.changes += 1;
    this.updated = Date.now() / 1000;
    this.message = message;
  }

  private backTo(ply: number): void {
    for (const state of this.states.splice(ply + 1)) state.delete();
    this.moves.splice(ply);
    this.dead = null;
    this.clock.restore(this.moves.at(-1)?.clocks ?? this.full);
    this.startPlayer();
    this.holdClock();
    this.clock.beginTurn();
  }

  /** Holds the clocks until both sides have made a move. */
  private holdClock(): void {
    const timed = this.moves.findIndex((move) => move.left !== null);
    const turns = timed < 0 ? 0 : this.states.slice(timed, -1).filter((state, index) => state.toMove() !== this.states[timed + index + 1]!.toMove()).length;
    this.clock.held = this.settings.clock !== null && turns < 2;
  }

  private ownTurns(): number[] {
    return this.moves.flatMap((move, ply) => (move.player === this.settings.you ? [ply] : []));
  }
}

const winnerOf = (end: End): 0 | 1 | null => (end.score === 0.5 ? null : end.score === 1 ? 0 : 1);

