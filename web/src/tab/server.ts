// The server's API (docs/http-api.md) inside a tab: the same requests and answers, without a network connection.
import type { GameOffer, GameView, NewGame, OpponentChoice, ScoreView } from "../api";
import type { ThinkTimeModel } from "./behaviour";
import { timeControl } from "./clock";
import type { Core, GoState, State } from "./core";
import { estimated, ownersOf } from "./go-counting";
import { LiveGame, type Settings, type StoredGame, type StoredMove } from "./live-game";
import type { ReadFile } from "./files";
import { completed, effort, LazyPlayer, levelRow, makePlayer, Policies, predictOne, ratingNumber, StrengthPlayer, type GameData, type Networks } from "./players";
import type { Prediction } from "./policies";
import { Generator } from "./random";
import { BlindGame } from "./rbc";
import { exported, imported, lineOf, readPasted, readRecord, written } from "./records";
import { Reviews } from "./review";
import { RULES, typedMove, type Rules } from "./rules";
import { plain, Refusal, refuse } from "./sentences";
import type { Store } from "./store";
import { hint, insight, seen } from "./understand";

/** What the build writes beside the page. */
export interface TabData {
  offers: GameOffer[];
  games: Record<string, GameData>;
  thinkTime: ThinkTimeModel;
}

const PEOPLE_STREAM = 7;
const FINISHED_IN_MEMORY = 8;
/** Milliseconds until an opponent that could not move tries again. */
const RETRY = 3000;
/** The search player whose moves are timed; the others take as much longer as they search more. */
const TIMED_STRENGTH = 3;

type Body = Record<string, unknown>;

export class TabServer {
  private readonly games = new Map<string, LiveGame>();
  private readonly policies = new Map<string, Policies>();
  private readonly stored: Promise<Map<string, StoredGame>>;
  private readonly thinking = new Set<string>();
  private readonly flags = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly followers = new Map<string, number>();
  private readonly changed = new Map<string, () => void>();
  /** Of one position, by game. */
  private readonly seconds = new Map<string, number>();
  /** Of a search with the effort of strength 1, by game. */
  private readonly effortSeconds = new Map<string, number>();
  private readonly reviews: Reviews;
  /** Questions about positions that are being answered. */
  private asked = 0;

  constructor(
    private readonly core: Core,
    private readonly data: TabData,
    private readonly networks: Networks,
    private readonly readFile: ReadFile,
    private readonly store: Store,
    /** Receives every new view of a game that is followed. */
    private readonly tell: (view: GameView) => void,
  ) {
    this.reviews = new Reviews(core, readFile, () => this.thinking.size > 0 || this.asked > 0);
    this.stored = store.all().then((games) => new Map(games.map((game) => [game.settings.id, game])));
  }

  /** The answer to a request: JSON, text, or nothing. Raises Refusal. */
  async answer(method: string, url: string, body: Body = {}): Promise<unknown> {
    const [path, query = ""] = url.split("?");
    const [, kind, id, action, number] = path!.split("/");
    const asked = new URLSearchParams(query);
    switch (`${method} ${kind}${id === undefined ? "" : "/:id"}${action === undefined ? "" : `/${action}`}`) {
      case "GET catalogue":
        return this.data.offers.map((offer) => this.timed(offer));
      case "GET games":
        return this.list(asked);
      case "POST games":
        return this.begin(body as unknown as NewGame);
      case "GET games/:id":
        return (await this.game(id!)).view();
      case "DELETE games/:id":
        return this.remove(id!);
      case "POST games/:id/moves":
        return this.act(id!, (game) => game.play(String(body.move), Number(body.ply)));
      case "POST games/:id/undo":
        return this.act(id!, (game) => game.takeBack(Number(body.count ?? 1)));
      case "POST games/:id/resign":
        return this.act(id!, (game) => game.resign());
      case "POST games/:id/draw":
        return this.act(id!, (game) => game.proposeDraw());
      case "POST games/:id/dead":
        return this.act(id!, (game) => game.mark(body.points as string[]));
      case "POST games/:id/agree":
        return this.act(id!, (game) => game.agree());
      case "POST games/:id/resume":
        return this.act(id!, (game) => game.resume());
      case "GET games/:id/hint":
        return this.first(() => this.hint(id!, asked.get("rating")));
      case "GET games/:id/positions":
        return this.position(await this.game(id!), Number(number));
      case "GET games/:id/score":
        return this.first(() => this.score(id!, Number(number)));
      case "GET games/:id/record":
        return this.record(await this.game(id!), asked.get("format") ?? "");
      case "GET games/:id/replay":
        return (await this.game(id!)).replay(Number(asked.get("since") ?? 0));
      case "POST understand":
        return this.first(() => this.understand(body));
      case "POST read":
        return this.read(String(body.text), body.game as string | null);
      case "POST reviews":
        return this.review(body);
      case "GET reviews/:id":
        return this.reviews.view(id!, Number(asked.get("since") ?? 0));
      case "GET export":
        return exported([...(await this.stored).values()]);
      case "POST import":
        return this.import(String(body.text));
    }
    return refuse("A tab cannot do this: it needs the installed program.", {}, 404);
  }

