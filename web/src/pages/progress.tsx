import { useEffect, useState } from "preact/hooks";
import { api, type DeckView, type ProgressView } from "../api";
import { graphWidth } from "../graphs";
import { NumberHelp, shownGame } from "../help";
import { Icon } from "../icons";
import { moveNumber } from "../moves";
import { loadOffers, offerOf, offers, Ready } from "../offers";
import { keepRating, ownRating } from "../settings";
import { TrainTabs } from "./train";
import { counted, known, language, percent, phrase, rank, t, word } from "../text";

const PHASES = { opening: word("Opening"), middle: word("Middle game"), ending: word("Ending") };
type Phase = keyof typeof PHASES;

/** The person's level over time, where points are lost, and the openings. */
export function ProgressPage() {
  useEffect(loadOffers, []);
  const games = offers.value.filter((each) => each.has_human || each.levels);
  const [chosen, setChosen] = useState("");
  const game = games.find((each) => each.name === (chosen || shownGame.value))?.name ?? games[0]?.name;
  const [progress, setProgress] = useState<ProgressView | null>(null);
  const [deck, setDeck] = useState<DeckView | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (!game) return;
    let over = false;
    setError("");
    Promise.all([api.progress(game), api.deck({ count: "0" })]).then(
      ([found, cards]) => !over && (setProgress(found), setDeck(cards)),
      (refusal: Error) => !over && setError(refusal.message),
    );
    return () => void (over = true);
  }, [game]);
  if (!game) return <Ready />;
  const ready = progress?.game === game;
  return (
    <div class="page train">
      <div class="title-line">
        <h1>{t("Your progress")}</h1>
        <TrainTabs here="progress" />
        <div class="choices" role="radiogroup" aria-label={t("Game")}>
          {games.map((each) => (
            <label key={each.name} class="choice">
              <input type="radio" name="game" checked={each.name === game} onChange={() => setChosen(each.name)} />
              <span>{known(each.title)}</span>
            </label>
          ))}
        </div>
      </div>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {!ready && !error && (
        <p class="loading" role="status">
          {t("Loading…")}
        </p>
      )}
      {ready && (
        <div class="progress-cards">
          <Level progress={progress} />
          {progress.course.length > 0 && <Scores progress={progress} />}
          <Lost progress={progress} />
          {deck?.rating && game === "chess" && (
            <section class="card">
              <h2>{t("Your puzzle rating")}</h2>
              <p class="big">
                <strong class="number">{Math.round(deck.rating.rating)}</strong> {t("puzzle rating")}
              </p>
              <p class="note number">{counted(deck.rating.games, "{low} to {high} (95 %), from {count} first try", "{low} to {high} (95 %), from {count} first tries", { low: String(Math.round(deck.rating.interval[0])), high: String(Math.round(deck.rating.interval[1])) })}</p>
              <p class="note">
                {t("It is on the scale of Lichess's puzzles, and no rating of games.")} <NumberHelp />
              </p>
            </section>
          )}
          <Openings progress={progress} />
        </div>
      )}
    </div>
  );
}

const HEIGHT = 170;
const LEFT = 42;

