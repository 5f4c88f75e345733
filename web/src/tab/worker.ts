// The worker of a tab: the server's API, computed here. Messages are those of client.ts.
import { networkLoader, openCore, unpacked } from "./files";
import { plain, Refusal } from "./sentences";
import { TabServer, type TabData } from "./server";
import { openStore } from "./store";

const folder = new URL("./", location.href).href;
const read = async (name: string) => {
  const answer = await fetch(folder + name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return unpacked(new Uint8Array(await answer.arrayBuffer()));
};
// Threads need a page that is isolated from other origins; else there is one.
const threads = globalThis.crossOriginIsolated ? Math.min(4, navigator.hardwareConcurrency) : 1;

async function open(): Promise<TabServer> {
  const [core, text, store] = await Promise.all([openCore(folder, read), read("data.json.gz"), openStore()]);
  const data = JSON.parse(new TextDecoder().decode(text)) as TabData;
  return new TabServer(core, data, networkLoader(folder, read, threads), read, store, (view) => postMessage({ view }));
}

const server = open();

interface Request {
  id: number;
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

onmessage = ({ data }: MessageEvent<Request>) => {
  const { id, method, path, body } = data;
  const answer = async () => {
    const opened = await server;
    const game = path.split("/")[2]!;
    if (method === "FOLLOW") return opened.follow(game);
    if (method === "UNFOLLOW") return opened.unfollow(game);
    if (method === "PREPARE") return opened.prepare(game);
    return opened.answer(method, path, body);
  };
  answer().then(
    (found) => postMessage({ id, found }),
    (error: Error) => postMessage({ id, refusal: error instanceof Refusal ? error.sentence : plain(error.message) }),
  );
};
