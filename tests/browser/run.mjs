// Runs the tab's code in Node: `node run.mjs SITE PARTS` reads a JSON job from stdin and writes its result.
//
// jobs: {"kind": "rules", "games": [[game, options, seeds, depth]]}: random games and perft;
// {"kind": "numbers", "seeds": [[...]]}: random numbers; {"kind": "levels", "game": ..., "levels": [...]};
// {"kind": "moves", "rows": [[game, options, opponent, seed, side, moves]]}: the moves of players, one a row;
// {"kind": "boards", "games": [[player, limit, seed, observations]]}: the possible boards and the guess of blind chess after each;
// {"kind": "promises", "games": [[game, options, moves, texts]]}: the promises of tests/conformance that a game breaks, and
// how often each was tried, with the number of move codes and texts that are no state;
// {"kind": "requests", "requests": [[method, path, body]]}: answers of the tab's server, or its refusals; reviews until they end.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [site, parts] = process.argv.slice(2);
globalThis.window = globalThis; // the core is built for browsers
globalThis.self = globalThis;
const folder = `${pathToFileURL(site).href}/tab/`;
const tab = await import(pathToFileURL(parts).href);
const read = async (name) => tab.unpacked(fs.readFileSync(`${site}/tab/${name}`));
const job = JSON.parse(fs.readFileSync(0, "utf8"));
const core = await tab.openCore(folder, read);
const data = JSON.parse(new TextDecoder().decode(await read("data.json.gz")));

function rules([game, options, seeds, depth]) {
  const start = tab.RULES[game].initial(core, options);
  return { perft: start.perft(depth), games: seeds.map((seed) => start.randomGame(seed, 1000)), text: start.fullText() };
}

const refuses = (work) => {
  try {
    work()?.delete?.();
    return false;
  } catch (error) {
    return error instanceof Error && error.message !== "";
  }
};

/** The promises of every game, tried in random games: how often each held, and the first breach of it. */
function promises([game, options, codes, texts]) {
  const start = () => (game === "rbc" ? core.RbcState.initial() : tab.RULES[game].initial(core, options));
  const parse = (text) => (game === "rbc" ? core.RbcState.parse(text) : tab.RULES[game].parse(core, text));
  const found = {};
  const promise = (name, holds, shown) => {
    found[name] ??= { tried: 0, broken: "" };
    found[name].tried += 1;
    if (!holds) found[name].broken ||= shown;
  };
  const look = (state, random) => {
    const text = state.fullText();
    const legal = Array.from(state.legalMoves());
    const again = parse(text);
    promise("texts come back as equal states", again.key() === state.key() && again.fullText() === text && again.toMove() === state.toMove(), text);
    const kept = new Set(again.legalMoves());
    promise("rules about the past only forbid more", state.reason() !== "" || legal.every((move) => kept.has(move)), text);
    again.delete();
    const names = legal.map((move) => state.moveText(move));
    promise("moves come back from their texts", new Set(names).size === names.length && names.every((name, index) => state.parseMove(name) === legal[index]), text);
    promise("legal moves are ascending and within bounds", legal.every((move, index) => move < codes && (index === 0 || legal[index - 1] < move)), text);
    for (const move of legal.slice(0, 40)) state.play(move).delete();
    promise("play does not change the parent", state.fullText() === text && String(Array.from(state.legalMoves())) === String(legal), text);
    const others = [-1, codes, 2 ** 16, 2 ** 31 - 1, ...Array.from({ length: 40 }, () => random.integer(codes))].filter((move) => !legal.includes(move));
    promise("moves that are not legal are refused", others.every((move) => refuses(() => state.play(move))), text);
    promise("outcomes come only at the end", (state.reason() === "") === legal.length > 0 && state.winner() >= -1 && state.winner() <= 1, text);
  };
  for (let seed = 0; seed < 6; seed++) {
    const random = new tab.Generator([seed]);
    const played = [];
    let state = start();
    for (let ply = 0; ply < 120; ply++) {
      look(state, random);
      const legal = state.legalMoves();
      if (legal.length === 0) break;
      const move = legal[random.integer(legal.length)];
      const next = state.play(move);
      played.push(move);
      state.delete();
      state = next;
    }
    const last = state.fullText();
    state.delete();
    state = start();
    for (const move of played) state = state.play(move);
    promise("the same moves give the same game", state.fullText() === last, last);
    state.delete();
  }
  const first = start();
  for (const text of texts) promise("texts that are no state and no move are refused", refuses(() => parse(text)) && refuses(() => first.parseMove(text)), JSON.stringify(text.slice(0, 20)));
  first.delete();
  return found;
}

