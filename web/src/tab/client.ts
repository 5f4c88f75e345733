// The page's side of a tab: requests go to a worker in place of a server, and files are kept for use without a network.
import type { GameView } from "../api";
import type { Text } from "../text";

/** Whether this page is the browser edition: its index.html says so. */
export const inTab = document.querySelector('meta[name="sparring-edition"]')?.getAttribute("content") === "tab";

interface Answer {
  id?: number;
  found?: unknown;
  refusal?: Text;
  view?: GameView;
}

const waiting = new Map<number, { resolve: (found: unknown) => void; reject: (refusal: Text) => void }>();
const followers = new Map<string, Set<(view: GameView) => void>>();
let worker: Promise<Worker> | undefined;
let asked = 0;
const prepared = new Set<string>();

/** An event of the window: the catalogue knows how long moves take here. */
export const TIMED = "tab-timed";

/** Milliseconds that the first visit waits for the service worker, which then keeps every file. */
const KEEPER_TIME = 3000;

async function keeper(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("./sw.js");
    const controlled = new Promise<void>((resolve) => {
      if (navigator.serviceWorker.controller) resolve();
      else navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true });
    });
    await Promise.race([controlled, new Promise((resolve) => setTimeout(resolve, KEEPER_TIME))]);
  } catch {
    // Pages without HTTPS have no service worker: they need the network at each visit.
  }
}

async function start(): Promise<Worker> {
  await keeper();
  const made = new Worker(new URL("./tab/worker.js", document.baseURI), { type: "module" });
  made.onmessage = ({ data: { id, found, refusal, view } }: MessageEvent<Answer>) => {
    if (view) for (const see of followers.get(view.id) ?? []) see(view);
    if (id === undefined) return;
    const asker = waiting.get(id);
    waiting.delete(id);
    if (refusal) asker?.reject(refusal);
    else asker?.resolve(found);
  };
  made.onerror = (event) => {
    for (const { reject } of waiting.values()) reject({ text: event.message, template: event.message });
    waiting.clear();
  };
  return made;
}

/** A request to the tab's own server. Rejects with the text of a refusal. */
export async function tabRequest(method: string, path: string, body?: unknown): Promise<unknown> {
  const opened = await (worker ??= start());
  const answer = new Promise((resolve, reject) => {
    const id = asked++;
    waiting.set(id, { resolve, reject });
    opened.postMessage({ id, method, path, body });
  });
  if (path === "/catalogue") void answer.then(() => prepare(localStorage.getItem("game") ?? "chess"), () => undefined);
  return answer;
}

/** Reads the networks of a game that was chosen, while the person looks at the page, and measures how long its moves take.
 * A server does both by itself. */
export function prepare(game: string): void {
  if (!inTab || prepared.has(game)) return;
  prepared.add(game);
  const timed = () => dispatchEvent(new Event(TIMED));
  tabRequest("PREPARE", `/games/${game}`).then(timed, () => prepared.delete(game)); // a lost connection: it is tried again
}

/** Calls back with every view of a game. Returns the end of it. */
export function tabFollow(id: string, see: (view: GameView) => void): () => void {
  const all = followers.get(id) ?? new Set();
  followers.set(id, all.add(see));
  void tabRequest("FOLLOW", `/games/${id}`).catch(() => undefined);
  return () => {
    all.delete(see);
    void tabRequest("UNFOLLOW", `/games/${id}`).catch(() => undefined);
  };
}

/** Bytes of the files of all games, and of those of them that are not kept yet. */
export interface Kept {
  total: number;
  missing: number;
}

/** The files of all games with their sizes, and those that are not kept yet. The service worker keeps what it loads. */
async function gameFiles(): Promise<{ sizes: Record<string, number>; missing: string[] }> {
  const sizes = (await (await fetch("./files.json")).json()) as Record<string, number>;
  const isKept = await Promise.all(Object.keys(sizes).map((name) => caches.match(`./${name}`)));
  return { sizes, missing: Object.keys(sizes).filter((_, index) => !isKept[index]) };
}

const bytes = (sizes: Record<string, number>, names: string[]) => names.reduce((sum, name) => sum + sizes[name]!, 0);

/** How much is kept for use without a network; null without a service worker, such as on a page without HTTPS. */
export async function whatIsKept(): Promise<Kept | null> {
  if (!navigator.serviceWorker?.controller) return null;
  const { sizes, missing } = await gameFiles();
  return { total: bytes(sizes, Object.keys(sizes)), missing: bytes(sizes, missing) };
}

/** Loads all files that are not kept yet, one after the other. Throws if one cannot be loaded. */
export async function keepAll(see: (kept: Kept) => void): Promise<void> {
  const { sizes, missing } = await gameFiles();
  for (let left = missing; left.length > 0; left = left.slice(1)) {
    const answer = await fetch(`./${left[0]!}`);
    if (!answer.ok) throw new Error(left[0]);
    await answer.arrayBuffer();
    see({ total: bytes(sizes, Object.keys(sizes)), missing: bytes(sizes, left.slice(1)) });
  }
}