/** The level after each game, with its 95 % interval. */
function Level({ progress }: { progress: ProgressView }) {
  const { course } = progress;
  const last = course.at(-1);
  if (!last)
    return (
      <section class="card">
        <h2>{t("Your level")}</h2>
        <p class="note">{t("Play games against a level: your results say how strong you are. Games that begin with a position do not count.")}</p>
        <a class="button" href="#/">
          {t("Play a game")}
        </a>
      </section>
    );
  const width = graphWidth(620);
  const low = Math.min(...course.map((each) => Math.min(each.interval[0], each.level)));
  const high = Math.max(...course.map((each) => Math.max(each.interval[1], each.level)));
  const x = (index: number) => LEFT + (course.length === 1 ? 0.5 : index / (course.length - 1)) * (width - LEFT - 12);
  const y = (rating: number) => HEIGHT * (1 - (rating - low) / Math.max(1, high - low));
  const upper = course.map((each, index) => `${x(index)},${y(each.interval[1])}`);
  const lower = course.map((each, index) => `${x(index)},${y(each.interval[0])}`).reverse();
  const day = (seconds: number) => new Date(1000 * seconds).toLocaleDateString(language.value, { day: "numeric", month: "short" });
  const ticks = [low, (low + high) / 2, high].map((each) => Math.round(each / 10) * 10);
  return (
    <section class="card">
      <h2>{t("Your level")}</h2>
      <p class="big">
        <strong class="number">{Math.round(last.rating)}</strong>{" "}
        <span class="number">{counted(course.length, "{low} to {high} (95 %), from {count} game", "{low} to {high} (95 %), from {count} games", { low: String(Math.round(last.interval[0])), high: String(Math.round(last.interval[1])) })}</span>
      </p>
      <svg class="graph course" viewBox={`0 -8 ${width} ${HEIGHT + 32}`} role="img" aria-label={t("Your level after each game: now {rating}", { rating: String(Math.round(last.rating)) })}>
        {ticks.map((each) => (
          <g key={each}>
            <line class="grid" x1={LEFT} x2={width - 8} y1={y(each)} y2={y(each)} />
            <text class="tick end" x={LEFT - 6} y={y(each) + 4}>
              {each}
            </text>
          </g>
        ))}
        <polygon class="area" points={[...upper, ...lower].join(" ")} />
        {course.length === 1 && <line class="score" x1={x(0)} x2={x(0)} y1={y(last.interval[0])} y2={y(last.interval[1])} />}
        <polyline class="score" points={course.map((each, index) => `${x(index)},${y(each.rating)}`).join(" ")} />
        {course.map((each, index) => (
          <text key={index} class={`result-sign ${each.score === 1 ? "won" : each.score === 0 ? "lost" : "drawn"}`} x={x(index)} y={y(each.level) + 5}>
            {each.score === 1 ? "+" : each.score === 0 ? "−" : "="}
          </text>
        ))}
        <text class="tick" x={LEFT} y={HEIGHT + 20}>
          {day(course[0]!.played)}
        </text>
        {course.length > 1 && (
          <text class="tick end" x={width - 8} y={HEIGHT + 20}>
            {day(last.played)}
          </text>
        )}
      </svg>
      <p class="note">
        {t("Line: your level after each game; band: its 95 % interval. Signs: the level of the opponent, with + for a win, − for a loss, = for a draw. Games with hints or with moves that you took back count like others.")} <NumberHelp />
      </p>
    </section>
  );
}

/** Games against one level: how many were won, drawn and lost, the share of the points with its 95 % interval (Wilson's),
 * and the share that the person's rating promises by Elo's formula. */
interface LevelScore {
  level: number;
  won: number;
  drawn: number;
  lost: number;
  score: number;
  interval: [number, number];
  promised: number | null;
}

