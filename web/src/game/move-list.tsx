import { useEffect, useRef } from "preact/hooks";
import type { GameView } from "../api";
import { Icon } from "../icons";
import { moveName } from "../boards/move-names";
import { t } from "../text";

/** The moves so far; a tap shows the board after a move. In a hidden game the opponent's are hidden until the end. */
export function MoveList({ view, shown, onStep }: { view: GameView; shown: number; onStep: (ply: number) => void }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const follow = () => {
      const current = list.current?.querySelector<HTMLElement>(".current") ?? list.current?.querySelector<HTMLElement>("li:last-child");
      if (current && list.current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
    };
    follow();
    const resized = new ResizeObserver(follow); // a hint or a message above it makes the list smaller
    resized.observe(list.current!);
    return () => resized.disconnect();
  }, [view.ply, shown]);
  const { senses: blind, numbers_plies } = view.traits;
  const hidden = view.traits.hidden && view.phase !== "over";
  const offset = view.moves[0]?.player ?? 0;
  return (
    <div class="move-list">
      <ol ref={list} class={blind ? "moves long" : numbers_plies ? "moves single" : "moves"} aria-label={t("Moves")} tabIndex={0}>
        {view.moves.length === 0 && <li class="none">{t("No moves yet.")}</li>}
        {!blind && !numbers_plies && offset === 1 && view.moves.length > 0 && <li aria-hidden="true" />}
        {view.moves.map((move, index) => (
          <li key={index}>
            {hidden ? (
              <span>{move.name}</span>
            ) : (
              <button class={shown === index + 1 ? "current" : ""} aria-current={shown === index + 1 ? "true" : undefined} onClick={() => onStep(index + 1)}>
                {moveName(view.game, move, view.moves[index - 1]?.text)}
              </button>
            )}
          </li>
        ))}
      </ol>
      {!hidden && <Steps at={shown} end={view.ply} onStep={onStep} />}
    </div>
  );
}

/** Buttons to step through a game. */
export function Steps({ at, end, onStep, children }: { at: number; end: number; onStep: (ply: number) => void; children?: preact.ComponentChildren }) {
  return (
    <div class="steps">
      <button class="quiet" disabled={at <= 0} onClick={() => onStep(0)} aria-label={t("First position")}>
        <Icon name="first" />
      </button>
      <button class="quiet" disabled={at <= 0} onClick={() => onStep(at - 1)} aria-label={t("One move back")}>
        <Icon name="back" />
      </button>
      {children}
      <button class="quiet" disabled={at >= end} onClick={() => onStep(at + 1)} aria-label={t("One move forward")}>
        <Icon name="forward" />
      </button>
      <button class="quiet" disabled={at >= end} onClick={() => onStep(end)} aria-label={t("Last position")}>
        <Icon name="last" />
      </button>
    </div>
  );
}
