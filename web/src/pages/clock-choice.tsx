import { t, word } from "../text";

/** A clock in seconds. */
export interface Clock {
  base: number;
  increment: number;
  byoyomi: number;
}

/** What is chosen: one of the usual clocks by its number, or one's own. */
export interface ClockChoice {
  usual: number | "own";
  minutes: number;
  seconds: number;
}

const USUAL: [string, Clock | null][] = [
  [word("No clock"), null],
  [word("1 min"), { base: 60, increment: 0, byoyomi: 0 }],
  [word("3 min + 2 s"), { base: 180, increment: 2, byoyomi: 0 }],
  [word("5 min + 3 s"), { base: 300, increment: 3, byoyomi: 0 }],
  [word("10 min"), { base: 600, increment: 0, byoyomi: 0 }],
  [word("15 min + 10 s"), { base: 900, increment: 10, byoyomi: 0 }],
  [word("30 min, then 30 s a move"), { base: 1800, increment: 0, byoyomi: 30 }],
];

export const NO_CLOCK: ClockChoice = { usual: 0, minutes: 10, seconds: 5 };

/** The clock of a choice; null for none. */
export function chosenClock({ usual, minutes, seconds }: ClockChoice): Clock | null {
  if (usual !== "own") return USUAL[usual]?.[1] ?? null;
  return { base: 60 * minutes, increment: seconds, byoyomi: 0 };
}

export function ClockForm({ clock, onChange }: { clock: ClockChoice; onChange: (clock: ClockChoice) => void }) {
  return (
    <>
      <label class="row">
        <span>{t("Clock")}</span>
        <select value={String(clock.usual)} onChange={({ currentTarget: { value } }) => onChange({ ...clock, usual: value === "own" ? "own" : Number(value) })}>
          {USUAL.map(([title], index) => (
            <option key={title} value={index}>
              {t(title)}
            </option>
          ))}
          <option value="own">{t("your own")}</option>
        </select>
      </label>
      {clock.usual === "own" && (
        <div class="row">
          <span />
          <div class="own-clock">
            <label>
              <input type="number" min={0.25} max={600} step="any" required value={clock.minutes} onInput={({ currentTarget: { valueAsNumber } }) => onChange({ ...clock, minutes: valueAsNumber || 0 })} />
              <span>{t("minutes")}</span>
            </label>
            <label>
              <input type="number" min={0} max={600} step={1} required value={clock.seconds} onInput={({ currentTarget: { valueAsNumber } }) => onChange({ ...clock, seconds: valueAsNumber || 0 })} />
              <span>{t("seconds more a move")}</span>
            </label>
          </div>
        </div>
      )}
    </>
  );
}
