import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { chessPieces } from "./boards/chess-pieces";
import { shogiNotation } from "./boards/move-names";
import { pieceSet } from "./boards/shogi-board";
import { Icon } from "./icons";
import { boardTheme, confirmMoves, ownName, sound, theme } from "./settings";
import { chosenLanguage, LANGUAGES, languageName, t } from "./text";

/** Opens the settings. They are kept in the browser. */
export function SettingsButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button class="quiet" onClick={() => setOpen(true)} aria-haspopup="dialog" title={t("Settings")} aria-label={t("Settings")}>
        <Icon name="settings" />
      </button>
      {open && <Settings onClose={() => setOpen(false)} />}
    </>
  );
}

function Settings({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("Settings")} onClose={onClose}>
      <label class="row">
        <span>{t("Language")}</span>
        <select value={chosenLanguage.value} onChange={({ currentTarget: { value } }) => (chosenLanguage.value = value)}>
          <option value="browser">{t("of the browser")}</option>
          {LANGUAGES.map((code) => (
            <option key={code} value={code} lang={code}>
              {languageName(code)}
            </option>
          ))}
        </select>
      </label>
      <Choices title={t("Colours")} name="theme" chosen={theme} titles={{ system: t("of the system"), light: t("light"), dark: t("dark") }} />
      <Choices title={t("Boards")} name="board" chosen={boardTheme} titles={{ wood: t("wood"), green: t("green"), blue: t("blue") }} />
      <Choices title={t("Chess pieces")} name="chess-pieces" chosen={chessPieces} titles={{ classic: t("classic"), plain: t("plain"), letters: t("letters") }} />
      <Choices title={t("Shogi pieces")} name="shogi-pieces" chosen={pieceSet} titles={{ kanji: t("kanji"), dark: t("dark kanji"), letters: t("letters"), moves: t("with their moves") }} />
      <Choices title={t("Shogi moves")} name="shogi-notation" chosen={shogiNotation} titles={{ language: t("as the page"), letters: "P-7f", kanji: "７六歩" }} />
      <label class="row">
        <span>{t("Your name in saved games")}</span>
        <input type="text" maxLength={60} value={ownName.value} placeholder={t("You")} onInput={({ currentTarget: { value } }) => (ownName.value = value)} />
      </label>
      <Switch title={t("Sounds")} chosen={sound} />
      <Switch title={t("Confirm each move")} chosen={confirmMoves} />
    </Dialog>
  );
}

function Choices<Value extends string>({ title, name, chosen, titles }: { title: string; name: string; chosen: Signal<Value>; titles: Record<Value, string> }) {
  return (
    <div class="row">
      <span>{title}</span>
      <div class="choices" role="radiogroup" aria-label={title}>
        {(Object.entries(titles) as [Value, string][]).map(([value, shown]) => (
          <label key={value} class="choice">
            <input type="radio" name={name} checked={chosen.value === value} onChange={() => (chosen.value = value)} />
            <span>{shown}</span>
          </label>
        ))}
      </div>
    </div>
  );
}

/** A setting that is off or on. */
export function Switch({ title, chosen }: { title: string; chosen: Signal<"off" | "on"> }) {
  return (
    <label class="switch">
      <input type="checkbox" role="switch" checked={chosen.value === "on"} onChange={({ currentTarget: { checked } }) => (chosen.value = checked ? "on" : "off")} />
      <span>{title}</span>
    </label>
  );
}

/** A box over the page. Escape, its button and a click beside it close it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: preact.ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => element.current!.showModal(), []);
  return (
    <dialog ref={element} class="dialog" aria-label={title} onClose={onClose} onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}>
      <div class="dialog-inside">
        <button class="quiet close" onClick={() => element.current!.close()} aria-label={t("Close")}>
          <Icon name="remove" />
        </button>
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