function numbers(seed) {
  const random = new tab.Generator(seed);
  return [random.random(), random.integer(20), random.integer(3), random.random(), random.choice([0.1, 0.2, 0.3, 0.4]), String(random.large()), random.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8])];
}

/** What a player of blind chess knows after each of its observations. */
function boards([player, limit, seed, observations]) {
  const tracker = new tab.Tracker(core, player, { limit, pastLimit: 2 * limit, seed: BigInt(seed) });
  const guess = tab.newGuess(core, player);
  return observations.map((seen) => {
    tracker.observe(seen);
    tab.guessObserves(guess, seen);
    const { boards, exact } = tracker;
    const state = guess.state();
    const known = { size: boards.size(), exact, known: boards.knownPieces(), guess: state.text(), senses: Array.from(boards.undominatedSenses()) };
    if (boards.toMove() === player) {
      const { requests, scores } = boards.evaluateRequests(1, 700);
      Object.assign(known, { requests: requests.length, score: scores.reduce((sum, score) => sum + score, 0), sense: boards.winningSense(), request: boards.winningRequest() });
    }
    state.delete();
    return known;
  });
}

/** Processor time of all threads since then. */
function cpuSeconds(began) {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

const networks = tab.networkLoader(folder, read, 1);
const policies = {};
const players = new Map();

async function moves([game, options, opponent, seed, side, texts]) {
  const name = tab.RULES[game];
  const hidden = game === "rbc";
  policies[game] ??= new tab.Policies(data.games[game], networks, read);
  // A player of a hidden game goes on from its last turn.
  const key = JSON.stringify([game, opponent, ...(hidden ? [seed, side] : [])]);
  const isNew = !players.has(key);
  if (isNew) players.set(key, await tab.makePlayer(core, name, policies[game], tab.completed(data.games[game], opponent, game), data.thinkTime));
  const player = players.get(key);
  let state = name.initial(core, options);
  const seen = [];
  for (const text of texts) {
    const next = state.play(state.parseMove(text));
    if (hidden) seen.push(...[tab.observe(state, next, side)].filter(Boolean));
    state.delete();
    state = next;
  }
  if (isNew || !hidden) player.newGame([seed, side, hidden ? 0 : texts.length]);
  const began = process.cpuUsage();
  const decision = await player.choose({ state, seen, clock: null, opponentClock: null, stopped: () => false });
  const found = { move: state.moveText(decision.move), resign: decision.resign, value: decision.value, name: name.moveName(state, decision.move), seconds: cpuSeconds(began) };
  state.delete();
  return found;
}

/** The answer to a request; a review when it is done. LAST in a path is the game that was begun last. */
let lastGame = "";
async function answered(server, [method, path, body]) {
  try {
    if (method === "PREPARE") return (await server.prepare(path.split("/")[2])) ?? null;
    let found = await server.answer(method, path.replace("LAST", lastGame), body);
    if (method === "POST" && path === "/games") lastGame = found.id;
    while (path === "/reviews" && !found.done) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      found = await server.answer("GET", `/reviews/${found.id}?since=0`);
    }
    return found;
  } catch (error) {
    if (!error.sentence) throw error;
    return { refusal: error.sentence.text };
  }
}

const result =
  job.kind === "rules" ? job.games.map(rules)
  : job.kind === "promises" ? job.games.map(promises)
  : job.kind === "numbers" ? job.seeds.map(numbers)
  : job.kind === "boards" ? job.games.map(boards)
  : job.kind === "levels" ? job.levels.map((level) => tab.levelRow(data.games[job.game], level))
  : [];
if (job.kind === "moves") for (const row of job.rows) result.push(await moves(row));
if (job.kind === "requests") {
  const server = new tab.TabServer(core, data, networks, read, tab.memoryStore(), () => undefined);
  for (const request of job.requests) result.push(await answered(server, request));
}
process.stdout.write(JSON.stringify(result), () => process.exit(0));
