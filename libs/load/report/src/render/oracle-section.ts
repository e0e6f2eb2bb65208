import { type Check, CHECK_LIMITS, CHECKS, limitsText } from '#load/oracle';
import type { Report, ReportCheck, ReportViolation } from '../data/report.ts';
import { count, words } from './figure-text.ts';
import { badge, html, type Markup, table } from './markup.ts';

const TONES = { pass: 'good', fail: 'bad', inconclusive: 'unsure' } as const;

/** Number of violations shown on the page; the JSON has more, the files have all. */
const SHOWN_MAX = 20;

interface CheckRow {
  readonly check: Check;
  /** Null if disabled or never run. */
  readonly found: ReportCheck | null;
  readonly why: string;
}

/** Verdicts with their coverage and limits, and the evidence of violations. */
export function oracleSection({ oracle, verdict }: Report): Markup {
  const rows = CHECKS.map((check): CheckRow => {
    const isOff = verdict.reasons.some(({ code }) => code === `${check}_off`);
    return { check, found: oracle[check] ?? null, why: isOff ? 'disabled' : 'never run' };
  });
  return html`<h2>Checks</h2>
    ${table(
      [
        {
          title: 'check',
          of: ({ check }) =>
            html`<b>${check}</b>
              <p class="soft small about">A pass proves: ${CHECK_LIMITS[check].proves}.</p>
              <p class="soft small about">It ${limitsText(check)}.</p>`,
        },
        {
          title: 'verdict',
          of: ({ found, why }) =>
            found === null ? badge('unsure', why) : badge(TONES[found.verdict], found.verdict),
        },
        {
          title: 'checked',
          isNumber: true,
          of: ({ found }) =>
            found === null ? '–' : `${count(found.coverage.checked)} of ${count(found.coverage.total)}`,
        },
        {
          title: 'violations',
          isNumber: true,
          of: ({ found }) => count(found === null ? null : found.violation_count),
        },
        {
          title: 'not seen',
          of: ({ found }) =>
            found?.gaps.map((gap) => `${words(gap.reason)}: ${count(gap.count)}`).join(', ') || '–',
        },
      ],
      rows,
    )}
    ${rows.map(({ check, found }) => (found === null ? null : evidenceOf({ ...found, check })))}`;
}

function evidenceOf({ check, violations, violation_count }: ReportCheck & { check: Check }): Markup | null {
  if (violations.length === 0) return null;
  const shown = violations.slice(0, SHOWN_MAX);
  return html`<h3>Evidence: ${check}</h3>
    <p class="soft small">${count(shown.length)} of ${count(violation_count)} shown.</p>
    ${shown.map(violationCard)}`;
}

function violationCard(violation: ReportViolation): Markup {
  const { kind, edge_id, account, hash, nonce, block_number } = violation;
  const { expected, observed, receipt, calls, note } = violation;
  const place = [
    `account ${account}`,
    nonce === null ? '' : `nonce ${nonce}`,
    block_number === null ? '' : `block ${block_number}`,
    edge_id,
  ];
  return html`<div class="card">
    <p>${badge('bad', words(kind))} <code>${hash ?? 'no single transaction'}</code></p>
    <p class="small soft">${place.filter(Boolean).join(' · ')}</p>
    <p>expected <b>${expected}</b>, observed <b>${observed}</b></p>
    ${note === null ? null : html`<p class="small">${note}</p>`}
    <details>
      <summary class="small">see it again</summary>
      <pre>${calls.map((call) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })).join('\n')}</pre>
      ${receipt === null ? null : html`<pre>${JSON.stringify(receipt, null, 2)}</pre>`}
    </details>
  </div>`;
}
