import { useEffect, useRef, useState } from "preact/hooks";
import type { GameView } from "../api";

/** Seconds that a player has left; counts down between two views. */
export function useClock(view: GameView, side: number): number | null {
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
  const gone = runs ? (performance.now() - seen.current.at) / 1000 : 0;
  return Math.max(0, view.clock.left[side]! - gone);
}

export const clockText = (seconds: number) =>
  seconds < 20
    ? seconds.toFixed(1)
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
