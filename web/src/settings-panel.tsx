import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { theme } from "./settings";
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
      <div class="row">
        <span>{t("Colours")}</span>
        <div class="choices" role="radiogroup" aria-label={t("Colours")}>
          {(["system", "light", "dark"] as const).map((value) => (
            <label key={value} class="choice">
              <input type="radio" name="theme" checked={theme.value === value} onChange={() => (theme.value = value)} />
              <span>{{ system: t("of the system"), light: t("light"), dark: t("dark") }[value]}</span>
            </label>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

/** A box over the page. Escape, its button and a click beside it close it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: preact.ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current!.showModal(), []);
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
