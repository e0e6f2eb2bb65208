import type { Report } from '../data/report.ts';
import { answerSection } from './answer-section.ts';
import { detailSection } from './detail-section.ts';
import { moment } from './figure-text.ts';
import { figuresSection, thresholdsSection } from './figures-section.ts';
import { html } from './markup.ts';
import { oracleSection } from './oracle-section.ts';
import { page } from './page.ts';

/** The report as one self-contained page: what happened first, how it was found out below. */
export function renderHtml(report: Report): string {
  const { name, run_id, started_at, status } = report;
  return page(
    `${name} · load test report`,
    html`<header>
        <h1>${name}</h1>
        <span class="soft">${moment(started_at)} · ${status} · <code>${run_id}</code></span>
      </header>
      ${answerSection(report)} ${oracleSection(report)} ${thresholdsSection(report)} ${figuresSection(report)}
      ${detailSection(report)}
      <footer>
        Plexus load test. Counts are the edges’ own; latencies and series are computed from the run’s Parquet
        files.
      </footer>`,
  );
}
