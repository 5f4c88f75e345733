import { useEffect, useState } from "preact/hooks";
import { api, type ReportView } from "../api";
import { inline, Markdown } from "../markdown";
import { t } from "../text";

/** The gallery of measurements. */
export function ReportsPage() {
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
  return (
    <div class="page">
      <h1>{t("What was measured")}</h1>
      {reports.length === 0 && (
        <p class="empty">{t("The reports are in the folder `results` of the repository. Start the page there, or give it with `--results`.")}</p>
      )}
      <div class="gallery">
        {reports.map((report) => (
          <article key={report.name} class="card">
            <h2>{report.title}</h2>
            <p>{inline(report.finding)}</p>
            {report.figures.map((figure) => (
              <a key={figure} href={`/api/reports/${report.name}/${figure}`} target="_blank" rel="noreferrer">
                <img src={`/api/reports/${report.name}/${figure}`} alt={t("Figure {figure} of {report}", { figure, report: report.title })} loading="lazy" />
              </a>
            ))}
            {report.commands.length > 0 && (
              <details>
                <summary>{t("Commands")}</summary>
                <pre tabIndex={0}>{report.commands.join("\n")}</pre>
              </details>
            )}
            <details>
              <summary>{t("Whole report")}</summary>
              <Markdown text={report.text} figure={(name) => `/api/reports/${report.name}/${name}`} />
            </details>
          </article>
        ))}
      </div>
    </div>
  );
}
