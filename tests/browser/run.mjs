// Runs the tab's code in Node: `node run.mjs SITE PARTS` reads a JSON job from stdin and writes its result.
//
// jobs: {"kind": "rules", "games": [[game, options, seeds, depth]]}: random games and perft;
// {"kind": "numbers", "seeds": [[...]]}: random numbers; {"kind": "levels", "game": ..., "levels": [...]};
// {"kind": "moves", "rows": [[game, options, opponent, seed, side, moves]]}: the moves of players, one a row.
// {"kind": "boards", "games": [[player, limit, seed, observations]]}: the possible boards and the guess of blind chess after each.
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

const result =
  job.kind === "rules" ? job.games.map(rules)
  : job.kind === "numbers" ? job.seeds.map(numbers)
  : job.kind === "boards" ? job.games.map(boards)
  : job.kind === "levels" ? job.levels.map((level) => tab.levelRow(data.games[job.game], level))
  : [];
if (job.kind === "moves") for (const row of job.rows) result.push(await moves(row));
process.stdout.write(JSON.stringify(result), () => process.exit(0));
