import type { GameOffer } from "../api";
import { isClock } from "../tab/clock";
import { say, t } from "../text";

/** What is chosen: one of the usual clocks by its text, or one's own. The server reads both. */
export interface ClockChoice {
  /** Text of a usual clock; empty for none; "own" for one's own. */
  usual: string;
  own: string;
}

export const NO_CLOCK: ClockChoice = { usual: "", own: "10+5" };

/** The text of the chosen clock; empty for none. */
export const chosenClock = ({ usual, own }: ClockChoice): string => (usual === "own" ? own.trim() : usual);

export function ClockForm({ clocks, clock, onChange }: { clocks: GameOffer["clocks"]; clock: ClockChoice; onChange: (clock: ClockChoice) => void }) {
  return (
    <>
      <label class="row">
        <span>{t("Clock")}</span>
        <select value={clock.usual} onChange={({ currentTarget: { value } }) => onChange({ ...clock, usual: value })}>
          <option value="">{t("No clock")}</option>
          {clocks.map(({ text, title }) => (
            <option key={text} value={text}>
              {say(title)}
            </option>
          ))}
          <option value="own">{t("your own")}</option>
        </select>
      </label>
      {clock.usual === "own" && (
        <label class="row">
          <span>{t("Your clock")}</span>
          <span>
            <input type="text" required maxLength={32} spellcheck={false} autocomplete="off" value={clock.own} onInput={({ currentTarget: { value } }) => onChange({ ...clock, own: value })} />
            {clock.own.trim() !== "" && !isClock(clock.own) && <span class="note slow">{t("This is no clock yet.")}</span>}
            <span class="note">{t("Minutes and seconds: 10 (no more), 10+5 (5 s a move), 20+3x30 (3 times 30 s of byo-yomi), 10+300/15 (15 moves in 300 s), 40/90+30 (90 min for 40 moves).")}</span>
          </span>
        </label>
      )}
    </>
  );
}
