// What the browser edition says about itself: what it lacks, its licence, and its games as a file.
import { useEffect, useRef, useState } from "preact/hooks";
import { can } from "../capabilities";
import { reloadOffers } from "../offers";
import { counted, say, t, type Text } from "../text";
import { tabRequest, TIMED } from "./client";

/** One sentence for a page that only the installed program has. */
export function NotInTab() {
  return (
    <div class="empty">
      <p>{t("A tab cannot do this: it needs the installed program.")}</p>
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
      <p>{t("Everything is computed in this tab, and nothing is sent anywhere. The bot planner of blind chess, persons, tournaments and reviews need the installed program. Search players and high levels of shogi are slow here.")}</p>
      <p>
        <a href="./licences.html">{t("Licences and source")}</a>
      </p>
    </footer>
  );
}

/** Saves all games of the tab in a file, and reads such a file. */
export function TabFiles({ onRead }: { onRead: () => void }) {
  const [said, setSaid] = useState("");
  const input = useRef<HTMLInputElement>(null);
  if (!can("tab-files")) return null;
  const save = async () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([(await tabRequest("GET", "/export")) as string], { type: "application/json" }));
    link.download = "sparring-games.json";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const read = async (file: File) => {
    try {
      const { games } = (await tabRequest("POST", "/import", { text: await file.text() })) as { games: number };
      setSaid(counted(games, "{count} game was read.", "{count} games were read."));
      onRead();
    } catch (refusal) {
      setSaid(say(refusal as Text));
    }
  };
  return (
    <section class="keep card" aria-label={t("Keep your games")}>
      <h2>{t("Keep your games")}</h2>
      <div class="buttons">
        <button onClick={() => void save()}>{t("Save all games in a file")}</button>
        <button onClick={() => input.current?.click()}>{t("Read such a file")}</button>
        <input ref={input} type="file" accept=".json" hidden aria-label={t("Read such a file")} onChange={({ currentTarget: { files } }) => files?.[0] && void read(files[0])} />
      </div>
      <p class="note" role="status">
        {said || t("Games are kept in this browser alone. Clearing its data deletes them.")}
      </p>
    </section>
  );
}