  /** A page looks at a game: its clock runs, and its opponent plays. */
  async follow(id: string): Promise<void> {
    const game = await this.game(id);
    this.followers.set(id, (this.followers.get(id) ?? 0) + 1);
    if (["move", "thinking"].includes(game.phase)) game.clock.start();
    this.tell(game.view());
    this.advance(game);
  }

  unfollow(id: string): void {
    const left = (this.followers.get(id) ?? 1) - 1;
    if (left > 0) return void this.followers.set(id, left);
    this.followers.delete(id);
    const game = this.games.get(id);
    if (game?.phase === "move") game.clock.stop();
  }

  /** Loads the networks of a game before they are needed, and measures how long positions and searches take. */
  async prepare(name: string): Promise<void> {
    const { networks, levels } = this.gameData(name);
    const rules = this.rules(name);
    if (!this.offer(name).hidden && !this.effortSeconds.has(name)) await this.timeSearch(name);
    for (const settings of Object.values(networks)) await this.networks(settings); // one after the other: there is one thread
    if (levels === null || this.seconds.has(name)) return;
    const policy = await this.policiesOf(name).policy(levels.policy);
    const state = rules.initial(this.core, {});
    for (let run = 0; run < 2; run++) {
      const began = performance.now();
      await predictOne(this.core, rules.native, policy, state, null);
      this.seconds.set(name, (performance.now() - began) / 1000); // the first run compiles
    }
    state.delete();
  }

  /** Measures a short search of the search player from the first position. */
  private async timeSearch(name: string): Promise<void> {
    const rules = this.rules(name);
    const player = new StrengthPlayer(this.core, rules, this.gameData(name), TIMED_STRENGTH, await this.policiesOf(name).equipment(this.core, rules.native));
    const state = rules.initial(this.core, {});
    for (let run = 0; run < 2; run++) {
      player.newGame([run]);
      const began = performance.now();
      await player.choose({ state, clock: null, opponentClock: null, stopped: () => false });
      this.effortSeconds.set(name, (performance.now() - began) / 1000 / effort(TIMED_STRENGTH)); // the first run compiles
    }
    player.close();
    state.delete();
  }

  /** The offer of a game, with how long moves of its levels and of its search players take here, once that is known. */
  private timed(offer: GameOffer): GameOffer {
    const { levels } = offer;
    const [seconds, perEffort] = [this.seconds.get(offer.name), this.effortSeconds.get(offer.name)];
    const short = (number: number) => Number(number.toPrecision(2));
    const strengths = perEffort === undefined ? {} : { strength_seconds: offer.strengths.map((strength) => short(perEffort * effort(strength))) };
    if (levels === null || seconds === undefined) return { ...offer, ...strengths };
    const data = this.gameData(offer.name);
    const estimates = levels.estimates.map((step) => ({ ...step, seconds: short(seconds * Math.max(levelRow(data, step.level).nodes, 1)) }));
    return { ...offer, ...strengths, levels: { ...levels, estimates } };
  }

  private offer(name: string): GameOffer {
    return this.data.offers.find((offer) => offer.name === name) ?? refuse("There is no game {game}: choose {games}.", { game: name, games: this.data.offers.map((each) => each.name).join(", ") });
  }

  private rules(name: string): Rules {
    return RULES[this.offer(name).name]!;
  }

  private gameData(name: string): GameData {
    return this.data.games[this.offer(name).name]!;
  }

  private policiesOf(name: string): Policies {
    const found = this.policies.get(name) ?? new Policies(this.gameData(name), this.networks, this.readFile);
    this.policies.set(name, found);
    return found;
  }

