// The native core in WebAssembly (web/native/browser.cpp), as TypeScript sees it. Objects live until `delete()`.

interface Native {
  delete(): void;
}

/** A position and the line of play before it. */
export interface State extends Native {
  text(): string;
  fullText(): string;
  toMove(): 0 | 1;
  ply(): number;
  key(): string;
  /** Why the game is over; empty while it goes on. */
  reason(): string;
  /** -1 for a draw. */
  winner(): number;
  /** -1 at the start of the line. */
  lastMove(): number;
  legalMoves(): Uint16Array;
  play(move: number): State;
  moveText(move: number): string;
  parseMove(text: string): number;
  perft(depth: number): number;
  randomGame(seed: number, limit: number): string;
  /** A random game with a seed of two halves. */
  playout(high: number, low: number, limit: number): { winner: number; over: boolean };
}

export interface ChessState extends State {
  inCheck(): boolean;
  claimableDraw(): string;
}

export interface GoState extends State {
  size(): number;
  score(dead: number[]): Float64Array;
  stones(): Uint8Array;
  /** Komi, prisoners of Black and of White, consecutive passes. */
  facts(): Float64Array;
  koPoint(): number;
  ownership(playouts: number): Float64Array;
}

export interface MaterialState extends State {
  alphabeta(nodes: number, margin: number): { moves: Uint16Array; scores: Int32Array };
}

/** A batch for a network. */
export interface Positions extends Native {
  add(state: State): void;
  size(): number;
  ply(index: number): number;
  legalMoves(index: number): Uint16Array;
  encode(encoding: string, history: number): Uint8Array | Float32Array;
  shape(encoding: string, history: number): Uint32Array;
  decode(logits: Float32Array, encoding: string): { probabilities: Float32Array; ends: Uint32Array };
}

export interface RootMoves {
  moves: Uint16Array;
  priors: Float64Array;
  visits: Uint32Array;
  values: Float64Array;
  forced: Int32Array;
}

export interface Tree extends Native {
  visits(): number;
  value(): number;
  lead(): number;
  maxDepth(): number;
  select(count: number, visits: number): Positions;
  evaluate(priors: Float32Array, values: Float32Array): void;
  cancel(): void;
  rootMoves(): RootMoves;
  pv(first: number): Uint16Array;
}

export interface Search extends Native {
  analyse(state: State, nodes: number, margin: number): { moves: Uint16Array; values: Float64Array; depth: number; pliesToEnd: number | null };
  useNetwork(layers: Record<string, Float32Array>): void;
}

/** The module: the classes of all games by name. */
export type Core = Record<string, never> & {
  [name: `${string}State`]: { initial(...options: unknown[]): State; parse(text: string): State; parseRules(text: string, rule: boolean): State };
  [name: `${string}Positions`]: new () => Positions;
  [name: `${string}Tree`]: new (root: State, options: object) => Tree;
  [name: `${string}Search`]: new (weights: Float64Array, megabytes: number) => Search;
};
