// The server's API. Types come from its OpenAPI description (`make page` writes api-types.ts).
import type { components } from "./api-types";

type Schemas = components["schemas"];
export type GameOffer = Schemas["GameOffer"];
export type GameView = Schemas["GameView"];
export type GameSummary = Schemas["GameSummary"];
export type NewGame = Schemas["NewGame"];
export type OpponentChoice = Schemas["OpponentChoice"];
export type BoardView = Schemas["BoardView"];
export type LegalMove = Schemas["LegalMove"];
export type HintView = Schemas["HintView"];
export type PositionView = Schemas["PositionView"];
export type PositionInsight = Schemas["PositionInsight"];
export type MoveCurve = Schemas["MoveCurve"];
export type ReviewView = Schemas["ReviewView"];
export type ReviewedMove = Schemas["ReviewedMove"];
export type ReportView = Schemas["ReportView"];

export class Refused extends Error {}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new Refused("The server does not answer. Is it running?");
  }
  if (answer.status === 204) return undefined as T;
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  if (!answer.ok) throw new Refused(isJson ? ((await answer.json()) as { detail: string }).detail : answer.statusText);
  return (isJson ? await answer.json() : await answer.text()) as T;
}

export const api = {
  catalogue: () => request<GameOffer[]>("GET", "/catalogue"),
  games: () => request<GameSummary[]>("GET", "/games"),
  begin: (wanted: Partial<NewGame> & { game: string }) => request<GameView>("POST", "/games", wanted),
  game: (id: string) => request<GameView>("GET", `/games/${id}`),
  remove: (id: string) => request<void>("DELETE", `/games/${id}`),
  move: (id: string, move: string, ply: number) => request<GameView>("POST", `/games/${id}/moves`, { move, ply }),
  command: (id: string, name: "resign" | "draw" | "agree" | "resume") =>
    request<GameView>("POST", `/games/${id}/${name}`),
  undo: (id: string, count = 1) => request<GameView>("POST", `/games/${id}/undo`, { count }),
  dead: (id: string, points: string[]) => request<GameView>("POST", `/games/${id}/dead`, { points }),
  hint: (id: string) => request<HintView>("GET", `/games/${id}/hint`),
  position: (id: string, ply: number) => request<PositionView>("GET", `/games/${id}/positions/${ply}`),
  record: (id: string, format: string) => request<string>("GET", `/games/${id}/record?format=${format}`),
  understand: (wanted: object) => request<PositionInsight>("POST", "/understand", wanted),
  review: (wanted: object) => request<ReviewView>("POST", "/reviews", wanted),
  reviewed: (id: string, since: number) => request<ReviewView>("GET", `/reviews/${id}?since=${since}`),
  reports: () => request<ReportView[]>("GET", "/reports"),
};

/** Calls back with every view of a game, and connects again when the connection is lost. Returns the end of it. */
export function follow(id: string, see: (view: GameView) => void, lost: (isLost: boolean) => void): () => void {
  let socket: WebSocket | undefined;
  let timer: number | undefined;
  let over = false;
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/api/games/${id}/live`);
    socket.onmessage = (event) => {
      lost(false);
      see(JSON.parse(event.data as string) as GameView);
    };
    socket.onclose = () => {
      if (over) return;
      lost(true);
      timer = window.setTimeout(connect, 1000);
    };
  };
  connect();
  return () => {
    over = true;
    window.clearTimeout(timer);
    socket?.close();
  };
}