  private open(settings: Settings): LiveGame {
    const rules = this.rules(settings.game);
    const player = new LazyPlayer(() => makePlayer(this.core, rules, this.policiesOf(settings.game), settings.opponent, this.data.thinkTime));
    const offer = this.offer(settings.game);
    return new (offer.hidden ? BlindGame : LiveGame)(this.core, rules, offer, settings, player);
  }

  private async game(id: string): Promise<LiveGame> {
    const found = this.games.get(id);
    if (found) return found;
    const stored = (await this.stored).get(id);
    const meanwhile = this.games.get(id);
    if (meanwhile) return meanwhile;
    if (!stored) return refuse("There is no such game of yours.", {}, 404);
    const game = this.open(stored.settings);
    game.restore(stored.moves, stored.end, stored.message, stored.dead);
    game.updated = stored.updated;
    this.keep(game);
    return game;
  }

  private keep(game: LiveGame): void {
    this.games.set(game.settings.id, game);
    const finished = [...this.games.values()].filter((each) => each.end && !this.followers.has(each.settings.id));
    for (const old of finished.slice(0, -FINISHED_IN_MEMORY)) {
      this.games.delete(old.settings.id);
      old.close();
    }
  }

  private async list(asked: URLSearchParams) {
    const [name, result, before] = [asked.get("game"), asked.get("result"), asked.get("before")];
    const games = [...(await this.stored).values()]
      .filter((game) => game.moves.length > 0 || this.followers.has(game.settings.id))
      .filter((game) => (!name || game.settings.game === name) && (!before || game.updated < Number(before)))
      .sort((a, b) => b.updated - a.updated);
    const found = [];
    for (const game of games) {
      const summary = (await this.game(game.settings.id)).summary();
      const fits = !result || (result === "unfinished" ? summary.outcome === null : summary.outcome === result);
      if (fits) found.push(summary);
      if (found.length === Number(asked.get("count") ?? 50)) break;
    }
    return found;
  }

  private async begin(wanted: NewGame): Promise<GameView> {
    const offer = this.offer(wanted.game);
    const data = this.gameData(wanted.game);
    if (wanted.you == null) return refuse("A tab cannot do this: it needs the installed program.");
    if (offer.hidden && (wanted.record != null || wanted.position != null || wanted.opening?.length || wanted.people_plies)) return refuse("{game} begins with its initial position.", { game: offer.title });
    const record = wanted.record == null ? null : this.recorded(wanted as unknown as Body).recorded;
    const settings: Settings = {
      id: crypto.randomUUID().replaceAll("-", "").slice(0, 16),
      game: wanted.game,
      you: wanted.you,
      opponent: completed(data, (wanted.opponent ?? {}) as OpponentChoice, offer.title),
      seed: wanted.seed ?? Math.floor(Math.random() * 2 ** 53),
      created: Date.now() / 1000,
      options: record?.options ?? wanted.options ?? {},
      position: record?.position ?? wanted.position ?? null,
      clock: timeControl(wanted.clock),
      resigns: wanted.resigns ?? true,
      yourName: wanted.your_name ?? "",
      yourRating: wanted.your_rating ?? null,
    };
    const game = await this.reading(() => this.open(settings));
    if (game.state.reason()) return refuse("The game is over in this position.");
    const opening = [...(record?.moves ?? []), ...(wanted.opening ?? [])].map(begun);
    if (opening.length > 0) game.restore(opening);
    if (wanted.people_plies) game.restore(await this.peopleMoves(game, wanted.people_plies));
    this.keep(game);
    await this.save(game);
    return game.view();
  }

  /** Moves that people of the opponent's rating play from here. */
  private async peopleMoves(game: LiveGame, plies: number): Promise<StoredMove[]> {
    const { settings, rules } = game;
    const policies = this.policiesOf(settings.game);
    const people = await policies.policy("human");
    const random = new Generator([settings.seed, PEOPLE_STREAM]);
    const rating = policies.data.accepted === null ? null : ratingNumber(policies.data, settings.opponent.rating ?? settings.opponent.level);
    const moves: StoredMove[] = [];
    const line: State[] = [];
    let { state } = game;
    for (let ply = 0; ply < plies; ply++) {
      const { moves: legal, probabilities } = await predictOne(this.core, rules.native, people, state, rating);
      const move = legal[random.choice(probabilities)]!;
      const next = state.play(move);
      line.push(next);
      if (next.reason()) break;
      moves.push(begun(state.moveText(move)));
      state = next;
    }
    for (const each of line) each.delete();
    return moves;
  }

