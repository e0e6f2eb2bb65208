import { CHECKS } from '#load/oracle';
import type { Report } from '../data/report.ts';
import { headOf, type VerdictState } from '../verdict/run-verdict.ts';
import { detailSection } from './detail-section.ts';
import { count, duration, moment, ms, percent, rate } from './figure-text.ts';
import { figuresSection, inclusionOf, SPANS, thresholdsSection } from './figures-section.ts';
import { html, type Markup } from './markup.ts';
import { oracleSection } from './oracle-section.ts';
import { page } from './page.ts';

const TONES: Readonly<Record<VerdictState, 'good' | 'bad' | 'unsure'>> = {
  held: 'good',
  reservations: 'unsure',
  unknown: 'unsure',
  failed: 'bad',
};

/** The first screen: verdict, speed, violations. The tiles show the measured stages, like the thresholds. */
function answerSection(report: Report): Markup {
  const { verdict, summary, latency, duration_ms } = report;
  const { measured, not_sent: notSent } = summary;
  const inclusion = inclusionOf(report);
  const span = SPANS[inclusion];
  return html`<section class="answer ${TONES[verdict.state]}">
      <strong>${headOf(verdict)}</strong>
      ${
        verdict.reasons.length === 0
          ? null
          : html`<ul>
              ${verdict.reasons.map(({ message }) => html`<li>${message}</li>`)}
            </ul>`
      }
    </section>
    <section class="tiles">
      ${verdictTile(report)}
      ${tile(
        `${rate(summary.achieved_rate)}/s`,
        `sent: ${count(measured.sent)} of ${count(measured.planned)} planned` +
          (notSent > 0 ? ` (${percent(summary.achieved_rate_ratio)})` : ''),
      )}
      ${tile(ms(latency[inclusion]?.p50), `median, ${span}`)}
      ${tile(ms(latency[inclusion]?.p99), `p99, ${span}`)}
      ${tile(count(measured.included), `included of ${count(measured.sent)} sent`)}
      ${tile(percent(summary.tx_failed_ratio), 'failed unexpectedly')}
      ${tile(duration(duration_ms), `${report.edges.length} ${report.edges.length === 1 ? 'edge' : 'edges'}`)}
    </section>`;
}

function tile(figure: string, meaning: string): Markup {
  return html`<div class="tile"><b>${figure}</b><span>${meaning}</span></div>`;
}

/** A short form of the headline. */
function verdictTile({ verdict, thresholds }: Report): Markup {
  const { state, reasons } = verdict;
  if (state !== 'held')
    return tile(
      state === 'unknown' ? 'inconclusive' : state,
      `${count(reasons.length)} ${reasons.length === 1 ? 'reason' : 'reasons'}`,
    );
  return tile('passed', `${CHECKS.length} checks, ${count(thresholds.length)} thresholds`);
}

/** The report as one self-contained page: results first, details below. */
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
