// Parts of the API that are being built: replaced by api-types.ts when they land.
import type { components } from "./api-types";
type Schemas = components["schemas"];
type Interval = [number, number];
export interface GameOffer { persons?: { name: string; title: string; about: string }[]; adapts?: boolean; levels: (Schemas["LevelScale"] & { word?: string; step?: number; names?: Record<string, string> }) | null }
export interface Adaptive { rating: number; interval: Interval; games: number }
export interface GameView { estimate?: Adaptive | null }
export interface OpponentChoice { kind?: "level" | "human" | "strength" | "bot" | "person" | null; person?: string | null; adapt?: boolean }
export interface TournamentSummary { id: string; game: string; title: string; players: string[]; games: number; done_games: number; over: boolean; updated: number }
export interface Standing { player: number; games: number; wins: number; draws: number; losses: number; score: number; elo: number; interval: Interval | null }
export interface RunningGame { number: number; first: number; second: number; ply: number; position: string; board: Schemas["BoardView"]; last: string | null }
export interface FinishedGame { number: number; first: number; second: number; score: number; text: string }
export interface TournamentView { id: string; version: number; game: string; title: string; sides: [string, string]; players: { name: string; about: string }[]; games: number; done_games: number; over: boolean; stopped: boolean; error: string | null; standings: Standing[]; running: RunningGame[]; finished: FinishedGame[] }
export interface TournamentGame { number: number; first: number; second: number; score: number; text: string; moves: Schemas["MoveView"][]; positions: string[] }
