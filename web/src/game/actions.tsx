import { useState } from "preact/hooks";
import { api, type GameView } from "../api";
import { pieceSet } from "../boards/shogi-board";
import { Icon } from "../icons";
import { t } from "../text";

interface Props {
  view: GameView;
  act: (action: Promise<GameView>) => void;
  onHint: () => void;
  /** Whether the estimated score is shown, and its switch. */
  scoring: boolean;
  onScore: () => void;
  onFlip: () => void;
}

/** What a person can do besides a move. While the game runs every button keeps its place: one that does nothing now is disabled. */
export function Actions({ view, act, onHint, scoring, onScore, onFlip }: Props) {
  const [sure, setSure] = useState(false);
  const can = (name: string) => view.can.includes(name);
  const { hidden, senses, passes, points, draws, board } = view.traits;
  const playing = view.you !== null && view.phase !== "over";
  if (sure && can("resign"))
    return (
      <div class="actions sure">
        <span>{t("Resign the game?")}</span>
        {/* A double click on "Resign" must not resign. */}
        <button class="danger" autofocus onClick={(event) => event.detail < 2 && (setSure(false), act(api.command(view.id, "resign")))}>
          {t("Really resign")}
        </button>
        <button onClick={() => setSure(false)}>{t("No")}</button>
      </div>
    );
  return (
    <div class="actions">
      {playing && passes && <Action icon="pass" text={t("Pass")} disabled={!view.legal.some((move) => move.text === "pass")} onClick={() => act(api.move(view.id, "pass", view.ply))} />}
      {playing && senses && <Action icon="eye" text={t("Sense nothing")} disabled={view.phase !== "sense"} onClick={() => act(api.move(view.id, "sense none", view.ply))} />}
      {playing && !hidden && <Action icon="hint" text={t("Hint")} disabled={!can("hint")} onClick={onHint} />}
      {points && <Action icon="score" text={t("Estimate the score")} short={t("Score")} pressed={scoring} onClick={onScore} />}
      {playing && !hidden && <Action icon="undo" text={t("Take back")} disabled={!can("undo")} onClick={() => act(api.undo(view.id))} />}
      {playing && draws && <Action icon="draw" text={t("Offer a draw")} short={t("Draw")} disabled={!can("draw") || view.draw_offered} onClick={() => act(api.command(view.id, "draw"))} />}
      {playing && <Action icon="resign" text={t("Resign")} disabled={!can("resign")} onClick={() => setSure(true)} />}
      <Action icon="flip" text={t("Flip the board")} short={t("Flip")} onClick={onFlip} />
      {board === "shogiboard" && (
        <Action icon="letters" text={pieceSet.value === "letters" ? t("Kanji on pieces") : t("Letters on pieces")} short={pieceSet.value === "letters" ? t("Kanji") : t("Letters")} onClick={() => (pieceSet.value = pieceSet.value === "letters" ? "kanji" : "letters")} />
      )}
    </div>
  );
}

function Action({ icon, text, short, disabled, pressed, onClick }: { icon: string; text: string; short?: string; disabled?: boolean; pressed?: boolean; onClick: () => void }) {
  return (
    <button class="action" disabled={disabled} aria-pressed={pressed} onClick={onClick} aria-label={text} title={text}>
      <Icon name={icon} />
      <span aria-hidden="true">{short ?? text}</span>
    </button>
  );
}
