// Parts of the API that are being built: replaced by api-types.ts when they land.
import type { components } from "./api-types";
type Schemas = components["schemas"];
type Interval = [number, number];
export interface Opening { name: string; title: string; moves: string[] }
export interface Handicap { name: string; title: string; position: string | null; options: Record<string, number>; giver: 0 | 1 }
export interface GameOffer { persons?: { name: string; title: string; about: string }[]; adapts?: boolean; openings?: Opening[]; handicaps?: Handicap[]; levels: (Schemas["LevelScale"] & { word?: string; step?: number; names?: Record<string, string> }) | null }
export interface Adaptive { rating: number; interval: Interval; games: number }
export interface GameView { estimate?: Adaptive | null }
export interface HiddenView { guess: string[]; guess_shares: number[] }
export interface GameSummary { you?: number | null; turn?: number | null; phase?: string; created?: number; position?: string | null; board?: Schemas["BoardView"] | null }
export interface NewGame { opening?: string[]; people_plies?: number }
export interface OpponentChoice { kind?: "level" | "human" | "strength" | "bot" | "person" | null; person?: string | null; adapt?: boolean }
export interface PositionInsight { last?: string | null }
export interface LevelEstimate { rating: number; shown: string; interval: Interval; moves: number }
export interface ReviewView { levels?: (LevelEstimate | null)[] }
export interface ReviewedMove { best_name?: string; expected_name?: string; found?: number | null }
export interface Belief { possible: number; exact: boolean; pieces: string[]; shares: number[] }
export interface ReplayStep { ply: number; player: number; phase: "sense" | "move"; text: string | null; name: string; position: string; note: string; sides: [Belief, Belief] }
export interface Replay { total: number; done: boolean; steps: ReplayStep[] }
export interface TournamentSummary { id: string; game: string; title: string; players: string[]; games: number; done_games: number; over: boolean; updated: number }
export interface Standing { player: number; games: number; wins: number; draws: number; losses: number; score: number; elo: number; interval: Interval | null }
export interface RunningGame { number: number; first: number; second: number; ply: number; position: string; board: Schemas["BoardView"]; last: string | null }
export interface FinishedGame { number: number; first: number; second: number; score: number; text: string }
export interface TournamentView { id: string; version: number; game: string; title: string; sides: [string, string]; players: { name: string; about: string }[]; games: number; done_games: number; over: boolean; stopped: boolean; error: string | null; standings: Standing[]; running: RunningGame[]; finished: FinishedGame[] }
export interface TournamentGame { number: number; first: number; second: number; score: number; text: string; moves: Schemas["MoveView"][]; positions: string[] }
export interface TuringScore { answered: number; right: number; interval: Interval | null; streak: number; called_human: Record<string, { called: number; shown: number }> }
export interface Turing { kits: { name: string; title: string; game: string; games: number; levels: number[] }[]; score: TuringScore }
export interface TuringGame { players_about: string; start: string | null; moves: { text: string; name: string; seconds: number | null }[]; positions: string[]; boards: Schemas["BoardView"][]; result: string }
export interface TuringRound { id: string; game: string; mode: "pair" | "single"; level: number | null; sides: [string, string]; games: TuringGame[] }
export interface TuringAnswer { right: boolean; sources: string[]; about: string[]; score: TuringScore }
