// What the browser edition says about itself: what it lacks, its licence, its games as a file, and what it keeps for offline use.
import { useEffect, useRef, useState } from "preact/hooks";
import { can } from "../capabilities";
import { reloadOffers } from "../offers";
import { keptSettings, restoreSettings } from "../settings";
import { counted, say, t, word, type Text } from "../text";
import { keepAll, tabRequest, TIMED, whatIsKept, type Kept } from "./client";

/** What only the installed program has, by the path of its page. */
const MISSING: Record<string, string> = {
  "/watch": word("Watching games and tournaments needs the installed program."),
  "/tournament": word("Watching games and tournaments needs the installed program."),
  "/train": word("The deck of your mistakes and problems need the installed program."),
  "/progress": word("The page of your progress needs the installed program."),
  "/turing": word("The Turing test needs the installed program."),
  "/person": word("Persons, made of somebody's games, need the installed program."),
  "/reports": word("The pages of what was measured need the installed program."),
};

/** One sentence for a page that only the installed program has. */
export function NotInTab({ path }: { path: string }) {
  return (
    <div class="empty">
      <p>{t("A tab cannot do this: it needs the installed program.")}</p>
      {MISSING[path] && <p>{t(MISSING[path])}</p>}
      <a class="button main" href="#/">
        {t("Play a game")}
      </a>
    </div>
  );
}

/** Below the first page: what a tab is, and where its licence and source are. */
export function TabNote() {
  useEffect(() => {
    addEventListener(TIMED, reloadOffers);
    return () => removeEventListener(TIMED, reloadOffers);
  }, []);
  if (!can("tab-files")) return null;
  return (
    <footer class="note tab-note">
      <p>{t("Everything is computed in this tab, and nothing is sent anywhere.")}</p>
      <p>{t("Only the installed program has the deck of your mistakes, problems, your progress, “your level”, persons, watching, tournaments, the Turing test, warnings before mistakes, the safer move, the bot planner of blind chess, and files of games of Breakthrough and Expendibots.")}</p>
      <KeepOffline />
      <p>
        <a href="./licences.html">{t("Licences and source")}</a>
      </p>
    </footer>
  );
}

/** Keeps the files of all games, also of those that were never opened: then each is played without a network. */
function KeepOffline() {
  const [kept, setKept] = useState<Kept | null>(null);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => void whatIsKept().then(setKept, () => undefined), []);
  if (!kept) return null;
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  const keep = async () => {
    setBusy(true);
    setError("");
    try {
      await keepAll(setKept);
    } catch {
      setError(t("Not all files could be loaded: try again with a network."));
    }
    setBusy(false);
  };
  if (kept.missing === 0) return <p role="status">{t("All games are kept for offline use.")}</p>;
  return (
    <p>
      <button type="button" disabled={busy} onClick={() => void keep()}>
        {t("Keep all games for offline use ({size} MB)", { size: megabytes(kept.missing) })}
      </button>{" "}
      <span role="status">{error || (busy && t("{done} of {total} MB are kept.", { done: megabytes(kept.total - kept.missing), total: megabytes(kept.total) }))}</span>
    </p>
  );
}

/** Said after the page was loaded again with the settings of a file. */
const READ = "tab-read";

/** Saves all games and settings of the tab in a file, and reads such a file. */
export function TabFiles({ onRead }: { onRead: () => void }) {
  const [said, setSaid] = useState(sessionStorage.getItem(READ) ?? "");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => sessionStorage.removeItem(READ), []);
  if (!can("tab-files")) return null;
  const save = async () => {
    const content = JSON.parse((await tabRequest("GET", "/export")) as string) as object;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify({ ...content, settings: keptSettings() })], { type: "application/json" }));
    link.download = "sparring-games.json";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const read = async (file: File) => {
    try {
      const text = await file.text();
      const { games } = (await tabRequest("POST", "/import", { text })) as { games: number };
      const shown = counted(games, "{count} game was read.", "{count} games were read.");
      const { settings } = JSON.parse(text) as { settings?: Record<string, unknown> };
      if (settings) {
        restoreSettings(settings);
        sessionStorage.setItem(READ, `${shown} ${t("The settings are those of the file.")}`);
        location.reload();
      }
      setSaid(shown);
      onRead();
    } catch (refusal) {
      setSaid(say(refusal as Text));
    }
  };
  return (
    <section class="keep card" aria-label={t("Keep your games")}>
      <h2>{t("Keep your games")}</h2>
      <div class="buttons">
        <button onClick={() => void save()}>{t("Save all games and settings in a file")}</button>
        <button onClick={() => input.current?.click()}>{t("Read such a file")}</button>
        <input ref={input} type="file" accept=".json" hidden aria-label={t("Read such a file")} onChange={({ currentTarget: { files } }) => files?.[0] && void read(files[0])} />
      </div>
      <p class="note" role="status">
        {said || t("Games are kept in this browser alone. Clearing its data deletes them.")}
      </p>
    </section>
  );
}
