import { CHECKS, type Check } from '#oracle';
import type { Report, ReportCheck, ReportViolation } from '../report.ts';
import { count, words } from './figure-text.ts';
import { html, type Markup } from './markup.ts';
import { badge, table } from './table.ts';

const TONES = { pass: 'good', fail: 'bad', inconclusive: 'unsure' } as const;

const PROMISES: Readonly<Record<Check, string>> = {
  nonce: 'each account’s transactions come once, in the order of their nonces',
  balance: 'each account’s money is, to the wei, what its transactions made of it',
  gas: 'no receipt uses more gas than its limit, nor pays more than its cap',
};
/** So many are shown on the page; the JSON has more, the files all. */
const SHOWN_MAX = 20;

/** Verdicts, what they cover, and the evidence of what broke. */
export function oracleSection({ oracle }: Report): Markup {
  const checks = CHECKS.flatMap((check): (ReportCheck & { check: Check })[] => {
    const found = oracle[check];
    return found === undefined ? [] : [{ ...found, check }];
  });
  if (checks.length === 0)
    return html`<h2>Promises</h2>
      <p class="soft">No check was asked for.</p>`;
  return html`<h2>Promises</h2>
    ${table(
      [
        {
          title: 'check',
          of: ({ check }) => html`<b>${check}</b><br /><span class="soft small">${PROMISES[check]}</span>`,
        },
        { title: 'verdict', of: ({ verdict }) => badge(TONES[verdict], verdict) },
        {
          title: 'checked',
          isNumber: true,
          of: ({ coverage }) => `${count(coverage.checked)} of ${count(coverage.total)}`,
        },
        { title: 'violations', isNumber: true, of: ({ violation_count }) => count(violation_count) },
        {
          title: 'not seen',
          of: ({ gaps }) => gaps.map((gap) => `${words(gap.reason)}: ${count(gap.count)}`).join(', ') || '–',
        },
      ],
      checks,
    )}
    ${checks.map(evidenceOf)}`;
}

function evidenceOf({ check, violations, violation_count }: ReportCheck & { check: Check }): Markup | null {
  if (violations.length === 0) return null;
  const shown = violations.slice(0, SHOWN_MAX);
  return html`<h3>Evidence: ${check}</h3>
    <p class="soft small">${count(shown.length)} of ${count(violation_count)} shown.</p>
    ${shown.map(violationCard)}`;
}

/** Several transactions of one block may have done it; the calls name them. */
function unnamed(calls: ReportViolation['calls']): string {
  const candidates = calls.filter(({ method }) => method === 'eth_getTransactionReceipt').length;
  return candidates > 1 ? `one of ${candidates} transactions, named below` : 'no single transaction';
}

function violationCard(violation: ReportViolation): Markup {
  const { kind, edge_id, account, hash, nonce, block_number, expected, observed, receipt, calls } = violation;
  const place = [
    `account ${account}`,
    nonce === null ? '' : `nonce ${nonce}`,
    block_number === null ? '' : `block ${block_number}`,
    edge_id,
  ];
  return html`<div class="card">
    <p>${badge('bad', words(kind))} <code>${hash ?? unnamed(calls)}</code></p>
    <p class="small soft">${place.filter(Boolean).join(' · ')}</p>
    <p>expected <b>${expected}</b>, observed <b>${observed}</b></p>
    <details>
      <summary class="small">see it again</summary>
      <pre>${calls.map((call) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })).join('\n')}</pre>
      ${receipt === null ? null : html`<pre>${JSON.stringify(receipt, null, 2)}</pre>`}
    </details>
  </div>`;
}
