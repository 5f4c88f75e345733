import { useEffect, useState } from "preact/hooks";
import { api, type GameOffer, type ReportView } from "../api";
import { NumberHelp } from "../help";
import { inline, Markdown } from "../markdown";
import { loadOffers, offers } from "../offers";
import { formatted, known, t } from "../text";

/** Reports about what a player meets, in this order; those about programs come after them. */
const FIRST = ["levels", "manners", "people-chess", "people-shogi", "people-go", "person", "rbc"];
const LADDER = "ladder.svg";

/** What was measured: first what a level means, then the reports. */
export function ReportsPage() {
  useEffect(loadOffers, []);
  const [reports, setReports] = useState<ReportView[] | null>(null);
  const [error, setError] = useState("");
  useEffect(() => void api.reports().then(setReports, (refusal: Error) => setError(refusal.message)), []);
  if (error)
    return (
      <p class="empty" role="alert">
        {error}
      </p>
    );
  if (!reports)
    return (
      <p class="loading" role="status">
        {t("Loading…")}
      </p>
    );
  const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const ordered = [...reports].sort((one, other) => place(one.name) - place(other.name));
  return (
    <div class="page">
      <h1>{t("What was measured")}</h1>
      <Levels ladder={reports.find((each) => each.name === "levels" && each.figures.includes(LADDER))} />
      <h2 class="section">{t("Reports")}</h2>
      {reports.length === 0 ? (
        <p class="empty">{t("The reports are in the folder `results` of the repository. Start the page there, or give it with `--results`.")}</p>
      ) : (
        <p class="note">{t("Each begins with what was found. They are in English and written for people who want to check the numbers.")}</p>
      )}
      <div class="gallery">
        {ordered.map((report) => (
          <article key={report.name} class="card">
            <h2>{report.title}</h2>
            <p>{inline(firstSentence(report.finding))}</p>
            {report.figures.slice(0, 1).map((figure) => (
              <a key={figure} href={`/api/reports/${report.name}/${figure}`} target="_blank" rel="noreferrer">
                <img src={`/api/reports/${report.name}/${figure}`} alt={t("Figure {figure} of {report}", { figure, report: report.title })} loading="lazy" />
              </a>
            ))}
            <details>
              <summary>{t("Whole report")}</summary>
              <Markdown text={withoutHead(report)} figure={(name) => `/api/reports/${report.name}/${name}`} />
            </details>
          </article>
        ))}
      </div>
    </div>
  );
}

/** What a level means, with the measured ones of each game. */
function Levels({ ladder }: { ladder: ReportView | undefined }) {
  const games = offers.value.filter((offer) => offer.levels?.measured.some((each) => each.measured !== null));
  return (
    <section class="card levels-meaning" aria-label={t("What a level means")}>
      <h2>{t("What a level means")}</h2>
      <p>
        {t("In chess an opponent of level 1500 errs about as often and as badly as people of 1500 do in rapid games on Lichess; this was measured in steps of 200 from 800 to 2400, and other levels follow from their neighbours or, outside, from the trend. In Go a level is a rank of Fox, which loses about as many points a move as people of the rank; in shogi it is a day of people, from a terrible to an average one, by what moves lose. Engines for other programs use the scale of engines: two levels 100 points apart mean that the higher one wins 64 of 100 points; 200 points apart, 76; 400 points apart, 91.")} <NumberHelp />
      </p>
      <div class="ladder">
        {ladder && (
          <figure>
            <a href={`/api/reports/${ladder.name}/${LADDER}`} target="_blank" rel="noreferrer">
              <img src={`/api/reports/${ladder.name}/${LADDER}`} alt={t("The measured rating of each level of chess, with its interval: the closer to the line, the truer the level")} />
            </a>
            <figcaption class="note">{t("Chess on the scale of engines, which engines for other programs use: what was asked of a level, and what was measured. On the line a level plays exactly at its number.")}</figcaption>
          </figure>
        )}
        {games.map((offer) => (
          <LevelTable key={offer.name} offer={offer} />
        ))}
      </div>
    </section>
  );
}

function LevelTable({ offer }: { offer: GameOffer }) {
  const levels = offer.levels!;
  const shown = (value: number) => known(levels.names?.[String(value)] ?? String(Math.round(value)));
  const family = levels.family.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  return (
    <div>
      <h3>{t("{game}, on the scale of {family}", { game: known(offer.title), family })}</h3>
      <table>
        <thead>
          <tr>
            <th>{t("Level")}</th>
            <th class="right">{t("Measured")}</th>
            <th class="right">{t("95 % interval")}</th>
            <th class="right">{t("Games")}</th>
          </tr>
        </thead>
        <tbody>
          {levels.measured
            .filter((each) => each.measured !== null)
            .map((each) => (
              <tr key={each.level}>
                <td>{shown(each.level)}</td>
                <td class="right">{Math.round(each.measured!)}</td>
                <td class="right">{each.interval && t("{low} to {high}", { low: String(Math.round(each.interval[0])), high: String(Math.round(each.interval[1])) })}</td>
                <td class="right">{each.games == null ? "" : formatted(each.games)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

/** The first sentence of a finding; what is bold belongs together. */
export function firstSentence(finding: string): string {
  const parts = finding.split(/(?<=[.!?](?:\*\*)?)\s+(?=[A-Z*])/);
  let sentence = "";
  for (const part of parts) {
    sentence = sentence ? `${sentence} ${part}` : part;
    const open = (sentence.match(/\*\*/g) ?? []).length % 2 === 1 || (sentence.match(/`/g) ?? []).length % 2 === 1;
    if (!open && sentence.replace(/\*/g, "").split(" ").length > 4) break; // "**Found.**" alone says nothing
  }
  return sentence;
}

/** A report without its title, which is above it. */
const withoutHead = (report: ReportView) => report.text.replace(/^#[^\n]*\n/, "");