  private async act(id: string, action: (game: LiveGame) => void | Promise<void>): Promise<GameView> {
    const game = await this.game(id);
    const { phase } = game;
    await action(game);
    if (phase !== "counting") await this.propose(game);
    await this.save(game);
    this.changed.get(id)?.();
    this.tell(game.view());
    this.advance(game);
    return game.view();
  }

  private async save(game: LiveGame): Promise<void> {
    const stored = game.stored();
    (await this.stored).set(stored.settings.id, stored);
    await this.store.put(stored);
  }

  private async remove(id: string): Promise<void> {
    (await this.stored).delete(id);
    this.games.delete(id);
    await this.store.remove(id);
  }

  /** Lets the opponent play while it is its turn, and watches the flags. */
  private advance(game: LiveGame): void {
    const { id } = game.settings;
    this.watchFlag(game);
    if (game.phase !== "thinking" || this.thinking.has(id)) return;
    this.thinking.add(id);
    const goOn = (pause: number) => {
      this.thinking.delete(id);
      if (game.phase === "thinking" && this.games.get(id) === game) setTimeout(() => this.advance(game), pause);
    };
    this.takeTurns(game).then(
      () => goOn(0),
      (error: Error) => {
        console.warn(`the opponent could not move: ${error.message}`); // such as a network that could not be loaded
        goOn(RETRY);
      },
    );
  }

  private async takeTurns(game: LiveGame): Promise<void> {
    const { id } = game.settings;
    const began = performance.now();
    const version = game.changes;
    try {
      const made = await game.decide();
      if (made === null) return;
      const left = game.pause(made.decision) - (performance.now() - began);
      if (left > 0)
        await new Promise<void>((resolve) => {
          this.changed.set(id, resolve);
          setTimeout(resolve, left);
        });
      if (!(await game.accept(made))) return;
      await this.propose(game);
    } catch (error) {
      if (game.changes === version) throw error; // else it thought about a position that was taken back
      return;
    }
    await this.save(game);
    this.tell(game.view());
    this.watchFlag(game);
  }

  private watchFlag(game: LiveGame): void {
    const { id } = game.settings;
    clearTimeout(this.flags.get(id));
    const seconds = game.end ? null : game.clock.untilFlag(game.state.toMove());
    if (seconds === null) return;
    const fall = () => {
      if (game.checkFlag()) void this.save(game).then(() => this.tell(game.view()));
      else this.watchFlag(game);
    };
    this.flags.set(id, setTimeout(fall, 1000 * seconds + 10));
  }

  private async hint(id: string, given: string | null) {
    const game = await this.game(id);
    game.require("hint");
    const policies = this.policiesOf(game.settings.game);
    const { opponent } = game.settings;
    const level = policies.data.ranks ? (policies.data.levels?.rows.find((row) => row.level === opponent.level)?.rating ?? policies.data.rating) : opponent.level;
    const rating = policies.data.accepted === null ? null : ratingNumber(policies.data, given ?? opponent.rating ?? level);
    const [low, high] = policies.data.accepted ?? [0, 0];
    const version = game.changes;
    return hint(this.core, game.rules, policies, game.state, rating === null ? null : Math.min(Math.max(rating, low), high), () => version !== game.changes);
  }

  /** What a network of people's moves predicts in Go, also after two passes; null without one. */
  private async people(game: LiveGame, state: State): Promise<Prediction | null> {
    const policies = this.policiesOf(game.settings.game);
    if (!policies.data.networks.human) return null;
    const open = state.reason() ? game.rules.parse(this.core, resumed(state.fullText())) : state;
    try {
      return await predictOne(this.core, game.rules.native, await policies.policy("human"), open, null);
    } finally {
      if (open !== state) open.delete();
    }
  }

  /** Both passed in Go: dead stones by the network, where there is one. */
  private async propose(game: LiveGame): Promise<void> {
    if (game.phase !== "counting") return;
    const version = game.changes;
    const owners = ownersOf(game.state as GoState, await this.people(game, game.state));
    if (owners && version === game.changes) game.propose(owners);
  }