function levelScores(course: ProgressView["course"], own: number | null): LevelScore[] {
  const levels = [...new Set(course.map((game) => game.level))].sort((one, other) => one - other);
  return levels.map((level) => {
    const scores = course.filter((game) => game.level === level).map((game) => game.score);
    const [n, z] = [scores.length, 1.96];
    const score = scores.reduce((sum, points) => sum + points, 0) / n;
    const middle = (score + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
    const half = (z / (1 + z ** 2 / n)) * Math.sqrt((score * (1 - score)) / n + z ** 2 / (4 * n ** 2));
    const count = (points: number) => scores.filter((score) => score === points).length;
    const promised = own === null ? null : 1 / (1 + 10 ** ((level - own) / 400));
    return { level, won: count(1), drawn: count(0.5), lost: count(0), score, interval: [Math.max(0, middle - half), Math.min(1, middle + half)], promised };
  });
}

/** The same as a table for other programs. */
function csv(game: string, own: number | null, rows: LevelScore[]): string {
  const digits = (share: number) => share.toFixed(4);
  const lines = rows.map((row) => [game, own ?? "", row.level, row.won, row.drawn, row.lost, digits(row.score), ...row.interval.map(digits), row.promised === null ? "" : digits(row.promised)].join(","));
  return ["game,own_rating,level,won,drawn,lost,score,low,high,promised", ...lines, ""].join("\n");
}

/** The person's score at each level, beside what their rating promises. */
function Scores({ progress: { game, course } }: { progress: ProgressView }) {
  const offer = offerOf(game);
  const [own, setOwn] = useState(() => ownRating(game) ?? "");
  const onPeoplesScale = offer?.levels?.scale === "people" && Object.keys(offer.levels.names).length === 0; // ranks promise no score
  const rating = onPeoplesScale && own !== "" ? Number(own) : null;
  const rows = levelScores(course, rating);
  return (
    <section class="card" aria-label={t("Your score at each level")}>
      <h2>{t("Your score at each level")}</h2>
      {onPeoplesScale && (
        <label class="row">
          <span>{t("Your rating")}</span>
          <select value={own} onChange={({ currentTarget: { value } }) => (keepRating(game, value), setOwn(value))}>
            <option value="">{t("not known")}</option>
            {offer.ratings?.values.map((value) => (
              <option key={value} value={String(value)}>
                {rank(value)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="wide-table">
        <table>
          <thead>
            <tr>
              <th>{t("Level")}</th>
              <th class="right">{t("Games")}</th>
              <th class="right">{t("Score")}</th>
              <th class="right">{t("95 % interval")}</th>
              {rating !== null && <th class="right">{t("Promised")}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.level}>
                <td>{row.level}</td>
                <td class="right">{row.won + row.drawn + row.lost}</td>
                <td class="right">{percent(row.score)}</td>
                <td class="right">{t("{low} to {high}", { low: percent(row.interval[0]), high: percent(row.interval[1]) })}</td>
                {row.promised !== null && <td class="right">{percent(row.promised)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rating !== null && <p class="note">{t("Promised: half of the points against the level of your rating, elsewhere by Elo's formula. In games between the levels themselves 200 points were worth less than it says: 65 of 100 points (55 to 74, in 96 games) instead of 76.")}</p>}
      <a class="button" download={`sparring-${game}-levels.csv`} href={`data:text/csv;charset=utf-8,${encodeURIComponent(csv(game, rating, rows))}`}>
        <Icon name="save" /> {t("Save as CSV")}
      </a>
    </section>
  );
}

/** Where points are lost, from reviews. */
function Lost({ progress }: { progress: ProgressView }) {
  if (progress.reviewed === 0)
    return (
      <section class="card">
        <h2>{t("Where you lose points")}</h2>
        <p class="note">{t("Review games of yours: what they found is added up here.")}</p>
        <a class="button" href="#/games">
          {t("My games")}
        </a>
      </section>
    );
  const phases = (Object.keys(PHASES) as Phase[]).map((phase) => ({ title: t(PHASES[phase]), ...progress.phases[phase]! }));
  const rows = [...phases, ...(progress.hurried ? [{ title: t("Short of time"), ...progress.hurried }] : [])];
  const most = Math.max(0.01, ...rows.map((row) => row.loss));
  return (
    <section class="card">
      <h2>{t("Where you lose points")}</h2>
      <table>
        <thead>
          <tr>
            <th>{t("Part of the game")}</th>
            <th>{t("Given away a game")}</th>
            <th class="right">{t("Moves")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.title}>
              <td>{row.title}</td>
              <td>
                <span class="bar-cell">
                  <span class="bar" style={{ "--share": row.loss / most }} aria-hidden="true" />
                  {row.moves > 0 ? percent(row.loss) : "–"}
                </span>
              </td>
              <td class="right">{row.moves}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {counted(progress.reviewed, "From {count} reviewed game.", "From {count} reviewed games.")} {t("100 % is a whole win; a game may give away more, when both sides err.")}{" "}
        {progress.hurried && counted(progress.timed, "Short of time: moves after which the clock was low, in {count} game with a clock; they count in their part of the game too.", "Short of time: moves after which the clock was low, in {count} games with a clock; they count in their part of the game too.")}{" "}
        {progress.lost_on_time > 0 && counted(progress.lost_on_time, "{count} game was lost on time.", "{count} games were lost on time.")} <NumberHelp />
      </p>
    </section>
  );
}

/** Openings with their names, and where the person left what people play. */
function Openings({ progress }: { progress: ProgressView }) {
  if (progress.openings.length === 0) return null;
  return (
    <section class="card wide">
      <h2>{t("Openings")}</h2>
      <div class="wide-table">
        <table>
          <thead>
            <tr>
              <th>{t("Opening")}</th>
              <th class="right">{t("Games")}</th>
              <th class="right">{t("Score")}</th>
              <th>{t("Where you left what people play")}</th>
            </tr>
          </thead>
          <tbody>
            {progress.openings.map((each) => (
              <tr key={each.name}>
                <td>
                  {each.eco && <span class="note">{each.eco}</span>} {each.name}
                </td>
                <td class="right">{each.games}</td>
                <td class="right">{each.score == null ? "–" : percent(each.score)}</td>
                <td>{each.left ? phrase("{move}, played by {share}; most play {usual}", { move: <b>{`${moveNumber(progress.game, each.left.ply)} ${each.left.move}`}</b>, share: percent(each.left.likely), usual: each.left.usual }) : t("nowhere")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">{t("Left: the first move of yours in the opening that fewer than 5 % of people of the reviewed rating play. It need not be bad.")}</p>
    </section>
  );
}
