// A text that is pasted, typed or dropped: the server recognises what it is.
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, type ReadView } from "./api";
import { Icon } from "./icons";
import { movesIn } from "./moves";
import { counted, known, say, t } from "./text";

/** What was recognised, as keys of a request. */
export interface Pasted {
  game: string;
  position?: string;
  record?: string;
  format?: string;
  record_index?: number;
}

/** Characters that the server reads. */
const LONGEST = 500_000;
/** Milliseconds after the last key before the text is read. */
const PAUSE = 250;

/** The text of a file. Files of shogi programs may be in Shift JIS. */
export async function fileText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  for (const encoding of ["utf-8", "shift_jis"])
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // the next one
    }
  return new TextDecoder().decode(bytes);
}

interface Props {
  /** The game that is tried first. */
  game: string;
  /** Text at first. */
  text?: string;
  /** With it, a button with this title uses the text; else it is used as soon as it is recognised. */
  button?: string;
  /** Called with what was recognised, and null while it is not. An empty text is the first position. */
  onPasted: (pasted: Pasted | null, text: string) => void;
}

/** A box for a position or games in any format; files can be dropped anywhere on the page. */
export function Paste({ game, text: first = "", button, onPasted }: Props) {
  const id = useId();
  const [text, setText] = useState(first);
  const [read, setRead] = useState<ReadView | null>(null);
  const [index, setIndex] = useState(0);
  const [error, setError] = useState("");
  const [over, setOver] = useState(false);
  const asked = useRef(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const timer = useRef<number>(undefined);
  const now = useRef({ game, onPasted });
  now.current = { game, onPasted };

  const recognise = async (wanted: string, use: boolean) => {
    const number = ++asked.current;
    window.clearTimeout(timer.current);
    setError("");
    setRead(null);
    setIndex(0);
    if (!wanted.trim()) return now.current.onPasted(use ? { game: now.current.game } : null, "");
    if (!button) now.current.onPasted(null, wanted);
    try {
      if (wanted.length > LONGEST) throw new Error(t("The text is too long: {count} characters can be read.", { count: LONGEST }));
      const answer = await api.read(wanted, now.current.game);
      if (number !== asked.current) return;
      setRead(answer);
      const usable = Math.max(0, answer.games.findIndex((each) => each.plies > 0));
      setIndex(usable);
      const whole = answer.games.length <= 1 && !answer.games[0]?.error;
      if (use ? whole : !button) now.current.onPasted(keys(answer, usable, wanted), wanted);
    } catch (refusal) {
      if (number === asked.current) setError((refusal as Error).message);
    }
  };
  const type = (typed: string) => {
    setText(typed);
    window.clearTimeout(timer.current);
    ++asked.current;
    if (!button) onPasted(null, typed);
    setRead(null);
    setError("");
    timer.current = window.setTimeout(() => void recognise(typed, false), PAUSE);
  };
  const choose = (chosen: number) => {
    setIndex(chosen);
    if (read && !button) onPasted(keys(read, chosen, text), text);
  };
  const open = async (file: File | undefined) => {
    if (!file) return;
    const content = await fileText(file);
    setText(content);
    void recognise(content, false);
  };
  useLayoutEffect(() => {
    if (button) box.current!.focus(); // it was opened to be typed in
  }, []);
  useEffect(() => {
    if (first) void recognise(first, false);
    return () => window.clearTimeout(timer.current);
  }, []);
  useDrop(setOver, (file) => void open(file));
  const chosen = read?.games[index];
  return (
    <div class={over ? "paste over" : "paste"}>
      <label class="stacked" for={id}>
        <span>{t("A position or a whole game")}</span>
      </label>
      <textarea
        id={id}
        ref={box}
        rows={3}
        value={text}
        spellcheck={false}
        placeholder={t("Paste anything: FEN, SFEN, PGN, SGF, KIF, CSA or a list of moves. A file can be dropped here.")}
        onInput={({ currentTarget: { value } }) => type(value)}
      />
      <div class="paste-result" role="status">
        {read && <p class="recognised">{recognised(read)}</p>}
        {chosen?.error && <p class="note slow">{say(chosen.error, read!.game)}</p>}
      </div>
      {read && read.games.length > 1 && (
        <label class="row">
          <span>{t("Which game?")}</span>
          <select value={index} onChange={({ currentTarget: { value } }) => choose(Number(value))}>
            {read.games.map((each, number) => (
              <option key={number} value={number} disabled={each.plies === 0}>
                {number + 1}. {about(read.game, each)}
              </option>
            ))}
          </select>
        </label>
      )}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      <div class="buttons">
        {button && (
          <button type="button" class="main" onClick={() => (read ? onPasted(keys(read, index, text), text) : void recognise(text, true))}>
            {button}
          </button>
        )}
        <FileButton onFile={(file) => void open(file)} />
      </div>
    </div>
  );
}

/** A button that opens a file. */
export function FileButton({ onFile, main }: { onFile: (file: File) => void; main?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={main ? "main" : ""} onClick={() => field.current!.click()}>
        <Icon name="plus" /> {t("Open a file")}
      </button>
      <input
        ref={field}
        class="hidden-text"
        type="file"
        tabIndex={-1}
        aria-label={t("File")}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = ""; // the same file can be opened again
          if (file) onFile(file);
        }}
      />
    </>
  );
}

/** Calls back with a file that is dropped anywhere on the page, and while one is over it. */
export function useDrop(onOver: (isOver: boolean) => void, onFile: (file: File) => void): void {
  const now = useRef({ onOver, onFile });
  now.current = { onOver, onFile };
  useLayoutEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      now.current.onOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && now.current.onOver(false);
    const drop = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      now.current.onOver(false);
      now.current.onFile(file);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
}

function keys(read: ReadView, index: number, text: string): Pasted {
  if (read.kind === "position") return { game: read.game, position: read.position! };
  return { game: read.game, record: text, format: read.format, ...(index ? { record_index: index } : {}) };
}

const titleOf = (game: string) => known({ chess: "Chess", rbc: "Reconnaissance blind chess", shogi: "Shogi", go: "Go", expendibots: "Expendibots", breakthrough: "Breakthrough" }[game] ?? game);

function recognised(read: ReadView): string {
  const game = titleOf(read.game);
  if (read.kind === "position") return t("Recognised: a position of {game}.", { game });
  const format = ["uci", "usi", "gtp", "moves"].includes(read.format) ? t("moves") : read.format.toUpperCase();
  if (read.games.length > 1) return t("Recognised: {count} games of {game} ({format}).", { count: read.games.length, game, format });
  return t("Recognised: a game of {game} ({format}). {about}", { game, format, about: about(read.game, read.games[0]!) });
}

/** Names, result and length of a game of a text. */
function about(game: string, read: ReadView["games"][number]): string {
  const [one, other] = read.players;
  const count = movesIn(game, read.plies);
  return [one || other ? `${one || "?"} – ${other || "?"}` : "", read.title, read.result === "*" ? "" : read.result.replace("1/2-1/2", "½–½").replace("-", "–"), counted(count, "{count} move", "{count} moves")].filter(Boolean).join(", ");
}
