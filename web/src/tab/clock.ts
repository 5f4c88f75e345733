// Both players' clocks: `sparring.base.clock`. All times are in seconds.
import type { Clock } from "./behaviour";
import { refuse } from "./sentences";

export interface TimeControl {
  base: number;
  increment: number;
  byoyomi: number;
  periods: number;
  byoyomiMoves: number;
  moves: number;
}

const WRITTEN = /^(?:(\d{1,3})\/)?(\d{1,3}(?:\.\d{1,2})?)(?:\+(?:(\d{1,2})x(\d{1,3})|(\d{1,4})\/(\d{1,3})|(\d{1,3})))?$/;
const MARGIN = 0.05;

/** Whether a text is written as a time control, such as 10+5. */
export const isClock = (text: string) => WRITTEN.test(text.trim());

/** The time control of a request: a text such as 5+3, or an object in seconds. */
export function timeControl(wanted: unknown): TimeControl | null {
  if (wanted == null) return null;
  if (typeof wanted === "object") return { increment: 0, byoyomi: 0, periods: 1, byoyomiMoves: 0, moves: 0, ...wanted } as TimeControl;
  const match = WRITTEN.exec(String(wanted).trim());
  const [, moves, minutes, periods, byoyomi, period, stones, increment] = match ?? [];
  const seconds = [minutes, increment, byoyomi, period].reduce((sum, each) => sum + Number(each ?? 0), 0);
  if (!match || seconds <= 0 || stones === "0")
    return refuse("'{clock}' is no clock: write minutes and seconds a move, such as 10, 5+3 or 20+3x30.", { clock: String(wanted) });
  return {
    base: 60 * Number(minutes),
    increment: Number(increment ?? 0),
    byoyomi: Number(byoyomi ?? period ?? 0),
    periods: Math.max(Number(periods ?? 1), 1),
    byoyomiMoves: Number(stones ?? 0),
    moves: Number(moves ?? 0),
  };
}

/** A time control as people write it: minutes and seconds a move. */
export function clockText(control: TimeControl | null): string {
  if (control === null) return "";
  const { base, increment, byoyomi, periods, byoyomiMoves, moves } = control;
  const overtime = byoyomiMoves ? ` ${byoyomi}/${byoyomiMoves}` : byoyomi && periods > 1 ? ` byo-yomi ${periods}x${byoyomi}` : byoyomi ? ` byo-yomi ${byoyomi}` : "";
  return `${moves ? `${moves}/` : ""}${base / 60}+${increment}${overtime}`;
}

/** Both clocks at the end of a turn. */
export interface Snapshot {
  left: [number, number];
  toGo: [number, number];
  periods: [number, number];
  overtime: [boolean, boolean];
}

export class GameClock {
  left: [number, number];
  /** Whether no time runs and none is spent: before the clocks are started. */
  held = false;
  private toGo: [number, number];
  private periodsLeft: [number, number];
  private overtime: [boolean, boolean] = [false, false];
  private began: number | null = null;
  private before = 0;

  constructor(readonly control: TimeControl | null) {
    const { base, moves, periods } = control ?? { base: 0, moves: 0, periods: 1 };
    this.left = [base, base];
    this.toGo = [moves, moves];
    this.periodsLeft = [periods, periods];
  }

  snapshot(): Snapshot {
    return structuredClone({ left: this.left, toGo: this.toGo, periods: this.periodsLeft, overtime: this.overtime });
  }

  restore(snapshot: Snapshot): void {
    const { left, toGo, periods, overtime } = structuredClone(snapshot);
    Object.assign(this, { left, toGo, periodsLeft: periods, overtime });
  }

  get running(): boolean {
    return this.began !== null;
  }

  beginTurn(): void {
    this.before = 0;
    this.began = this.held ? null : now();
  }

  start(): void {
    if (this.began === null && !this.held) this.began = now();
  }

  stop(): void {
    this.before = this.turnSeconds;
    this.began = null;
  }

  get turnSeconds(): number {
    return this.before + (this.began === null ? 0 : now() - this.began);
  }

  /** Takes the time of a turn off a clock; false, and nothing changes, if the flag has fallen. */
  spend(player: 0 | 1, seconds: number = this.turnSeconds): boolean {
    const { control } = this;
    if (control === null || this.held) return true;
    if (seconds > this.allowed(player, control)) return false;
    let left = this.left[player] - seconds;
    if (left < 0 && control.byoyomi && !this.overtime[player]) left = this.enterOvertime(player, control, -left);
    this.left[player] = Math.max(0, left) + control.increment;
    if (this.toGo[player] && --this.toGo[player] === 0) {
      if (this.overtime[player]) [this.left[player], this.toGo[player]] = [control.byoyomi, control.byoyomiMoves];
      else [this.left[player], this.toGo[player]] = [this.left[player] + control.base, control.moves];
    }
    return true;
  }

  clock(player: 0 | 1): Clock | null {
    const { control } = this;
    if (control === null) return null;
    return { remaining: this.left[player], increment: control.increment, movesToGo: this.toGo[player] || null, byoyomi: control.byoyomiMoves ? 0 : control.byoyomi };
  }

  periods(player: 0 | 1): number {
    return !this.control?.byoyomi || this.overtime[player] ? 0 : this.periodsLeft[player];
  }

  /** Seconds until the flag of the player to move falls; null if the clock stands. */
  untilFlag(player: 0 | 1): number | null {
    return this.control === null || this.began === null ? null : Math.max(0, this.allowed(player, this.control) - this.turnSeconds);
  }

  private allowed(player: 0 | 1, control: TimeControl): number {
    return this.left[player] + (this.overtime[player] ? 0 : control.byoyomi * this.periodsLeft[player]) + MARGIN;
  }

  private enterOvertime(player: 0 | 1, control: TimeControl, over: number): number {
    if (control.byoyomiMoves) {
      this.overtime[player] = true;
      this.toGo[player] = control.byoyomiMoves;
      return control.byoyomi - over;
    }
    this.periodsLeft[player] = Math.max(1, this.periodsLeft[player] - (Math.ceil(over / control.byoyomi) - 1));
    return 0;
  }
}

const now = () => performance.now() / 1000;
