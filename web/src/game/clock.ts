import { useEffect, useRef, useState } from "preact/hooks";
import type { GameView } from "../api";
import { t } from "../text";

/** What a player's clock shows: seconds, and what follows them. */
interface ShownClock {
  left: number;
  /** Periods of byo-yomi, or the moves until time is added; empty for none. */
  more: string;
}

/** A player's clock; counts down between two views. Null without a clock. */
export function useClock(view: GameView, side: number): ShownClock | null {
  const [, tick] = useState(0);
  const seen = useRef({ view, at: performance.now() });
  if (seen.current.view !== view) seen.current = { view, at: performance.now() };
  const runs = view.clock?.running === side;
  useEffect(() => {
    if (!runs) return;
    const timer = window.setInterval(() => tick((n) => n + 1), 200);
    return () => window.clearInterval(timer);
  }, [runs]);
  if (!view.clock) return null;
  const gone = runs ? (performance.now() - seen.current.at) / 1000 + view.clock.overtime_used : 0;
  return shownClock(view.clock, side, view.clock.left[side]! - gone);
}

/** A clock with so many seconds left; less than 0 by those of the overtime that the turn has taken. */
function shownClock({ byoyomi, periods, moves_to_go }: NonNullable<GameView["clock"]>, side: number, left: number): ShownClock {
  const follow = periods[side]!;
  const moves = moves_to_go[side];
  if (left > 0 || follow === 0) return { left: Math.max(0, left), more: moves == null ? "" : t("{count} moves", { count: moves }) };
  const begun = Math.min(follow - 1, Math.floor(-left / byoyomi));
  return { left: Math.max(0, byoyomi * (begun + 1) + left), more: follow > 1 ? `×${follow - begun}` : "" };
}

export const clockText = (seconds: number) =>
  seconds < 20
    ? seconds.toFixed(1)
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
