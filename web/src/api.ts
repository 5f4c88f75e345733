// The server's API, or in the browser edition that of the tab's worker. Types come from its OpenAPI description (`make page` writes api-types.ts).
import type { components } from "./api-types";
import { inTab, tabFollow, tabRequest } from "./tab/client";
import { say, t, type Text } from "./text";

type Schemas = components["schemas"];
export type GameOffer = Schemas["GameOffer"];
export type GameTraits = Schemas["GameTraits"];
export type GameView = Schemas["GameView"];
export type GameSummary = Schemas["GameSummary"];
export type NewGame = Schemas["NewGame"];
export type OpponentChoice = Schemas["OpponentChoice"];
export type BoardView = Schemas["BoardView"];
export type LegalMove = Schemas["LegalMove"];
export type HintView = Schemas["HintView"];
export type ScoreView = Schemas["ScoreView"];
export type PositionView = Schemas["PositionView"];
export type PositionInsight = Schemas["PositionInsight"];
export type MoveCurve = Schemas["MoveCurve"];
export type SaferView = Schemas["SaferView"];
export type ComparedMove = Schemas["ComparedMoveView"];
export type ReviewView = Schemas["ReviewView"];
export type ReviewedMove = Schemas["ReviewedMove"];
export type ReportView = Schemas["ReportView"];
export type ReplayView = Schemas["ReplayView"];
export type BeliefStep = Schemas["BeliefStep"];
export type BeliefView = Schemas["BeliefView"];
export type TuringOffer = Schemas["TuringOffer"];
export type TuringRound = Schemas["TuringRound"];
export type TuringScore = Schemas["TuringScore"];
export type TuringVerdict = Schemas["TuringVerdict"];
export type JudgedGame = Schemas["JudgedGame"];
export type TournamentSummary = Schemas["TournamentSummary"];
export type TournamentView = Schemas["TournamentView"];
export type TournamentGame = Schemas["TournamentGame"];
export type ReadView = Schemas["ReadView"];
export type JobView = Schemas["JobView"];
export type PersonName = Schemas["PersonName"];
export type StrengthView = Schemas["StrengthView"];
export type DeckView = Schemas["DeckView"];
export type CardView = Schemas["CardView"];
export type LineStep = Schemas["LineStep"];
export type TryView = Schemas["TryView"];
export type KeptReview = Schemas["KeptReview"];
export type ProgressView = Schemas["ProgressView"];
export type WarningView = Schemas["WarningView"];

export class Refused extends Error {}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  if (inTab)
    return tabRequest(method, path, body).catch((refusal: Text) => {
      throw new Refused(say(refusal));
    }) as Promise<T>;
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new Refused(t("The server does not answer. Is it running?"));
  }
  if (answer.status === 204) return undefined as T;
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  if (!answer.ok) {
    const refusal = isJson ? ((await answer.json()) as { detail: string; text?: Text }) : { detail: answer.statusText };
    throw new Refused(say(refusal.text ?? refusal.detail));
  }
  return (isJson ? await answer.json() : await answer.text()) as T;
}

