import { useEffect, useState } from "preact/hooks";
import { api, type ReportView } from "../api";

/** The gallery of measurements. */
export function ReportsPage() {
  const [reports, setReports] = useState<ReportView[] | null>(null);
  const [error, setError] = useState("");
  useEffect(() => void api.reports().then(setReports, (refusal: Error) => setError(refusal.message)), []);
  if (error) return <p role="alert">{error}</p>;
  if (!reports) return <p role="status">Loading…</p>;
  return (
    <>
      <h1>Measured</h1>
      {reports.length === 0 && <p>The reports are in the folder `results` of the repository. Start the page there to see them.</p>}
      <div class="gallery">
        {reports.map((report) => (
          <article key={report.name}>
            <h2>{report.title}</h2>
            <p>{report.finding.replace(/\*\*/g, "")}</p>
            {report.figures.map((figure) => (
              <a key={figure} href={`/api/reports/${report.name}/${figure}`} target="_blank" rel="noreferrer">
                <img src={`/api/reports/${report.name}/${figure}`} alt={`Figure ${figure} of ${report.title}`} loading="lazy" />
              </a>
            ))}
            {report.commands.length > 0 && (
              <details>
                <summary>Commands</summary>
                <pre>{report.commands.join("\n")}</pre>
              </details>
            )}
            <details>
              <summary>Whole report</summary>
              <pre class="report-text">{report.text}</pre>
            </details>
          </article>
        ))}
      </div>
    </>
  );
}
