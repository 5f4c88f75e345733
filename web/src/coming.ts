// Parts of the API that are being built: replaced by api-types.ts when they land.
import type { components } from "./api-types";
type Schemas = components["schemas"];
type Interval = [number, number];
export interface GameOffer { persons?: { name: string; title: string; about: string }[]; adapts?: boolean; levels: (Schemas["LevelScale"] & { word?: string; step?: number; names?: Record<string, string> }) | null }
export interface Adaptive { rating: number; interval: Interval; games: number }
export interface GameView { estimate?: Adaptive | null }
export interface OpponentChoice { kind?: "level" | "human" | "strength" | "bot" | "person" | null; person?: string | null; adapt?: boolean }