export const api = {
  catalogue: () => request<GameOffer[]>("GET", "/catalogue"),
  games: (wanted: Record<string, string> = {}) => request<GameSummary[]>("GET", `/games?${new URLSearchParams(wanted)}`),
  read: (text: string, game: string | null) => request<ReadView>("POST", "/read", { text, game }),
  personNames: (game: string, text: string) => request<PersonName[]>("POST", "/persons/names", { game, text }),
  makePerson: (game: string, text: string, name: string) => request<{ job: string }>("POST", "/persons", { game, text, name }),
  personJob: (job: string) => request<JobView>("GET", `/persons/jobs/${job}`),
  stopPerson: (job: string) => request<void>("DELETE", `/persons/jobs/${job}`),
  begin: (wanted: Partial<NewGame> & { game: string }) => request<GameView>("POST", "/games", wanted),
  game: (id: string) => request<GameView>("GET", `/games/${id}`),
  remove: (id: string) => request<void>("DELETE", `/games/${id}`),
  move: (id: string, move: string, ply: number) => request<GameView>("POST", `/games/${id}/moves`, { move, ply }),
  command: (id: string, name: "resign" | "draw" | "agree" | "resume") =>
    request<GameView>("POST", `/games/${id}/${name}`),
  undo: (id: string, count = 1) => request<GameView>("POST", `/games/${id}/undo`, { count }),
  dead: (id: string, points: string[]) => request<GameView>("POST", `/games/${id}/dead`, { points }),
  hint: (id: string, rating: string | null) =>
    request<HintView>("GET", `/games/${id}/hint${rating === null ? "" : `?rating=${encodeURIComponent(rating)}`}`),
  position: (id: string, ply: number) => request<PositionView>("GET", `/games/${id}/positions/${ply}`),
  score: (id: string, ply: number) => request<ScoreView>("GET", `/games/${id}/score/${ply}`),
  record: (id: string, format: string) => request<string>("GET", `/games/${id}/record?format=${format}`),
  understand: (wanted: object) => request<PositionInsight>("POST", "/understand", wanted),
  safer: (wanted: object) => request<SaferView | null>("POST", "/understand/safer", wanted),
  review: (wanted: object) => request<ReviewView>("POST", "/reviews", wanted),
  reviewed: (id: string, since: number) => request<ReviewView>("GET", `/reviews/${id}?since=${since}`),
  replay: (id: string, since: number) => request<ReplayView>("GET", `/games/${id}/replay?since=${since}`),
  adaptive: (game: string) => request<StrengthView>("GET", `/adaptive/${game}`),
  tournaments: () => request<TournamentSummary[]>("GET", "/tournaments"),
  beginTournament: (wanted: object) => request<TournamentView>("POST", "/tournaments", wanted),
  tournament: (id: string) => request<TournamentView>("GET", `/tournaments/${id}`),
  tournamentGame: (id: string, number: number) => request<TournamentGame>("GET", `/tournaments/${id}/games/${number}`),
  steerTournament: (id: string, command: "stop" | "resume") => request<TournamentView>("POST", `/tournaments/${id}/${command}`),
  removeTournament: (id: string) => request<void>("DELETE", `/tournaments/${id}`),
  turing: () => request<TuringOffer>("GET", "/turing"),
  turingRound: (wanted: object) => request<TuringRound>("POST", "/turing/rounds", wanted),
  turingAgain: (id: string) => request<TuringRound>("GET", `/turing/rounds/${id}`),
  turingAnswer: (id: string, human: 0 | 1) => request<TuringVerdict>("POST", `/turing/rounds/${id}/answer`, { human }),
  deck: (wanted: Record<string, string> = {}) => request<DeckView>("GET", `/deck?${new URLSearchParams(wanted)}`),
  keepReview: (review: string, side: 0 | 1, source: string, cards: boolean) => request<KeptReview>("POST", "/deck/reviews", { review, side, source, cards }),
  card: (id: string) => request<CardView>("GET", `/deck/cards/${id}`),
  tryCard: (id: string, move: string | null) => request<TryView>("POST", `/deck/cards/${id}/try`, { move }),
  playCard: (id: string) => request<GameView>("POST", `/deck/cards/${id}/play`),
  removeCard: (id: string) => request<void>("DELETE", `/deck/cards/${id}`),
  progress: (game: string) => request<ProgressView>("GET", `/progress/${game}`),
  warning: (id: string, move: string, ply: number) => request<WarningView>("GET", `/games/${id}/warning?${new URLSearchParams({ move, ply: String(ply) })}`),
  reports: () => request<ReportView[]>("GET", "/reports"),
};

/** Calls back with every message of a WebSocket, and connects again when it is lost, unless the server refuses it: what
 * is followed is gone. Returns the end of it. */
function listen<T>(path: string, see: (view: T) => void, lost: (isLost: boolean) => void, gone?: () => void): () => void {
  let socket: WebSocket | undefined;
  let timer: number | undefined;
  let over = false;
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/api${path}`);
    socket.onmessage = (event) => {
      lost(false);
      see(JSON.parse(event.data as string) as T);
    };
    socket.onclose = (event) => {
      if (over) return;
      if (event.code === 1008) return lost(false), gone?.();
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

export const follow = (id: string, see: (view: GameView) => void, lost: (isLost: boolean) => void, gone?: () => void) =>
  inTab ? tabFollow(id, see) : listen(`/games/${id}/live`, see, lost, gone);
export const followTournament = (id: string, see: (view: TournamentView) => void, lost: (isLost: boolean) => void) =>
  listen(`/tournaments/${id}/live`, see, lost);
