import { useState } from "preact/hooks";
import { api, type GameView } from "../api";
import { pieceSet } from "../boards/shogi-board";
import { offers } from "../offers";
import { Icon } from "../icons";
import { t } from "../text";

interface Props {
  view: GameView;
  act: (action: Promise<GameView>) => void;
  onHint: () => void;
  onFlip: () => void;
}

/** What can be done now besides a move. */
export function Actions({ view, act, onHint, onFlip }: Props) {
  const [sure, setSure] = useState(false);
  const can = (name: string) => view.can.includes(name);
  const passes = view.legal.some((each) => each.text === "pass");
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
      {passes && <Action icon="pass" text={t("Pass")} onClick={() => act(api.move(view.id, "pass", view.ply))} />}
      {view.phase === "sense" && <Action icon="eye" text={t("Sense nothing")} onClick={() => act(api.move(view.id, "sense none", view.ply))} />}
      {can("hint") && <Action icon="hint" text={t("Hint")} onClick={onHint} />}
      {can("undo") && <Action icon="undo" text={t("Take back")} onClick={() => act(api.undo(view.id))} />}
      {can("draw") && !view.draw_offered && offers.value.find((each) => each.name === view.game)?.draws !== false && <Action icon="draw" text={t("Offer a draw")} short={t("Draw")} onClick={() => act(api.command(view.id, "draw"))} />}
      {can("resign") && <Action icon="resign" text={t("Resign")} onClick={() => setSure(true)} />}
      <Action icon="flip" text={t("Flip the board")} short={t("Flip")} onClick={onFlip} />
      {view.game === "shogi" && (
        <Action icon="people" text={pieceSet.value === "letters" ? t("Kanji on pieces") : t("Letters on pieces")} short={pieceSet.value === "letters" ? t("Kanji") : t("Letters")} onClick={() => (pieceSet.value = pieceSet.value === "letters" ? "kanji" : "letters")} />
      )}
    </div>
  );
}

function Action({ icon, text, short, onClick }: { icon: string; text: string; short?: string; onClick: () => void }) {
  return (
    <button class="action" onClick={onClick} aria-label={text} title={text}>
      <Icon name={icon} />
      <span aria-hidden="true">{short ?? text}</span>
    </button>
  );
}