  private async score(id: string, ply: number): Promise<ScoreView> {
    const game = await this.game(id);
    if (!game.offer.points) return refuse("In {game} no points are counted.", { game: game.offer.title });
    const state = game.states[ply] as GoState | undefined;
    if (!state) return refuse("The game has {moves} moves, not {ply}.", { moves: game.moves.length, ply }, 404);
    const prediction = await this.people(game, state);
    return { ply, ...(state.reason() ? game.score(ownersOf(state, prediction)) : estimated(state, prediction)) };
  }

  /** Answers a question before reviews go on. */
  private async first<T>(work: () => Promise<T>): Promise<T> {
    this.asked += 1;
    try {
      return await work();
    } finally {
      this.asked -= 1;
    }
  }

  private position(game: LiveGame, ply: number) {
    game.requireTruth("The true boards are shown after the game.");
    const state = game.states[ply];
    if (!state) return refuse("The game has {moves} moves, not {ply}.", { moves: game.moves.length, ply }, 404);
    return { ply, position: state.fullText(), board: game.rules.board(state, game.states[ply - 1] ?? null), last: game.moves[ply - 1]?.text ?? null };
  }

  private record(game: LiveGame, format: string): string {
    game.requireTruth("The game can be saved when it is over: its file has the true boards.");
    const { offer } = game;
    if (!offer.writes.includes(format)) return refuse("Games of {game} are written as {formats}.", { game: offer.title, formats: offer.writes.join(", ") });
    return game instanceof BlindGame ? game.history() : written(game, format);
  }

  private async understand(body: Body) {
    const name = String(body.game);
    const rules = this.rules(name);
    const recorded = body.record == null ? null : this.recorded(body);
    const line: State[] = [];
    try {
      if (recorded) {
        line.push(...lineOf(this.core, rules, recorded.recorded));
        const ply = body.ply == null ? line.length - 1 : Number(body.ply);
        if (ply >= line.length) return refuse("The game has {moves} moves, not {ply}.", { moves: line.length - 1, ply });
        for (const state of line.splice(ply + 1)) state.delete();
      } else line.push(await this.reading(() => (body.position == null ? rules.initial(this.core, (body.options ?? {}) as Settings["options"]) : rules.parse(this.core, String(body.position)))));
      for (const text of (body.moves ?? []) as string[]) {
        const move = typedMove(rules, line.at(-1)!, text);
        if (move === null) return refuse("{move} is not legal here", { move: text });
        line.push(line.at(-1)!.play(move));
      }
      const [state, before] = [line.at(-1)!, line.at(-2) ?? null];
      const asked = [rules, this.offer(name), this.policiesOf(name), state, before, body.rating as string | number | null] as const;
      const found = recorded && state.reason() ? seen(...asked) : await insight(this.core, ...asked);
      return { ...found, warning: recorded?.warning ?? null };
    } finally {
      for (const state of line) state.delete();
    }
  }

  /** The game of a request with a record. */
  private recorded(body: Body) {
    return readRecord(this.core, this.offer(String(body.game)).name, String(body.record), (body.format as string | undefined) ?? null, Number(body.record_index ?? 0));
  }

  private review(body: Body) {
    const game = String(body.game);
    const [rules, policies] = [this.rules(game), this.policiesOf(game)];
    if (!policies.data.networks.human) return refuse("There is no network of people's moves for {game}.", { game: this.offer(game).title });
    return this.reviews.begin({ game, rules, policies, ...this.recorded(body) }, body.rating as string | number | null);
  }

  /** Recognises a position or games of any game. */
  private read(text: string, first: string | null) {
    const names = this.data.offers.filter((offer) => !offer.hidden).map((offer) => offer.name).sort((a, b) => Number(b === first) - Number(a === first));
    return readPasted(this.core, names, text);
  }

  private async import(text: string): Promise<{ games: number }> {
    const games = imported(text);
    if (games === null) return refuse("This is no file of games that a tab exported.");
    for (const game of games) {
      this.games.delete(game.settings.id);
      (await this.stored).set(game.settings.id, game);
      await this.store.put(game);
    }
    return { games: games.length };
  }

  /** The result of `work`; an error of the core becomes a refusal. */
  private async reading<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(plain((error as Error).message), 422);
    }
  }
}

/** The text of a position of Go with play resumed after two passes. */
const resumed = (text: string): string =>
  text
    .split(" ")
    .map((word, index) => (index === 5 ? "0" : word))
    .join(" ");

/** A move that was played before the game began. */
const begun = (text: string): StoredMove => ({ text, left: null, clocks: null, offersDraw: false });
