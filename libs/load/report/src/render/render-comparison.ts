import type { ReportComparison, FigureChange, RunIdentity } from '../compare-reports.ts';
import { duration, moment, ms, percent, rate, words } from './figure-text.ts';
import { badge, html, type Markup, table } from './markup.ts';
import { page } from './page.ts';

const TONES = { better: 'good', worse: 'bad', same: 'unsure', unknown: 'unsure' } as const;
const UNITS: Readonly<Record<FigureChange['unit'], (value: number | null) => string>> = {
  ms,
  'tx/s': rate,
  ratio: percent,
};

/** The comparison of two runs as a page. */
export function renderComparison({ base, head, figures, verdicts, differences }: ReportComparison): string {
  const worse = figures.filter(({ direction }) => direction === 'worse').length;
  const better = figures.filter(({ direction }) => direction === 'better').length;
  return page(
    `${base.name} against ${head.name}`,
    html`<header><h1>${base.name} → ${head.name}</h1></header>
      <section class="answer ${toneOf(head, { worse, better })}">
        <strong>${better} figures better, ${worse} worse</strong>
        <p>A change of less than 5 %, 2 ms, 0.5/s or 0.1 % of what was sent is taken for noise.</p>
      </section>
      <div class="pair">${run('base', base)} ${run('head', head)}</div>
      <h2>Figures</h2>
      ${table(
        [
          { title: 'figure', of: ({ name }) => words(name) },
          { title: 'base', isNumber: true, of: (figure) => UNITS[figure.unit](figure.base) },
          { title: 'head', isNumber: true, of: (figure) => UNITS[figure.unit](figure.head) },
          { title: 'change', isNumber: true, of: ({ change }) => (change === null ? '–' : signed(change)) },
          { title: '', of: ({ direction }) => badge(TONES[direction], direction) },
        ],
        figures,
      )}
      <h2>Checks</h2>
      ${table(
        [
          { title: 'check', of: ({ check }) => check },
          { title: 'base', of: (verdict) => verdict.base ?? '–' },
          { title: 'head', of: (verdict) => verdict.head ?? '–' },
        ],
        verdicts,
      )}
      <h2>What differs in the scenarios</h2>
      ${
        table(
          [
            { title: 'setting', of: ({ path }) => html`<code>${path}</code>` },
            { title: 'base', of: (difference) => JSON.stringify(difference.base) },
            { title: 'head', of: (difference) => JSON.stringify(difference.head) },
          ],
          differences,
        ) ?? html`<p>Nothing.</p>`
      }`,
  );
}

/** A head that did not hold is never better, even if it is faster. */
function toneOf({ verdict }: RunIdentity, { worse, better }: { worse: number; better: number }): string {
  if (worse > 0 || verdict.state === 'failed') return 'bad';
  return better > 0 && verdict.state === 'held' ? 'good' : 'unsure';
}

function run(title: string, identity: RunIdentity): Markup {
  const { run_id, name, status, started_at, duration_ms, headline } = identity;
  return html`<div class="card">
    <span class="soft small">${title}</span><br /><b>${name}</b> ${status}<br />${headline}<br />
    <span class="small soft">${moment(started_at)} · ${duration(duration_ms)} · <code>${run_id}</code></span>
  </div>`;
}

function signed(change: number): string {
  return `${change > 0 ? '+' : ''}${percent(change)}`;
}
